"""The rules of Kalah.

All rules are written from the point of view of the player to move. Places are numbered in the order
in which that player sows seeds (here with six pits per side):

             12  11  10   9   8   7         their pits
         13                           6     their store, 13, and mine
              0   1   2   3   4   5         my pits: a move is the number of one of them

Place 12 - a is opposite pit a. Each place takes one byte, seven to a word, so that bit 63 is never
used:

    south      South's first seven places: with six pits, all of them and the store
    north      North's
    beyond     on wider boards, the rest: South's eighth to tenth, then North's

Sowing is addition. For each pit and number of seeds, a table has the words with a one in each place
that gets a seed. Whole laps are added on top.
"""

from typing import NamedTuple, TypeAlias

from threefold.games.kalah.endgames import endgames
from threefold.games.kalah.evaluation import evaluations
from threefold.games.kalah.features import features
from threefold.rules.bits import add, lsr, mix, mul
from threefold.rules.contract import MAX, Row
from threefold.rules.records import Assumptions, RuleHooks

#: My first places, theirs, and beyond: the rest of mine, then of theirs.
Board: TypeAlias = tuple[int, int, int]

BITS = 8
BYTE = (1 << BITS) - 1
PER_WORD = 7
#: Where the other side's places begin in `beyond`.
THEIRS = 3 * BITS
#: All seeds may end up in one place.
MOST_SEEDS = BYTE
#: A word times this has the sum of its first seven bytes in the seventh byte.
_SUM = sum(1 << BITS * i for i in range(PER_WORD))

#: No game is longer than its seeds times pits². Let a seed that is d places before its side's store
#: be worth d + pits·(pits - 1), and one in a store nothing; then every move lowers the sum. Real
#: games last some hundred plies, and searches do not distinguish more plies than these.
_MOST_PLIES = 4000


class State(NamedTuple):
    """The seeds in each place, and whose turn it is; South is MAX."""

    south: int
    north: int
    beyond: int
    turn: int


def packed(mine: list[int], theirs: list[int]) -> Board:
    """The words with the given seeds in my places and theirs, the stores last."""
    beyond = _word(mine[PER_WORD:]) | _word(theirs[PER_WORD:]) << THEIRS
    return _word(mine[:PER_WORD]), _word(theirs[:PER_WORD]), beyond


def _word(seeds: list[int]) -> int:
    return sum(n << BITS * i for i, n in enumerate(seeds))


def unpacked(s: State, pits: int) -> tuple[list[int], list[int]]:
    """The seeds in South's places and in North's."""

    def places(first: int, rest: int) -> list[int]:
        words = first | (rest & (1 << THEIRS) - 1) << BITS * PER_WORD
        return [words >> BITS * i & BYTE for i in range(pits + 1)]

    return places(s.south, s.beyond), places(s.north, s.beyond >> THEIRS)


