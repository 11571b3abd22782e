"""Bridge by sampled deals: tricks lost against double dummy, by declarers and by defenders.

threefold bench bridge_play
python bench/bridge_play.py --deals 200 --worlds 20 --judge endplay

Four computers bid and play numbered deals. Every card that they choose is compared with the best
one once all hands are open, which nobody at the table can see. So even perfect players lose tricks
here. With `--plain`, deals are sampled without what the auction tells. By default deals are solved
by Threefold; `--judge endplay` lets DDS solve them (endplay from PyPI), so that more can be played.
The cards on the table are compared by DDS, if it is installed.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from comparison import LeftOut, Rate, say, time_limit

import threefold
from threefold import Game
from threefold.engine.limits import Limits
from threefold.engine.worlds import Judge, Solved, Worlds
from threefold.games.bridge.cards import STRAINS, card_text
from threefold.games.bridge.dealing import dealt
from threefold.games.bridge.notation import format_hands, read_card, trick_of
from threefold.games.contract_bridge.notation import contract_text
from threefold.games.contract_bridge.position import declarer_in

#: As many deals as time allows are played.
DEALS = 200
WORLDS = 20
USUAL_TIME = 120.0


class Endplay:
    """DDS solves a deal."""

    def __init__(self) -> None:
        from endplay import dds, types

        self._solve, self._types = dds.solve_board, types

    def values(self, s: tuple[Game[Any], Any], seconds: float | None) -> dict[int, float]:  # noqa: ARG002
        """By card, the tricks of the side to play less the other side's, in the whole game."""
        game, position = s
        trick = trick_of(position)
        hands = list(position[:4])
        for seat, card in trick:
            hands[seat] |= 1 << card
        deal = self._types.Deal(format_hands(hands))
        strain = next(name for name in STRAINS if f"strain={name}," in f"{game.spec[:-1]},")
        names = ("clubs", "diamonds", "hearts", "spades", "nt")
        deal.trump = getattr(self._types.Denom, names[STRAINS.index(strain)])
        deal.first = self._types.Player(position.leader)
        for _, card in trick:
            deal.play(card_text(card))
        side = game.player(position)
        won = position.lost if side else position.won
        values = {}
        for solved, tricks in self._solve(deal):
            values[read_card(str(solved))] = float(2 * (won + tricks) - 13)
        return values

    def stop(self) -> None:
        """DDS cannot be stopped; a deal takes a fraction of a second."""


@dataclass
class Score:
    """What the players lost, over all deals."""

    deals: int = 0
    cards: dict[str, int] = field(default_factory=lambda: {"declarer": 0, "defenders": 0})
    lost: dict[str, float] = field(default_factory=lambda: {"declarer": 0.0, "defenders": 0.0})
    leads_lost: float = 0.0
    points: float = 0.0


def played(game: Game[Any], number: int, worlds: Worlds[Any], judge: Judge, score: Score) -> str:
    """Bid and play a deal, and add up what was lost; returns what happened."""
    s = game.parse(format_hands(dealt(number)))
    assert game.agreed is not None
    assert game.opened is not None
    assert game.opened_worth is not None
    while (call := game.agreed(s)) is not None:
        s = game.result(s, call)
    if s.contract == 0:
        return "all passed"
    score.deals += 1
    best_score = None
    while moves := game.moves(s):
        if len(moves) == 1:
            s = game.result(s, moves[0])
            continue
        by_defender = (game.seat(s) ^ declarer_in(s.contract)) & 1
        who = "defenders" if by_defender else "declarer"
        card = worlds.analyze(s, LIMITS[0], seed=number).best
        assert card is not None
        values = judge.values(game.opened(s), None)
        lost = (max(values.values()) - values[card]) / 2
        if best_score is None:
            sign = -1 if game.player(s) else 1
            best_score = game.opened_worth(s, int(sign * max(values.values())))
            score.leads_lost += lost
        score.cards[who] += 1
        score.lost[who] += lost
        s = game.result(s, card)
    sign = -1 if declarer_in(s.contract) & 1 else 1
    gained = sign * (game.utility(s) - (best_score or 0))
    score.points += gained
    return f"{contract_text(s.contract)}: {sign * game.utility(s)}, {gained:+} against double dummy"


LIMITS = [Limits(nodes=WORLDS)]


def measure(
    deals: int = DEALS, worlds: int = WORLDS, judge: str = "ours", plain: bool = False
) -> Iterator[LeftOut | Rate]:
    game = threefold.game("contract-bridge")
    if plain:
        game.doubts = None
    LIMITS[0] = Limits(nodes=worlds)
    try:
        open_judge: Judge = Endplay()
    except ImportError:
        open_judge = Solved(256)
        if judge == "endplay":
            yield LeftOut("bridge_play", 'endplay is not installed: pip install "threefold[bench]"')
            return
    solver: Callable[[], Judge] | None = Endplay if judge == "endplay" else None
    # DDS solves one deal at a time.
    player = Worlds(game, threads=1 if judge == "endplay" else 2, judge=solver)
    score, start, until = Score(), time.monotonic(), time_limit(USUAL_TIME)
    for number in range(1, deals + 1):
        if score.deals and time.monotonic() - start > until:
            break
        say(f"deal {number}: {played(game, number, player, open_judge, score)}")
    if score.deals == 0:
        return
    kind = f"{score.deals} deals, {worlds} sampled for each card, solved by {judge}"
    if plain:
        kind += ", without inference"
    n = score.deals
    for who in score.lost:
        yield Rate(f"{kind}: {who}", score.lost[who] / n, "tricks lost a deal", 0)
    yield Rate(f"{kind}: of those, by the opening lead", score.leads_lost / n, "tricks a deal", 0)
    yield Rate(f"{kind}: declarer against double dummy", score.points / n, "points a deal", 0)
    yield Rate(f"{kind}: time", (time.monotonic() - start) / n, "s a deal", 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=DEALS)
    parser.add_argument("--worlds", type=int, default=WORLDS)
    parser.add_argument("--judge", choices=("ours", "endplay"), default="ours")
    parser.add_argument("--plain", action="store_true")
    given = parser.parse_args()
    for found in measure(given.deals, given.worlds, given.judge, given.plain):
        print(found, flush=True)
