"""Game trees: nodes, and how a tree is written as text.

    text  = ["min" | "max"] node
    node  = NUMBER | <NUMBER,NUMBER…> | NAME | NAME:VALUE["!"]
          | [NAME][":"VALUE]["!"] "(" node… ")"                    players alternate by depth
          | [NAME] "~(" WEIGHT*node … ")"                          chance; weights sum to exactly 1

`((3 12 8) (2 4 6) (14 5 2))`, `A(B(D:3 E:5) C(F:-5 G))`, `~(0.5*3 1/2*8)`. A value on a node with
children is its static value; `!` marks a position that is not quiet. The parser uses a loop instead
of recursion, so that a tree can be as deep as `MAX_DEPTH`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from random import Random
from string import ascii_uppercase
from typing import TypeAlias

from threefold.errors import ThreefoldError
from threefold.rules.contract import CHANCE, MAX, MIN, Player
from threefold.rules.text import shorten

#: An exact number: trees may hold 0.1 and weights 1/3 without rounding.
Number: TypeAlias = int | Fraction
#: What a leaf is worth: one number for MAX, or a payoff for each player.
Value: TypeAlias = Number | tuple[Number, ...]

#: Deeper than any serious tree.
MAX_DEPTH = 20_000
#: A number longer than this is a mistake.
MAX_DIGITS = 100
#: So are weights whose sum needs a larger denominator than this.
_LARGEST_DENOMINATOR = 10**MAX_DIGITS


class BadTree(ThreefoldError):
    """A tree's text cannot be read."""


@dataclass(eq=False)
class Node:
    """A position in a game tree: whose move it is, what can follow, and what it is worth."""

    name: str
    player: Player
    value: Value | None = None
    quiet: bool = True
    #: Whether quiescence search must look at the move that leads here.
    noisy: bool = True
    children: Sequence["Node"] = ()
    #: The probability of each child of a chance node.
    weights: Sequence[Fraction] = field(default=())
    #: What its game calls the players, where a game says who is to move. In a written tree the
    #: players take turns.
    sides: Sequence[str] = ()
    #: How many symmetric moves lead here, if one stands for them all.
    count: int = 1

    @property
    def moves(self) -> Sequence["Node"]:
        """Every child, also those that a plausible-move generator leaves out."""
        return self.children

    @property
    def is_over(self) -> bool:
        """Whether nothing follows."""
        return not self.children

    def random_child(self, rng: Random) -> "Node":
        """A child at random: by its probability, or by the number of moves that it stands for."""
        weights: Sequence[Number] = self.weights or [child.count for child in self.children]
        return rng.choices(self.children, weights)[0]

    def __repr__(self) -> str:
        return f"<Node {self.name}>"


def opponent(player: Player) -> Player:
    """OPPOSITE: the other player."""
    return MIN if player == MAX else MAX


def walk(root: Node) -> Iterator[Node]:
    """Every node in tree order: a node, then its children's trees from left to right."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def levels(root: Node) -> Iterator[list[Node]]:
    """The nodes layer by layer, starting at the root."""
    layer = [root]
    while layer:
        yield layer
        layer = [child for node in layer for child in node.children]


_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<open>\()
      | (?P<close>\))
      | (?P<chance>~\()
      | (?P<weight>(?:\d+(?:\.\d+)?|\.\d+)(?:/\d+)?\*)
      | (?P<vector><[^<>()]*>)
      | (?P<number>[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:/\d+)?(?![\w.]))
      | (?P<name>[^\W\d]\w*'*)
      | (?P<colon>:)
      | (?P<loud>!)
    """,
    re.VERBOSE,
)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:/\d+)?")


def parse_tree(text: str) -> Node:
    """The tree that a text describes."""
    return _Reader(text).tree()


