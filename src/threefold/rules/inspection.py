"""Playing a game at random and checking every position: the interpreted half of `conformance`.

`agreement` compares with the compiled way.
"""

import random
from collections.abc import Hashable, Iterator
from typing import Any, Generic, TypeVar

from threefold.rules.asking import Asker, Position
from threefold.rules.contract import CHANCE, Action
from threefold.rules.game import Game
from threefold.rules.position_checks import PositionChecks
from threefold.rules.promises import SmallTrees, TooLarge
from threefold.rules.strict_row import Broken, Defect

S = TypeVar("S")

#: One position in this many is drawn; and this many futures of two positions are compared.
SAMPLE = 16
#: The first positions are all checked for overflows, later ones sampled: the check is slow.
OVERFLOWS = 100
#: A game in which one player makes this many decisions and the other none is suspicious.
_MANY_DECISIONS = 3
#: After this many games that broke off, there is nothing more to learn.
_MAX_BROKEN_GAMES = 5


class Inspector(Generic[S]):
    """Plays a game and collects its defects, the first of each kind."""

    def __init__(self, game: Game[S], rng: random.Random) -> None:
        self.game = game
        self.defects: dict[str, Defect] = {}
        self.seen: dict[Hashable, Position[S]] = {}
        self._rng = rng
        self._movers = dict.fromkeys((CHANCE, *range(game.facts.players)), 0)
        self._longest = 0
        self._broken_games = 0
        self._small_trees = SmallTrees(game)
        self._asker = Asker(game)
        self._checks = PositionChecks(self._asker)

    @property
    def in_words(self) -> bool:
        """Whether the state is a NamedTuple of integers."""
        return self._asker.in_words

    @property
    def hopeless(self) -> bool:
        """Whether more games would only break off where others did."""
        return self._broken_games >= _MAX_BROKEN_GAMES

    # One random game.

    def play(self) -> None:
        """Play to the end and check every new position."""
        game = self.game
        s = game.initial()
        if game.initial() != s:
            self.note("initial", "initial() returns a different position each time", s)
        visited = set()
        boards: set[tuple[int, ...]] = set()
        path: list[Position[S]] = []
        decisions = 0
        try:
            first = self._asker.call("player", s)
            # A hook of its own says deliberately whose turn it is: in bridge, the leader's side's.
            if "player" not in game.hooks and first in range(1, game.facts.players):
                name, right = self._player_name(first), self._player_name(0)
                self.note("turn order", f"{name} moves first; the first player is {right}, 0", s)
            for ply in range(game.facts.max_ply + 1):
                here = self._look(s)
                path.append(here)
                if here.over:
                    self._look_back(path)
                    return
                if ply == game.facts.max_ply and game.facts.finite:
                    raise Broken(
                        "max_ply",
                        f"a game goes on past max_ply={ply} plies; declare the longest game, or "
                        "finite=False",
                    )
                if s in visited and game.facts.finite and not game.repeats:
                    # Where chance brings a position back, repetition is no draw.
                    declare = "repeats=True or " if game.facts.deterministic else ""
                    raise Broken(
                        "finite",
                        "a position came up twice in one game, so the game may never end; declare "
                        f"{declare}finite=False",
                    )
                visited.add(s)
                self._movers[here.player] += 1
                decisions += here.player != CHANCE
                self._longest = max(self._longest, decisions)
                s = self._asker.checked_state(
                    "result", self._asker.call("result", s, self._pick(here, boards))
                )
        except Broken as broken:
            self.note(broken.check, broken.sentence, s)
            self._broken_games += 1

    def _pick(self, here: Position[S], boards: set[tuple[int, ...]]) -> Action:
        """An event or a legal move at random; `boards` is what superko forbids to come up again."""
        if here.chances:
            return self._rng.choices(here.moves, [weight for _, weight in here.chances])[0]
        game, left = self.game, list(here.moves)
        if not game.has_superko:
            return self._rng.choice(left)
        now = self._asker.call("superko", here.state)
        while left:
            a = self._rng.choice(left)
            after = self._asker.call("superko", self._asker.call("result", here.state, a))
            if after == now or after not in boards:
                boards.add(now)
                return a
            left.remove(a)
        raise Broken("superko", "superko bars every move; one that changes nothing must be legal")

    def _look(self, s: S) -> Position[S]:
        """What the rules say about a position, all of it checked."""
        try:
            if s in self.seen:
                return self.seen[s]
        except TypeError:
            raise Broken(
                "state", f"a position is not hashable: {type(s).__name__}; use tuples"
            ) from None
        self._asker.checked_state("initial", s)
        here = self._asker.position(s)
        before = repr(s)
        sampled = len(self.seen) % SAMPLE == 0
        self.seen[s] = here
        overflow = sampled or len(self.seen) <= OVERFLOWS
        for check in self._checks.of(here, drawing=sampled, overflow=overflow):
            try:
                check()
            except Broken as broken:
                self.note(broken.check, broken.sentence, s)
        if repr(s) != before:
            raise Broken("state", "a hook changes the position it is given; build a new one")
        return here

    # What only shows at the end of a game.

    def _look_back(self, path: list[Position[S]]) -> None:
        """Whether the positions of a finished game kept their promises."""
        if self.defects or not self.game.facts.zero_sum or self.game.facts.players > 2:
            return
        worth = self.game.utility(path[-1].state)
        for here in path:
            low, high = here.bounds or (worth, worth)
            if not low <= worth <= high:
                self.note(
                    "bounds",
                    f"bounds are {low} and {high}, but a game from here ended with {worth}",
                    here.state,
                )
        if self.game.facts.deterministic:
            self._look_for_better(path)

    def _look_for_better(self, path: list[Position[S]]) -> None:
        """Whether sufficient moves suffice, from the end back to where the tree gets too large."""
        for here in reversed(path):
            chosen = here.sufficient or here.moves
            if len(chosen) == len(here.moves):
                continue
            try:
                better = self._small_trees.better(here.state, here.moves, chosen)
            except TooLarge:
                return
            if better is not None:
                name = self.game.format_move(here.state, better)
                self.note(
                    "sufficient", f"{name} is better than all that sufficient lists", here.state
                )

    # What only shows over many positions.

    def check_turns(self) -> None:
        """Every player must get to move."""
        if self.defects or self._longest < _MANY_DECISIONS:
            return
        players = range(self.game.facts.players)
        decisions = sum(self._movers[player] for player in players)
        for player in players:
            if not self._movers[player]:
                self.note(
                    "turn order",
                    f"{self._player_name(player)} never moved in {decisions} turns; does result "
                    "pass the turn on?",
                    self.game.initial(),
                )

    def _player_name(self, player: int) -> str:
        return ("MAX", "MIN")[player] if self.game.facts.players == 2 else self.game.sides[player]

    def check_keys(self) -> None:
        """Positions with the same key must have the same future."""
        by_key: dict[int, Position[S]] = {}
        for here in self.seen.values() if not self.defects else ():
            other = by_key.setdefault(self.game.key(here.state), here)
            if other is not here and not self._same_future(other, here):
                self.note(
                    "key",
                    "two positions with different futures have the same key; the other one is "
                    f"{self.game.show(other.state)}",
                    here.state,
                )
                return

    def check_settled(self) -> None:
        """Positions with the same key to the rest of the game must have the same rest."""
        by_key: dict[int, Position[S]] = {}
        asked = "settled" in self.game.hooks and not self.defects
        for here in self.seen.values() if asked else ():
            other = by_key.setdefault(self.game.settled(here.state)[1], here)
            if other is not here and not self._same_rest(other, here):
                self.note(
                    "settled",
                    "two positions with the same key to the rest gain the player to move different "
                    f"amounts; the other one is {self.game.show(other.state)}",
                    here.state,
                )
                return

    def check_information(self) -> None:
        """Positions that look the same must have the same moves, and be dealt for each other."""
        if self.defects or self.game.facts.perfect_information:
            return
        for sentence, s in self._checks.information.over_many(self.seen.values()):
            self.note("information", sentence, s)

    def _same_future(self, one: Position[S], other: Position[S]) -> bool:
        """Whether the same random moves lead both positions to the same end, clocks aside."""
        a, b = (self._asker.position(self.game.timeless(here.state)) for here in (one, other))
        payoffs = self._asker.payoffs
        return a.player == b.player and all(
            ends and payoffs(ends[0]) == payoffs(ends[1]) for ends in self._paired_ends(a, b)
        )

    def _same_rest(self, one: Position[S], other: Position[S]) -> bool:
        """Whether the same random moves gain the player to move the same amount in both."""
        utility = self.game.utility
        before = [self.game.settled(here.state)[0] for here in (one, other)]
        sign = 1 if one.player == other.player else -1
        return all(
            ends and utility(ends[0]) - before[0] == sign * (utility(ends[1]) - before[1])
            for ends in self._paired_ends(one, other)
        )

    def _paired_ends(self, one: Position[S], other: Position[S]) -> Iterator[tuple[S, S] | None]:
        """Where the same random moves lead from both positions; None if they cannot be compared.

        They can as long as the moves are the same, and the turn passes in both or in neither.
        """
        swapped = one.player != other.player
        for _ in range(SAMPLE):
            a, b = one, other
            for _ in range(self.game.facts.max_ply):
                if a.moves != b.moves or (a.player != b.player) != swapped:
                    yield None
                    return
                if a.over:
                    yield a.state, b.state
                    break
                move = self._pick(a, set())
                a = self._asker.position(self.game.result(a.state, move))
                b = self._asker.position(self.game.result(b.state, move))

    def note(self, check: str, sentence: str, s: S) -> None:
        """Keep a defect, if it is the first of its kind."""
        said = " ".join(sentence.split())
        self.defects.setdefault(check, Defect(check, said, self.game.show(s)))


def first_defect(game: Game[Any], games: int = 3) -> Defect | None:
    """What is wrong with a game, if a few random games show it: for games that do not compile."""
    inspector = Inspector(game, random.Random(1))
    for _ in range(games):
        inspector.play()
        if inspector.defects:
            return next(iter(inspector.defects.values()))
    return None
