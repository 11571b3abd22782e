"""The games of the lab: those of the catalogue, and the user's own.

The user's own game has the name that it was given on the command line. A page only ever names
games; it never supplies code or a path.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from threefold.engine.compile import Compiled
from threefold.engine.endgames.database import rules_of
from threefold.engine.endgames.reachable import rules_text
from threefold.errors import ThreefoldError
from threefold.games.catalogue import HOMES, Parameter, catalogue, game, parameters
from threefold.lab.limits import MAX_WEIGHTS
from threefold.lab.requests import BadRequest, Request
from threefold.rules.game import Game
from threefold.rules.terms import parse_weights
from threefold.rules.text import did_you_mean, shorten
from threefold.solve.endgames.opening import AUTO

if TYPE_CHECKING:
    from threefold.engine.policy_nets import AnyNet
    from threefold.lab.matches import Archive

#: Parameters that only a net in training sees: games with and without them are played alike.
_FOR_TRAINING = frozenset({"inputs"})
_NAME = re.compile(r"([a-z0-9-]+)(\([A-Za-z0-9_=,.:/ -]*\))?")


class Gallery:
    """Which games there are."""

    def __init__(
        self,
        own: Game[Any] | None = None,
        archive: "Archive | None" = None,
        net: "AnyNet | None" = None,
        databases: Sequence[str] = (),
    ) -> None:
        self._own = own
        self._net = net
        self._databases = databases
        #: The recorded matches, if a file of them is open.
        self.archive = archive
        self._using = lru_cache(maxsize=64)(self._evaluated)
        self._weighed = lru_cache(maxsize=64)(_weighed)
        self._made = lru_cache(maxsize=64)(_named)
        #: The same game with the database of end-games that fits it, if the lab has one.
        self.knowing = lru_cache(maxsize=64)(self._with_database)
        self.compiled = lru_cache(maxsize=64)(Compiled)

    def game(self, request: Request) -> Game[Any]:
        """The game that a request names, with the evaluation and weights that it asks for."""
        found = self.named(request.text("game", 200))
        found = self._using(found, request.text("eval", 100) if request.has("eval") else None)
        if request.has("weights"):
            if found.net is not None:
                raise BadRequest("a net has no terms to weigh")
            found = self._weighed(found, request.text("weights", MAX_WEIGHTS))
        return found

    def _evaluated(self, found: Game[Any], evaluation: str | None) -> Game[Any]:
        """The game with an evaluation by its name, or with the lab's net, which comes first."""
        names = self.evaluations(found)
        if evaluation is not None and evaluation not in names:
            raise BadRequest(
                f"{found.name} has no evaluation {shorten(evaluation)}: "
                f"{did_you_mean(evaluation, names)}"
            )
        if self._net is not None and self._fits(found) and evaluation in (None, self._net.name):
            return found.judged_by(self._net)
        return found if evaluation is None else found.using(evaluation)

    def _with_database(self, found: Game[Any]) -> Game[Any]:
        """The game with the lab's database for it; a small one may have to be made first."""
        for folder in self._databases:
            if folder == AUTO:
                fits = found.endgames is not None
            else:
                fits = rules_of(Path(folder)) == rules_text(found)
            if fits:
                return found.with_database(folder)
        return found

    def _fits(self, found: Game[Any]) -> bool:
        """Whether the lab's net is for a game."""
        return self._net is not None and self._net.game.spec == found.spec

    def evaluations(self, found: Game[Any]) -> list[str]:
        """The names of a game's evaluations, the default first."""
        nets = [self._net.name] if self._net is not None and self._fits(found) else []
        return [*nets, *found.evaluation_names]

    def named(self, name: str) -> Game[Any]:
        """A game by its name."""
        if self._own is not None and name == self._own.spec:
            return self._own
        return self._made(name)

    def name_of(self, spec: str) -> str | None:
        """The name that a recorded match's game has here; None if the lab does not have it.

        A match may name any file as its game. Only the user's own is loaded, because they said so.
        """
        if self._own is not None and Path(spec).name == self._own.spec:
            return self._own.spec
        try:
            self._made(spec)
        except ThreefoldError:
            return None
        return spec

    def listed(self) -> list[dict[str, Any]]:
        """All games, the user's own first, for the gallery."""
        own = (
            [] if self._own is None else [self._described(self._own, self._own.spec, [], own=True)]
        )
        return own + [
            self._described(
                game(name),
                name,
                [_control(p) for p in parameters(factory) if p.name not in _FOR_TRAINING],
            )
            for name, factory in catalogue()
        ]

    @property
    def usual(self) -> str | None:
        """The game to begin with, if the user has said so: their own, or the one of their net."""
        if self._own is not None:
            return self._own.spec
        return None if self._net is None else self._net.game.spec

    def _described(
        self, g: Game[Any], name: str, parameters: list[dict[str, Any]], own: bool = False
    ) -> dict[str, Any]:
        return {
            "game": name,
            "title": g.name,
            "about": (g.about or "").strip(),
            "parameters": parameters,
            "sides": list(g.sides),
            "facts": str(g.facts),
            "evaluations": self.evaluations(g),
            "picture": g.draw(g.initial()).unstyled,
            "own": own,
            "solvable": g.facts.zero_sum and g.facts.perfect_information,
            "seats": [] if g.facts.perfect_information else list(g.seat_names),
        }


def _control(p: Parameter) -> dict[str, Any]:
    """A parameter, and what a page lets a person set it with."""
    kind = {bool: "flag", int: "number"}.get(p.kind, "choice" if p.choices else "text")
    if p.kind is tuple and len(p.default) == 2:
        kind = "pair"  # a number for each side
    return {
        "name": p.name,
        "default": p.format(p.default),
        "kind": kind,
        "choices": list(p.choices),
    }


def _weighed(found: Game[Any], weights: str) -> Game[Any]:
    """The game with other weights of the evaluation in use; what they are is checked there."""
    return found.using(found.evaluation, weights=parse_weights(weights))


def _named(name: str) -> Game[Any]:
    match = _NAME.fullmatch(name)
    if match is None or match[1] not in HOMES:
        raise BadRequest(f"there is no game {shorten(name)} in this lab")
    return game(name)
