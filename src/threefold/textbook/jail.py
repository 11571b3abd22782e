"""The script that isolates a student's program, starts it, and ends everything it has started.

It runs in a separate process as `python -I -S -c SOURCE PLAN`, with the channel to the grader as
standard input, and imports nothing from Threefold. With walls, the program gets new namespaces: no
network, no other processes to see or signal, and no files except Python's library, read-only.
Without walls, the program can only be ended together with all its children.

    starter      outside: builds the walls, waits for init, reports how the program ended
      └ init     process 1 inside: when it ends, the kernel ends everything inside
          └ the program, without any privileges

If something is not permitted, one message on the channel says so: {"do": "cannot", "why": …}.
"""

import ctypes
import json
import os
import select
import signal
import sys
from contextlib import suppress
from typing import Any, NoReturn

_CLONE_NEWNS, _CLONE_NEWUTS, _CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
_CLONE_NEWUSER, _CLONE_NEWPID, _CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV = 0x1, 0x2, 0x4
_MS_REMOUNT, _MS_BIND, _MS_REC, _MS_PRIVATE = 0x20, 0x1000, 0x4000, 0x40000
#: A mount's restrictions, which must be kept; `statvfs` and `mount` use the same bits for them.
_MS_LOCKED = 0xF
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 36, 38
_NOBODY = 65534


def main() -> int:
    """Start the program that the plan describes and return its exit code, as a shell reports it."""
    plan = json.loads(sys.argv[1])
    os.umask(0o022)
    with suppress(OSError):  # Linux only: end if the grader ends
        _system("prctl", _PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    try:
        if plan["walls"]:
            _build_walls(plan["root"], plan["visible"], plan["hidden"])
            return _run_inside(plan)
        return _run_in_the_open(plan)
    except OSError as error:
        _cannot(error)


def _build_walls(root: str, visible: list[str], hidden: list[str]) -> None:
    """Make `root` the whole file system: `visible`, read-only, without what is in `hidden`."""
    user, group = os.geteuid(), os.getegid()
    spaces = _CLONE_NEWNS | _CLONE_NEWUTS | _CLONE_NEWIPC | _CLONE_NEWPID | _CLONE_NEWNET
    _system("unshare", spaces if user == 0 else spaces | _CLONE_NEWUSER)
    if user != 0:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    _mount(None, "/", _MS_REC | _MS_PRIVATE)
    flags = _MS_NOSUID | _MS_NODEV
    _mount("tmpfs", root, flags, kind=b"tmpfs", options=b"mode=755,size=1m")
    empty = f"{root}/empty"
    os.mkdir(empty)
    for path in visible:
        place = root + path
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if os.path.islink(path):
            os.symlink(os.readlink(path), place)
            continue
        if os.path.isdir(path):
            os.makedirs(place, exist_ok=True)
        else:
            os.close(os.open(place, os.O_CREAT))
        _show_read_only(path, place)
    for path in hidden:
        _show_read_only(empty, root + path)
    _mount(None, root, _MS_REMOUNT | _MS_RDONLY | flags)
    # After chroot, unlike after pivot_root, the kernel refuses to create user namespaces. In one,
    # the program would be root and could hold files in memory that no limit counts.
    os.chroot(root)
    os.chdir("/")


def _show_read_only(path: str, place: str) -> None:
    _mount(path, place, _MS_BIND | _MS_REC)
    kept = os.statvfs(place).f_flag & _MS_LOCKED
    _mount(None, place, _MS_REMOUNT | _MS_BIND | _MS_RDONLY | kept)


def _run_inside(plan: dict[str, Any]) -> int:
    """Process 1 of the new namespace, and the program as its child."""
    program_user = 0x70000000 + os.getpid()  # owns nothing and is used by no other run
    alive, held = os.pipe()
    init = os.fork()
    if init:
        os.close(alive)
        _let_go_of_the_channel()
        return _ending(os.waitpid(init, 0)[1])
    os.close(held)
    _system("prctl", _PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if select.select([alive], [], [], 0)[0]:  # the starter ended before that took effect
        os._exit(1)
    program = os.fork()
    if not program:
        _become(plan["command"], program_user)
    _let_go_of_the_channel()
    while True:
        ended, status = os.wait()
        if ended == program:
            os._exit(_ending(status))


def _run_in_the_open(plan: dict[str, Any]) -> int:
    """The program as a child; its orphaned descendants become children of this process."""

    def leave(*_: object) -> NoReturn:
        raise SystemExit(128 + signal.SIGTERM)

    signal.signal(signal.SIGTERM, leave)
    with suppress(OSError):  # on other systems the grader ends the process group
        _system("prctl", _PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    starter = os.getpid()
    program = os.fork()
    if not program:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.setsid()  # so that a signal to the program's group does not end this process
        _become(plan["command"], 0x70000000 + starter if _others_may_run(plan["command"]) else None)
    _let_go_of_the_channel()
    try:
        while True:
            ended, status = os.wait()
            if ended == program:
                return _ending(status)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _end_children(program)


def _others_may_run(command: list[str]) -> bool:
    """Whether root can give up its privileges and still run Python (not from root's home)."""
    if os.geteuid() != 0:
        return False
    os.seteuid(_NOBODY)
    readable = os.access(command[0], os.X_OK, effective_ids=True) and os.access(
        os.__file__, os.R_OK, effective_ids=True
    )
    os.seteuid(0)
    return readable


def _end_children(program: int) -> None:
    """End every child, including those orphaned to this process on the way."""
    listed = f"/proc/self/task/{os.getpid()}/children"
    for _ in range(10_000):
        children = {program}
        with suppress(OSError), open(listed) as file:
            children |= {int(child) for child in file.read().split()}
        for child in children:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            return


def _become(command: list[str], user: int | None) -> NoReturn:
    """Give up every privilege and run the program; it has the channel as standard input."""
    try:
        if user is not None and os.geteuid() == 0:
            _give_up_root(user)
        with suppress(OSError):  # Linux only
            _system("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
            _system("prctl", _PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        # In a user namespace, exec drops the remaining privileges, because the user is not root.
        os.execv(command[0], command)
    except OSError as error:
        _cannot(error)


def _give_up_root(user: int) -> None:
    os.setgroups([])
    try:
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    except OSError:  # a container without such a user
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)


def _cannot(error: OSError) -> NoReturn:
    why = error.strerror or str(error)
    with suppress(OSError):
        os.write(0, json.dumps({"do": "cannot", "why": why}).encode() + b"\n")
    os._exit(1)


def _let_go_of_the_channel() -> None:
    """Leave the channel to the program alone, so that it closes when the program ends."""
    os.dup2(1, 0)


def _ending(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _mount(
    source: str | None, target: str, flags: int, kind: bytes | None = None, options: bytes = b""
) -> None:
    _system("mount", source and os.fsencode(source), os.fsencode(target), kind, flags, options)


def _system(name: str, *arguments: Any) -> None:
    """Call a C library function that not every Python version offers."""
    function = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if function is None:
        raise OSError(f"this system has no {name}")
    plain = [ctypes.c_ulong(one) if isinstance(one, int) else one for one in arguments]
    if function(*plain) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


if __name__ == "__main__":
    sys.exit(main())
