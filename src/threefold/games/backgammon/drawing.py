"""Pictures of backgammon: X's home at the bottom right, O's above it.

The bar is in the middle, the checkers borne off on the right, the cube, if there is one, on the
left. A checker on the bar is drawn in the half of the board that it enters.
"""

from collections.abc import Callable, Iterator, Sequence

from threefold.games.backgammon.checkers import BAR, OFF
from threefold.games.backgammon.layout import (
    CUBE,
    DICE,
    SIDES,
    counts,
    cube_words,
    faces,
    label,
    match_words,
    on_point,
    pips,
    place_name,
    whose_turn,
    winner,
)
from threefold.games.backgammon.rules import DOUBLED, State, is_over
from threefold.games.backgammon.stakes import doubles_of, owner_of
from threefold.rules import svg
from threefold.rules.contract import MAX, MIN, Player

_RADIUS = 19.0
_POINT = 2 * _RADIUS + 6
#: Room for five checkers and a little more, so that one can see where a stack begins.
_TALL = 10 * _RADIUS + 8
#: Between the tips of opposite points, where the dice lie.
_GAP = 68.0
_HIGH = 2 * _TALL + _GAP
_BAR = 50.0
_TRAY = 52.0
_EDGE = 12.0
#: Above and below the board: the labels of the points, then a line about the player.
_LABELS = 24.0
_TEXT = 28.0
#: Letters that can be read on a phone, where the picture has half its size; a match needs many.
_LETTERS = 18
_MATCH_LETTERS = 16
_TOP = _LABELS + _TEXT
_DIE = 34.0
_CUBE = 40.0
#: How far points are lightened or darkened: enough to tell neighbors apart, 3 : 1.
_SHADE = 0.4
#: A stack of more checkers than this is drawn with its number.
_STACK = 5
#: Colors of X and O: checkers and dice, and what is drawn on them.
_COLORS = (("white", "black"), ("black", "white"))
#: Where the pips of a die are, in thirds of its side from the middle.
_PIPS = (
    ((0, 0),),
    ((-1, -1), (1, 1)),
    ((-1, -1), (0, 0), (1, 1)),
    ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
)


def drawing(cube: bool) -> Callable[[State], str]:
    """The drawing of positions, with or without a cube."""

    def draw(s: State) -> str:
        return draw_half_played(s, [(face, False) for face in faces(s.dice)], cube)

    return draw


def draw_half_played(s: State, dice: Sequence[tuple[int, bool]], cube: bool) -> str:
    """A position in the middle of a play: what each die shows, and whether it has been used."""
    left = _EDGE + (_CUBE + 2 * _EDGE if cube else 0)
    right = left + 12 * _POINT + _BAR
    body = [
        *_surface(left, right),
        *_labels(s, left),
        *_checkers(s, left, right),
        *_dice(s, dice, left),
        *(_cube(s, left) if cube else ()),
        *_words(s, left, right),
        *_places(s, left, right, cube),
    ]
    return svg.picture(
        right + _TRAY + 2 * _EDGE, _HIGH + 2 * _TOP, "Backgammon", _description(s, cube), body
    )


def _column(point: int, left: float) -> float:
    """The middle of a point, as X numbers it."""
    across = 12 - point if point <= 12 else point - 13
    return left + (across + 0.5) * _POINT + (_BAR if across >= 6 else 0)


def _is_above(point: int) -> bool:
    return point > 12


def _middle_of_bar(left: float) -> float:
    return left + 6 * _POINT + _BAR / 2


def _surface(left: float, right: float) -> Iterator[str]:
    wide = right - left + _EDGE + _TRAY
    yield svg.rect(left, _TOP, wide, _HIGH, "fill-felt", 6)
    for shade, odd in (("white", 0), ("black", 1)):
        triangles = []
        for point in range(1 + odd, BAR, 2):
            x = _column(point, left) - _POINT / 2
            y, tip = (_TOP, _TALL) if _is_above(point) else (_TOP + _HIGH, -_TALL)
            triangles.append(
                f"M{svg.number(x)} {svg.number(y)}h{svg.number(_POINT)}"
                f"l{svg.number(-_POINT / 2)} {svg.number(tip)}z"
            )
        yield f'<g opacity="{_SHADE}">{svg.path("".join(triangles), f"fill-{shade}")}</g>'
    bar = svg.rect(_middle_of_bar(left) - _BAR / 2, _TOP, _BAR, _HIGH, "fill-black")
    trays = [
        svg.rect(right + _EDGE / 2, y, _TRAY, _TALL, "fill-black", 4)
        for y in (_TOP + 4, _TOP + _HIGH - _TALL - 4)
    ]
    yield f'<g opacity="0.3">{bar}{"".join(trays)}</g>'
    yield svg.rect(left, _TOP, wide, _HIGH, "line-line", 6)


