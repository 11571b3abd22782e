"""Poker positions as `J Q check bet`: MAX's card, MIN's card, then the moves so far.

`- -` is the start and `J -` the position in which MIN's card is dealt next. With two rounds, the
second one begins with the table's card after a slash: `Js Kh bet call / Qs check`. A card that is
face down is `?`: so a position looks to a player, but no position can be read that leaves it open.

A move is `check`, `bet`, `call`, `raise` or `fold`; an event of nature is the card that it deals.
"""

from threefold.games.poker.rules import (
    CALL,
    FACE_DOWN,
    FOLD,
    NOT_DEALT,
    RAISE,
    State,
    last_move,
    length,
    raises,
    rules,
)
from threefold.games.poker.variant import SUIT_SIGNS, Variant
from threefold.rules.contract import CHANCE, MAX, Player
from threefold.rules.records import Board, TextHooks, Texts
from threefold.rules.text import listing, shorten

#: Where the cards are dealt from.
DECK = "deck"
#: What else one can touch: the moves, by their names.
BUTTONS = ("fold", "check", "call", "bet", "raise")


def move_name(betting: int, a: int) -> str:
    """What a move is called after the earlier moves of a round."""
    if a == FOLD:
        return "fold"
    if a == CALL:
        return "call" if last_move(betting) == RAISE else "check"
    return "raise" if raises(betting) else "bet"


def moves_of(betting: int) -> list[str]:
    """The names of a round's moves."""
    named = []
    for n in range(length(betting)):
        earlier = betting & (1 << 2 * n) - 1
        named.append(move_name(earlier, (betting >> 2 * n & 3) - 1))
    return named


def as_seen(s: State, p: Player) -> State:
    """The position with the opponent's card face down."""
    if p == MAX:
        return s._replace(second=FACE_DOWN) if s.second != NOT_DEALT else s
    return s._replace(first=FACE_DOWN) if s.first != NOT_DEALT else s


def notation(variant: Variant) -> TextHooks:
    """The text hooks of a poker."""
    hooks = rules(variant)
    card_names = variant.names()
    numbers = {name: number for number, name in enumerate(card_names, 1)}
    sample = f"{card_names[0]} {card_names[-1]} check bet"

    def card_text(card: int) -> str:
        if card == FACE_DOWN:
            return "?"
        return "-" if card == NOT_DEALT else card_names[card - 1]

    def format_position(s: State) -> str:
        parts = [card_text(s.first), card_text(s.second), *moves_of(s.betting)]
        if s.table != NOT_DEALT:
            parts += ["/", card_text(s.table), *moves_of(s.later)]
        return " ".join(parts)

    def parse(text: str) -> State:
        given = text.split(" ")
        if len(given) < 2:
            raise ValueError(f"expected the two players' cards, then the moves, like {sample!r}")
        s: State = hooks["initial"]()
        if given[0] == "-":
            if given != ["-", "-"]:
                raise ValueError("no card has been dealt, so nothing follows '- -'")
            return s
        s = _dealt(s, given[0])
        if given[1] == "-":
            if len(given) > 2:
                raise ValueError("the second card has not been dealt, so no move follows")
            return s
        s = _dealt(s, given[1])
        at = 2
        while at < len(given):
            if s.turn == CHANCE and not hooks["is_terminal"](s):
                if given[at] != "/" or at + 1 == len(given):
                    raise ValueError(
                        f"the first round is over: expected / and the table's card, not "
                        f"{shorten(given[at])}"
                    )
                s = _dealt(s, given[at + 1])
                at += 2
            else:
                s = _moved(s, given[at])
                at += 1
        return s

    def _dealt(s: State, name: str) -> State:
        if name == "?":
            raise ValueError(
                f"a card is face down; a position names all cards that are dealt, like {sample!r}"
            )
        card = numbers.get(name)
        if card is None:
            raise ValueError(f"{shorten(name)} is no card: one of {listing(card_names)}")
        if card in (s.first, s.second):
            raise ValueError(f"the card {name} is there twice")
        return hooks["result"](s, card)  # type: ignore[no-any-return]

    def _moved(s: State, name: str) -> State:
        row = [0] * hooks["max_moves"]
        legal = {format_move(s, a): a for a in row[: hooks["actions"](s, row)]}
        if not legal:
            raise ValueError(f"the game is over before {shorten(name)}")
        if name not in legal:
            raise ValueError(f"{shorten(name)} is not possible there: one of {listing([*legal])}")
        return hooks["result"](s, legal[name])  # type: ignore[no-any-return]

    def format_move(s: State, a: int) -> str:
        if s.turn == CHANCE:
            return card_text(a)
        return move_name(s.later if s.table != NOT_DEALT else s.betting, a)

    def places(s: State, a: int) -> tuple[str, ...]:
        return (DECK,) if s.turn == CHANCE else (format_move(s, a),)

    def shown(card: int) -> str:
        text = card_text(card)
        return text[0] + SUIT_SIGNS[text[1]] if len(text) == 2 else text

    def render(s: State) -> str:
        lines = [f"first player:  {shown(s.first)}", f"second player: {shown(s.second)}"]
        if len(variant.bets) == 2:
            lines.append(f"on the table:  {shown(s.table)}")
        rounds = [moves_of(s.betting), moves_of(s.later)]
        told = "; ".join(", ".join(moves) for moves in rounds if moves)
        return "\n".join([*lines, f"betting:       {told or 'none yet'}"])

    def ending(s: State) -> str:
        betting = s.later if s.table != NOT_DEALT else s.betting
        if last_move(betting) == FOLD:
            return "the other player folded"
        return f"showdown, {shown(s.first)} against {shown(s.second)}"

    return {
        "parse": parse,
        "format": format_position,
        "format_move": format_move,
        "render": render,
        "board": Board(places=places),
        "texts": Texts(ending=ending, as_seen=as_seen),
    }
