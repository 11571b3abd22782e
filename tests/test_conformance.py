"""`conformance` passes good games, and finds and names every defect of broken ones."""

import random
from typing import Any, NamedTuple

import nim
import pytest
from nim import State

from threefold import CHANCE, Game, ThreefoldError, conformance, game
from threefold.games.catalogue import HOMES
from threefold.rules.bits import lsr, shl
from threefold.rules.promises import SmallTrees, TooLarge

#: How many random games are played of those that take long.
FEWER = {"othello": 6, "go": 4, "chess": 1, "chess(chess960=true)": 1, "backgammon": 1}
#: Other parameters; each game is examined with those that it has by default.
OTHERS = [
    "mnk(m=4,n=5,k=4)",
    "nim(heaps=5,take=2,misere=true)",
    "dice-nim(stones=9,faces=6,loaded=true)",
    "connect-four(columns=10,rows=4,k=5)",
    "connect-four(columns=4,rows=4,k=3)",
    "othello(size=4)",
    "kalah(pits=9,seeds=10,empty_capture=true,rest=mover)",
    "checkers(repetition=0,move_limit=3)",
    "chess(chess960=true)",
    "backgammon(cube=true,match=5,score=3-4,crawford=false)",
]


@pytest.mark.parametrize(
    "spec", [*HOMES, *(pytest.param(spec, marks=pytest.mark.slow) for spec in OTHERS)]
)
def test_our_games_conform(spec: str) -> None:
    report = conformance(game(spec), games=FEWER.get(spec, 20))
    assert report.ok, str(report)
    assert report.compiled
    assert "no defect" in str(report)


def test_a_users_game_conforms() -> None:
    report = conformance(nim.nim())
    assert report.ok, str(report)
    assert report.compiled
    assert report.to_json()["defects"] == []


def past_the_row(s: State, out: Any) -> int:
    for i in range(5):
        out[i] = i
    return 5


def twice_the_same(s: State, out: Any) -> int:
    out[0] = out[1] = 1
    return 2 if s.stones else 0


def too_large(s: State, out: Any) -> int:
    out[0] = 70_000
    return 1


def negative(s: State, out: Any) -> int:
    out[0] = -1
    return 1


def wrong_count(s: State, out: Any) -> int:
    out[0] = 1
    return 2


def backwards(s: State, out: Any) -> int:
    out[-1] = 1
    return 1


def reading(s: State, out: Any) -> int:
    out[0] = 1
    return int(out[0])


def floating(s: State, out: Any) -> int:
    out[0] = 1.0
    return 1


def not_a_count(s: State, out: Any) -> Any:
    out[0] = 1
    return None


def moody(s: State, out: Any) -> int:
    out[0] = random.randrange(1000)
    return 1


def raising(s: State, out: Any) -> int:
    raise KeyError("stones")


def never_passes(s: State, a: int) -> State:
    return State(s.stones - a, s.turn)


def stands_still(s: State, a: int) -> State:
    return State(s.stones, 1 - s.turn)


def moody_result(s: State, a: int) -> State:
    return State(s.stones - 1 - random.randrange(min(2, s.stones)), 1 - s.turn)


def plain_tuple(s: State, a: int) -> Any:
    return (s.stones - a, 1 - s.turn)


def half_stones(s: State, a: int) -> State:
    return State(s.stones - a / 2, 1 - s.turn)  # type: ignore[arg-type]


def growing(s: State, a: int) -> State:
    return State(s.stones * 1000 if s.stones > 15 else s.stones << 62, 1 - s.turn)


def loses_a_stone(s: State) -> State:
    return State(s.stones - 1, s.turn)


def key_without_turn(s: State) -> int:
    return s.stones


def key_of_half(s: State) -> int:
    return s.stones // 2 * 2 + s.turn


def key_text(s: State) -> Any:
    return f"{s.stones}"


def leave_fours(s: State, out: Any) -> int:
    """What wins, if anything does; else one move is as good as another."""
    if s.stones == 0:
        return 0
    out[0] = s.stones % 4 or 1
    return 1


