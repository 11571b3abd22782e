"""The programs of 1948–1953 that play chess; they were written for no computer."""

from functools import cache, partial

from threefold.games.chess import shannon, turing
from threefold.games.chess.rules import result
from threefold.games.chess.seen import seen
from threefold.rules.program import Program

_program = partial(Program, plays="chess", result=result, seen=seen)

PROGRAMS = (
    _program(
        name="turochamp",
        title="Turochamp, 1948",
        about="Alan Turing and David Champernowne's paper machine: looks at every move and "
        "reply, then at considerable moves",
        view=cache(turing.view),
        depth=turing.DEPTH,
        prefer=turing.position_play,
    ),
    _program(
        name="shannon-a",
        title="Shannon's type A, 1950",
        about="Claude Shannon's type A: looks at every move, 4 plies ahead",
        view=cache(shannon.type_a),
        depth=shannon.DEPTH,
        exact=True,
    ),
    _program(
        name="shannon-b",
        title="Shannon's type B, 1950",
        about="Claude Shannon's type B: looks at chosen moves, until the position is stable",
        view=cache(shannon.type_b),
        depth=shannon.DEPTH,
    ),
)
