"""Games by tree search with playouts, one after another: the driver of `playout_games`."""

import math
from dataclasses import astuple
from typing import Any, Final, TypeVar

import numpy as np

from threefold.engine.amaf import MoveValue
from threefold.engine.compile import Compiled
from threefold.engine.listing import check_fault
from threefold.engine.mcts import EXPLORATION_WITH_RAVE, ON_CPU
from threefold.engine.playing_out import Search
from threefold.engine.randomness import first_random
from threefold.engine.records import allocate, boxed, layout
from threefold.engine.uct import ROOT, Node
from threefold.learn.playout_games import play_game, play_game_with_amaf
from threefold.learn.policy_play import GameRecord, Table, Way
from threefold.rules.game import Game

S = TypeVar("S")

#: Simulations for each that a net would have had: about as many as take as long.
PLAYOUTS_PER_LOOK: Final = 16


class PlayoutTable(Table[S]):
    """A lane whose games are played by tree search with playouts."""

    def __init__(self, game: Game[S], way: Way, first: int = 0, step: int = 1) -> None:
        """Its games are numbered from `first` on, `step` apart."""
        super().__init__(game, way, 1, first, step)
        play, facts = self._play, game.facts
        play.simulations = way.simulations * PLAYOUTS_PER_LOOK
        nodes = 1 + facts.max_moves * (play.simulations + 1)
        tree: Any = np.zeros(nodes, layout(Node))
        tree[ROOT] = astuple(Node())
        self._search = search = allocate(Search, facts.max_moves)
        search.playouts = 1
        search.exploration = EXPLORATION_WITH_RAVE if game.rave else ON_CPU.exploration
        search.equivalence = float(game.rave)
        search.max_plies = facts.max_ply
        memory: tuple[Any, ...] = (tree.view(np.recarray), boxed(search))
        if game.rave:
            amaf: Any = np.zeros(nodes, layout(MoveValue))
            memory += (amaf.view(np.recarray), np.zeros(facts.move_range, np.int64))
        self._entry = Compiled(game).entry(play_game_with_amaf if game.rave else play_game)
        self._arguments = (
            *(self._positions[0], self._keys[0], self._states[0], self._moves[0]),
            *(self._shares[0], self._counts[0], self._lanes, boxed(play), way.opening, *memory),
        )

    def prepare(self) -> None:
        """Compile."""
        self._entry.prepare(*self._arguments)

    def stop(self) -> None:
        """End the game under way, whose record is worth nothing then; no other follows."""
        self._search.stop = self._play.stop = 1

    def play_game(self) -> GameRecord:
        """Play the next game."""
        number = self.start_game(0)
        self._lanes.whole = 0
        search = self._search
        search.random = first_random(self._setup.way.seed, number)
        search.least, search.greatest = math.inf, -math.inf
        self._entry(*self._arguments)
        check_fault(self.game, self._search)
        check_fault(self.game, self._play)
        return self.record(0)
