"""Double dummy: partition search against DDS (endplay), plain search, and its own promises."""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shell import Shell

from threefold import Game, ThreefoldError, game
from threefold.engine.control import Control
from threefold.engine.records import allocate
from threefold.errors import BadGame
from threefold.games.bridge import FIRST_DEAL
from threefold.games.bridge.cards import CARDS, SEATS, STRAINS
from threefold.games.bridge.dealing import dealt
from threefold.games.bridge.double_dummy import DoubleDummy
from threefold.games.bridge.lanes import filled_up, raised
from threefold.games.bridge.notation import format_hands, hands_of, read_deal, trick_of
from threefold.games.bridge.position import State, start, tricks_left
from threefold.rules.bits import word
from threefold.rules.contract import MIN
from threefold.rules.rebind import interpreted
from threefold.solve.partition import HEADS, LINE, USED, reaches
from threefold.solve.partition_search import PartitionSearch
from threefold.solve.solve import Solver

#: What most tests use, so that little is compiled.
FEW = ("NT", "S")
GAMES = {strain: game(f"bridge(strain={strain})") for strain in STRAINS}
DEAL = f"{FIRST_DEAL}"
TABLE = {
    "N": {"C": 7, "D": 10, "H": 6, "S": 11, "NT": 10},
    "E": {"C": 6, "D": 3, "H": 7, "S": 2, "NT": 3},
    "S": {"C": 6, "D": 9, "H": 6, "S": 10, "NT": 9},
    "W": {"C": 6, "D": 3, "H": 7, "S": 2, "NT": 3},
}


def ending(rng: random.Random, cards: int, *, from_top: int = CARDS) -> State:
    """So many cards each, of the whole pack or of its highest; anyone leads."""
    pack = sorted(range(CARDS), key=lambda card: -(card % 13))[:from_top]
    rng.shuffle(pack)
    hands = [sum(1 << c for c in pack[cards * i : cards * (i + 1)]) for i in range(4)]
    return start(hands, rng.randrange(4))


def midway(g: Game[State], s: State, rng: random.Random, plies: int) -> State:
    for _ in range(plies):
        s = g.result(s, rng.choice(g.moves(s)))
    return s._replace(won=0, lost=0)


def plain(g: Game[State], s: State, known: dict[State, int] | None = None) -> int:
    """Minimax over every legal move."""
    known = {} if known is None else known
    if s not in known:
        values = [plain(g, g.result(s, a), known) for a in g.moves(s)]
        if not values:
            return g.utility(s)
        known[s] = min(values) if g.player(s) == MIN else max(values)
    return known[s]


def by_dds(strain: str, s: State) -> dict[str, int]:
    """By card, what DDS says the side to play gets, as a utility for that side."""
    dds = pytest.importorskip("endplay.dds", reason="endplay is not installed")
    types = pytest.importorskip("endplay.types")
    hands = [*hands_of(s)]
    for seat, card in trick_of(s):
        hands[seat] |= 1 << card
    deal = types.Deal(
        format_hands(hands),
        first=types.Player.find(SEATS[s.leader]),
        trump=types.Denom.find(strain.lower()),
    )
    for _, card in trick_of(s):
        deal.play(GAMES[strain].format_move(s, card))
    left = tricks_left(s)
    return {
        f"{card.suit.name[0].upper()}{card.rank.abbr}": 2 * tricks - left
        for card, tricks in dds.solve_board(deal)
    }


def table_by_dds(hands: Sequence[int]) -> dict[str, dict[str, int]]:
    dds = pytest.importorskip("endplay.dds", reason="endplay is not installed")
    types = pytest.importorskip("endplay.types")
    table = dds.calc_dd_table(types.Deal(format_hands(hands)))
    return {
        seat: {
            strain: table[types.Denom.find(strain.lower()), types.Player.find(seat)]
            for strain in STRAINS
        }
        for seat in SEATS
    }


