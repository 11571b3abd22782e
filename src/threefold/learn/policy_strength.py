"""How strong a net that proposes moves is: games against random play and against earlier nets.

Each player plays the move that its net thinks best, without a search, so hundreds of games take a
second or two. A search with the net is far stronger.
"""

import math
import time
from typing import Any, Final

from threefold.engine.policy_nets import PolicyNet
from threefold.learn.gumbel import AT_RANDOM, BY_POLICY, CUT_OFF
from threefold.learn.policy_model import TorchValues
from threefold.learn.policy_play import Table, Way
from threefold.learn.strength import PREVIOUS, RANDOM, Score, Strength, opening_plies, scored
from threefold.learn.survey import survey
from threefold.rules.contract import MAX, MIN
from threefold.rules.game import Game

#: Games against each opponent: pairs that begin alike.
GAMES: Final = 128


class PolicySparrings:
    """Games of one game between nets, or a net and random play."""

    def __init__(self, game: Game[Any], seed: int = 0, device: str = "cpu") -> None:
        """The nets compute on `device`, PyTorch's name of it."""
        self.game = game
        self._seed = seed
        self._device = device
        self._played = 0
        self._opening = 1

    def prepare(self) -> None:
        """See how long games are."""
        self._opening = opening_plies(survey(self.game).plies)

    def measure(
        self, net: PolicyNet[Any], previous: PolicyNet[Any] | None, seconds: float
    ) -> Strength:
        """How a net fares against each opponent, within about so many seconds."""
        others: dict[str, PolicyNet[Any] | None] = {}
        if previous is not None:
            others[PREVIOUS] = previous
        others[RANDOM] = None
        share = seconds / len(others)
        return {name: self.score(net, other, seconds=share) for name, other in others.items()}

    def score(
        self,
        one: PolicyNet[Any],
        other: PolicyNet[Any] | None,
        *,
        games: int = GAMES,
        seconds: float = math.inf,
    ) -> Score:
        """What one scores against another, or against random play."""
        end = time.monotonic() + seconds
        nets = (one, one if other is None else other)  # random play asks none
        judges = [TorchValues(each, self._device) for each in nets]
        gains: dict[int, int | None] = {}
        tables = [self._table(games // 2, place, other is None) for place in (MAX, MIN)]
        self._played += games // 2
        for place, table in zip((MAX, MIN), tables, strict=True):
            self._play_out(table, place, judges, gains, end)
        return scored([gains.get(i) for i in range(games)])

    def _table(self, games: int, place: int, at_random: bool) -> Table[Any]:
        """Games in which one plays MAX, or MIN."""
        way = Way(self._seed, 2, exploration=1.0, opening=self._opening)
        table = Table(self.game, way, games, self._played)
        ways = [BY_POLICY, AT_RANDOM if at_random else BY_POLICY]
        of_max, of_min = ways if place == MAX else reversed(ways)
        table.begin(of_max + 4 * of_min)
        return table

    def _play_out(
        self,
        table: Table[Any],
        place: int,
        judges: list[TorchValues],
        gains: dict[int, int | None],
        end: float,
    ) -> None:
        """Play until all games are over, or the time is up."""
        while len(table.finished()) < table.lanes and time.monotonic() < end:
            table.step(*(judges if place == MAX else reversed(judges)))
        for lane in table.finished():
            worth = table.worth(lane)
            gain = None if worth == CUT_OFF else round(worth)
            gains[2 * lane + place] = -gain if gain is not None and place == MIN else gain
