"""The generic notation: a State's fields by name, `stones=5,turn=0`, and moves as numbers."""

import ast
import unicodedata
import warnings
from collections.abc import Iterable
from difflib import get_close_matches
from threading import Lock
from typing import Any

from threefold.errors import without_middle
from threefold.rules.bits import is_word

#: Unicode's categories of characters that cannot be seen or that break a line, except spaces.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def shorten(text: str, limit: int = 60) -> str:
    """A quoted text, short enough for a one-line error."""
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")


def printable(text: str, limit: int | None = None, keep: str = "") -> str:
    """A text from elsewhere, safe for a terminal: characters that cannot be seen are spelled out.

    These are control characters, with which a text could do anything to a screen, and marks that
    reverse or hide the text beside them; except those in `keep`.
    """
    if limit is not None and len(text) > limit:
        text = text[: limit - 1] + "…"
    if text.isprintable():
        return text
    return "".join(
        sign.encode("unicode_escape").decode()
        if unicodedata.category(sign) in _UNSEEN and sign not in keep
        else sign
        for sign in text
    )


def listing(texts: list[str], limit: int = 12) -> str:
    """`a, b, c`, cut off with `…` if it is long."""
    return ", ".join(texts if len(texts) <= limit else [*texts[:limit], "…"])


def did_you_mean(given: object, known: Iterable[str]) -> str:
    """What to say about a name that does not exist: the most similar one that does, or all."""
    names = [*known]
    folded = {name.lower(): name for name in reversed(names)}
    near = get_close_matches(str(given).lower()[:100], folded, n=1)
    if near:
        return f"did you mean {folded[near[0]]}?"
    return f"one of {', '.join(names)}" if names else "there are none"


def wrong_count(hook: str, returned: object) -> str:
    """What to say about a hook that should have returned how many entries it wrote."""
    kind = type(returned).__name__
    entries = "words" if hook == "features" else "moves"
    if kind == "generator":
        return f"{hook} is a generator; write the {entries} to out[n], without yield, and return n"
    if isinstance(returned, list | tuple | set | dict):
        return (
            f"{hook} returned a {kind}; write the {entries} to out[n] and return n, how many "
            "there are"
        )
    if returned is None:
        return f"{hook} returned None; end it with return n, how many {entries} it wrote to out"
    shown = shorten(repr(returned))[1:-1]
    return f"{hook} returned {shown}, not how many {entries} it wrote to out"


def past_64_bits(value: int) -> str:
    """What to do about a number that does not fit into a word."""
    bits = value.bit_length() + (value < 0)
    if value >= 0 and bits <= 64:
        return f"it is past 64 bits signed; the same bits are {value - (1 << 64)}"
    return (
        f"it takes {bits} bits, and a word has 64; split the board into {-(-bits // 64)} fields, "
        "as threefold.rules.wide does"
    )


def is_record(s: object) -> bool:
    """Whether a position is a NamedTuple."""
    return isinstance(s, tuple) and hasattr(type(s), "_fields")


def format_fields(s: Any) -> str:
    """A NamedTuple's fields by name; for any other position its `repr`."""
    if not is_record(s):
        return repr(s)
    return ",".join(f"{name}={_plain(value)}" for name, value in zip(s._fields, s, strict=True))


def parse_fields(example: Any, text: str) -> Any:
    """Read what `format_fields` wrote for a position of the same type as `example`.

    Bare values in the order of the fields, `5,0`, are understood too.
    """
    if not is_record(example):
        position = _literal(text)
        if type(position) is not type(example):
            raise ValueError(f"a {type(example).__name__} is wanted, like {_brief(example)}")
        return position
    kind = type(example)
    values = _fields(kind._fields, text)
    if set(values) != set(kind._fields):
        raise ValueError(f"{len(kind._fields)} fields are wanted, like {format_fields(example)}")
    for name, value in values.items():
        if isinstance(getattr(example, name), int):
            if not isinstance(value, int):
                raise ValueError(f"{name} is {_brief(value)}, not a whole number")
            if not is_word(value):
                raise ValueError(f"{name} is {_brief(value)}, which does not fit into 64 bits")
    return kind(**values)


def _fields(names: tuple[str, ...], text: str) -> dict[str, Any]:
    """The values of `a=1,b=2`, or of `1,2`, by name."""
    try:
        call = _syntax(f"_({text})")
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise ValueError("it is not written as name=value,name=value…") from None
    if not isinstance(call, ast.Call) or len(call.args) > len(names):
        raise ValueError(f"the fields are {', '.join(names)}")
    values = dict(zip(names, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg not in names:
            unknown = shorten(keyword.arg or "**")
            raise ValueError(f"there is no field {unknown}: the fields are {', '.join(names)}")
        if keyword.arg in values:
            raise ValueError(f"{keyword.arg} is given twice")
        values[keyword.arg] = keyword.value
    return {name: _literal(value) for name, value in values.items()}


def _plain(value: object) -> str:
    return str(int(value)) if isinstance(value, int) else repr(value)


def _brief(value: object) -> str:
    return without_middle(repr(value), 60)


def _literal(text: str | ast.expr) -> Any:
    try:
        return ast.literal_eval(_syntax(text.strip()) if isinstance(text, str) else text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        shown = text if isinstance(text, str) else _source(text)
        raise ValueError(f"{shorten(shown)} is not a value") from None


def _source(expression: ast.expr) -> str:
    try:
        return ast.unparse(expression)
    except (RecursionError, ValueError):  # too deep, or a number of too many digits
        return "…"


#: Python's warnings can only be switched for all threads at once.
_switching_warnings = Lock()


def _syntax(text: str) -> ast.expr:
    """A text parsed as Python; what Python only warns about, like `"\\d"`, is an error too."""
    with _switching_warnings, warnings.catch_warnings():
        warnings.simplefilter("error")
        return ast.parse(text, mode="eval").body
