"""Pictures of poker: the two players' cards, the one on the table, and what there is to say."""

from collections.abc import Callable

from threefold.games.poker.notation import BUTTONS, DECK, moves_of
from threefold.games.poker.rules import ANTE, FACE_DOWN, NOT_DEALT, State, raises
from threefold.games.poker.variant import SUIT_SIGNS, Variant
from threefold.rules import svg
from threefold.rules.contract import CHANCE

_WIDE, _HIGH = 64.0, 90.0
_EDGE, _GAP = 20.0, 28.0
_TOP = 40.0
_BUTTON, _BUTTON_HIGH = 64.0, 34.0
_LINE = 22.0


def drawing(variant: Variant) -> Callable[[State], str]:
    """The drawing of a poker's positions."""
    names = variant.names()
    two_rounds = len(variant.bets) == 2

    def text(card: int) -> str:
        """A card's name in words of signs: `J♠`."""
        if card in (NOT_DEALT, FACE_DOWN):
            return "?" if card == FACE_DOWN else ""
        name = names[card - 1]
        return name[0] + SUIT_SIGNS.get(name[1:], "")

    def one(x: float, title: str, card: int) -> list[str]:
        """A card, its back, or the place for it."""
        body = [svg.label(x + _WIDE / 2, _TOP - 16, title, size=13)]
        if card == NOT_DEALT:
            outline = f"M{x:g} {_TOP:g}h{_WIDE:g}v{_HIGH:g}h{-_WIDE:g}z"
            return [*body, svg.path(outline, "line-line", dash="4 4")]
        if card == FACE_DOWN:
            body.append(svg.rect(x, _TOP, _WIDE, _HIGH, "fill-line", 8))
            body.append(svg.rect(x + 6, _TOP + 6, _WIDE - 12, _HIGH - 12, "fill-board", 4))
        else:
            body.append(svg.rect(x, _TOP, _WIDE, _HIGH, "fill-line", 8))
            body.append(svg.rect(x + 1.5, _TOP + 1.5, _WIDE - 3, _HIGH - 3, "fill-white", 7))
        color = "fill-ink" if card == FACE_DOWN else "fill-black"
        return [*body, svg.label(x + _WIDE / 2, _TOP + _HIGH / 2, text(card), color, size=30)]

    def draw(s: State) -> str:
        cards = [("first player", s.first), ("second player", s.second)]
        if two_rounds:
            cards.append(("table", s.table))
        step = _WIDE + _GAP
        width = max(2 * _EDGE + 4 * step, 2 * _EDGE + len(BUTTONS) * (_BUTTON + 6))
        body = []
        for i, (title, card) in enumerate(cards):
            body += one(_EDGE + 12 + i * step, title, card)
        deck = width - _EDGE - _WIDE
        if s.turn == CHANCE:
            body += one(deck, "deck", FACE_DOWN)
        body.append(svg.place(deck, _TOP, _WIDE, _HIGH, DECK))
        y = _TOP + _HIGH + _LINE
        rounds = [", ".join(moves_of(betting)) for betting in (s.betting, s.later) if betting]
        stake = ANTE
        for size, betting in zip(variant.bets, (s.betting, s.later), strict=False):
            stake += size * raises(betting)
        told = f"{'; '.join(rounds) or 'no betting yet'} – to stay in: {stake}"
        body.append(svg.label(_EDGE, y, told, size=14, anchor="start"))
        y += _LINE
        for i, name in enumerate(BUTTONS):
            x = _EDGE + i * (_BUTTON + 6)
            body.append(svg.rect(x, y, _BUTTON, _BUTTON_HIGH, "fill-board", 8))
            body.append(svg.label(x + _BUTTON / 2, y + _BUTTON_HIGH / 2, name, size=14))
            body.append(svg.place(x, y, _BUTTON, _BUTTON_HIGH, name))
        shown = ", ".join(f"{title}: {text(card) or 'none'}" for title, card in cards)
        return svg.picture(
            width, y + _BUTTON_HIGH + _EDGE, "Poker", f"{shown}. {told}.".replace(" – ", "; "), body
        )

    return draw