def check_every_move(strain: str, s: State, solver: Solver[State]) -> None:
    found = solver.solve(s, progress=False)
    assert found.method == "partition"
    g = solver.game
    values = {g.format_move(s, line.move): int(line.value) for line in found.lines}
    # DDS leaves out all but one of touching cards.
    theirs = by_dds(strain, s)
    assert {card: values[card] for card in theirs} == theirs, g.format(s)
    assert found.value == max(theirs.values()), g.format(s)
    for line in found.lines:
        t = s
        for a in line.pv:
            t = g.result(t, a)
        sign = -1 if g.player(s) == MIN else 1
        assert not g.moves(t)
        assert sign * g.utility(t) == line.value, g.format(s)
        assert line.win_in is None or abs(line.win_in) == len(line.pv)


# Against other programs, and other ways.


@pytest.mark.parametrize("strain", FEW)
def test_every_move_is_worth_what_dds_says(strain: str) -> None:
    rng = random.Random(1)
    with GAMES[strain].solver(megabytes=16) as solver:
        for cards, plies in product((1, 2, 5, 7), (0, 1, 2, 3)):
            s = midway(GAMES[strain], ending(rng, cards), rng, plies)
            check_every_move(strain, s, solver)


@pytest.mark.slow
@pytest.mark.parametrize("strain", STRAINS)
def test_a_thousand_positions_and_every_move(strain: str) -> None:
    rng = random.Random(2)
    with GAMES[strain].solver(megabytes=64) as solver:
        for i in range(1000):
            from_top = rng.choice((CARDS, 40, 32))
            s = ending(rng, rng.randint(2, 8), from_top=from_top)
            check_every_move(strain, midway(GAMES[strain], s, rng, i % 4), solver)


def test_a_whole_table() -> None:
    assert DoubleDummy(threads=2).table(read_deal(DEAL)) == TABLE


@pytest.mark.slow
def test_a_thousand_whole_deals() -> None:
    deals = [dealt(number) for number in range(1, 1001)]
    for hands, found in zip(deals, DoubleDummy(threads=2).tables(deals), strict=True):
        assert found == table_by_dds(hands), format_hands(hands)


@pytest.mark.parametrize("strain", FEW)
def test_plain_search_agrees(strain: str) -> None:
    g, rng = GAMES[strain], random.Random(3)
    with g.solver(megabytes=16) as solver:
        for i in range(40):
            s = midway(g, ending(rng, rng.randint(1, 3), from_top=24), rng, i % 4)
            sign = -1 if g.player(s) == MIN else 1
            assert solver.solve(s, detail="value", progress=False).value == sign * plain(g, s)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1 << 30), st.sampled_from(STRAINS), st.integers(1, 3), st.integers(0, 3))
def test_interpreted_it_is_right_as_well(seed: int, strain: str, cards: int, plies: int) -> None:
    g, rng = GAMES[strain], random.Random(seed)
    s = midway(g, ending(rng, cards, from_top=20), rng, plies)
    value = plain(g, s)
    for target in range(-cards, cards + 1, 2):
        assert (asked(g, s, target)[0]) == (value >= target)


def memory_of(words: int) -> Any:
    memory = np.zeros(words, np.int64)
    memory[HEADS], memory[USED] = LINE, 2 * LINE
    return memory.tolist()


def asked(g: Game[State], s: State, target: int) -> tuple[bool, int, int]:
    """By the interpreted template: whether MAX gets the target, what mattered, and the nodes."""
    control = Control()
    rows = [[0] * 13 for _ in range(60)]
    search = interpreted(reaches, g)  # type: ignore[arg-type]
    answer = search(s, target, g.grain, 0, rows, memory_of(1 << 14), control)
    return bool(answer & 1), answer >> 1, control.nodes


@pytest.mark.parametrize("strain", FEW)
def test_both_ways_look_at_the_same_positions(strain: str) -> None:
    g, rng = GAMES[strain], random.Random(4)
    for _ in range(5):
        s = ending(rng, 4)
        control = allocate(Control)
        search = PartitionSearch(g, 1, control)
        for target in (-2, 0, 2):
            control.nodes = 0
            fresh = PartitionSearch(g, 1, control)
            compiled = fresh.value(s, target - g.grain, target, target) >= target
            reached, _, nodes = asked(g, s, target)
            assert (compiled, control.nodes) == (reached, nodes)
        assert search.value(s) == plain(g, s)


