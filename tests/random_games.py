"""Random games: a kind of game is drawn and written out as plain Python; a seed makes one of it.

A few cells lie in a row or a ring. A move puts a stone on a cell; where play can go round in
circles, it puts one there or takes it away. Everything else is a coin that is thrown for the
position and the seed: which moves are legal, who moves next, when nature does, what is gained, when
it is over, and what it came to. The coin sees symmetric positions as one, so symmetries hold.

To compile a kind takes seconds. A seed is a part of the state that never changes, so thousands of
games share what was compiled for one kind. Promises made to a search (`bounds`, `settled`,
`sufficient`…) are kept by construction; what is only a hint (`order`, `remaining`, `null_move`…)
is a coin as well.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from hypothesis import strategies as st

from threefold import Game

#: Hooks that are hints: whatever they say, what is called proven must be true.
HINTS: Final = ("evaluate", "noisy", "order", "extend", "null_move", "remaining", "is_terminal")
SMALLEST_WORD: Final = -(1 << 63)
GREATEST_WORD: Final = (1 << 63) - 1
#: A seed that shares its word with something else is so wide.
_NARROW_SEED: Final = 20


@dataclass(frozen=True)
class Kind:
    """What all games of a kind have in common; `source` writes their rules."""

    cells: int = 3
    #: Whether stones are taken away again, so that positions come up again.
    circles: bool = False
    chance: bool = False
    #: Which word of the state holds the seed, both boards, the turn, and what else there is;
    words: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    #: what each word is veiled with, so that words are large; and whether they fill from above.
    veils: tuple[int, ...] = (0, 0, 0, 0, 0, 0)
    from_above: bool = False
    #: One in so many: moves that are forbidden, positions in which the game is over, turns that
    #: do not pass. 0 for none.
    forbidden: int = 0
    over: int = 5
    runs: int = 3
    #: The greatest utility, or what the end adds where points are gained on the way.
    most: int = 1
    points: bool = False
    #: "", "constant" or "telling".
    bounds: str = ""
    sufficient: bool = False
    #: "", "reversed" (in a row) or "turned" (in a ring).
    symmetry: str = ""
    own_key: bool = False
    #: One position in so many is drawn by rule, and one may be claimed as a draw.
    drawn: int = 0
    repeats: int = 0
    #: Drawn after so many plies; 0 for no clock.
    clock: int = 0
    hints: tuple[str, ...] = ()
    reductions: bool = False
    futility: int = 0
    #: In how many ways the game is evaluated, one of which is among the hints.
    evaluations: int = 1

    @property
    def parts(self) -> tuple[str, ...]:
        """What a state is made of."""
        points = ("points",) if self.points else ()
        clock = ("clock",) if self.clock else ()
        return ("seed", "red", "blue", "turn", *points, *clock)


class Part(NamedTuple):
    """Where a part of the state lies: its word, and there its first bit and how many there are."""

    word: int
    shift: int
    bits: int


def layout(kind: Kind) -> dict[str, Part]:
    """Where everything lies. A clock has a word of its own, as it must be a field of the state."""
    bits = {"seed": 64, "red": kind.cells, "blue": kind.cells, "turn": 2, "points": 8, "clock": 64}
    words: dict[int, list[str]] = {}
    for part, word in zip(kind.parts, kind.words, strict=False):
        words.setdefault(100 if part == "clock" else word, []).append(part)
    lies = {}
    for number, parts in enumerate(words.values()):
        if len(parts) > 1:
            bits["seed"] = _NARROW_SEED
        shift = 64 - sum(bits[part] for part in parts) if kind.from_above else 0
        for part in parts:
            if len(parts) == 1 and bits[part] == 64:
                shift = 0
            lies[part] = Part(number, shift, bits[part])
            shift += bits[part]
    return lies


def source(kind: Kind) -> str:
    """The rules of a kind, as somebody might have written them by hand."""
    lies = layout(kind)
    number_of_words = 1 + max(part.word for part in lies.values())
    alone = {
        part.word: name
        for name, part in lies.items()
        if [other.word for other in lies.values()].count(part.word) == 1
    }
    # The default `player` wants a field `turn`, and knows nothing of nature.
    plain_turn = lies["turn"].word in alone and not kind.chance
    plain = {"clock"} | ({"turn"} if plain_turn else set())
    fields = [alone[i] if alone.get(i) in plain else f"word_{i}" for i in range(number_of_words)]
    veils = [0 if alone.get(i) in plain else kind.veils[i] for i in range(number_of_words)]
    lines = [
        "from typing import NamedTuple",
        "",
        "from threefold.rules.bits import lsr, mix, popcount, shl",
        "",
        "CHANCE = -1",
        f"CELLS = {kind.cells}",
        "",
        "",
        "class State(NamedTuple):",
        *(f"    {name}: int" for name in fields),
    ]
    for name in kind.parts:
        part = lies[name]
        body = f"s.{fields[part.word]}"
        if veils[part.word]:
            body = f"({body} ^ {veils[part.word]})"
        if fields[part.word] not in plain:
            if part.shift:
                body = f"lsr({body}, {part.shift})"
            if part.bits < 64:
                body = f"{body} & {(1 << part.bits) - 1}"
        lines += _function(f"{name}_of(s)", f"return {body}")
    made = []
    for i in range(number_of_words):
        held = [
            name if part.bits == 64 or fields[i] in plain else f"shl({name}, {part.shift})"
            for name, part in lies.items()
            if part.word == i
        ]
        veil = f" ^ {veils[i]}" if veils[i] else ""
        made.append(f"({' | '.join(held)}){veil}" if veil or len(held) > 1 else held[0])
    lines += _function(f"made({', '.join(kind.parts)})", f"return State({', '.join(made)})")
    lines += _rules(kind)
    return "\n".join(lines) + "\n"


def _function(head: str, *body: str) -> list[str]:
    return ["", "", f"def {head}:", *(f"    {line}" for line in body)]


def _rules(kind: Kind) -> list[str]:
    more = "".join(f", {name}_of(s)" for name in kind.parts[4:])
    lines = []
    # Positions as the coin sees them: the least of all images, and who moves.
    if kind.symmetry == "reversed":
        lines += _function(
            "reversed_board(board)",
            "turned = 0",
            "for i in range(CELLS):",
            "    turned |= (board >> i & 1) << (CELLS - 1 - i)",
            "return turned",
        )
        lines += _function(
            "image(s)",
            "red = 0",
            "blue = 0",
            "for i in range(CELLS):",
            "    red |= (red_of(s) >> i & 1) << (CELLS - 1 - i)",
            "    blue |= (blue_of(s) >> i & 1) << (CELLS - 1 - i)",
            f"return made(seed_of(s), red, blue, turn_of(s){more})",
        )
        lines += _function(
            "code(red, blue, turn)",
            "other = reversed_board(red) | reversed_board(blue) << CELLS",
            "return min(red | blue << CELLS, other) << 2 | turn",
        )
    elif kind.symmetry == "turned":
        lines += _function(
            "turned_board(board)", "return (board << 1 | board >> CELLS - 1) & (1 << CELLS) - 1"
        )
        lines += _function(
            "image(s)",
            f"return made(seed_of(s), turned_board(red_of(s)), turned_board(blue_of(s)), "
            f"turn_of(s){more})",
        )
        lines += _function(
            "code(red, blue, turn)",
            "least = red | blue << CELLS",
            "for _ in range(CELLS - 1):",
            "    red = turned_board(red)",
            "    blue = turned_board(blue)",
            "    least = min(least, red | blue << CELLS)",
            "return least << 2 | turn",
        )
    else:
        lines += _function("code(red, blue, turn)", "return (red | blue << CELLS) << 2 | turn")
    lines += _function(
        "coin(seed, code, thrown_for, sides)",
        "return lsr(mix(mix(seed ^ shl(thrown_for, 56)) ^ code), 1) % sides",
    )
    lines += _function(
        "throw(s, thrown_for, sides)",
        "seen = code(red_of(s), blue_of(s), turn_of(s))",
        "return coin(seed_of(s), seen, thrown_for, sides)",
    )
    lines += _function(
        "start(seed)",
        f"return made(seed, 0, 0, 0{', 128' if kind.points else ''}{', 0' if kind.clock else ''})",
    )
    wide = 64 if layout(kind)["seed"].bits == 64 else _NARROW_SEED
    lines += _function("initial()", f"return start({0x5EED5EED5EED5EED % (1 << wide - 1)})")
    lines += _result(kind)
    allowed = "True" if kind.circles else "(red_of(s) | blue_of(s)) >> a & 1 == 0"
    if kind.forbidden:
        allowed += f" and throw(result(s, a), 1, {kind.forbidden}) != 0"
    lines += _function("is_legal(s, a)", f"return {allowed}")
    over = f"throw(s, 2, {kind.over}) == 0" if kind.over else "False"
    lines += _function("is_over(s)", f"return red_of(s) | blue_of(s) != 0 and {over}")
    lines += _function(
        "ended(s)",
        "if is_over(s):",
        "    return True",
        "for a in range(CELLS):",
        "    if is_legal(s, a):",
        "        return False",
        "return True",
    )
    lines += _function(
        "actions(s, out)",
        "n = 0",
        "if not is_over(s):",
        "    for a in range(CELLS):",
        "        if is_legal(s, a):",
        "            out[n] = a",
        "            n += 1",
        "return n",
    )
    lines += _ends(kind)
    lines += _promises(kind, more)
    lines += _hints(kind, more)
    return lines


def _result(kind: Kind) -> list[str]:
    put = "^" if kind.circles else "|"
    body = [
        "mover = turn_of(s)",
        "red = red_of(s)",
        "blue = blue_of(s)",
    ]
    if kind.chance:
        body += [
            "if mover >= 2:",
            "    mover = throw(s, 3, 2)",
        ]
    if kind.circles:
        # Whose stone it is does not matter where all are taken away again.
        body += [f"red = red {put} 1 << a"]
    else:
        body += [
            "if mover == 0:",
            f"    red = red {put} 1 << a",
            "else:",
            f"    blue = blue {put} 1 << a",
        ]
    body += ["seen = code(red, blue, turn_of(s))", "turn = 1 - (turn_of(s) & 1)"]
    if kind.runs:
        body += [f"if coin(seed_of(s), seen, 4, {kind.runs}) == 0:", "    turn = 1 - turn"]
    if kind.chance:
        full = "False" if kind.circles else "red | blue == (1 << CELLS) - 1"
        body += [
            f"if not ({full}) and coin(seed_of(s), seen, 5, 3) == 0:",
            "    turn |= 2",
        ]
    extra = ""
    if kind.points:
        body += ["points = points_of(s) + coin(seed_of(s), seen, 6, 5) - 2"]
        extra += ", points"
    if kind.clock:
        extra += ", clock_of(s) + 1"
    body += [f"return made(seed_of(s), red, blue, turn{extra})"]
    lines = _function("result(s, a)", *body)
    if kind.chance:
        lines += _function("player(s)", "return CHANCE if turn_of(s) >= 2 else turn_of(s)")
        free = "True" if kind.circles else "(red_of(s) | blue_of(s)) >> a & 1 == 0"
        lines += _function(
            "outcomes(s, out, weight)",
            "n = 0",
            "for a in range(CELLS):",
            f"    if {free}:",
            "        out[n] = a",
            "        weight[n] = 1 + throw(result(s, a), 7, 4)",
            "        n += 1",
            "return n",
        )
    elif "turn" not in _fields_by_name(kind):
        lines += _function("player(s)", "return turn_of(s)")
    return lines


def _fields_by_name(kind: Kind) -> set[str]:
    """The parts that are fields of the state."""
    lies = layout(kind)
    words = [part.word for part in lies.values()]
    return {name for name, part in lies.items() if words.count(part.word) == 1}


def _ends(kind: Kind) -> list[str]:
    lines = []
    if kind.drawn or kind.clock:
        # What is drawn stays so, however late it is.
        coin = f"throw(s, 8, {kind.drawn}) if red_of(s) | blue_of(s) != 0 else 2"
        late = " or clock_of(s) >= {}" if kind.clock else ""
        lines += _function(
            "drawn(s)",
            "if ended(s):",
            "    return 0",
            f"thrown = {coin if kind.drawn else 2}",
            f"if thrown == 0{late.format(kind.clock)}:",
            "    return 2",
            f"return 1 if thrown == 1{late.format(kind.clock - 2)} else 0",
        )
    sides = 2 * kind.most + 1
    body = ["if drawn(s) == 2:", "    return 0"] if kind.drawn or kind.clock else []
    body += [f"worth = throw(s, 9, {sides}) - {kind.most}"]
    if kind.bounds == "telling" and not kind.points:
        body += [
            "if red_of(s) >> CELLS // 2 & 1:",
            "    worth = abs(worth)",
            "if blue_of(s) >> CELLS // 2 & 1:",
            "    worth = -abs(worth)",
        ]
    worth = "worth + points_of(s) - 128" if kind.points else "worth"
    return lines + _function("utility(s)", *body, f"return {worth}")


def _promises(kind: Kind, more: str) -> list[str]:
    lines = []
    if kind.bounds and kind.points:
        lines += _function(
            "bounds(s)",
            f"left = 2 * (CELLS - popcount(red_of(s) | blue_of(s))) + {kind.most}",
            "return points_of(s) - 128 - left, points_of(s) - 128 + left",
        )
    elif kind.bounds:
        body = []
        if kind.bounds == "telling":
            zero = "0"
            body += [
                "if red_of(s) >> CELLS // 2 & 1:",
                f"    return {zero}, {kind.most}",
                "if blue_of(s) >> CELLS // 2 & 1:",
                f"    return {-kind.most}, {zero}",
            ]
        lines += _function("bounds(s)", *body, f"return {-kind.most}, {kind.most}")
    if kind.points:
        lines += _function(
            "settled(s)",
            "rest = mix(seed_of(s)) ^ ((red_of(s) | blue_of(s) << CELLS) << 2 | turn_of(s))",
            "return points_of(s) - 128, rest",
        )
    if kind.sufficient:
        no_draw = " and drawn(t) == 0" if kind.drawn or kind.clock else ""
        lines += _function(
            "wins(s, a)",
            "t = result(s, a)",
            f"best = {-kind.most} if turn_of(s) == 1 else {kind.most}",
            f"return ended(t){no_draw} and utility(t) == best",
        )
        lines += _function(
            "sufficient(s, out)",
            "if not is_over(s):",
            "    for a in range(CELLS):",
            "        if is_legal(s, a) and wins(s, a):",
            "            out[0] = a",
            "            return 1",
            "return actions(s, out)",
        )
    if kind.own_key:
        extra = " ^ shl(points_of(s), 32)" if kind.points else ""
        lines += _function(
            "key(s)",
            "board = (red_of(s) | blue_of(s) << CELLS) << 2 | turn_of(s)",
            f"return mix(seed_of(s)) ^ board{extra}",
        )
    return lines


def _hints(kind: Kind, more: str) -> list[str]:
    lines = []
    for number in range(kind.evaluations):
        lines += _function(f"evaluate_{number}(s)", f"return throw(s, {10 + number}, 61) - 30")
    lines += _function(
        "noisy(s, out)",
        "n = 0",
        "if not is_over(s):",
        "    for a in range(CELLS):",
        "        if is_legal(s, a) and throw(result(s, a), 14, 3) == 0:",
        "            out[n] = a",
        "            n += 1",
        "return n",
    )
    lines += _function("order(s, a)", "return throw(result(s, a), 15, 9) - 4")
    lines += _function("extend(s)", "return throw(s, 16, 5) == 0")
    lines += _function(
        "null_move(s)",
        f"return made(seed_of(s), red_of(s), blue_of(s), 1 - turn_of(s){more})",
    )
    lines += _function("remaining(s)", "return throw(s, 17, 12)")
    nature = "turn_of(s) < 2 and " if kind.chance else ""
    lines += _function("is_terminal(s)", f"return {nature}ended(s)")
    return lines


@dataclass(frozen=True)
class Build:
    """A kind as a game; each seed is another start."""

    kind: Kind
    source: str
    game: Game[Any] = field(compare=False)
    start: Callable[[int], Any] = field(compare=False)

    def seeds(self, first: int, count: int) -> list[int]:
        """Seeds as wide as the state has room for, scattered over all words."""
        bits = layout(self.kind)["seed"].bits
        scattered = (0x9E3779B97F4A7C15 * (first + i + 1) for i in range(count))
        if bits == 64:
            return [(seed & (1 << 64) - 1) - (1 << 63) for seed in scattered]
        return [seed >> 8 & (1 << bits) - 1 for seed in scattered]


def build(kind: Kind) -> Build:
    """Write the rules of a kind out, and read them in again."""
    text = source(kind)
    rules: dict[str, Any] = {"__name__": "random_game"}
    exec(text, rules)
    hooks = {name: rules[name] for name in ("initial", "actions", "result", "utility")}
    for name in ("player", "outcomes", "drawn", "bounds", "settled", "sufficient", "key"):
        if name in rules:
            hooks[name] = rules[name]
    hooks |= {name: rules[name] for name in kind.hints if name != "evaluate"}
    if "evaluate" in kind.hints:
        names = {f"evaluation {i}": rules[f"evaluate_{i}"] for i in range(kind.evaluations)}
        hooks["evaluations"] = names
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    game = Game(
        f"Random game {digest}",
        **hooks,
        symmetries=(rules["image"],) if kind.symmetry else (),
        clocks=("clock",) if kind.clock else (),
        repeats=kind.repeats,
        reductions=kind.reductions,
        futility=kind.futility,
        finite=not kind.circles or kind.repeats > 0 or kind.clock > 0,
        max_moves=kind.cells,
        max_ply=kind.clock + 1 if kind.clock else 60 if kind.circles else kind.cells,
    )
    return Build(kind, text, game, rules["start"])


# What Hypothesis draws.

_VEILS = st.sampled_from([0, 0, -1, SMALLEST_WORD, GREATEST_WORD, 0x243F6A8885A308D3])


@st.composite
def kinds(draw: st.DrawFn, circles: bool | None = None, chance: bool | None = None) -> Kind:
    """Any kind of game: one that ends by itself, one with circles, one of chance."""
    round_and_round = draw(st.booleans()) if circles is None else circles
    nature = draw(st.booleans()) if chance is None else chance
    if round_and_round and chance is None:
        nature = False
    points = not round_and_round and draw(st.booleans())
    by_rule = 0 if points else draw(st.sampled_from([0, 0, 6]))
    clock = draw(st.sampled_from([0, 6, 9])) if round_and_round else 0
    odd_row = draw(st.sampled_from(["", "reversed", "turned"]))
    cells = draw(st.integers(2, 3) if round_and_round else st.integers(3, 4))
    # A telling bound looks at the cell in the middle, which no symmetry may move.
    tells = points or (
        not round_and_round and (not odd_row or (odd_row == "reversed" and cells % 2))
    )
    bounds = draw(st.sampled_from(["", "constant", "telling"] if tells else ["", "constant"]))
    return Kind(
        cells=cells,
        circles=round_and_round,
        chance=nature,
        words=draw(st.tuples(*[st.integers(0, 5)] * 6)),
        veils=draw(st.tuples(*[_VEILS] * 6)),
        from_above=draw(st.booleans()),
        forbidden=draw(st.sampled_from([0, 4])),
        over=draw(st.sampled_from([0, 4, 8]) if not round_and_round else st.sampled_from([3, 5])),
        runs=draw(st.sampled_from([0, 2, 4])),
        most=draw(st.sampled_from([1, 1, 3, 1000])) if not points else draw(st.integers(0, 3)),
        points=points,
        bounds=bounds,
        sufficient=not points and draw(st.booleans()),
        symmetry=odd_row,
        own_key=draw(st.booleans()),
        drawn=by_rule,
        repeats=draw(st.sampled_from([0, 2, 3])) if round_and_round and not nature else 0,
        clock=clock,
        hints=tuple(name for name in HINTS if draw(st.booleans())),
        reductions=draw(st.booleans()),
        futility=draw(st.sampled_from([0, 0, 20])),
        evaluations=draw(st.integers(1, 2)),
    )
