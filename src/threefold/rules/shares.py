"""What each term contributes to a position's value, as a table and as a picture."""

from collections.abc import Sequence
from fractions import Fraction

from threefold.rules import svg
from threefold.rules.svg import Svg
from threefold.rules.terms import Share, plain

#: How many characters the longest bar has.
_BAR = 12

_LEFT, _MIDDLE, _REACH, _ROW, _TOP = 150.0, 390.0, 120.0, 26.0, 78.0
_WIDTH = 620.0


def shown(value: Fraction | int) -> str:
    """A number for people: whole, or with up to three decimals."""
    number = plain(value)
    return str(number) if isinstance(number, int) else f"{number:.3f}".rstrip("0")


def signed(value: Fraction | int) -> str:
    """The same with its sign, unless it is zero."""
    return f"+{shown(value)}" if value > 0 else shown(value)


def table(shares: Sequence[Share], sides: Sequence[str]) -> list[str]:
    """The terms as lines of text, with a bar to the right for MAX and to the left for MIN."""
    head = ("term", *sides, "weight", "share")
    rows = [
        (each.name, str(each.max), str(each.min), shown(each.weight), signed(each.share))
        for each in shares
    ]
    total = sum((each.share for each in shares), Fraction(0))
    rows.append(("sum", "", "", "", signed(total)))
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    most = max((abs(each.share) for each in shares), default=Fraction(0))
    bars = ["", *(_bar(each.share, most) for each in shares), ""]
    lines = []
    for (name, *numbers), bar in zip((head, *rows), bars, strict=True):
        cells = [f"{text:>{width}}" for text, width in zip(numbers, widths[1:], strict=True)]
        lines.append("  ".join([f"{name:<{widths[0]}}", *cells, bar]).rstrip())
    return lines


def _bar(share: Fraction, most: Fraction) -> str:
    length = 0 if most == 0 else max(round(abs(share) / most * _BAR), int(share != 0))
    bar = "█" * length
    return f"{bar if share < 0 else '':>{_BAR}}│{bar if share > 0 else ''}"


def draw_shares(title: str, shares: Sequence[Share], sides: Sequence[str]) -> Svg:
    """A row for each term: its name, both sides' values, and its share as a bar."""
    most = max((abs(each.share) for each in shares), default=Fraction(0)) or Fraction(1)
    total = sum((each.share for each in shares), Fraction(0))
    bottom = _TOP + _ROW * len(shares)
    body = [
        svg.label(16, 24, title, size=16, anchor="start"),
        svg.label(_LEFT + 30, _TOP - 26, sides[0], "fill-max", 13),
        svg.label(_LEFT + 90, _TOP - 26, sides[1], "fill-min", 13),
        svg.label(_MIDDLE - _REACH / 2, _TOP - 26, f"← for {sides[1]}", "fill-min", 13),
        svg.label(_MIDDLE + _REACH / 2, _TOP - 26, f"for {sides[0]} →", "fill-max", 13),
        svg.path(f"M{_MIDDLE:g} {_TOP - 14:g}V{bottom - 6:g}", "line-line"),
    ]
    for number, each in enumerate(shares):
        y = _TOP + _ROW * number
        length = float(abs(each.share) / most) * _REACH
        weight = "" if each.weight == 1 else f" × {shown(each.weight)}"
        body.append(svg.label(16, y, each.name + weight, anchor="start"))
        body.append(svg.label(_LEFT + 30, y, str(each.max)))
        body.append(svg.label(_LEFT + 90, y, str(each.min)))
        if each.share:
            right = each.share > 0
            left = _MIDDLE if right else _MIDDLE - length
            body.append(svg.rect(left, y - 8, length, 16, "fill-max" if right else "fill-min", 2))
        body.append(svg.label(_MIDDLE + _REACH + 45, y, signed(each.share)))
    body.append(svg.label(16, bottom + 8, "sum", anchor="start"))
    body.append(svg.label(_MIDDLE + _REACH + 45, bottom + 8, signed(total)))
    described = "; ".join(f"{each.name} {signed(each.share)}" for each in shares)
    return svg.picture(_WIDTH, bottom + 30, title, f"{described}; sum {signed(total)}", body)