# What the hooks promise.


def others_alike(g: Game[State], s: State, bits: int, rng: random.Random) -> Iterator[State]:
    """Positions of the same gist that agree in those bits: low cards change hands."""
    first, second, _ = g.details(s, 0)
    hands = hands_of(s)
    for _ in range(60):
        new = [0, 0, 0, 0]
        for suit in range(4):
            ranks = sorted(rng.sample(range(13), sum(len(in_suit(h, suit)) for h in hands)))
            old = sorted(rank for hand in hands for rank in in_suit(hand, suit))
            owners = [next(i for i, h in enumerate(hands) if h >> (13 * suit + r) & 1) for r in old]
            kept = (bits >> 13 * suit & 8191).bit_count()
            low = owners[: len(owners) - kept]
            rng.shuffle(low)
            for owner, rank in zip(low + owners[len(low) :], ranks, strict=True):
                new[owner] |= 1 << 13 * suit + rank
        t = s._replace(north=new[0], east=new[1], south=new[2], west=new[3])
        one, two, _ = g.details(t, 0)
        assert g.gist(t) == g.gist(s)
        assert (one ^ first) & bits == (two ^ second) & bits == 0
        yield t


def in_suit(hand: int, suit: int) -> list[int]:
    return [rank for rank in range(13) if hand >> (13 * suit + rank) & 1]


@pytest.mark.parametrize(
    ("strain", "count"),
    [(strain, 12) for strain in FEW]
    + [pytest.param(strain, 150, marks=pytest.mark.slow) for strain in STRAINS],
)
def test_what_did_not_matter_can_be_exchanged(strain: str, count: int) -> None:
    """An answer holds for every position that agrees in what it says that it depends on."""
    g, rng = GAMES[strain], random.Random(5)
    exchanged = 0
    with g.solver(megabytes=16) as solver:
        for _ in range(count):
            s = ending(rng, 4)
            for target in (-2, 0, 2):
                reached, mattered, _ = asked(g, s, target)
                bits = g.details(s, mattered)[2]
                for t in others_alike(g, s, bits, rng):
                    sign = -1 if g.player(t) == MIN else 1
                    found = solver.solve(t, detail="value", method="null-window", progress=False)
                    assert (sign * found.value >= target) == reached, (g.format(s), g.format(t))
                    exchanged += t != s
                    if exchanged % 4 == 0:
                        break
    assert exchanged > count


@pytest.mark.parametrize(
    ("strain", "count"),
    [(strain, 300) for strain in FEW]
    + [pytest.param(strain, 4000, marks=pytest.mark.slow) for strain in STRAINS],
)
def test_sure_tricks_are_sure(strain: str, count: int) -> None:
    """Also where they say that they depend on less than all cards."""
    g, rng = GAMES[strain], random.Random(6)
    told = 0
    with g.solver(megabytes=16) as solver:
        for _ in range(count):
            s = ending(rng, rng.randint(3, 5), from_top=rng.choice((CARDS, 32, 24)))
            low, high, why_low, why_high = g.foreseen(s)
            left = tricks_left(s)
            for bound, why in ((low, why_low), (high, why_high)):
                if abs(bound) == left:
                    continue
                told += 1
                for t in (s, next(others_alike(g, s, g.details(s, why)[2], rng))):
                    sign = -1 if g.player(t) == MIN else 1
                    value = (
                        sign
                        * solver.solve(
                            t, detail="value", method="null-window", progress=False
                        ).value
                    )
                    good = value >= bound if bound == low and why == why_low else value <= bound
                    assert good, (g.format(s), g.format(t), low, high)
            assert low <= high
    assert told > count / 4


