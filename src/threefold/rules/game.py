"""`Game`: the rules of one game, written once, and everything that can be done with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from threefold.errors import (
    BadGame,
    BadPosition,
    BrokenRules,
    IllegalMove,
    ThreefoldError,
    argument,
)
from threefold.rules import contract, text
from threefold.rules.bits import mix
from threefold.rules.clocks import timeless, timeless_key
from threefold.rules.contract import CHANCE, DRAWN, MAX, MIN, Action, Player, Row
from threefold.rules.definition import (
    check_function,
    check_names,
    check_whole,
    checked_sides,
)
from threefold.rules.facts import Facts
from threefold.rules.notebook import show_positions
from threefold.rules.outcome import Outcome, outcome_of
from threefold.rules.svg import Svg, text_block

if TYPE_CHECKING:
    from threefold.engine.compile import Compiled
    from threefold.engine.result import Result
    from threefold.engine.running import Running
    from threefold.gpu.on_gpu import OnGpu
    from threefold.solve.solution import Solution
    from threefold.solve.solve import Solver
    from threefold.textbook.explain import Explanation

S = TypeVar("S")

#: A row this long holds the moves of any board game that people play.
DEFAULT_MAX_MOVES = 256
DEFAULT_MAX_PLY = 1024
#: Moves are numbered below this, so that a table entry can hold one in 16 bits.
DEFAULT_MOVE_RANGE = 1 << 16


class Game(Generic[S]):
    """A two-player game by its rules.

    Four functions over an immutable state are enough:

    - `initial()` is the position the game starts from;
    - `actions(s, out)` writes the legal moves, small integers, into `out` and returns how many;
    - `result(s, a)` is the position after move `a`;
    - `utility(s)` is what a finished game is worth to MAX, the player who moves first.

    Every other argument has a default that fits a plain game; `threefold.rules.contract` says
    what each hook means. The functions stay the caller's own objects, found again under their
    names: `game.actions is actions`. `moves`, `chances`, `parse`, `format`, … are the friendly
    forms for use from Python.

    A state that is a NamedTuple of integers runs interpreted and compiled; any other hashable
    object runs interpreted only.
    """

    def __new__(cls, *given: Any, **hooks: Any) -> Game[S]:
        """Name a hook that is misspelled or missing, which Python does in words of its own."""
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
        utility: Callable[[S], int],
        player: Callable[[S], Player] | None = None,
        is_terminal: Callable[[S], bool] | None = None,
        evaluate: Callable[[S], int] | None = None,
        evaluations: Mapping[str, Callable[[S], int]] | None = None,
        noisy: Callable[[S, Any], int] | None = None,
        outcomes: Callable[[S, Any, Any], int] | None = None,
        key: Callable[[S], int] | None = None,
        order: Callable[[S, Action], int] | None = None,
        observe: Callable[[S, Player], Any] | None = None,
        repeats: bool | int = False,
        null_move: Callable[[S], S] | None = None,
        extend: Callable[[S], int] | None = None,
        symmetries: Sequence[Callable[[S], S]] = (),
        sufficient: Callable[[S, Any], int] | None = None,
        bounds: Callable[[S], tuple[int, int]] | None = None,
        settled: Callable[[S], tuple[int, int]] | None = None,
        remaining: Callable[[S], int] | None = None,
        drawn: Callable[[S], int] | None = None,
        clocks: Sequence[str] = (),
        reductions: bool = False,
        futility: int = 0,
        scores: Mapping[str, Callable[[S, int, int], int]] | None = None,
        parse: Callable[[str], S] | None = None,
        format: Callable[[S], str] | None = None,  # noqa: A002
        parse_move: Callable[[S, str], Action] | None = None,
        format_move: Callable[[S, Action], str] | None = None,
        readable_move: Callable[[S, Action], str] | None = None,
        ending: Callable[[S], str] | None = None,
        render: Callable[[S], str] | None = None,
        draw: Callable[[S], str] | None = None,
        places: Callable[[S, Action], Sequence[str]] | None = None,
        contents: Callable[[S], Mapping[str, str]] | None = None,
        sides: tuple[str, str] = ("first player", "second player"),
        pieces: Sequence[str] = (),
        put: Callable[[S, str, str], S] | None = None,
        record: Callable[[S, Sequence[Action]], str] | None = None,
        leads: Mapping[str, float] | None = None,
        units: Mapping[str, float] | None = None,
        zero_sum: bool = True,
        finite: bool = True,
        max_moves: int = DEFAULT_MAX_MOVES,
        max_ply: int = DEFAULT_MAX_PLY,
        move_range: int = DEFAULT_MOVE_RANGE,
    ) -> None:
        if not isinstance(name, str):
            raise BadGame(f"a game's name is a text, not {name!r}")
        if evaluate is not None and evaluations is not None:
            raise BadGame(f"{name}: give evaluate or evaluations, not both")
        if evaluate is not None:
            evaluations = {"evaluate": evaluate}
        self.name = name
        #: How the command line calls this game: its name and parameters.
        self.spec = name
        self.evaluations = dict(evaluations or {})
        self.symmetries = tuple(symmetries)
        #: A position that stands for the so-manieth time is a draw; 0 where none ever is.
        self.repeats = 2 if repeats is True else int(repeats)
        #: Other units that people give exact values in: functions of a position, the utility to the
        #: player who moves there, and the plies to the end.
        self.scores = dict(scores or {})
        #: Whether late moves may be searched less deeply at first.
        self.reductions = reductions
        #: What a quiet move changes an evaluation by, at most; 0 where nobody can tell.
        self.futility = futility
        start = initial()
        self.state_type: type[S] = type(start)
        #: The fields of a state that only tell how long the game has lasted: where they alone
        #: differ, it is the same position.
        self.clocks = tuple(clocks)
        #: The same position with its clocks set back.
        self.timeless: Callable[[S], S] = timeless(name, start, self.clocks)
        if self.clocks and key is None:
            key = timeless_key(self.timeless)
        self.facts = Facts(
            zero_sum=zero_sum,
            deterministic=outcomes is None,
            perfect_information=observe is None,
            finite=finite,
            max_moves=max_moves,
            max_ply=max_ply,
            move_range=move_range,
        )
        for limit in ("max_moves", "max_ply", "move_range"):
            check_whole(name, limit, getattr(self.facts, limit), 1)
        check_whole(name, "futility", futility, 0)
        check_whole(name, "repeats", int(repeats), 0)

        supplied = {
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
            "null_move": null_move,
            "extend": extend,
            "sufficient": sufficient,
            "bounds": bounds,
            "settled": settled,
            "remaining": remaining,
            "drawn": drawn,
        }
        named: dict[str, Any] = {
            f"evaluation {key}": value for key, value in self.evaluations.items()
        }
        named |= {f"symmetry {i}": value for i, value in enumerate(self.symmetries, 1)}
        for hook, function in (supplied | named).items():
            if function is not None:
                check_function(name, hook, function)
        #: The hooks that this game supplies, by name: the author's own function objects.
        self.hooks: dict[str, Callable[..., Any]] = {
            hook: function for hook, function in supplied.items() if function is not None
        }

        self.initial = initial
        self.actions = actions
        self.result = result
        self.utility = utility
        self.player: Callable[[S], Player] = player or contract.player
        self.is_terminal: Callable[[S], bool] = is_terminal or (lambda s: not self.moves(s))
        self.evaluate: Callable[[S], int] = self.hooks.get("evaluate", contract.evaluate)
        self.noisy: Callable[[S, Row], int] = noisy or contract.noisy
        self.outcomes: Callable[[S, Row, Row], int] = outcomes or contract.outcomes
        self.key: Callable[[S], int] = key or self._default_key
        self.order: Callable[[S, Action], int] = order or contract.order
        self.observe: Callable[[S, Player], Any] = observe or contract.observe
        self.null_move: Callable[[S], S] = null_move or contract.null_move
        self.extend: Callable[[S], int] = extend or contract.extend
        self.sufficient: Callable[[S, Row], int] = sufficient or actions
        self.bounds: Callable[[S], tuple[int, int]] = bounds or contract.bounds
        self.settled: Callable[[S], tuple[int, int]] = settled or (lambda s: (0, self.key(s)))
        self.remaining: Callable[[S], int] = remaining or contract.remaining
        self.drawn: Callable[[S], int] = drawn or contract.drawn

        if player is None and not hasattr(start, "turn"):
            raise BadGame(
                f"{name}: the state has no field `turn`; add one (0 for MAX, 1 for MIN) "
                "or give player="
            )
        self._parse = parse or (lambda given: text.parse_fields(start, given))
        self._format = format or text.format_fields
        #: Whether a position's text can be read back: any other object has only its `repr`.
        self.has_notation = parse is not None or text.is_record(start)
        self._own_notation = parse is not None
        self._parse_move = parse_move
        self._format_move = format_move or (lambda _, a: str(a))
        self._readable_move = readable_move or self._format_move
        self._ending = ending or (lambda _: "")
        self._render = render or self._format
        self._draw = draw or (lambda s: text_block(self.name, self._render(s)))
        #: A sentence or two for people who do not know the game.
        self.about = ""
        #: The places of the drawing that are touched to make a move, in order; none for a pass, and
        #: where the drawing has no places.
        self.places: Callable[[S, Action], Sequence[str]] = places or (lambda _s, _a: ())
        #: What stands on the places of the drawing, in words, for those who do not see it.
        self.contents: Callable[[S], Mapping[str, str]] = contents or (lambda _: {})
        #: What players call MAX and MIN.
        self.sides = checked_sides(name, sides)
        #: What a board can be set up with: see `put`.
        self.pieces = tuple(pieces)
        self._put = put
        #: A whole game as its players write it down, where they do: from a start, its moves.
        self.record = record
        #: By evaluation, the lead that wins three games of four among equals.
        self.leads = dict(leads or {})
        #: By evaluation, what people count as one: a pawn.
        self.units = dict(units or {})
        show_positions(self)

    # What can happen in a position.

    @property
    def cyclic(self) -> bool:
        """Whether positions can repeat, clocks aside: values then depend on the play before."""
        return self.repeats > 0 or bool(self.clocks)

    def moves(self, s: S) -> list[Action]:
        """The legal moves of a position, or the possible events; none once the game is over."""
        by_rule = self.player(s) != CHANCE and self.drawn(s) == DRAWN
        return [] if by_rule else self.all_moves(s)

    def all_moves(self, s: S) -> list[Action]:
        """The moves, or events, that the rules list, be the game drawn or not."""
        if self.player(s) == CHANCE:
            return [event for event, _ in self.chances(s)]
        return self._written("actions", self.actions, s)

    def outcome(self, positions: Sequence[S]) -> Outcome | None:
        """How the game with these positions, the latest last, has ended; None if it has not.

        A draw that the player to move may claim counts as one.
        """
        return outcome_of(self, positions, self._ending)

    def noisy_moves(self, s: S) -> list[Action]:
        """The moves that quiescence search must still look at."""
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

    # Texts and pictures.

    def parse(self, given: str) -> S:
        """The position that a text describes."""
        shown = f"{self.name}: position {text.shorten(given)}"
        try:
            s = self._parse(" ".join(given.split()) if self._own_notation else given)
        except ThreefoldError:
            raise
        except ValueError as error:
            raise BadPosition(f"{shown}: {error}") from None
        except Exception as error:
            raise BadPosition(f"{shown}: parse raises {type(error).__name__}: {error}") from error
        if not isinstance(s, self.state_type):
            raise BadPosition(f"{shown}: parse returned {s!r}, not a {self.state_type.__name__}")
        if self.player(s) not in (MAX, MIN, CHANCE):
            raise BadPosition(
                f"{shown}: it is player {self.player(s)}'s turn; there are 0 (MAX) and 1 (MIN)"
            )
        return s

    def format(self, s: S) -> str:
        """The text of a position; `parse` reads it back."""
        return self._format(s)

    def parse_move(self, s: S, given: str) -> Action:
        """The legal move that a text names."""
        legal = self.moves(s)
        given = given.strip()
        try:
            if self._parse_move is not None:
                a = self._parse_move(s, given)
            else:
                a = next(
                    a
                    for a in legal
                    if given in (self._format_move(s, a), self._readable_move(s, a))
                )
        except (ValueError, StopIteration) as error:
            reason = f" ({error})" if str(error) else ""
        else:
            if a in legal:
                return a
            reason = ""
        options = text.listing([self.format_move(s, a) for a in legal]) if legal else "none"
        raise IllegalMove(
            f"{self.name}: {text.shorten(given)} is no legal move{reason}; legal here: {options}"
        )

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

    def put(self, s: S, place: str, piece: str) -> S:
        """The position with a piece on a place; or on `turn`, with the turn of player 0 or 1."""
        if self._put is None:
            raise BadPosition(f"{self.name}: its board cannot be set up; write the position")
        try:
            changed = self._put(s, place, piece)
        except (ValueError, KeyError, IndexError) as error:
            raise BadPosition(
                f"{self.name}: {text.shorten(piece)} cannot stand on {text.shorten(place)}: {error}"
            ) from None
        return self.parse(self.format(changed))

    def show(self, s: S) -> str:
        """A position for a message: its text, or its `repr` where it has none."""
        try:
            return self.format(s)
        except Exception:
            return repr(s)

    def position(self, given: str | S | None) -> S:
        """The position that is meant: a text, a state, or by default the start."""
        if given is None:
            return self.initial()
        return self.parse(given) if isinstance(given, str) and self.state_type is not str else given  # type: ignore[return-value]

    def require(self, what: str, *, zero_sum: bool, perfect_information: bool) -> None:
        """Raise unless the game is of the kind that a search is for."""
        if zero_sum and not self.facts.zero_sum:
            raise ThreefoldError(f"{what} is for zero-sum games, and {self.name} is not one")
        if perfect_information and not self.facts.perfect_information:
            raise ThreefoldError(
                f"{what} is for games of perfect information, and {self.name} hides some"
            )

    @property
    def evaluation(self) -> str | None:
        """The name of the evaluation in use."""
        return next((n for n, f in self.evaluations.items() if f is self.evaluate), None)

    def using(self, evaluation: str) -> Game[S]:
        """The same game with another of its evaluations as `evaluate`."""
        if evaluation not in self.evaluations:
            hint = text.did_you_mean(evaluation, self.evaluations)
            raise BadGame(f"{self.name} has no evaluation {evaluation!r}; {hint}")
        twin = copy(self)
        twin.evaluate = self.evaluations[evaluation]
        twin.hooks = self.hooks | {"evaluate": twin.evaluate}
        return twin

    # The rooms upstairs, fetched when called.

    def compiled(self) -> Compiled[S]:
        """The same rules, compiled; as fast to call again as the rules are to look through."""
        from threefold.engine.compile import Compiled

        return Compiled(self)

    def on_gpu(self) -> OnGpu[S]:
        """The same rules on a GPU, or a clear word why not."""
        from threefold.gpu.on_gpu import OnGpu

        return OnGpu(self)

    def perft(
        self,
        position: str | S | None = None,
        *,
        depth: int,
        finished: bool = False,
        way: str = "compiled",
    ) -> int:
        """How many positions lie exactly `depth` plies away.

        A game that ends earlier is not counted, unless `finished` is given. A forced pass is a
        ply, and so is an event of nature.
        """
        from threefold.gpu.ways import perft

        return perft(self, self.position(position), depth, finished=finished, way=way).nodes

    def analyze(
        self,
        position: str | S | None = None,
        *,
        time: float | None = None,
        depth: int | None = None,
        nodes: int | None = None,
        multipv: int = 1,
        threads: int = 1,
        seed: int | None = None,
        exact: bool = False,
        method: str = "alphabeta",
        playouts_on: str = "cpu",
        megabytes: int | None = None,
        watch: Callable[[Result[S]], None] | None = None,
    ) -> Result[S]:
        """Search a position within limits, one second if none is given, for its best moves.

        `watch` is called with every better answer. `exact` asks for plain minimax to the depth.
        `method="mcts"` plays games out at random instead of evaluating positions, many times as
        many with `playouts_on="gpu"`.
        """
        from threefold.engine.methods import DEFAULT_TIME

        if time is None and depth is None and nodes is None:
            time = DEFAULT_TIME
        return self.start(
            position,
            time=time,
            depth=depth,
            nodes=nodes,
            multipv=multipv,
            threads=threads,
            seed=seed,
            exact=exact,
            method=method,
            playouts_on=playouts_on,
            megabytes=megabytes,
        ).result(watch)

    def start(self, position: str | S | None = None, **options: Any) -> Running[Result[S]]:
        """Begin to search a position, with the options of `analyze`, and go on in the background.

        The search ends at a limit, if any is given, at a proof, or when it is stopped.
        """
        from threefold.gpu.places import start

        return start(self, self.position(position), **options)

    def stream(self, position: str | S | None = None, **options: Any) -> Iterator[Result[S]]:
        """Ever better answers, without end unless a limit is given: leave the loop to stop."""
        with self.start(position, **options) as running:
            yield from running

    def best(self, position: str | S | None = None, **options: Any) -> Action | None:
        """The best move that `analyze` finds; None once the game is over."""
        return self.analyze(position, **options).best

    def solve(
        self,
        position: str | S | None = None,
        *,
        method: str = "auto",
        detail: str = "moves",
        megabytes: int = 1024,
        time: float | None = None,
        nodes: int | None = None,
        progress: bool = True,
    ) -> Solution[S]:
        """The exact value of a position, every best move, and what each other one is worth.

        `threefold.solve.solve` says which methods there are and what `detail` asks for. For many
        positions of one game, `solver` remembers what it has proven.
        """
        from threefold.solve.solve import solve

        return solve(
            self,
            self.position(position),
            method=method,
            detail=detail,
            megabytes=megabytes,
            time=time,
            nodes=nodes,
            progress=progress,
        )

    def solver(self, *, megabytes: int = 1024) -> Solver[S]:
        """What solves one position after another and keeps its memory until it is closed.

        `with game.solver() as solver: solver.solve(position)`, with the options of `solve`.
        """
        from threefold.solve.solve import Solver

        return Solver(self, megabytes=megabytes)

    def explain(
        self,
        procedure: str,
        position: str | S | None = None,
        *,
        depth: int | None = None,
        **options: Any,
    ) -> Explanation:
        """Run a textbook procedure on this game's tree, every step recorded."""
        from threefold.textbook.explain import explain
        from threefold.textbook.gametree import GameNode

        return explain(procedure, GameNode(self, self.position(position)), depth=depth, **options)

    def play(self, position: str | S | None = None, *, level: str | int = "medium") -> None:
        """Play in the terminal against the computer, or with `level="human"` a friend."""
        from threefold.cli.play import play

        play(self, self.position(position), level=str(level))

    def __repr__(self) -> str:
        return f"<Game {self.spec}: {self.facts}>"

    def _repr_svg_(self) -> str:
        return self.draw(self.initial())


def check_depth(depth: object, least: int, most: int) -> None:
    """Raise unless a depth is a whole number in range."""
    if not isinstance(depth, int) or not least <= depth <= most:
        given = argument("depth", depth)
        raise ThreefoldError(f"{given} is not a whole number from {least} to {most}")