class Counted(NamedTuple):
    stones: int
    turn: int
    plies: int


BROKEN: dict[str, tuple[dict[str, Any], str, str]] = {
    # name: (what is changed, the check that must fail, words of its sentence)
    "past max_moves": ({"actions": past_the_row, "max_moves": 4}, "max_moves", "writes to out[4]"),
    "the same move twice": ({"actions": twice_the_same}, "distinct moves", "1 more than once"),
    "a move too large": ({"actions": too_large}, "move_range", "lists 70000"),
    "a negative move": ({"actions": negative}, "move_range", "lists -1"),
    "a wrong count": ({"actions": wrong_count}, "count", "wrote 1 entry but returned 2"),
    "writes from the end": ({"actions": backwards}, "row", "out[-1]"),
    "reads the row": ({"actions": reading}, "row", "reads from out"),
    "writes a float": ({"actions": floating}, "row", "writes 1.0"),
    "returns no count": ({"actions": not_a_count}, "count", "returned None"),
    "random moves": ({"actions": moody}, "reproducible", "actions gives"),
    "actions raises": (
        {"actions": raising},
        "actions",
        "raises KeyError (test_conf",
    ),
    "the turn never passes": ({"result": never_passes}, "turn order", "MIN never moved"),
    "the position never changes": ({"result": stands_still}, "finite", "came up twice"),
    "a playout breaks the rules": (
        {"playout": lambda s, seed: 99},
        "playout",
        "playout returned 99, which is not a legal move",
    ),
    "a reply breaks the rules": (
        {"reply": lambda s, a, seed: 99},
        "reply",
        "reply returned 99, which is not a legal move",
    ),
    "superko leaves no move": (
        {"superko": lambda s: (s.stones & 1,)},
        "superko",
        "bars every move",
    ),
    "random results": ({"result": moody_result}, "reproducible", "result gives a different"),
    "another type": ({"result": plain_tuple}, "state", "a tuple, not a State"),
    "a float in the state": ({"result": half_stones}, "state", "sets stones to 19.5"),
    "a word outgrown": (
        {"result": growing, "max_ply": 9},
        "state",
        "the board into 2 fields",
    ),
    "MIN first": ({"initial": lambda: State(20, 1)}, "turn order", "MIN moves first"),
    "a player number 3": ({"player": lambda s: 3}, "player", "player returned 3"),
    "unannounced chance": ({"player": lambda s: CHANCE}, "chance", "no outcomes hook"),
    "no event": (
        {"player": lambda s: CHANCE, "outcomes": lambda s, out, w: 0},
        "chance",
        "lists no event",
    ),
    "a weight of zero": (
        {"player": lambda s: CHANCE, "outcomes": lambda s, out, w: _event(out, w, 0)},
        "chance",
        "has weight 0",
    ),
    "a fractional weight": (
        {"player": lambda s: CHANCE, "outcomes": lambda s, out, w: _event(out, w, 0.5)},
        "row",
        "writes 0.5",
    ),
    "over with moves left": ({"is_terminal": lambda s: s.stones < 3}, "terminal", "still a move"),
    "stuck but not over": ({"is_terminal": lambda s: False}, "terminal", "the game goes on"),
    "no utility": ({"utility": lambda s: None}, "utility", "utility is None"),
    "a float utility": ({"utility": lambda s: 0.5}, "utility", "utility is 0.5"),
    "utility raises": ({"utility": lambda s: 1 // s.stones}, "utility", "ZeroDivisionError"),
    "two payoffs": ({"utility": lambda s: (3, 1)}, "zero-sum", "utility returned (3, 1)"),
    "a random utility": ({"utility": lambda s: random.getrandbits(20)}, "reproducible", "utility"),
    "a float evaluation": ({"evaluate": lambda s: 0.1}, "evaluation evaluate", "0.1"),
    "a random evaluation": (
        {"evaluations": {"luck": lambda s: random.getrandbits(20)}},
        "reproducible",
        "evaluation luck",
    ),
    "too short a game declared": ({"max_ply": 4}, "max_ply", "past max_ply=4"),
    "a key without the turn": ({"key": key_without_turn}, "key", "have the same key"),
    "a key of half": ({"key": key_of_half}, "key", "have the same key"),
    "a key of text": ({"key": key_text}, "key", "not a whole number"),
    "noisy but not legal": ({"noisy": too_large}, "move_range", "noisy lists 70000"),
    "noisy and illegal": (
        {"noisy": lambda s, out: _one(out, 9)},
        "noisy",
        "9, which is not a legal",
    ),
    "order of text": ({"order": lambda s, a: "good"}, "order", "order is 'good'"),
    "extend by less": ({"extend": lambda s: -1}, "extend", "extend returned -1"),
    "null move that is no pass": ({"null_move": loses_a_stone}, "null_move", "pass the turn"),
    "sufficient and illegal": (
        {"sufficient": lambda s, out: _one(out, 9)},
        "sufficient",
        "9, which is not a legal move",
    ),
    "sufficient after the end": (
        {"sufficient": lambda s, out: _one(out, 1)},
        "sufficient",
        "1, which is not a legal move",
    ),
    "sufficient twice": ({"sufficient": twice_the_same}, "distinct moves", "sufficient lists 1"),
    "random but sufficient": ({"sufficient": moody}, "reproducible", "sufficient gives"),
    "nothing is sufficient": ({"sufficient": lambda s, out: 0}, "sufficient", "the game goes on"),
    "sufficient to lose": (
        {"sufficient": lambda s, out: _if_any(s, out, 1)},
        "sufficient",
        "is better than all that sufficient lists",
    ),
    "a win, but later": (
        {"utility": lambda s: 1, "sufficient": lambda s, out: _if_any(s, out, 1)},
        "sufficient",
        "is better than all that sufficient lists",
    ),
    "a loss, but sooner": (
        {"utility": lambda s: 1, "sufficient": lambda s, out: _if_any(s, out, min(3, s.stones))},
        "sufficient",
        "1 is better than all that sufficient lists",
    ),
    "no bounds": ({"bounds": lambda s: None}, "bounds", "bounds returned None"),
    "one bound": ({"bounds": lambda s: (1,)}, "bounds", "not two integers"),
    "a fractional bound": ({"bounds": lambda s: (-0.5, 1)}, "bounds", "bounds is -0.5"),
    "bounds too large": ({"bounds": lambda s: (-1, 1 << 23)}, "bounds", "past the ±4194304"),
    "assurances in reverse": ({"assured": lambda s: (1, -1)}, "assured", "the greater first"),
    "bounds in reverse": ({"bounds": lambda s: (1, -1)}, "bounds", "the greater first"),
    "bounds too narrow": (
        {"bounds": lambda s: (0, 1) if s.stones > 9 else (-1, 1)},
        "bounds",
        "bounds are 0 and 1, but a game from here ended with -1",
    ),
    "bounds raise": ({"bounds": lambda s: (-1, 1 // s.stones)}, "bounds", "ZeroDivisionError"),
    "nothing settled": ({"settled": lambda s: 0}, "settled", "settled returned 0, not two"),
    "settled by half": ({"settled": lambda s: (0.5, 1)}, "settled", "settled is 0.5"),
    "a key to every rest": (
        {"settled": lambda s: (0, 7)},
        "settled",
        "two positions with the same key to the rest gain the player to move different amounts",
    ),
    "settled for the wrong side": (
        {"settled": lambda s: (s.turn, s.stones)},
        "settled",
        "two positions with the same key to the rest gain the player to move different amounts",
    ),
    "settled by bit 63": (
        {"settled": lambda s: (0, s.stones << 60 >> 60)},
        "overflow",
        "settled overflows (test_conformance.py, line",
    ),
    "less than no plies remaining": (
        {"remaining": lambda s: s.stones - 2},
        "remaining",
        "remaining returned -",
    ),
    "half a ply remaining": ({"remaining": lambda s: 0.5}, "remaining", "remaining returned 0.5"),
    "bounds of bit 63": (
        {"bounds": lambda s: (-1, 1 + (s.stones << 60 >> 60))},
        "overflow",
        "bounds overflows (test_conformance.py, line",
    ),
    "bit 63 remaining": (
        {"remaining": lambda s: s.stones << 60 >> 60},
        "overflow",
        "remaining overflows (test_conformance.py, line",
    ),
    "a symmetry of half": (
        {"symmetries": [lambda s: State(s.stones // 2, s.turn)]},
        "symmetries",
        "symmetry 1",
    ),
    "format loses the turn": (
        {"format": lambda s: f"{s.stones}", "parse": lambda t: State(int(t), 0)},
        "notation",
        "parse(format(s)) is another position",
    ),
    "format of numbers": ({"format": lambda s: 5}, "notation", "format returned 5"),
    "parse raises": ({"parse": lambda t: State(int(t[:0]), 0)}, "parse", "parse raises"),
    "moves of one name": ({"format_move": lambda s, a: "x"}, "notation", "both called 'x'"),
    "another move back": ({"parse_move": lambda s, t: 1}, "notation", "is another move"),
    "a readable move nobody reads": (
        {"readable_move": lambda s, a: f"take {a}", "parse_move": lambda s, t: int(t)},
        "parse_move",
        "'take 1' is not a legal move",
    ),
    "an ending of numbers": ({"ending": lambda s: 5}, "ending", "ending returned 5"),
    "render of nothing": ({"render": lambda s: None}, "render", "does not return text"),
    "a torn drawing": ({"draw": lambda s: "<svg>"}, "draw", "well-formed"),
    "a drawing without title": ({"draw": lambda s: "<svg/>"}, "draw", "lacks <title>"),
    "a list for a state": (
        {
            "initial": lambda: [20, 0],
            "player": lambda s: s[1],
            "actions": lambda s, out: nim.actions(State(*s), out),
            "result": lambda s, a: [s[0] - a, 1 - s[1]],
        },
        "state",
        "not hashable",
    ),
    "bit 63 by hand": (
        {"evaluate": lambda s: (s.stones << 60) >> 60},
        "overflow",
        "past 64 bits; use shl of threefold.rules.bits",
    ),
    "what cannot be compiled": (
        {"result": lambda s, a: s._replace(stones=s.stones - a, turn=1 - s.turn)},
        "compiled",
        "._replace; build the next position",
    ),
}


def _event(out: Any, weights: Any, weight: Any) -> int:
    out[0], weights[0] = 1, weight
    return 1


def _one(out: Any, a: int) -> int:
    out[0] = a
    return 1


def _if_any(s: State, out: Any, a: int) -> int:
    if s.stones == 0:
        return 0
    out[0] = a
    return 1


@pytest.mark.parametrize("name", BROKEN)
def test_each_defect_is_found_and_named(name: str) -> None:
    changes, check, words = BROKEN[name]
    report = conformance(nim.nim(**changes))
    assert not report.ok
    found = {defect.check: defect for defect in report.defects}
    assert check in found, str(report)
    assert words in found[check].sentence
    assert found[check].position
    assert "\n" not in found[check].sentence
    assert f"{check}: " in str(report)


def test_one_mistake_is_one_defect() -> None:
    report = conformance(nim.nim(**BROKEN["a float evaluation"][0]))
    assert len(report.defects) == 1


def test_an_initial_position_that_changes() -> None:
    starts = iter(range(10_000))
    g = nim.nim(initial=lambda: State(next(starts), 0))
    assert "initial" in {defect.check for defect in conformance(g).defects}


def test_a_state_that_is_changed_in_place() -> None:
    class Mutable:
        turn = 0

        def __init__(self, stones: int) -> None:
            self.stones = stones

        def __hash__(self) -> int:
            return 0

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Mutable) and other.stones == self.stones

        def __repr__(self) -> str:
            return f"Mutable({self.stones})"

    def result(s: Mutable, a: int) -> Mutable:
        s.stones -= a
        return s

    g = Game(
        "Mutable",
        initial=lambda: Mutable(9),
        actions=lambda s, out: nim.actions(State(s.stones, 0), out),
        result=result,
        utility=lambda s: 0,
    )
    sentences = [defect.sentence for defect in conformance(g).defects]
    assert any("changes the position it is given" in sentence for sentence in sentences)


def test_a_key_may_leave_out_what_does_not_matter() -> None:
    """A count of plies that no rule looks at may share a key."""
    g = nim.nim(
        initial=lambda: Counted(20, 0, 0),
        result=lambda s, a: Counted(s.stones - a, 1 - s.turn, s.plies + 1),
        key=lambda s: 2 * s.stones + s.turn,
    )
    report = conformance(g)
    assert report.ok, str(report)


def test_sufficient_moves_that_depend_on_an_overflow() -> None:
    def sufficient(s: State, out: Any) -> int:
        n = min(3, s.stones) if s.stones << 59 >> 59 == s.stones else 1
        for i in range(n):
            out[i] = i + 1
        return n

    (defect,) = conformance(nim.nim(sufficient=sufficient)).defects
    assert defect.check == "overflow"
    assert "sufficient overflows (test_conformance.py, line" in defect.sentence


def test_only_small_trees_are_searched_for_better_moves() -> None:
    trees = SmallTrees(nim.nim())
    assert trees.better(State(7, 0), [1, 2, 3], [1, 2]) == 3
    assert trees.better(State(7, 0), [1, 2, 3], [2, 3]) is None
    with pytest.raises(TooLarge):  # for Python's stack
        trees.better(State(10_000, 0), [1, 2, 3], [1])
    wide = game("tic-tac-toe")
    with pytest.raises(TooLarge):
        SmallTrees(wide).better(wide.initial(), wide.moves(wide.initial()), [0])


def test_a_game_without_end_may_declare_it() -> None:
    report = conformance(nim.nim(result=stands_still, finite=False, max_ply=20), games=3)
    assert report.ok, str(report)
    report = conformance(nim.nim(result=stands_still, repeats=True, max_ply=20), games=3)
    assert {defect.check for defect in report.defects} == {"max_ply"}


def test_other_states_are_checked_interpreted_with_a_note() -> None:
    g = Game(
        "Text",
        initial=lambda: "aaaaaaa",
        actions=lambda s, out: nim.actions(State(len(s), 0), out),
        result=lambda s, a: s[a:],
        utility=lambda s: 1,
        player=lambda s: len(s) // 2 % 2 if len(s) < 7 else 0,
    )
    report = conformance(g)
    assert report.ok, str(report)
    assert not report.compiled
    assert "NamedTuple of integers" in str(report)


def test_words_used_right_pass() -> None:
    g = nim.nim(evaluate=lambda s: lsr(shl(s.stones, 60), 58))
    assert conformance(g).ok


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    conformance(nim.nim(), games=5, progress=lambda done, games: told.append((done, games)))
    assert told == [(i, 5) for i in range(1, 6)]


def test_no_games_is_no_check() -> None:
    with pytest.raises(ThreefoldError, match="games=0"):
        conformance(nim.nim(), games=0)


@pytest.mark.parametrize(
    "changes",
    [
        {"result": lambda s, a: State(s.stones - a, not s.turn)},
        {"utility": lambda s: s.turn == 1},
        {"initial": lambda: State(1, 0)},
        {"initial": lambda: State(0, 0)},
        {"observe": lambda s, p: (s.stones, p), "deal": lambda s, p, seed: s},
        {"zero_sum": False, "utility": lambda s: s.turn},
        {"symmetries": [lambda s: s]},
        {"sufficient": leave_fours},
        {"bounds": lambda s: (-1, 1), "remaining": lambda s: s.stones},
        {"settled": lambda s: (0, s.stones)},
    ],
)
def test_no_false_alarm(changes: dict[str, Any]) -> None:
    report = conformance(nim.nim(**changes))
    assert report.ok, str(report)
    assert report.compiled


@pytest.mark.parametrize(
    "spec",
    [
        "mnk(m=1,n=1,k=1)",
        "nim(heaps=1)",
        "dice-nim(stones=1)",
        "connect-four(columns=1,rows=1,k=1)",
    ],
)
def test_the_smallest_games_conform(spec: str) -> None:
    report = conformance(game(spec))
    assert report.ok, str(report)


def test_payoffs_of_a_game_that_is_not_zero_sum() -> None:
    g = Game(
        "Shares",
        initial=lambda: "ab",
        actions=lambda s, out: nim.actions(State(len(s), 0), out),
        result=lambda s, a: s[a:],
        utility=lambda s: (3, 1),  # type: ignore[arg-type,return-value]
        player=lambda s: 0 if len(s) == 2 else 1,
        zero_sum=False,
    )
    assert conformance(g).ok


def test_states_whose_text_cannot_be_read_back_are_not_blamed() -> None:
    g = Game(
        "Sets",
        initial=lambda: frozenset({1, 2, 3, 4}),
        actions=list_members,
        result=lambda s, a: s - {a},
        utility=lambda s: 0,
        player=lambda s: len(s) % 2,
    )
    report = conformance(g)
    assert report.ok, str(report)
    spaces = Game(
        "Spaces",
        initial=lambda: "   ",
        actions=lambda s, out: nim.actions(State(len(s), 0), out),
        result=lambda s, a: s[a:],
        utility=lambda s: 0,
        player=lambda s: 0 if len(s) == 3 else 1,
    )
    assert conformance(spaces).ok


def list_members(s: frozenset[int], out: Any) -> int:
    for i, x in enumerate(sorted(s)):
        out[i] = x
    return len(s)


@pytest.mark.parametrize(
    ("changes", "check", "words"),
    [
        ({"key": lambda s: [s.stones]}, "key", "not a whole number"),
        ({"utility": lambda s: 1 << 40}, "utility", "past the ±4194304"),
        ({"observe": lambda s, p: 1 // 0}, "observe", "ZeroDivisionError"),
        (
            {"symmetries": [lambda s: State(s.stones + (s.stones > 3), s.turn)]},
            "symmetries",
            "follow differently",
        ),
        ({"initial": lambda: State(int("20"), 0)}, "compiled", "initial cannot be compiled"),
        ({"actions": lambda s, out: len(out)}, "row", "length of out"),
    ],
)
def test_more_defects_are_found(changes: dict[str, Any], check: str, words: str) -> None:
    found = {defect.check: defect.sentence for defect in conformance(nim.nim(**changes)).defects}
    assert check in found
    assert words in found[check]


def test_an_evaluation_that_fails_where_nature_moves() -> None:
    from threefold.games.dice_nim.rules import rules

    hooks: dict[str, Any] = {**rules(6, 3, False)} | {"evaluations": {"die": lambda s: 10 // s.die}}
    report = conformance(Game("Dice", **hooks))
    assert "ZeroDivisionError" in str(report)


def test_a_mistake_in_result_is_not_blamed_on_the_turns() -> None:
    checks = {defect.check for defect in conformance(nim.nim(result=plain_tuple)).defects}
    assert checks == {"state"}


def test_a_defect_is_one_line_whatever_was_raised() -> None:
    def result(s: State, a: int) -> State:
        raise ValueError("first line\nsecond line")

    (defect,) = conformance(nim.nim(result=result)).defects
    assert "first line second line" in defect.sentence


def test_a_compiler_switched_off_is_not_the_games_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    report = conformance(nim.nim())
    assert report.ok
    assert not report.compiled
    assert "NUMBA_DISABLE_JIT" in report.note