@given(st.integers(0, (1 << 52) - 1), st.integers(0, (1 << 52) - 1), st.integers(0, (1 << 52) - 1))
def test_lanes(first: int, second: int, kept: int) -> None:
    def lanes(cards: int) -> list[int]:
        return [cards >> 13 * suit & 8191 for suit in range(4)]

    for given_bits, found in zip((first, second), raised(first, second, kept), strict=True):
        for bits, keep, lane in zip(lanes(given_bits), lanes(kept), lanes(found), strict=True):
            wanted, at = 0, 12
            for rank in reversed(range(13)):
                if keep >> rank & 1:
                    wanted |= (bits >> rank & 1) << at
                    at -= 1
            assert lane == wanted
    for bits, lane in zip(lanes(first), lanes(filled_up(first)), strict=True):
        assert lane == (8191 & ~((bits & -bits) - 1) if bits else 0)


# The search and its memory.


@pytest.mark.parametrize("strain", FEW)
def test_a_memory_that_is_always_full_forgets_and_is_right(strain: str) -> None:
    g, rng = GAMES[strain], random.Random(7)
    control = allocate(Control)
    tiny, large = PartitionSearch(g, 0, control), PartitionSearch(g, 4, control)
    for _ in range(10):
        s = ending(rng, 5)
        assert tiny.value(s) == large.value(s)


def test_a_guess_changes_nothing() -> None:
    rng = random.Random(8)
    with GAMES["NT"].solver(megabytes=4) as solver:
        for _ in range(5):
            s = ending(rng, 6)
            found = [
                solver.solve(s, detail="value", lines=False, guess=guess, progress=False)
                for guess in (None, -6, 0, 1, 6, 99)
            ]
            assert len({each.value for each in found}) == 1
            assert all(len(each.lines[0].pv) == 1 for each in found)


def test_it_stops_when_it_is_told_to() -> None:
    with GAMES["NT"].solver(megabytes=4) as solver:
        with pytest.raises(ThreefoldError, match="not solved within the limits"):
            solver.solve(game("bridge(deal=5)").initial(), nodes=50, progress=False)
        s = ending(random.Random(9), 4)
        assert solver.solve(s, progress=False).complete


def test_only_for_games_that_say_what_matters() -> None:
    with pytest.raises(ThreefoldError, match="say what matters about a position"):
        game("nim").solve(method="partition", progress=False)


@pytest.mark.parametrize(
    ("changed", "said"),
    [({"details": None}, "gist needs details"), ({"grain": 0}, "grain")],
)
def test_its_hooks_come_together(changed: dict[str, Any], said: str) -> None:
    from threefold.games.bridge.rules import rules

    hooks: dict[str, Any] = {**rules(4, dealt(1), 0)}
    hooks["assumptions"] = replace(hooks["assumptions"], **changed)
    with pytest.raises(BadGame, match=said):
        Game("changed", **hooks)


def test_any_word_may_be_said_to_matter() -> None:
    s = ending(random.Random(10), 6)
    for mattered in (0, -1, word(1 << 63), 1 << 51):
        _, _, bits = GAMES["NT"].details(s, mattered)
        again = GAMES["NT"].matter(s, bits)
        assert GAMES["NT"].details(s, again)[2] == bits
    assert GAMES["NT"].gist(s._replace(north=0, east=0, south=0, west=0)) == 0


# The command.


def test_the_table_on_the_command_line(shell: Shell) -> None:
    answer = shell.json("double-dummy", DEAL)
    assert answer == {"deal": DEAL, "tricks": TABLE}
    assert [*answer["tricks"]["N"]] == [*STRAINS]
    assert shell("double-dummy", *DEAL.split()) == 0
    assert shell.out.splitlines() == [
        "         ♣   ♦   ♥   ♠  NT",
        "North    7  10   6  11  10",
        "East     6   3   7   2   3",
        "South    6   9   6  10   9",
        "West     6   3   7   2   3",
    ]


