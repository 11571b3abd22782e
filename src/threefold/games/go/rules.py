"""The rules of Go: area scoring, no suicide, simple ko; two passes end the game.

Each player has a set of points, numbered from the bottom left corner row by row (here 9×9). A set
takes as many 64-bit words as the board needs: see `threefold.rules.wide`.

         A  B  C  D  E  F  G  H  J
    9   72 73 74 75 76 77 78 79 80
    …
    2    9 10 11 12 13 14 15 16 17
    1    0  1  2  3  4  5  6  7  8

A move is the number of its point, or the number after the last point for a pass.

The state remembers the one point that is barred by *ko*: where a single stone was just captured by
a single stone, which could be captured back at once. Any other way back to an earlier board is
barred by *positional superko*. That takes the whole game to see: `board_of` tells what must not
come up again, and `Game.moves(s, before)` leaves those moves out.
"""

from functools import cache
from typing import Any, NamedTuple, TypeAlias, cast

from threefold.games.go.evaluation import evaluations
from threefold.games.go.features import features
from threefold.games.go.groups import Groups
from threefold.games.go.life import secure_points
from threefold.games.go.playout import playouts
from threefold.games.go.symmetry import images
from threefold.rules.contract import MAX, MIN, Row
from threefold.rules.planes import Planes
from threefold.rules.records import Assumptions, OtherUtility, RuleHooks
from threefold.rules.wide import Cells, WideBoard

#: No point is barred.
NO_KO = -1
#: This many passes in a row end the game.
LAST_PASS = 2
#: The longest game that a search looks at, in moves for each point: superko ends all of them, but
#: a search sees only the simple ko.
MOVES_PER_POINT = 4

#: How far a tree search trusts that a good point stays one, in visits that tell as much.
RAVE = 1000

#: The words of black's stones, those of white's, then `ko`, `passes` and `turn`.
State: TypeAlias = Any


@cache
def state_type(words: int) -> type[State]:
    """The State for boards whose sets take that many words each.

    `ko` is the point that is barred, or NO_KO; `passes` counts the passes in a row just before;
    `turn` is MAX for black, who moves first, or MIN for white.
    """
    sets = [f"{side}{i}" for side in ("black", "white") for i in range(words)]
    made: Any = NamedTuple(  # type: ignore[misc]
        f"State{words}", [(name, int) for name in (*sets, "ko", "passes", "turn")]
    )
    made.__module__ = __name__
    return cast(type[State], made)


class Sets:
    """The stones of a State as sets of points, for one size of board."""

    def __init__(self, board: WideBoard) -> None:
        words = board.words
        both = 2 * words

        def black(s: State) -> Cells:
            return s[:words]  # type: ignore[no-any-return]

        def white(s: State) -> Cells:
            return s[words:both]  # type: ignore[no-any-return]

        def by_turn(s: State) -> tuple[Cells, Cells]:
            """The stones of the player to move, and the other's."""
            if s.turn == MAX:
                return black(s), white(s)
            return white(s), black(s)

        self.black, self.white, self.by_turn = black, white, by_turn


def sign(value: int) -> int:
    """1, 0 or -1."""
    if value > 0:
        return 1
    return -1 if value < 0 else 0


