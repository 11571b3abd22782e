"""Links to share: the lab's address with the token that admits others, also as a QR code.

A page cannot read the token, which is in a cookie that no script sees. So it asks for the link.
"""

from dataclasses import dataclass
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import segno
from segno.encoder import DataOverflowError

from threefold.lab.requests import BadRequest

#: The names by which a machine refers to itself; no other machine can reach it by them.
LOOPBACK = ("127.0.0.1", "localhost", "::1")
#: The most characters of a page's state in its address.
MAX_SHOWN = 20_000


@dataclass(frozen=True)
class Door:
    """The lab's address, as others use it; no token if it is not open to others."""

    address: str = ""
    token: str | None = None

    def share(self, origin: str, shown: str) -> dict[str, Any]:
        """The link to what a page shows: `origin` is the lab as that page found it."""
        if len(shown) > MAX_SHOWN or (shown and not shown.startswith("#")):
            raise BadRequest(
                f"a page's state starts with # and has at most {MAX_SHOWN:,} characters"
            )
        base, query = origin, ""
        if self.token is not None:
            query = f"?token={self.token}"
            if urlsplit(origin).hostname in LOOPBACK and self.address:
                base = self.address.partition("?")[0].rstrip("/")
        link = f"{base}/{query}{shown}"
        return {
            "link": link,
            "query": query,
            "local": self.token is None,
            "code": _code(link),
        }


def _code(link: str) -> str | None:
    """A QR code as SVG; None if the link is too long for one that a phone can read."""
    try:
        code = segno.make_qr(link, error="l")
    except DataOverflowError:
        return None
    drawn = BytesIO()
    code.save(drawn, kind="svg", omitsize=True, xmldecl=False, dark="#000", light="#fff")
    return drawn.getvalue().decode()
