"""Known problems of single-dummy play: which of them sampled deals solve, and which not.

threefold bench single_dummy
python bench/single_dummy.py --worlds 100 --judge endplay

The positions are our own, the themes are those of every textbook. *Solved* means that only right
cards have the best mean over all deals, *tied* that wrong ones have it as well.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bridge_play import Endplay
from comparison import LeftOut, Rate

import threefold
from threefold.engine.limits import Limits
from threefold.engine.worlds import Worlds

WORLDS = 100
#: Scores that differ by less are the same on the mean.
_SAME = 1e-6


@dataclass(frozen=True)
class Problem:
    """A position as the one who decides sees it, and the cards that are right, or wrong."""

    name: str
    position: str
    right: str = ""
    wrong: str = ""
    game: str = "contract-bridge"

    def is_right(self, card: str) -> bool:
        """Whether a card is a good answer."""
        return card in self.right.split() if self.right else card not in self.wrong.split()


PROBLEMS = (
    Problem(
        "finesse: eight tricks on top, and the queen",
        "N:432.AQ.KQ52.8743 - AK5.7532.AJ3.A62 - | 3NT by S | SQ S2 S7 SA H2 H8",
        right="HQ",
    ),
    Problem(
        "eight ever: with eight cards, finesse for the queen",
        "N:K4.AKJ52.K32.A54 - AQ2.763.AQ4.KQ32 - | 7NT by S | "
        "DJ D2 D5 DA H3 H4 HA H8 S4 S3 SA S5 H6 H9",
        right="HJ",
    ),
    Problem(
        "nine never: with nine cards, play for the drop",
        "N:K4.AKJ52.K32.A54 - AQ2.7643.AQ4.KQ3 - | 7NT by S | "
        "DJ D2 D5 DA H3 H8 HA H9 S4 S3 SA S5 H6 HT",
        right="HK",
    ),
    Problem(
        "hold up: exhaust the hand that will get in",
        "N:64.K52.AQJT9.K43 - A73.AQ4.863.A952 - | 3NT by S | SK S4 S2",
        right="S3 S7",
    ),
    Problem(
        "safety: nine tricks are there, do not finesse for a tenth",
        "N:43.A52.AQ4.KQJ54 - A52.KQ4.7532.A32 - | 3NT by S | SK S3 S6 SA D2 D6",
        right="DA",
    ),
    Problem(
        "avoidance: lose the lead to the hand without spades",
        "N:642.A5.852.AJT92 - A73.K843.AK4.K83 - | 3NT by S | "
        "SK S2 S5 S3 SQ S4 S8 S7 SJ S6 S9 SA C3 C4",
        right="CJ CT C9",
    ),
    Problem(
        "communication: duck a round to keep an entry",
        "N:752.84.962.AK872 - AK4.AQ5.AK74.543 - | 3NT by S | SQ S2 S6 SA C3 C6",
        right="C2 C7 C8",
    ),
    Problem(
        "safety: the king first, in case West has all four clubs",
        "N:A4.K52.A32.AQ984 - K3.AQ4.K865.K532 - | 6NT by S | SQ S4 S7 SK",
        wrong="C2 C3 C5",
    ),
    Problem(
        "throw-in: make them lead the suit with the two-way finesse",
        "N:J8765.K4.832.KT3 - AKQT9.A3.765.AJ4 - | 4S by S | "
        "HQ H4 H2 HA SA S2 S5 S3 SK S4 S6 H6 H3 H7 HK H8",
        wrong="C3 CT CK",
    ),
    Problem(
        "defense: hold up the ace in the suit of a dummy without entries",
        "N:742.63.KQJT9.853 Q653.J972.A62.74 - - | 3NT by S | H4 H3 HJ HA D3 D4 DK",
        right="D2 D6",
        game="contract-bridge(known=S:15-17hcp.2-4D)",
    ),
    Problem(
        "defense: the lead from a sequence",
        "N:- - - KQJ95.72.853.962 | pass pass 1NT pass 3NT pass pass pass",
        right="SK SQ SJ",
    ),
    Problem(
        "defense: second hand low, let declarer guess",
        "N:Q842.A5.KJ42.Q63 - - 76.QJ94.A85.KT97 | 4S by S | "
        "HQ HA H2 H3 S2 S3 SA S6 SK S7 S4 S5 D3",
        right="D5 D8",
        game="contract-bridge(known=S:12-16hcp.5-6S)",
    ),
)


@dataclass(frozen=True)
class Answer:
    """What sampled deals say of a problem."""

    problem: str
    verdict: str
    #: By card, the mean score for the side to play.
    values: dict[str, float]

    def __str__(self) -> str:
        shown = ", ".join(f"{card} {value:.0f}" for card, value in self.values.items())
        return f"{self.verdict:<7} {self.problem}: {shown}"

    def to_json(self) -> dict[str, Any]:
        return vars(self)


def answer(problem: Problem, worlds: int, judge: str = "ours", seed: int = 1) -> Answer:
    """Sample deals for a problem."""
    game = threefold.game(problem.game)
    search = Worlds(game, judge=Endplay if judge == "endplay" else None)
    s = game.position(problem.position)
    lines = search.analyze(s, Limits(nodes=worlds), multipv=13, seed=seed).lines
    values = {game.format_move(s, line.move): line.value for line in lines}
    best = [card for card, value in values.items() if value > lines[0].value - _SAME]
    right = [problem.is_right(card) for card in best]
    verdict = "solved" if all(right) else "tied" if any(right) else "wrong"
    return Answer(problem.name, verdict, values)


def measure(worlds: int = WORLDS, judge: str = "ours") -> Iterator[Answer | Rate | LeftOut]:
    found = []
    for problem in PROBLEMS:
        found.append(answer(problem, worlds, judge))
        yield found[-1]
    solved = sum(each.verdict == "solved" for each in found)
    what = f"single-dummy problems solved with {worlds} sampled deals"
    yield Rate(what, solved, f"of {len(found)}", 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=WORLDS)
    parser.add_argument("--judge", choices=("ours", "endplay"), default="ours")
    given = parser.parse_args()
    for each in measure(given.worlds, given.judge):
        print(each, flush=True)
