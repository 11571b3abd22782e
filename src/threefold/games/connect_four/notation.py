"""Connect Four positions as the columns played so far, `4453`, and moves as a column, `4`."""

from threefold.games.alignment import has_line, line_ending
from threefold.games.board import letter_rows, render_grid
from threefold.games.connect_four.rules import State
from threefold.rules.contract import MAX, MIN
from threefold.rules.records import Board, TextHooks, Texts

#: Column names: nine digits, then letters.
NAMES = "123456789abcdefghijklmnopqrstuvwxyz"
#: What changes a column, each with a sign and a name.
_SIGNS = {"drop": ("↓", "Drop a disc"), "take": ("↑", "Take the top disc")}


def board_rows(s: State, columns: int, rows: int) -> list[str]:
    """The rows from the top, a letter for each square."""
    stride = rows + 1
    squares = (range(row, row + columns * stride, stride) for row in range(rows - 1, -1, -1))
    return letter_rows(s.first, s.second, squares)


def notation(columns: int, rows: int, k: int) -> TextHooks:
    """The text hooks for `columns` and `rows` with `k` in line."""
    stride = rows + 1

    def parse(text: str) -> State:
        stones = [0, 0]
        for ply, name in enumerate(text):
            column = NAMES.find(name)
            if not 0 <= column < columns:
                raise ValueError(
                    f"move {ply + 1}, {name!r}, is not a column: 1 to {NAMES[columns - 1]}"
                )
            if has_line(stones[(ply + 1) % 2], stride, k):
                raise ValueError(f"the game was won after move {ply}, but {name!r} follows")
            occupied = stones[0] | stones[1]
            stone = (occupied + (1 << column * stride)) & ~occupied
            if stone >> column * stride > 1 << rows - 1:
                raise ValueError(f"move {ply + 1}: column {name} is full with {rows} stones")
            stones[ply % 2] |= stone
        return State(stones[0], stones[1], len(text) % 2)

    def format_position(s: State) -> str:
        return "".join(NAMES[column] for column in _history(s))

    def _history(s: State) -> list[int]:
        """A game that leads to a position, found by removing stones again.

        There is a choice of which top stone to remove; a dead end is not tried again.
        """
        here = s
        trail: list[tuple[State, int]] = []
        choices = [_undoable(s)]
        hopeless: set[State] = set()
        while here.first | here.second:
            if choices[-1]:
                column, before = choices[-1].pop()
                if before not in hopeless:
                    trail.append((here, column))
                    choices.append(_undoable(before))
                    here = before
            elif trail:
                hopeless.add(here)
                here, _ = trail.pop()
                choices.pop()
            else:
                raise ValueError("no play leads to this position")
        return [column for _, column in reversed(trail)]

    def _undoable(s: State) -> list[tuple[int, State]]:
        """The columns whose top stone may have been dropped last, and the position before it."""
        found = []
        for column in range(columns):
            stack = (s.first | s.second) >> column * stride & (1 << rows) - 1
            stone = (stack + 1 >> 1) << column * stride
            if s.turn == MIN and s.first & stone:
                before = State(s.first ^ stone, s.second, MAX)
            elif s.turn == MAX and s.second & stone:
                before = State(s.first, s.second ^ stone, MIN)
            else:
                continue
            if not (has_line(before.first, stride, k) or has_line(before.second, stride, k)):
                found.append((column, before))
        return found

    def format_move(_: State, a: int) -> str:
        return NAMES[a]

    def places(_: State, a: int) -> tuple[str, ...]:
        return (NAMES[a],)

    def contents(s: State) -> dict[str, str]:
        """The stones of each column from the bottom: X for the first player, O for the second."""
        stacks = zip(*reversed(board_rows(s, columns, rows)), strict=True)
        return {
            NAMES[column]: " ".join(filter(".".__ne__, stack)) or "empty"
            for column, stack in enumerate(stacks)
        }

    def put(s: State, place: str, piece: str) -> State:
        """Drop a stone of the player to move, or remove the other player's last one."""
        column = NAMES.index(place)
        if piece == "drop":
            return parse(format_position(s) + NAMES[column])
        for taken, before in _undoable(s):
            if taken == column:
                return before
        raise ValueError("the top stone there was not the last one dropped")

    def render(s: State) -> str:
        return render_grid(board_rows(s, columns, rows), NAMES[:columns], [""] * rows)

    def ending(s: State) -> str:
        return line_ending(s.first, s.second, stride, k)

    return {
        "parse": parse,
        "format": format_position,
        "format_move": format_move,
        "texts": Texts(ending=ending),
        "render": render,
        "board": Board(
            places=places, contents=contents, pieces=tuple(_SIGNS), put=put, signs=_SIGNS
        ),
    }