@dataclass
class _Open:
    """A node whose children are being read."""

    node: Node
    children: list[Node] = field(default_factory=list)
    weights: list[Fraction] = field(default_factory=list)
    #: What the weights sum to.
    total: Fraction = Fraction(0)


class _Reader:
    """Reads one tree, token by token."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(self._split())
        self._next = 0
        self._used: set[str] = set()

    def tree(self) -> Node:
        """The whole text as one tree."""
        if not self._tokens:
            raise BadTree("the tree is empty; write one like ((3 12 8) (2 4 6))")
        first = MAX
        if self._word() in {"min", "max"} and not self._is_name():
            first = MIN if self._take() == "min" else MAX
        root = self._node()
        if self._kind():
            raise self._error(f"{self._shown()} comes after the end of the tree")
        _set_players(root, first)
        _set_names(root, self._used)
        return root

    def _is_name(self) -> bool:
        """Whether the first word, `min` or `max`, is the root's name: alone, `min:3` or `min!`."""
        if len(self._tokens) == 1:
            return True
        (_, word, at), (kind, _, after) = self._tokens[:2]
        return kind in {"colon", "loud"} and after == at + len(word)

    def _node(self) -> Node:
        """One node with all that is below it."""
        open_nodes: list[_Open] = []
        while True:
            if open_nodes and not self._kind():
                raise self._error(f"{len(open_nodes)} ')' missing at the end")
            if open_nodes and self._kind() == "close":
                node = self._close(open_nodes.pop())
            else:
                weight = self._weight(open_nodes)
                node, has_children = self._head()
                if open_nodes:
                    open_nodes[-1].children.append(node)
                    open_nodes[-1].weights.extend(weight)
                if has_children:
                    open_nodes.append(_Open(node))
                    if len(open_nodes) > MAX_DEPTH:
                        raise self._error(f"the tree is deeper than {MAX_DEPTH} levels")
            if not open_nodes:
                return node

    def _head(self) -> tuple[Node, bool]:
        """A leaf, or the part of a node before its children, and whether it has any."""
        node, before = Node("", MAX), self._next
        if self._kind() in {"number", "vector"}:
            node.value = self._value()
            return node, False
        if self._kind() == "name":
            node.name = self._name()
        if self._kind() == "colon":
            self._take()
            if self._kind() not in {"number", "vector"}:
                raise self._error(f"expected a number after ':', not {self._shown()}")
            node.value = self._value()
        if self._kind() == "loud":
            self._take()
            node.quiet = False
        # A parenthesis belongs to the node it touches; after a space it opens the next child.
        opens = self._kind() in {"open", "chance"} and (self._touches() or self._next == before)
        if opens and self._kind() == "chance":
            if node.value is not None or not node.quiet:
                raise self._error("a chance node has neither a value nor '!'")
            node.player = CHANCE
        elif not opens:
            if not node.name:
                raise self._error(f"expected a node, not {self._shown()}")
            return node, False
        self._take()
        if self._kind() == "close":
            raise self._error("a node without children is written without ( )")
        return node, True

    def _close(self, done: _Open) -> Node:
        """The end of a node's children."""
        if done.node.player == CHANCE and done.total != 1:
            total = format_number(done.total)
            raise self._error(f"the weights of a chance node sum to {total}, not to 1")
        self._take()
        done.node.children, done.node.weights = done.children, done.weights
        return done.node

    def _weight(self, open_nodes: list[_Open]) -> list[Fraction]:
        if not open_nodes or open_nodes[-1].node.player != CHANCE:
            return []
        if self._kind() != "weight":
            raise self._error(f"nodes below ~ need weights, like 0.5*3, not {self._shown()}")
        weight = self._fraction(self._take()[:-1])
        if weight <= 0:
            raise self._error("a weight must be greater than 0")
        open_nodes[-1].total += weight
        if open_nodes[-1].total.denominator > _LARGEST_DENOMINATOR:
            raise self._error("the weights of this chance node have too many digits when added up")
        return [weight]

    def _name(self) -> str:
        name = self._word()
        if name in self._used:
            raise self._error(f"the name {shorten(name)} is used twice")
        self._used.add(name)
        return self._take()

    def _value(self) -> Value:
        kind, word = self._kind(), self._word()
        if kind == "number":
            value: Value = simplest(self._fraction(word))
        else:
            parts = [part.strip() for part in word[1:-1].split(",")]
            if not all(_NUMBER.fullmatch(part) for part in parts) or len(parts) < 2:
                raise self._error(f"{shorten(word)} is not a payoff vector like <3,1>")
            value = tuple(simplest(self._fraction(part)) for part in parts)
        self._take()
        return value

    def _fraction(self, word: str) -> Fraction:
        if len(word) > MAX_DIGITS:
            raise self._error(f"{shorten(word)} has more than {MAX_DIGITS} digits")
        try:
            return Fraction(word)
        except (ZeroDivisionError, ValueError):
            raise self._error(f"{word!r} is not a number") from None

    def _split(self) -> Iterator[tuple[str, str, int]]:
        at = 0
        while at < len(self._text):
            match = _TOKEN.match(self._text, at)
            if match is None or match.lastgroup is None:
                raise BadTree(
                    f"tree, character {at + 1}: {self._text[at : at + 12]!r} is not part of a tree"
                    "; write one like ((3 12 8) (2 4 6))"
                )
            if match.lastgroup != "space":
                yield match.lastgroup, match[0], at
            at = match.end()

    def _kind(self) -> str:
        return self._tokens[self._next][0] if self._next < len(self._tokens) else ""

    def _word(self) -> str:
        return self._tokens[self._next][1] if self._next < len(self._tokens) else ""

    def _touches(self) -> bool:
        """Whether there is nothing between this token and the one before."""
        _, word, at = self._tokens[self._next - 1]
        return self._tokens[self._next][2] == at + len(word)

    def _shown(self) -> str:
        return shorten(self._word()) if self._kind() else "the end"

    def _take(self) -> str:
        word = self._word()
        self._next += 1
        return word

    def _error(self, what: str) -> BadTree:
        at = self._tokens[self._next][2] if self._kind() else len(self._text)
        return BadTree(f"tree, character {at + 1}: {what}")


