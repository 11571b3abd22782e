"""The head node of a Ray cluster: its address, and in one line why it cannot be reached.

Nothing here imports Ray: at an address that does not suit it, Ray hangs or ends its process. So
another process tries the address first.
"""

import os
import socket
import subprocess
import sys
from typing import Final

from threefold.errors import ThreefoldError, argument
from threefold.rules.text import shorten

#: Seconds to find somebody who accepts connections, and to connect to a cluster there.
_KNOCK: Final = 5.0
_PATIENCE: Final = 30.0
#: For Ray to give up sooner.
_SOON: Final = {"RAY_NUM_REDIS_GET_RETRIES": "3", "RAY_gcs_server_request_timeout_seconds": "15"}
_TRY: Final = """
import sys, ray
try:
    ray.init(sys.argv[1], log_to_driver=False, logging_level=50)
except BaseException as error:
    print(type(error).__name__, error, error.__cause__)
    sys.exit(1)
"""


def ray_address(cluster: str) -> str | None:
    """The address in `ray:ADDRESS`; None for `ray`, the cluster that runs on this machine."""
    kind, colon, address = cluster.partition(":")
    if kind != "ray":
        given = argument("cluster", shorten(cluster))
        raise ThreefoldError(f"{given} is not local, ray or ray:HOST:PORT")
    if not colon or address == "auto":
        return None
    host, _, port = address.rpartition(":")
    if not host or "/" in host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise ThreefoldError(
            f"{argument('cluster', shorten(cluster))}: the address is the HOST:PORT of the head "
            "node, like ray:10.0.0.1:6379"
        )
    return address


def reachable(address: str, here: str) -> str:
    """An address at which somebody accepts connections.

    For 127.0.0.1, Ray asks at the address that other machines know this one by. A head node that
    listens to its own machine alone does not answer there; it does to a name Ray does not know.
    """
    host, _, port = address.rpartition(":")
    ways = {address: address}
    if host in ("localhost", "127.0.0.1"):
        ways = {f"{here}:{port}": address, address: f"[::ffff:127.0.0.1]:{port}"}
    for each, way in ways.items():
        if is_open(each, _KNOCK):
            return way
    where = argument("cluster", f"ray:{address}")
    raise ThreefoldError(
        f"{where}: nobody answers there; start the head node: ray start --head --port={port}"
    )


def is_open(address: str, timeout: float) -> bool:
    """Whether anybody accepts connections at HOST:PORT."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout).close()
    except (OSError, UnicodeError):
        return False
    return True


def problem_at(address: str) -> str:
    """What another process says that tried to connect; nothing if it could."""
    try:
        tried = subprocess.run(
            [sys.executable, "-c", _TRY, address],
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            stdin=subprocess.DEVNULL,
            env=os.environ | _SOON,
        )
    except subprocess.TimeoutExpired as error:
        return f"no answer {error.stderr!r}"
    return "" if not tried.returncode else f"{tried.stdout} {tried.stderr}"


#: Signs of what is wrong in what Ray says, and what to say instead.
_ADVICE: Final = {
    "AuthToken": "it asks for its token: set RAY_AUTH_MODE=token, and put the token into "
    "RAY_AUTH_TOKEN or ~/.ray/auth_token",
    "AuthenticationError": "RAY_AUTH_MODE is token, but there is no token: put the cluster's into "
    "RAY_AUTH_TOKEN or ~/.ray/auth_token",
    "No node info found": "this machine is not part of the cluster; join it first: "
    "ray start --address={address}",
    "Version mismatch": "Ray or Python has another version there; install the same here",
    "to GCS": "whoever answers there is not the head node of a Ray cluster",
    "no answer": "the head node does not answer in time",
}


def explained(address: str | None, problem: str) -> str:
    """Why there is no connection, in one line."""
    where = argument("cluster", "ray" if address is None else f"ray:{address}")
    for sign, advice in _ADVICE.items():
        if sign in problem:
            return f"{where}: {advice.format(address=address)}"
    return f"{where}: {shorten(' '.join(problem.split()))}"