def test_part_of_the_table(shell: Shell) -> None:
    assert shell.json("double-dummy", DEAL, "--strain", "nt")["tricks"] == {
        seat: {"NT": row["NT"]} for seat, row in TABLE.items()
    }
    part = shell.json("double-dummy", DEAL, "--strain", "S", "--declarer", "e", "--threads", "1")
    assert part["tricks"] == {"E": {"S": 2}}
    # Fewer cards will do.
    small = "N:AQ.A2.. K3.K3.. J4.Q4.. T9.J5.."
    tricks = shell.json("double-dummy", small, "--strain", "NT")["tricks"]
    for declarer, leader in zip(SEATS, "ESWN", strict=True):
        value = plain(GAMES["NT"], GAMES["NT"].parse(f"{small} - {leader}"))
        assert tricks[declarer]["NT"] == (4 + (value if declarer in "NS" else -value)) // 2


def test_many_deals(shell: Shell, tmp_path: Path) -> None:
    small = ("N:AQ... K3... J4... T9...", "E:AQ... K3... J4... T9...")
    lines = tmp_path / "deals.txt"
    lines.write_text(f"# two\n{small[0]}\n\n{small[1]}\n")
    pbn = tmp_path / "deals.pbn"
    pbn.write_text(f'[Event "x"]\n[Deal "{small[0]}"]\n\n[Deal "{small[1]}"]\n1S Pass\n')
    for file in (lines, pbn):
        assert shell("double-dummy", str(file), "--strain", "NT", "--json") == 0
        answers = [json.loads(line) for line in shell.out.splitlines()]
        assert [answer["deal"] for answer in answers] == [*small]
        assert answers[0]["tricks"]["N"] == {"NT": 2}
        assert answers[1]["tricks"]["E"] == {"NT": 2}
    assert shell("double-dummy", str(lines), "--strain", "NT") == 0
    assert shell.out.splitlines()[0] == f"{small[0]}  N 2  E 1  S 1  W 1"


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["N:AKQ2"], "a deal has four hands, not 1"),
        (["N:... ... ... ..."], "there is no card in it"),
        (["N:A... K... Q... J9..."], "same number of cards"),
        ([f"{DEAL} - W"], "a deal has four hands, not 6"),
        ([DEAL, "--strain", "X"], "--strain 'X': one of C, D, H, S, NT"),
        ([DEAL, "--declarer", "Q"], "--declarer 'Q': one of N, E, S, W"),
        ([DEAL, "--threads", "0"], "--threads 0 is not from 1 to"),
        (["no-such-file.pbn"], "'no-such-file.pbn' is neither a file nor a deal, like N:AKQ2"),
    ],
)
def test_what_is_wrong_with_a_command(shell: Shell, argv: list[str], said: str) -> None:
    assert said in shell.refused("double-dummy", *argv)


def test_what_is_wrong_in_a_file(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "deals.txt"
    file.write_text("N:A... K... Q... J...\n\nN:A... A... Q... J...\n")
    refused = shell.refused("double-dummy", str(file))
    assert "line 3: deal 'N:A... A... Q... J...': the ace of spades" in refused
    for nothing in ("# nothing\n", '[Event "x"]\n'):
        file.write_text(nothing)
        assert "has no deal" in shell.refused("double-dummy", str(file))


def test_what_is_solved_stays_when_it_is_interrupted(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(solver: Any, deals: Any) -> Iterator[Any]:
        yield {"N": {"NT": 2}}
        raise KeyboardInterrupt

    monkeypatch.setattr(DoubleDummy, "tables", interrupted)
    file = tmp_path / "deals.txt"
    file.write_text("N:AQ... K3... J4... T9...\n" * 3)
    assert shell("double-dummy", str(file), "--json") == 0
    assert json.loads(shell.out)["tricks"] == {"N": {"NT": 2}}
    assert "interrupted after 1 of 3 deals" in shell.err


def test_solving_a_position_on_the_command_line(shell: Shell) -> None:
    position = "N:AQ.A2.. K3.K3.. J4.Q4.. T9.J5.. - N"
    answer = shell.json("solve", "bridge", position)
    assert (answer["value"], answer["player"], answer["win_in"]) == (2, 0, 16)
    assert answer["position"] == position
    assert sorted(answer["all_best"]) == ["HA", "SA"]
    assert {move["move"]: move["value"] for move in answer["moves"]} == {
        "HA": 2,
        "SA": 2,
        "H2": 0,
        "SQ": 0,
    }