def rules(pits: int, seeds: int, empty_capture: bool, rest_to_owner: bool) -> RuleHooks:
    """The hooks for a board with `pits` pits per side and `seeds` seeds in each."""
    side, lap, wide = pits + 1, 2 * pits + 1, pits >= PER_WORD
    start = packed([seeds] * pits, [seeds] * pits)
    my_pits, their_pits = packed([BYTE] * pits, []), packed([], [BYTE] * pits)
    all_pits = (my_pits[0], their_pits[1], my_pits[2] | their_pits[2])

    def row(places: list[int]) -> Board:
        """A seed in each of these places."""
        got = [int(place in places) for place in range(2 * side)]
        return packed(got[:side], got[side:])

    #: Three words per entry: one seed in a place; less than a lap of seeds, sown from a pit.
    one: tuple[int, ...] = sum((row([place]) for place in range(2 * side)), ())
    routes = [[(pit + 1 + i) % lap for i in range(lap)] for pit in range(pits)]
    sown: tuple[int, ...] = sum((row(r[:n]) for r in routes for n in range(lap)), ())
    whole_lap = row(list(range(lap)))
    #: Where the last of those seeds falls; after a whole lap, in the pit itself.
    end_of = tuple(route[n - 1] for route in routes for n in range(lap))

    def turned(board: Board) -> Board:
        """The board from the other side's point of view."""
        beyond = board[2] >> THEIRS | (board[2] & (1 << THEIRS) - 1) << THEIRS
        return board[1], board[0], beyond

    def board_of(s: State) -> Board:
        board = s.south, s.north, s.beyond
        return board if s.turn == MAX else turned(board)

    def held(board: Board, place: int) -> int:
        """The seeds in a place."""
        word, i, rest = board[0], place, board[2]
        if place >= side:
            word, i, rest = board[1], place - side, board[2] >> THEIRS
        if wide and i >= PER_WORD:
            word, i = rest, i - PER_WORD
        return word >> BITS * i & BYTE

    def put(board: Board, table: tuple[int, ...], entry: int, times: int) -> Board:
        """Add an entry of a table `times` times."""
        beyond = board[2] + times * table[3 * entry + 2] if wide else 0
        return board[0] + times * table[3 * entry], board[1] + times * table[3 * entry + 1], beyond

    def count(board: Board, places: Board) -> int:
        """The seeds in the places whose mask bytes are set."""
        bytewise = (board[0] & places[0]) + (board[1] & places[1])
        if wide:
            bytewise += board[2] & places[2]
        return lsr(mul(bytewise, _SUM), BITS * (PER_WORD - 1)) & BYTE

    def in_pits(board: Board) -> tuple[int, int]:
        """The seeds in my pits, and in theirs."""
        return count(board, my_pits), count(board, their_pits)

    def captured(board: Board, a: int, hand: int, last: int) -> int:
        """What a move captures at its end: its last seed and those opposite, or nothing.

        After a full lap, the move itself has put one of those seeds there.
        """
        if last >= pits or hand > lap or (last != a and held(board, last) > 0):
            return 0
        opposite = held(board, 2 * pits - last)
        if last <= a:
            opposite += 1
        return opposite + 1 if opposite > 0 or empty_capture else 0

    def options(board: Board) -> tuple[int, int, int, int]:
        """My seeds, my nonempty pits, those that move again, and the largest capture."""
        occupied, again, most = 0, 0, 0
        for a in range(pits):
            hand = held(board, a)
            if hand > 0:
                occupied += 1
                last = end_of[a * lap + hand % lap]
                if last == pits:
                    again += 1
                most = max(most, captured(board, a, hand, last))
        return count(board, my_pits), occupied, again, most

    def initial() -> State:
        return State(start[0], start[1], start[2], MAX)

    def actions(s: State, out: Row) -> int:
        board = board_of(s)
        n = 0
        for pit in range(pits):
            if held(board, pit) > 0:
                out[n] = pit
                n += 1
        return n

    def result(s: State, a: int) -> State:
        board, turn = board_of(s), 1 - s.turn
        hand = held(board, a)
        sowing = a * lap + hand % lap
        last = end_of[sowing]
        taken = captured(board, a, hand, last)

        board = put(board, one, a, -hand)
        board = put(board, sown, sowing, 1)
        board = put(board, whole_lap, 0, hand // lap)
        if last == pits:
            turn = s.turn
        elif taken > 0:
            board = put(board, one, last, -1)
            board = put(board, one, 2 * pits - last, 1 - taken)
            board = put(board, one, pits, taken)

        mine, theirs = in_pits(board)
        if mine == 0 or theirs == 0:
            board = board[0] & ~all_pits[0], board[1] & ~all_pits[1], board[2] & ~all_pits[2]
            board = put(board, one, pits, mine if rest_to_owner else mine + theirs)
            board = put(board, one, pits + side, theirs if rest_to_owner else 0)
        if s.turn != MAX:
            board = turned(board)
        return State(board[0], board[1], board[2], turn)

    def noisy(s: State, out: Row) -> int:
        """Moves that earn another move, and captures of the other side's seeds."""
        board = board_of(s)
        n = 0
        for a in range(pits):
            hand = held(board, a)
            if hand > 0:
                last = end_of[a * lap + hand % lap]
                if last == pits or captured(board, a, hand, last) > 1:
                    out[n] = a
                    n += 1
        return n

    def is_terminal(s: State) -> bool:
        """Whether all pits are empty: when one side's are, the rest is banked at once."""
        rest = s.south & all_pits[0] | s.north & all_pits[1] | s.beyond & all_pits[2]
        return rest == 0

    def utility(s: State) -> int:
        board = s.south, s.north, s.beyond
        return held(board, pits) - held(board, pits + side)

    def bounds(s: State) -> tuple[int, int]:
        """Seeds in a store stay there; the rest may go to either store."""
        lead, rest = utility(s), count((s.south, s.north, s.beyond), all_pits)
        return lead - rest, lead + rest

    def settled(s: State) -> tuple[int, int]:
        """The stores; and the pits as the mover sees them, each word mixed into the next."""
        board = board_of(s)
        mixed = mix(board[0] & my_pits[0])
        if wide:
            mixed = mix(add(mixed, board[2] & all_pits[2]))
        return utility(s), add(mixed, board[1] & their_pits[1])

    def remaining(s: State) -> int:
        """Two plies per seed, which is more than most games last."""
        return 2 * count((s.south, s.north, s.beyond), all_pits)

    def key(s: State) -> int:
        """The words, each mixed into the next; one is inverted on North's turn."""
        mixed = mix(s.south)
        if wide:
            mixed = mix(add(mixed, s.beyond))
        return add(mixed, s.north if s.turn == MAX else ~s.north)

    def store(board: Board) -> int:
        """The seeds that the player whose board it is has banked."""
        return held(board, pits)

    def order(s: State, a: int) -> int:
        """Seeds to the store minus seeds to their pits; another move is worth five seeds.

        The weights were found by trial: with them, (5,4), (6,3) and (4,6) take the fewest nodes.
        """
        board = board_of(s)
        hand = held(board, a)
        last = end_of[a * lap + hand % lap]
        if last == pits:
            return 100 + a
        banked = (hand + a + side) // lap + captured(board, a, hand, last)
        return 20 * banked - 4 * max(0, hand - side + a) + 2 * a

    known = endgames(
        pits,
        f"kalah(pits={pits},empty_capture={str(empty_capture).lower()},"
        f"rest={'owner' if rest_to_owner else 'mover'})",
        lambda board: State(board[0], board[1], board[2], MAX),
        board_of,
        held,
        in_pits,
        lambda board, place, more: put(board, one, place, more),
    )
    estimates = evaluations(board_of, turned, options, store)
    return {
        "initial": initial,
        "actions": actions,
        "result": result,
        "is_terminal": is_terminal,
        "utility": utility,
        "evaluations": estimates["evaluations"],
        "terms": estimates["terms"],
        "features": features(pits, turned, held),
        "noisy": noisy,
        "assumptions": Assumptions(
            bounds=bounds,
            settled=settled,
            remaining=remaining,
            endgames=known,
            reductions=True,
        ),
        "key": key,
        "order": order,
        "max_moves": pits,
        "max_ply": min(_MOST_PLIES, MOST_SEEDS * pits * pits),
        "move_range": pits,
    }
