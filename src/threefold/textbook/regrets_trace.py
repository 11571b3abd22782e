"""What a run of regret minimization reports. Narration, pictures and pages read these events.

| event | at a node |
| --- | --- |
| `start` | the root: the `procedure`, the `game`, and its information `sets` |
| `expand` | its `children`, and their `weights` where chance decides |
| `iteration` | the root: its `number`, and the `player` who learns, if only one does |
| `match` | the first node of a `set`: its `regrets`, the `strategy` that follows from them, and |
| | whether that is `new` |
| `enter` | it is reached with these probabilities `by` MAX, MIN and chance |
| `leaf`, `leave` | its `value`, with these strategies |
| `regret` | the first node of a `set`: how the others reach its nodes (`reach`), and the player |
| | the set (`own`); what each move is worth at each node (`values`), the `counterfactual` values |
| | and the mean of the strategy (`expected`); then the `regrets` and the `average` strategy |
| `average` | the root, after an iteration: the `value` of the average strategies, what best |
| | responses win (`best`: MAX's, MIN's), and their `exploitability` |
| `leave` | the root, in the end: the value, and the most probable `line` |

A set is given by its number in the list of `start`.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from threefold.rules.contract import MAX, MIN, Player
from threefold.textbook.best_response import best_response
from threefold.textbook.information import InformationSet, InformationTree
from threefold.textbook.strategy import Reach, Share, Strategy, in_proportion, values
from threefold.textbook.trace import PLAYER_NAMES, STEPS_A_LOOK, Event, check_time

#: More than anyone reads. Of a longer run, only the results of later iterations are kept.
MAX_EVENTS = 20_000


class RegretTrace:
    """Records the steps of one run."""

    def __init__(self, tree: InformationTree) -> None:
        self.events: list[Event] = []
        #: After each iteration: what a best response wins, and what the average is worth.
        self.exploitability: list[Share] = []
        self.values: list[Share] = []
        self.left_out = 0
        self._tree = tree
        self._number = {each: k for k, each in enumerate(tree.sets)}
        self._iteration = 0
        self._last: Strategy = {}
        self._reach: Mapping[str, Reach] = {}
        self._value: Mapping[str, Share] = {}
        self._looked = 0

    def _note(self, kind: str, node: str, *, kept: bool = False, **data: Any) -> None:
        self._looked += 1
        if self._looked % STEPS_A_LOOK == 0:
            check_time()
        if kept or len(self.events) < MAX_EVENTS:
            # The line of the procedure: this is called by a method, and that by the procedure.
            self.events.append(Event(kind, node, data, sys._getframe(2).f_lineno))
        else:
            self.left_out += 1

    def start(self, procedure: str, game: str) -> None:
        """What is about to run, and on what."""
        sets = [
            {
                "player": PLAYER_NAMES[each.player],
                "observation": each.seen,
                "moves": list(each.moves),
                "nodes": [node.name for node in each.nodes],
            }
            for each in self._tree.sets
        ]
        self._note("start", self._tree.root.name, procedure=procedure, game=game, sets=sets)
        for node in self._tree.nodes:
            if node.children:
                more: dict[str, Any] = {"weights": list(node.weights)} if node.weights else {}
                children = [child.name for child in node.children]
                self._note("expand", node.name, children=children, **more)

    def matched(
        self,
        number: int,
        regret: Mapping[InformationSet, Sequence[Share]],
        strategy: Strategy,
        player: Player | None = None,
    ) -> None:
        """An iteration begins, for both players or one, with the strategies by regret matching."""
        self._iteration = number
        more: dict[str, Any] = {} if player is None else {"player": PLAYER_NAMES[player]}
        self._note("iteration", self._tree.root.name, number=number, **more)
        for here, shares in strategy.items():
            self._note(
                "match",
                here.nodes[0].name,
                set=self._number[here],
                regrets=list(regret[here]),
                strategy=list(shares),
                new=bool(self._last) and list(self._last[here]) != list(shares),
            )
        self._last = {here: list(shares) for here, shares in strategy.items()}

    def walked(self, reach: Mapping[str, Reach], value: Mapping[str, Share]) -> None:
        """Every node's probability and value are known."""
        self._reach, self._value = reach, value
        for node in self._tree.nodes:
            by = {name: reach[node.name].by[player] for player, name in PLAYER_NAMES.items()}
            self._note("enter", node.name, player=PLAYER_NAMES[node.player], by=by)
        for node in reversed(self._tree.nodes):
            self._note("leave" if node.children else "leaf", node.name, value=value[node.name])

    def regretted(
        self,
        here: InformationSet,
        counterfactual: Sequence[Share],
        expected: Share,
        regrets: Sequence[Share],
        total: Sequence[Share],
    ) -> None:
        """The regrets of a set have changed, and so has the average strategy."""
        sign = 1 if here.player == MAX else -1
        self._note(
            "regret",
            here.nodes[0].name,
            set=self._number[here],
            reach=[self._reach[node.name].without(here.player) for node in here.nodes],
            own=self._reach[here.nodes[0].name].by[here.player],
            values=[
                [sign * self._value[child.name] for child in node.children] for node in here.nodes
            ],
            counterfactual=list(counterfactual),
            expected=expected,
            regrets=list(regrets),
            average=in_proportion(total),
        )

    def averaged(self, average: Strategy) -> None:
        """An iteration is over."""
        root = self._tree.root.name
        best = [best_response(self._tree, average, player).value for player in (MAX, MIN)]
        value = values(self._tree, average)[root]
        self.values.append(value)
        self.exploitability.append(sum(best) * in_proportion([0, 0])[0])
        self._note(
            "average",
            root,
            kept=True,
            number=self._iteration,
            value=value,
            best=best,
            exploitability=self.exploitability[-1],
            strategy=[list(average[here]) for here in self._tree.sets],
        )

    def end(self, value: Share, line: Sequence[str]) -> None:
        """The run is over."""
        self._note("leave", self._tree.root.name, kept=True, value=value, line=list(line))
