"""Reading records: tags, then moves with comments, glyphs and variations, then the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from threefold.errors import BadRecord, ThreefoldError
from threefold.games.records.record import BadTag, Line, Move, Record
from threefold.games.records.tokens import Kind, Token, tokens
from threefold.rules.contract import Action
from threefold.rules.game import Game

if TYPE_CHECKING:
    from threefold.games.records.format import Format

S = TypeVar("S")

#: The maximum nesting of variations, far deeper than any annotator goes.
MAX_DEPTH = 60
#: The glyph for the only move, which draughts players mark with a star.
FORCED = 7


def read_records(
    notation: Format[S], lines: Iterable[str], report: Callable[[BadRecord], object] | None
) -> Iterator[Record]:
    """Every game in a text; one that cannot be read raises, or is reported and skipped."""
    reader = _Reader(notation, tokens(lines))
    while reader.here is not None:
        try:
            record = reader.record()
        except BadRecord as error:
            if report is None:
                raise
            report(error)
            reader.skip()
        else:
            if record is not None:
                yield record


class _Reader(Generic[S]):
    """One pass over the tokens of a text: the current token, and the next one."""

    def __init__(self, notation: Format[S], words: Iterator[Token]) -> None:
        self.notation = notation
        self.words = words
        self.here = next(words, None)
        self.ahead = next(words, None)
        self.game: Game[S]

    def step(self) -> None:
        self.here, self.ahead = self.ahead, next(self.words, None)

    def skip(self) -> None:
        """Skip to the next game's tags."""
        while self.here is not None and not (self.here.kind is Kind.TAG and self.here.fresh):
            self.step()

    def record(self) -> Record | None:
        """The next game; None if only comments are left."""
        tags, places, comments = self.header()
        try:
            self.game, start = self.notation.begin(tags)
        except BadTag as error:
            raise places[error.tag].error(error) from None
        line = self.line(start, self.notation.ply(start), 0)
        line.comments[:0] = comments
        ended = self.ending(tags, line)
        return Record(tags, line) if tags or line.moves or ended else None

    def header(self) -> tuple[dict[str, str], dict[str, Token], list[str]]:
        """The tags, where each one is, and the comments among them.

        A repeated tag after an empty line belongs to the next game: this one has no moves.
        """
        tags: dict[str, str] = {}
        places: dict[str, Token] = {}
        comments: list[str] = []
        while (token := self.here) is not None:
            if token.kind is Kind.COMMENT:
                comments += _said(token)
            elif token.kind is Kind.TAG and not (token.fresh and token.text in tags):
                tags[token.text], places[token.text] = token.value, token
            else:
                break
            self.step()
        return tags, places, comments

    def line(self, s: S, ply: int, depth: int) -> Line:
        """The moves from a position to the end of the game or the variation."""
        line = Line()
        before = s
        while (token := self.here) is not None and token.kind is not Kind.TAG:
            last = line.moves[-1] if line.moves else None
            comments = last.comments if last else line.comments
            if token.kind is Kind.BAD:
                raise token.error(token.text)
            if token.kind is Kind.CLOSE:
                if depth == 0:
                    raise token.error("this ) has no matching (")
                break
            if token.kind is Kind.COMMENT:
                comments += _said(token)
            elif token.kind is Kind.OPEN or token.kind is Kind.NAG:
                if last is None:
                    what = "a variation" if token.kind is Kind.OPEN else "a glyph"
                    raise token.error(f"{what} must follow a move, but there is none before it")
                if token.kind is Kind.NAG:
                    last.nags.append(int(token.text))
                else:
                    last.variations.append(self.variation(token, before, ply - 1, depth))
            elif last is not None and self.is_mark(token):
                last.nags.append(FORCED)
            elif token.kind is Kind.WORD and token.text in self.notation.results:
                if depth == 0:
                    break
                comments += [token.text] * (token.text != "*")
            elif not self.is_noise(token, ply):
                action = self.move(s, token)
                before, s, ply = s, self.game.result(s, action), ply + 1
                line.moves.append(Move(action))
            self.step()
        return line

    def variation(self, opening: Token, s: S, ply: int, depth: int) -> Line:
        """A line in parentheses, up to the closing parenthesis."""
        if depth == MAX_DEPTH:
            raise opening.error(f"variations are nested more than {MAX_DEPTH} deep")
        self.step()
        line = self.line(s, ply, depth + 1)
        if self.here is None or self.here.kind is not Kind.CLOSE:
            raise opening.error("this variation has no end; close it with )")
        return line

    def move(self, s: S, token: Token) -> Action:
        """The move that a token names."""
        try:
            return self.notation.parse_move(self.game, s, token.text)
        except (ThreefoldError, ValueError) as error:
            raise token.error(error) from None

    def is_mark(self, token: Token) -> bool:
        """Whether a star marks the move it is attached to instead of ending the game."""
        ahead = self.ahead
        goes_on = ahead is not None and ahead.kind is not Kind.TAG and not ahead.fresh
        return token.text == "*" and token.glued and goes_on

    def is_noise(self, token: Token, ply: int) -> bool:
        """Whether a token means nothing: a move number without its dot, `e.p.` after a move."""
        if token.kind is Kind.NUMBER:
            return token.text == str(ply // 2 + 1)
        return token.text in self.notation.noise

    def ending(self, tags: dict[str, str], line: Line) -> bool:
        """Read the result and any comments right after it; returns whether there is a result.

        A result in the tags takes precedence, because newer PDN ends every game with a star.
        """
        token = self.here
        if token is None or token.kind is not Kind.WORD:
            return False
        result = self.notation.results[token.text]
        if result != "*" and tags.get("Result", "*") in {"*", "?", ""}:
            tags["Result"] = result
        self.step()
        comments = line.moves[-1].comments if line.moves else line.comments
        while (token := self.here) is not None and token.kind is Kind.COMMENT and not token.fresh:
            comments += _said(token)
            self.step()
        return True


def _said(comment: Token) -> list[str]:
    return [comment.text] if comment.text else []