def _set_players(root: Node, first: Player) -> None:
    """Players alternate by depth; a chance node is not a turn."""
    waiting = [(root, first)]
    while waiting:
        node, mover = waiting.pop()
        if node.player == CHANCE:
            below = mover
        else:
            node.player = mover
            below = opponent(mover)
        waiting += [(child, below) for child in node.children]


def _set_names(root: Node, used: set[str]) -> None:
    """Give unnamed nodes, in breadth-first order, the next free name of A…Z, AA, AB…"""
    free = (name for name in _letters() if name not in used)
    for layer in levels(root):
        for node in layer:
            node.name = node.name or next(free)


def _letters() -> Iterator[str]:
    for number in count(1):
        name = ""
        while number:
            number, letter = divmod(number - 1, 26)
            name = ascii_uppercase[letter] + name
        yield name


def simplest(number: Fraction | int) -> Number:
    """The number as an integer if it is one."""
    return int(number) if number == int(number) else number


def format_number(number: Number) -> str:
    """A number as people write it: exact, and as a decimal if that terminates.

    If nested chance nodes have given it more digits than anyone reads, it is rounded.
    """
    fraction = Fraction(number)
    if fraction.denominator > _LARGEST_DENOMINATOR:
        return f"≈{float(fraction):.12g}"
    places = 0
    while (fraction * 10**places).denominator > 1 and places < MAX_DIGITS:
        places += 1
    scaled = fraction * 10**places
    if scaled.denominator > 1:
        return str(fraction)
    digits = f"{abs(scaled.numerator):0{places + 1}d}"
    sign = "-" if fraction < 0 else ""
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)
