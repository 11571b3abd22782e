"""Kalah positions as `4,4,4,4,4,4,0/4,4,4,4,4,4,0 S`, and moves as a pit, `3`.

South's pits from South's left and its store, North's pits from North's left and its store, then the
side to move. Pit 1 is at the mover's left.
"""

from threefold.games.kalah.rules import MOST_SEEDS, State, packed, unpacked
from threefold.rules.records import Board, TextHooks, Texts
from threefold.rules.text import shorten

SIDES = ("South", "North")


def notation(pits: int) -> TextHooks:
    """The text hooks for `pits` pits per side."""

    def format_position(s: State) -> str:
        south, north = unpacked(s, pits)
        return f"{','.join(map(str, south))}/{','.join(map(str, north))} {'SN'[s.turn]}"

    def parse(text: str) -> State:
        board, _, mover = text.partition(" ")
        given = board.split("/")
        if len(given) != len(SIDES):
            raise ValueError(
                f"expected South's pits and store, /, and North's, not {len(given)} sides"
            )
        south, north = (_places(name, side) for name, side in zip(SIDES, given, strict=True))
        if mover not in {"S", "N"}:
            raise ValueError(
                f"expected the side to move, S or N, after a space, not {shorten(mover)}"
            )
        total = sum(south + north)
        if total > MOST_SEEDS:
            raise ValueError(f"{total} seeds are too many; the maximum is {MOST_SEEDS}")
        if any(south[:pits]) != any(north[:pits]):
            empty, other = SIDES if any(north[:pits]) else SIDES[::-1]
            raise ValueError(
                f"{empty}'s pits are empty, so the game is over: {other}'s seeds belong in a store"
            )
        return State(*packed(south, north), "SN".index(mover))

    def _places(name: str, given: str) -> list[int]:
        numbers = given.split(",")
        if len(numbers) != pits + 1:
            raise ValueError(
                f"{name} has {pits} pits and a store, {pits + 1} numbers joined by commas, "
                f"not {len(numbers)}"
            )
        for place, number in enumerate(numbers, 1):
            # Checked as text first: a number of a million digits should not be converted.
            if not (number.isascii() and number.isdigit() and len(number) <= len(str(MOST_SEEDS))):
                where = "store" if place > pits else f"pit {place}"
                shown = number if len(number) < 20 else f"{number[:20]}…"
                raise ValueError(
                    f"{name}'s {where} is {shorten(shown)}, "
                    f"not a number of seeds up to {MOST_SEEDS}"
                )
        return [int(number) for number in numbers]

    def format_move(_: State, a: int) -> str:
        return str(a + 1)

    def places(s: State, a: int) -> tuple[str, ...]:
        return (f"{'SN'[s.turn]}{a + 1}",)

    def contents(s: State) -> dict[str, str]:
        return {
            f"{side[0]}{i}": f"{'store, ' if i > pits else ''}{n} seeds"
            for side, seeds in zip(SIDES, unpacked(s, pits), strict=True)
            for i, n in enumerate(seeds, 1)
        }

    def put(s: State, place: str, piece: str) -> State:
        """Add or remove a seed in a pit, or in the store, which is numbered after the last pit."""
        if place == "turn":
            return s._replace(turn=int(piece))
        sides = list(unpacked(s, pits))
        side, i = sides["SN".index(place[0])], int(place[1:]) - 1
        if piece == "−" and side[i] == 0:
            raise ValueError("there is no seed to remove")
        side[i] += 1 if piece == "+" else -1
        return State(*packed(*sides), s.turn)

    def render(s: State) -> str:
        south, north = unpacked(s, pits)
        width = len(str(max(south + north)))

        def line(seeds: list[int]) -> str:
            return "  ".join(f"{n:>{width}}" for n in seeds)

        numbers = list(range(1, pits + 1))
        margin = " " * (len("North ") + width + 2)
        gap = " " * len(line(numbers))
        return "\n".join(
            (
                f"{margin}{line(numbers[::-1])}",
                f"{margin}{line(north[pits - 1 :: -1])}",
                f"North {north[pits]:>{width}}  {gap}  {south[pits]:>{width}} South",
                f"{margin}{line(south[:pits])}",
                f"{margin}{line(numbers)}",
            )
        )

    return {
        "parse": parse,
        "format": format_position,
        "format_move": format_move,
        "render": render,
        "board": Board(places=places, contents=contents, pieces=("+", "−"), put=put),
        "texts": Texts(sides=SIDES),
    }
