"""`Rules`: a game as its author defines it. Its hooks, facts, texts and pictures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, Self, TypeVar, Unpack

from threefold.errors import BadGame, BrokenRules, ThreefoldError
from threefold.rules import contract, reading, superko, text
from threefold.rules.attached import Judge, Knowledge
from threefold.rules.bits import lsr, mix
from threefold.rules.clocks import timeless, timeless_key
from threefold.rules.contract import CHANCE, DRAWN, Action, Player, Row
from threefold.rules.dealing import play_to_observation
from threefold.rules.definition_checks import (
    check_assumptions,
    check_hooks,
    check_names,
    check_whole,
    checked_nets,
    checked_race_sides,
    checked_search,
    checked_seat_names,
    checked_seats,
    checked_sides,
    checked_territory,
    checked_unstaked,
)
from threefold.rules.endgames import checked_endgames
from threefold.rules.facts import Facts, Typical
from threefold.rules.hooks import HOOKS, HookAttributes
from threefold.rules.notebook import show_positions
from threefold.rules.outcome import Outcome, outcome_of
from threefold.rules.planes import checked_planes
from threefold.rules.records import Assumptions, Board, Flat, Scales, Texts, Touched, with_flat
from threefold.rules.svg import Svg, text_block
from threefold.rules.terms import (
    GivenTerms,
    Share,
    Term,
    Terms,
    Weight,
    check_term_names,
    checked_terms,
    denominator,
    evaluation_with,
    reweighted,
    shares,
    weighed_sum,
    weighted_sum,
)

S = TypeVar("S")

#: Where the game to compile for nets is kept among those for evaluations, which have names.
_JUDGED = ""

#: A row this long holds the moves of any well-known board game.
DEFAULT_MAX_MOVES = 256
DEFAULT_MAX_PLY = 1024
#: Moves are numbered below this, so that a table entry can hold one in 16 bits.
DEFAULT_MOVE_RANGE = 1 << 16


class Rules(HookAttributes[S], Generic[S]):
    """The definition of a game, and what can happen in its positions; `Game` explains it."""

    def __new__(cls, *given: Any, **hooks: Any) -> Self:
        """Name a misspelled or missing hook more clearly than Python does."""
        if given or hooks:
            check_names(cls.__init__, hooks)
        return super().__new__(cls)

    def __init__(
        self,
        name: str,
        *,
        initial: Callable[[], S],
        actions: Callable[[S, Any], int],
        result: Callable[[S, Action], S],
        utility: Callable[..., int],
        player: Callable[[S], Player] | None = None,
        is_terminal: Callable[[S], bool] | None = None,
        evaluate: Callable[..., int] | None = None,
        evaluations: Mapping[str, Callable[..., int]] | None = None,
        nets: Mapping[str, str | Path] | None = None,
        terms: Mapping[str, GivenTerms] | None = None,
        noisy: Callable[[S, Any], int] | None = None,
        outcomes: Callable[[S, Any, Any], int] | None = None,
        key: Callable[[S], int] | None = None,
        order: Callable[[S, Action], int] | None = None,
        observe: Callable[[S, Player], Any] | None = None,
        features: Callable[[S, Player, Any], int] | None = None,
        drawn: Callable[[S], int] | None = None,
        repeats: bool | int = False,
        null_move: Callable[[S], S] | None = None,
        extend: Callable[[S], int] | None = None,
        symmetries: Sequence[Callable[[S], S]] = (),
        parse: Callable[[str], S] | None = None,
        format: Callable[[S], str] | None = None,  # noqa: A002
        parse_move: Callable[[S, str], Action] | None = None,
        format_move: Callable[[S, Action], str] | None = None,
        render: Callable[[S], str] | None = None,
        draw: Callable[[S], str] | None = None,
        players: int = 2,
        zero_sum: bool = True,
        finite: bool = True,
        typical: Typical | None = None,
        max_moves: int = DEFAULT_MAX_MOVES,
        max_ply: int = DEFAULT_MAX_PLY,
        move_range: int = DEFAULT_MOVE_RANGE,
        assumptions: Assumptions[S] | None = None,
        texts: Texts[S] | None = None,
        board: Board[S] | None = None,
        scales: Scales[S] | None = None,
        **flat: Unpack[Flat[S]],
    ) -> None:
        if not isinstance(name, str):
            raise BadGame(f"a game's name is text, not {name!r}")
        if evaluate is not None and evaluations is not None:
            raise BadGame(f"{name}: give evaluate or evaluations, not both")
        assumptions = with_flat(name, Assumptions, assumptions, flat)
        texts = with_flat(name, Texts, texts, flat)
        board = with_flat(name, Board, board, flat)
        scales = with_flat(name, Scales, scales, flat)
        self.name = name
        #: What the command line calls this game: its name and parameters.
        self.spec = name
        #: A sentence or two for readers who do not know the game.
        self.about = ""
        check_whole(name, "players", players, 2)
        if typical is not None and not isinstance(typical, Typical):
            raise BadGame(f"{name}: typical={typical!r} is not a Typical")
        self.facts = Facts(
            players=players,
            seats=checked_seats(name, players, assumptions),
            zero_sum=zero_sum,
            deterministic=outcomes is None,
            perfect_information=observe is None,
            finite=finite,
            max_moves=max_moves,
            max_ply=max_ply,
            move_range=move_range,
            typical=typical,
        )
        for limit in ("max_moves", "max_ply", "move_range"):
            check_whole(name, limit, getattr(self.facts, limit), 1)
        check_assumptions(name, assumptions)
        check_whole(name, "repeats", int(repeats), 0)

        #: By evaluation, its terms by name: what it adds up, and with which weights.
        self.terms = checked_terms(name, terms or {})
        self.evaluations = {"evaluate": evaluate} if evaluate else dict(evaluations or {})
        for each in self.terms:
            self.evaluations.setdefault(each, weighted_sum(self.terms[each]))
        #: The files of nets that come with the game, by the name of the evaluation that each is.
        self.nets = checked_nets(name, nets or {}, self.evaluations)
        #: In the twin that `weighing` makes: the evaluation, given its weights each time.
        self.weigh: Callable[[S, Any], int] | None = None
        #: Those twins by evaluation, shared by all games that differ only in their weights.
        self._weighing: dict[str, Self] = {}
        #: The net that judges positions, in the twin that `judged_by` makes.
        self.net: Judge[S] | None = None
        self._futility = assumptions.futility
        self._note_evaluation(next(iter(self.evaluations), None))
        self.symmetries = tuple(symmetries)
        #: How many occurrences of a position make a draw; 0 if repetition does not.
        self.repeats = 2 if repeats is True else int(repeats)
        self.reductions = assumptions.reductions
        #: The search that suits the game, one of `SEARCHES`.
        self.search = checked_search(name, assumptions.search)
        #: How far tree search trusts all moves as first; 0 not at all.
        self.rave, self.grain, self.lasts = assumptions.rave, assumptions.grain, assumptions.lasts
        self.race_sides = checked_race_sides(name, assumptions)
        self.endgames = checked_endgames(name, assumptions.endgames)
        #: The database of end-games that searches may look into, in the twin that `knowing` makes.
        self.database: Knowledge | None = None
        self.reachable = assumptions.reachable
        #: What partners agreed to do, what speaks against a deal, the game with nothing hidden.
        self.agreed, self.doubts = assumptions.agreed, assumptions.doubts
        self.opened, self.opened_worth = assumptions.opened, assumptions.opened_worth
        self.planes = checked_planes(name, assumptions.planes)
        #: The same game without stakes, whose nets serve for this one.
        self.unstaked_game = checked_unstaked(name, assumptions)
        start = initial()
        self.state_type: type[S] = type(start)
        self.clocks = tuple(assumptions.clocks)
        #: The same position with its clocks set back.
        self.timeless: Callable[[S], S] = timeless(name, start, self.clocks)
        if self.clocks and key is None:
            key = timeless_key(self.timeless)
        given: dict[str, Any] = {
            **flat,
            **vars(assumptions),
            "initial": initial,
            "actions": actions,
            "result": result,
            "utility": utility,
            "player": player,
            "is_terminal": is_terminal,
            "evaluate": next(iter(self.evaluations.values()), None),
            "noisy": noisy,
            "outcomes": outcomes,
            "key": key,
            "order": order,
            "observe": observe,
            "features": features,
            "drawn": drawn,
            "null_move": null_move,
            "extend": extend,
        }
        #: The hooks that this game supplies, by name: the author's own function objects.
        self.hooks: dict[str, Callable[..., Any]] = {
            hook: given[hook] for hook in HOOKS if given.get(hook) is not None
        }
        check_hooks(self)
        defaults: dict[str, Callable[..., Any]] = {
            "is_terminal": lambda s: not self.moves(s),
            "key": self._default_key,
            "sufficient": actions,
            "seat": lambda s: self.player(s),
            "deal": partial(play_to_observation, self),
            "settled": lambda s: (0, self.key(s)),
            "playout": self._any_move,
        }
        if players > 2:
            defaults["evaluate"] = lambda _s, _p: 0
        for hook, row in HOOKS.items():
            setattr(self, hook, self.hooks.get(hook) or defaults.get(hook, row.default))
        if player is None and not hasattr(start, "turn"):
            raise BadGame(
                f"{name}: the state has no field `turn`; add one (0 for MAX, 1 for MIN) "
                "or give player="
            )

        self._parse: Callable[[str], S] = (
            (lambda given: parse(" ".join(given.split())))
            if parse is not None
            else (lambda given: text.parse_fields(start, given))
        )
        self._format = format or text.format_fields
        #: Whether a position's text can be read back: a state that is not a NamedTuple has only its
        #: `repr`.
        self.has_notation = parse is not None or text.is_record(start)
        self._parse_move = parse_move
        self._format_move = format_move or (lambda _, a: str(a))
        self._readable_move = texts.readable_move or self._format_move
        self._ending = texts.ending
        self._render = render or self._format
        self._draw = draw or (lambda s: text_block(self.name, self._render(s)))
        self.sides = checked_sides(name, texts.sides, players)
        #: What people call those who observe the game by themselves.
        self.seat_names = checked_seat_names(name, texts.seat_names, self.facts.seats, self.sides)
        self._as_seen = texts.as_seen
        self.record, self.record_name = texts.record, texts.record_name
        self.places, self.contents = board.places, board.contents
        self._touched = board.touched
        self.pieces, self._put = tuple(board.pieces), board.put
        self.signs = dict(board.signs)
        self.territory = checked_territory(name, board.territory, self.hooks)
        self.scores = dict(scales.scores or {})
        self.leads, self.units = dict(scales.leads or {}), dict(scales.units or {})
        self.utility_unit = scales.utility_unit
        #: Other ways to count a finished game, and how many of their units make one.
        self.utilities = dict(scales.utilities or {})
        #: How many units of `utility` make one of what people count.
        self.utility_units = 1
        show_positions(self)

    # What can happen in a position.

    @property
    def cyclic(self) -> bool:
        """Whether positions can repeat, apart from clocks: values then depend on earlier moves."""
        return self.repeats > 0 or bool(self.clocks) or self.has_superko

    @property
    def has_superko(self) -> bool:
        """Whether moves that bring an earlier position back are illegal."""
        return "superko" in self.hooks

    def moves(self, s: S, before: Sequence[S] = ()) -> list[Action]:
        """The legal moves of a position, or the possible events; none once the game is over.

        Superko also depends on the positions of the game `before` this one.
        """
        by_rule = self.player(s) != CHANCE and self.drawn(s) == DRAWN
        return superko.allowed(self, s, [] if by_rule else self.all_moves(s), before)

    def is_legal(self, s: S, a: Action, before: Sequence[S] = ()) -> bool:
        """Whether `moves` lists a move, without looking where all the others lead."""
        return a in self.moves(s) and bool(superko.allowed(self, s, [a], before))

    def all_moves(self, s: S) -> list[Action]:
        """The moves, or events, that the rules list, even if the game is drawn."""
        if self.player(s) == CHANCE:
            return [event for event, _ in self.chances(s)]
        return self._written("actions", self.actions, s)

    def payoffs(self, s: S) -> tuple[int, ...]:
        """What a finished game is worth to each player."""
        if self.facts.players > 2:
            return tuple(self.utility(s, p) for p in range(self.facts.players))
        return self._pair("utility", self.utility(s))

    def estimates(self, s: S) -> tuple[int, ...]:
        """What an unfinished position seems worth to each player."""
        if self.facts.players > 2:
            return tuple(self.evaluate(s, p) for p in range(self.facts.players))
        return self._pair("evaluate", self.evaluate(s))

    def _pair(self, hook: str, worth: Any) -> tuple[int, ...]:
        """Both payoffs of a game of two: in a zero-sum game the hook gives MAX's alone."""
        if isinstance(worth, tuple):
            return worth
        if worth and not self.facts.zero_sum:
            raise BrokenRules(
                f"{self.name}: {hook} returned {worth}, one payoff, in a game that is not zero-sum;"
                " return a pair, (MAX's, MIN's)"
            )
        return worth, -worth

    def outcome(self, positions: Sequence[S]) -> Outcome | None:
        """How the game with these positions, the latest last, has ended; None if it has not.

        A draw that the player to move may claim counts as one.
        """
        return outcome_of(self, positions, self._ending)

    def noisy_moves(self, s: S) -> list[Action]:
        """The moves that quiescence search still has to try."""
        return self._written("noisy", self.noisy, s)

    def chances(self, s: S) -> list[tuple[Action, int]]:
        """The events of a chance node, each with its weight."""
        if "outcomes" not in self.hooks:
            raise BrokenRules(f"{self.name}: nature is to move, but the game has no outcomes hook")
        events, weights = [0] * self.facts.max_moves, [0] * self.facts.max_moves
        n = self.outcomes(s, events, weights)
        self.check_count("outcomes", n)
        return list(zip(events[:n], weights[:n], strict=True))

    def _written(self, name: str, hook: Callable[[S, Row], int], s: S) -> list[Action]:
        out = [0] * self.facts.max_moves
        try:
            n = hook(s, out)
        except IndexError:
            raise BrokenRules(
                f"{self.name}: an index out of range in {name}; does it write more than "
                f"max_moves={self.facts.max_moves} moves? position: {self.show(s)}"
            ) from None
        self.check_count(name, n)
        return out[:n]

    def check_count(self, hook: str, n: int) -> None:
        """Raise unless a hook returned a number of moves that a row can hold."""
        if not isinstance(n, int):
            raise BrokenRules(f"{self.name}: {text.wrong_count(hook, n)}")
        if not 0 <= n <= self.facts.max_moves:
            raise BrokenRules(
                f"{self.name}: {hook} returned {n}, not a count from 0 to max_moves="
                f"{self.facts.max_moves}"
            )

    def _default_key(self, s: S) -> int:
        if text.is_record(s) and all(isinstance(field, int) for field in s):  # type: ignore[attr-defined]
            return contract.key(s)
        return mix(hash(s))

    def _any_move(self, s: S, seed: int) -> Action:
        moves = self.moves(s)
        return moves[(lsr(seed, 32) * len(moves)) >> 32]

    # Texts and pictures.

    def parse(self, given: str) -> S:
        """The position that a text describes."""
        return reading.position(self, self._parse, given)

    def format(self, s: S) -> str:
        """The text of a position; `parse` reads it back."""
        return self._format(s)

    def parse_move(self, s: S, given: str, before: Sequence[S] = ()) -> Action:
        """The legal move that a text names; `before` are the earlier positions of the game."""
        return reading.move(self, self._parse_move, s, given.strip(), before)

    def format_move(self, s: S, a: Action) -> str:
        """The text of a move in a position."""
        return self._format_move(s, a)

    def readable_move(self, s: S, a: Action) -> str:
        """A move as its players write it, `Nf3`; `parse_move` reads this form as well."""
        return self._readable_move(s, a)

    def render(self, s: S) -> str:
        """The position as text for a terminal."""
        return self._render(s)

    def draw(self, s: S) -> Svg:
        """The position as an SVG picture."""
        return Svg(self._draw(s))

    def as_seen(self, s: S, p: Player) -> S | None:
        """The position as seat `p` sees it, to show it; None if the game does not say how."""
        if self.facts.perfect_information:
            return s
        return None if self._as_seen is None else self._as_seen(s, p)

    def sees_move(self, s: S, a: Action, p: Player) -> bool:
        """Whether seat `p` sees which move, or event of nature, this is."""
        if self.facts.perfect_information:
            return True
        seen = self.observe(self.result(s, a), p)
        others = (b for b in self.all_moves(s) if b != a)
        return all(self.observe(self.result(s, b), p) != seen for b in others)

    def touched(self, s: S, places: Sequence[str]) -> Touched | None:
        """What the places touched so far come to; None where every move has one place."""
        return reading.touch(self, self._touched, s, places)

    @property
    def moves_pieces_one_by_one(self) -> bool:
        """Whether the `places` of a move are pairs: where a piece is picked up and put down."""
        return self._touched is not None

    def put(self, s: S, place: str, piece: str) -> S:
        """The position with a piece on a place; or on `turn`, with the turn of player 0 or 1."""
        return reading.set_up(self, self._put, s, place, piece)

    def show(self, s: S) -> str:
        """A position for a message: its text, or its `repr` if it has none."""
        try:
            return self.format(s)
        except Exception:
            return repr(s)

    def position(self, given: str | S | None) -> S:
        """The position that is given as a text or a state; by default the start."""
        if given is None:
            return self.initial()
        return self.parse(given) if isinstance(given, str) and self.state_type is not str else given  # type: ignore[return-value]

    def require(
        self, what: str, *, zero_sum: bool, perfect_information: bool, two_players: bool = True
    ) -> None:
        """Raise unless the game is of the kind that a search is for."""
        why_not = self.facts.unfit_for(zero_sum, perfect_information, two_players)
        if why_not:
            raise ThreefoldError(f"{what} is for {why_not.format(name=self.name)}")

    # Evaluations.

    @property
    def evaluation_names(self) -> list[str]:
        """The names of the evaluations, the default first."""
        # A net leads, but not one in place of playouts: alpha-beta has no use for it.
        net_leads = "playout" not in self.hooks
        return [*self.nets, *self.evaluations] if net_leads else [*self.evaluations, *self.nets]

    def using(
        self, evaluation: str | None = None, *, weights: Mapping[str, Weight] | None = None
    ) -> Self:
        """The same game with another of its evaluations as `evaluate`, or with other weights.

        Terms that `weights` does not name keep the game's own weights, except `remainder`s: they
        then count 0. Without a name, this is the first evaluation that has all the terms named.
        """
        if evaluation is None:
            if not weights:
                return self
            evaluation = evaluation_with(self.name, self.terms, weights)
        elif evaluation not in self.evaluations:
            hint = text.did_you_mean(evaluation, self.evaluation_names)
            raise BadGame(f"{self.name} has no evaluation {evaluation!r}; {hint}")
        own = self.terms.get(evaluation, {})
        if weights:
            check_term_names(self.name, own, weights, evaluation)
            changed = reweighted(self.name, own, weights)
            if changed != own:
                return self._evaluating(evaluation, weighted_sum(changed), changed)
        return self._evaluating(evaluation, self.evaluations[evaluation])

    def by_terms(self) -> Self:
        """The same game with its evaluation added up term by term: equal, but usually slower."""
        assert self.evaluation is not None
        return self._evaluating(self.evaluation, weighted_sum(self.terms[self.evaluation]))

    @property
    def is_reweighted(self) -> bool:
        """Whether the evaluation in use has other weights than the game's own."""
        own = self.terms.get(self.evaluation or "", {}) if self.net is None else {}
        return any(self.weights[name] != term.weight for name, term in own.items())

    def judged_by(self, net: Judge[S]) -> Self:
        """The same game with a learned evaluation."""
        twin = self._evaluating(net.name, net.evaluate, {})
        twin.net = net
        twin.units = {**self.units, net.name: contract.FINISHED}
        return twin

    def knowing(self, database: Knowledge | None) -> Self:
        """The same game with a database of end-games for its searches to look into."""
        twin = copy(self)
        twin.database = database
        twin._weighing = {}
        return twin

    def weighing(self) -> Self:
        """The game to compile for a search: where weights are changed, it takes them as data.

        That is one game for all changed weights, one for all nets, and this one where the weights
        are its own.
        """
        name = self.evaluation
        if self.net is not None:
            if _JUDGED not in self._weighing:
                self._weighing[_JUDGED] = self._with_hooks_but("evaluate")
            return self._weighing[_JUDGED]
        if not self.is_reweighted or name is None:
            return self
        if name not in self._weighing:
            twin = self._with_hooks_but("evaluate")
            twin.weigh = weighed_sum(self.terms[name])
            self._weighing[name] = twin
        return self._weighing[name]

    def reduced_to(self, needed: Collection[str]) -> Self:
        """The game to compile where nothing but these hooks matters.

        So another evaluation, or other inputs of a net, need no other code.
        """
        twin = copy(self)
        twin.hooks = {name: hook for name, hook in self.hooks.items() if name in needed}
        twin.weigh = twin.net = twin.database = None
        return twin

    def without_evaluation(self) -> Self:
        """The game to compile where nothing evaluates, or a net that is data does."""
        return self._with_hooks_but("evaluate")

    def with_nothing_hidden(self) -> Self:
        """The same game as players know it who see everything."""
        twin = self._with_hooks_but("observe", "deal", "seat")
        twin.facts = replace(self.facts, perfect_information=True)
        return twin

    def with_random_playouts(self) -> Self:
        """The game without its own way to play games out."""
        return self._with_hooks_but("playout", "reply")

    def _with_hooks_but(self, *left_out: str) -> Self:
        twin = copy(self)
        twin.hooks = {hook: f for hook, f in self.hooks.items() if hook not in left_out}
        return twin

    @property
    def has_futility(self) -> bool:
        """Whether the game declares what a quiet move changes its evaluation by."""
        return self._futility > 0

    def whole_weights(self) -> list[int]:
        """The weights in the order of the terms, times their denominator: what `weigh` takes."""
        return [int(weight * self.denominator) for weight in self.weights.values()]

    def _evaluating(
        self, evaluation: str, evaluate: Callable[[S], int], changed: Terms | None = None
    ) -> Self:
        twin = copy(self)
        twin.evaluate = evaluate
        twin.hooks = self.hooks | {"evaluate": evaluate}
        twin.net = None
        twin._note_evaluation(evaluation, changed)
        return twin

    def shares(self, s: S) -> list[Share]:
        """What each term of the evaluation in use contributes to a position's value."""
        own = self.terms.get(self.evaluation or "", {})
        return shares({name: Term(f, self.weights[name]) for name, (f, _) in own.items()}, s)

    def _note_evaluation(self, evaluation: str | None, changed: Terms | None = None) -> None:
        """Note which evaluation is in use, and with which terms if they have other weights."""
        terms = self.terms.get(evaluation or "", {}) if changed is None else changed
        #: The name of the evaluation in use.
        self.evaluation = evaluation
        #: Its weights, by term.
        self.weights = {name: term.weight for name, term in terms.items()}
        #: How many of its own units make one of those that its weights are in.
        self.denominator = denominator(terms)
        if self.denominator > 1 and not self.facts.deterministic:
            raise BadGame(
                f"{self.name} is a game of chance, in which estimates and results are averaged; "
                "weights are whole numbers there"
            )
        #: The most that a quiet move changes it by. With other weights, nobody knows.
        self.futility = self._futility * self.denominator if changed is None else 0