def _labels(s: State, left: float) -> Iterator[str]:
    for point in range(1, BAR):
        y = _TEXT + _LABELS / 2 if _is_above(point) else _TOP + _HIGH + _LABELS / 2
        yield svg.label(_column(point, left), y, label(s, point), size=_LETTERS)


def _checker(x: float, y: float, player: Player) -> Iterator[str]:
    """A disc: X's with a cross, O's with a ring."""
    fill, rim = _COLORS[player]
    yield svg.circle(x, y, _RADIUS - 1, f"fill-{fill}")
    yield svg.circle(x, y, _RADIUS - 1, f"line-{rim}")
    if player == MAX:
        arm = svg.number(_RADIUS * 0.34)
        side = svg.number(_RADIUS * 0.68)
        start = f"M{svg.number(x)} {svg.number(y)}"
        cross = f"m-{arm} -{arm}l{side} {side}m0 -{side}l-{side} {side}"
        yield svg.path(start + cross, f"line-{rim}")
    else:
        yield svg.circle(x, y, _RADIUS * 0.45, f"line-{rim}")


def _stack(x: float, y: float, down: int, player: Player, count: int) -> Iterator[str]:
    """Checkers from an edge of the board, its height `y`, toward the middle."""
    for i in range(min(count, _STACK)):
        yield from _checker(x, y + down * _RADIUS * (2 * i + 1), player)
    if count > _STACK:
        fill, rim = _COLORS[player]
        last = y + down * _RADIUS * (2 * _STACK - 1)
        yield svg.circle(x, last, _RADIUS * 0.7, f"fill-{fill}")
        yield svg.label(x, last, str(count), f"fill-{rim}", size=18)


def _checkers(s: State, left: float, right: float) -> Iterator[str]:
    bottom = _TOP + _HIGH
    for point in range(1, BAR):
        player, count = on_point(s, point)
        y, down = (_TOP, 1) if _is_above(point) else (bottom, -1)
        yield from _stack(_column(point, left), y, down, player, count)
    for player in (MAX, MIN):
        here = counts(s, player)
        y, down = (_TOP, 1) if player == MAX else (bottom, -1)
        yield from _stack(_middle_of_bar(left), y, down, player, here[BAR])
        yield from _borne_off(player, here[OFF], right + _EDGE / 2)


def _borne_off(player: Player, count: int, x: float) -> Iterator[str]:
    """Checkers in a tray, seen from their side, and their number."""
    fill, rim = _COLORS[player]
    thick = (_TALL - 4) / 15
    for i in range(count):
        y = _TOP + 6 + i * thick if player == MIN else _TOP + _HIGH - 6 - (i + 1) * thick
        yield svg.rect(x + 4, y, _TRAY - 8, thick - 3, f"fill-{fill}", 3)
        yield svg.rect(x + 4, y, _TRAY - 8, thick - 3, f"line-{rim}", 3)
    if count:
        y = _TOP + _TALL + 16 if player == MIN else _TOP + _HIGH - _TALL - 16
        yield svg.label(x + _TRAY / 2, y, str(count), "fill-white", size=15)


def _middle_of_dice(player: Player, left: float) -> float:
    return left + (9 * _POINT + _BAR if player == MAX else 3 * _POINT)


