"""Watches compiled code for sums, differences and products that overflow.

Numba marks signed `+`, `-` and `*` with `nsw`: an overflow has no meaning, and what LLVM makes of
it changes with the code around it. `watch()` has each of them checked as it runs, in all that is
compiled afterwards, and collects the lines where one did overflow. Nothing so compiled may be kept
on disk, so this belongs into a process of its own with a cache of its own:

    python tests/overflow.py GAME…            all that is compiled for each game; 1 if any overflows
    python tests/overflow.py --hooks GAME…    their hooks alone
"""

import ctypes
import sys
from contextlib import suppress
from typing import Any

from llvmlite import ir
from numba.core.lowering import Lower

_WORD = ir.IntType(64)
_REPORT = ctypes.CFUNCTYPE(None, ctypes.c_int64)


class Overflows:
    """The lines at which something overflowed."""

    def __init__(self) -> None:
        self.found: set[str] = set()
        self._sites: list[str] = []
        self._callback = _REPORT(self._report)

    def watch(self) -> "Overflows":
        """Check whatever is compiled from now on."""
        for name in ("add", "sub", "mul"):
            setattr(ir.IRBuilder, name, self._checked(name))
        return self

    def _checked(self, name: str) -> Any:
        plain = getattr(ir.IRBuilder, name)
        with_overflow = getattr(ir.IRBuilder, f"s{name}_with_overflow")

        def emit(builder: Any, x: Any, y: Any, name: str = "", flags: Any = ()) -> Any:
            if "nsw" not in flags or x.type != _WORD:
                return plain(builder, x, y, name, flags)
            both = with_overflow(builder, x, y)
            with builder.if_then(builder.extract_value(both, 1), likely=False):
                self._emit_report(builder)
            return builder.extract_value(both, 0)

        return emit

    def _emit_report(self, builder: Any) -> None:
        self._sites.append(f"{builder.function.name[:60]} {_line_being_compiled()}")
        address = ctypes.cast(self._callback, ctypes.c_void_p).value
        function = ir.FunctionType(ir.VoidType(), [_WORD]).as_pointer()
        pointer = builder.inttoptr(ir.Constant(_WORD, address), function)
        builder.call(pointer, [ir.Constant(_WORD, len(self._sites) - 1)])

    def _report(self, site: int) -> None:
        self.found.add(self._sites[site])


def _line_being_compiled() -> str:
    frame: Any = sys._getframe()
    while frame is not None:
        compiler = frame.f_locals.get("self")
        if isinstance(compiler, Lower):
            return str(compiler.loc.short())
        frame = frame.f_back
    return "?"


def exercise(spec: str, *, hooks_alone: bool) -> None:
    """Run everything compiled that a game has, for a moment each."""
    from threefold import ThreefoldError, conformance, game
    from threefold.solve.solve import METHODS

    played = game(spec)
    conformance(played, games=5)
    if hooks_alone:
        return
    for method in ("alphabeta", "mcts"):
        with suppress(ThreefoldError):
            played.analyze(method=method, time=0.5, threads=2)
    for method in METHODS:
        with suppress(ThreefoldError):
            played.solve(method=method, time=0.5, megabytes=64)
    with suppress(ThreefoldError):
        played.perft(depth=3)


if __name__ == "__main__":
    overflows = Overflows().watch()
    hooks_alone = "--hooks" in sys.argv
    for argument in sys.argv[1:]:
        if argument != "--hooks":
            exercise(argument, hooks_alone=hooks_alone)
    print("\n".join(sorted(overflows.found)))  # noqa: T201
    sys.exit(1 if overflows.found else 0)