def rules(size: int, twice_komi: int, handicap: Cells) -> RuleHooks:
    """The hooks for a board of `size` × `size`, with black's handicap stones already on it."""
    board = WideBoard(size, size)
    points = pass_move = board.cells
    union, common, without, others = board.union, board.common, board.without, board.others
    single, put, take, write = board.single, board.put, board.take, board.write
    first, rest, is_empty, count = board.first, board.rest, board.is_empty, board.count
    neighbors = board.neighbors
    groups = Groups(board)
    without_liberties, surrounded, area = (
        *(groups.without_liberties, groups.surrounded),
        groups.area,
    )
    with_two, in_atari = groups.with_two, groups.in_atari
    secure = secure_points(board)
    none = board.empty
    make = state_type(board.words)
    sets = Sets(board)
    black, white, by_turn = sets.black, sets.white, sets.by_turn

    def initial() -> State:
        turn = MAX if is_empty(handicap) else MIN
        return make(*handicap, *none, NO_KO, 0, turn)

    def captured(cell: int, mine: Cells, theirs: Cells) -> Cells:
        """Their stones that a stone of mine on an empty point takes off the board."""
        empty = take(others(union(mine, theirs)), cell)
        taken = none
        left = common(neighbors(single(cell)), theirs)
        while not is_empty(left):
            dead = without_liberties(single(first(left)), theirs, empty)
            taken = union(taken, dead)
            left = without(rest(left), dead)
        return taken

    def is_suicide(cell: int, mine: Cells, theirs: Cells) -> bool:
        """Whether my stone on a point without empty neighbors would have no liberty."""
        empty = take(others(union(mine, theirs)), cell)
        if is_empty(without_liberties(single(cell), mine, empty)):
            return False
        return is_empty(captured(cell, mine, theirs))

    def playable(s: State) -> Cells:
        """The points where the player to move may place a stone."""
        mine, theirs = by_turn(s)
        empty = others(union(mine, theirs))
        allowed = common(empty, neighbors(empty))
        tight = without(empty, allowed)
        if not is_empty(tight):
            # Beside a stone of mine that keeps another liberty, none is suicide.
            allowed = union(allowed, common(tight, neighbors(common(with_two(empty), mine))))
            tight = without(tight, allowed)
            if not is_empty(tight):  # Beside any group that does, or if it captures, neither.
                free = without(mine, in_atari(mine, empty))
                open_to = neighbors(union(free, in_atari(theirs, empty)))
                allowed = union(allowed, common(tight, open_to))
        if s.ko != NO_KO:
            allowed = take(allowed, s.ko)
        return allowed

    def is_terminal(s: State) -> bool:
        return bool(s.passes >= LAST_PASS)

    def actions(s: State, out: Row) -> int:
        if s.passes >= LAST_PASS:
            return 0
        n = write(playable(s), out)
        out[n] = pass_move
        return n + 1

    def result(s: State, a: int) -> State:
        turn = MIN if s.turn == MAX else MAX
        if a == pass_move:
            return make(*black(s), *white(s), NO_KO, s.passes + 1, turn)
        mine, theirs = by_turn(s)
        taken = captured(a, mine, theirs)
        theirs = without(theirs, taken)
        ko = NO_KO
        if count(taken) == 1:
            around = neighbors(single(a))
            empty = others(union(mine, theirs))
            if is_empty(common(around, mine)) and count(common(around, empty)) == 1:
                ko = first(taken)
        mine = put(mine, a)
        if s.turn == MAX:
            return make(*mine, *theirs, ko, 0, turn)
        return make(*theirs, *mine, ko, 0, turn)

    def margin(s: State) -> int:
        """Twice the points by which black is ahead: Tromp-Taylor area scoring, less the komi."""
        black_area, white_area = area(black(s), white(s)), area(white(s), black(s))
        return 2 * (black_area - white_area) - twice_komi

    def utility(s: State) -> int:
        return sign(margin(s))

    def assured_margin(s: State) -> tuple[int, int]:
        """The margins that stones which can never be captured make sure of, for black and white."""
        low = 2 * (2 * count(secure(black(s), white(s))) - points) - twice_komi
        high = 2 * (points - 2 * count(secure(white(s), black(s)))) - twice_komi
        return low, high

    def assured(s: State) -> tuple[int, int]:
        low, high = assured_margin(s)
        return sign(low), sign(high)

    def reachable(s: State) -> int:
        """Boards that can follow, roughly: nobody should touch points that are surely someone's."""
        sure = union(secure(black(s), white(s)), secure(white(s), black(s)))
        return int(3 ** count(others(sure)))

    def board_of(s: State) -> Cells:
        """The stones, whoever is to move: what positional superko forbids to come up again."""
        return black(s) + white(s)

    def owners(s: State) -> Cells:
        """Black's area, and white's."""
        mine, theirs = black(s), white(s)
        black_area = union(mine, surrounded(mine, theirs))
        return black_area + union(theirs, surrounded(theirs, mine))

    def player(s: State) -> int:
        return int(s.turn)

    played_out = playouts(groups, sets, is_suicide)
    estimates = evaluations(groups, sets, twice_komi)
    hooks: RuleHooks = {
        "initial": initial,
        "actions": actions,
        "result": result,
        "utility": utility,
        "is_terminal": is_terminal,
        "evaluations": estimates["evaluations"],
        "terms": estimates["terms"],
        "features": features(groups, sets),
        "symmetries": images(board, sets, make, NO_KO),
        "assumptions": Assumptions(
            superko=board_of,
            assured=assured,
            reachable=reachable,
            owners=owners,
            playout=played_out.playout,
            reply=played_out.reply,
            search="mcts",
            rave=RAVE,
            planes=Planes(columns=size, rows=size, count=9, words=board.words),
        ),
        "utilities": {"area": OtherUtility(margin, 2, assured_margin)},
        "max_moves": points + 1,
        "max_ply": MOVES_PER_POINT * points + 64,
        "move_range": points + 1,
    }
    if not is_empty(handicap):  # white moves first, and that is meant so
        hooks["player"] = player
    return hooks