def _dice(s: State, dice: Sequence[tuple[int, bool]], left: float) -> Iterator[str]:
    """The dice, X's on the right and O's on the left; used ones pale, empty ones before a roll."""
    if is_over(s) or s.phase == DOUBLED:
        return
    fill, rim = _COLORS[s.turn]
    shown = dice or [(0, False)] * 2
    step = _DIE + 6
    y = _TOP + _HIGH / 2
    for i, (face, used) in enumerate(shown):
        x = _middle_of_dice(s.turn, left) + (i - (len(shown) - 1) / 2) * step
        parts = [
            svg.rect(x - _DIE / 2, y - _DIE / 2, _DIE, _DIE, f"fill-{fill}", 6),
            svg.rect(x - _DIE / 2, y - _DIE / 2, _DIE, _DIE, f"line-{rim}", 6),
            *(
                svg.circle(x + across * _DIE * 0.27, y + down * _DIE * 0.27, 3.4, f"fill-{rim}")
                for across, down in (_PIPS[face - 1] if face else ())
            ),
        ]
        if not face:
            parts.append(svg.label(x, y, "?", f"fill-{rim}", size=20))
        pale = ' opacity="0.35"' if used else ""
        yield f"<g{pale}>{''.join(parts)}</g>"


def _cube_corner(s: State, left: float) -> tuple[float, float]:
    """The top left corner of the cube: in the middle, at its owner's side, or offered."""
    if s.phase == DOUBLED:
        return _middle_of_dice(s.turn, left) - _CUBE / 2, _TOP + (_HIGH - _CUBE) / 2
    return _EDGE, _TOP + (_HIGH - _CUBE) * (0.5, 1, 0)[owner_of(s.stakes)]


def _cube(s: State, left: float) -> Iterator[str]:
    x, y = _cube_corner(s, left)
    value = 1 << doubles_of(s.stakes) + (s.phase == DOUBLED)
    yield svg.rect(x, y, _CUBE, _CUBE, "fill-white", 7)
    yield svg.rect(x, y, _CUBE, _CUBE, "line-black", 7)
    yield svg.label(x + _CUBE / 2, y + _CUBE / 2, str(value), "fill-black", size=20)


def _words(s: State, left: float, right: float) -> Iterator[str]:
    """A line for each player: pips, and what is to be done."""
    for player, y in ((MIN, _TEXT / 2), (MAX, _HIGH + 2 * _TOP - _TEXT / 2)):
        said = f"{SIDES[player]}: {pips(s, player)} pips"
        yield svg.label(left, y, said, size=_LETTERS, anchor="start")
        if player == (winner(s) if is_over(s) else s.turn):
            yield svg.label(_middle_of_bar(left), y, whose_turn(s), size=_LETTERS)
    if words := match_words(s):
        yield svg.label(right - 1.5 * _POINT, _TEXT / 2, words, size=_MATCH_LETTERS)


def _places(s: State, left: float, right: float, cube: bool) -> Iterator[str]:
    bottom = _TOP + _HIGH - _TALL
    for point in range(1, BAR):
        y = _TOP if _is_above(point) else bottom
        yield svg.place(_column(point, left) - _POINT / 2, y, _POINT, _TALL, str(point))
    x = _middle_of_bar(left) - _BAR / 2
    for player, y in ((MAX, _TOP), (MIN, bottom)):
        yield svg.place(x, y, _BAR, _TALL, place_name(player, BAR))
    for player, y in ((MAX, bottom), (MIN, _TOP)):
        yield svg.place(right + _EDGE / 2, y, _TRAY, _TALL, place_name(player, OFF))
    if not is_over(s) and s.phase != DOUBLED:
        x = _middle_of_dice(s.turn, left) - 2 * _POINT
        yield svg.place(x, _TOP + _TALL + 4, 4 * _POINT, _GAP - 8, DICE)
    if cube:
        yield svg.place(*_cube_corner(s, left), _CUBE, _CUBE, CUBE)


def _description(s: State, cube: bool) -> str:
    said = []
    for player in (MAX, MIN):
        here = counts(s, player)
        stacks = [f"{here[place]} on {place}" for place in range(24, 0, -1) if here[place]]
        stacks += [f"{here[BAR]} on the bar"] * bool(here[BAR])
        stacks += [f"{here[OFF]} borne off"] * bool(here[OFF])
        said.append(
            f"{SIDES[player]}, numbering the points from its own home: {', '.join(stacks)}; "
            f"{pips(s, player)} pips."
        )
    more = [cube_words(s)] if cube else []
    more += [words] if (words := match_words(s)) else []
    said += [f"{words[0].upper()}{words[1:]}." for words in (*more, whose_turn(s))]
    return " ".join(said)
