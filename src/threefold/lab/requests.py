"""What a page asks for, parsed with care: nothing in it is trusted unchecked."""

from collections.abc import Collection, Mapping
from typing import Any

from threefold.errors import ThreefoldError
from threefold.rules.text import shorten


class BadRequest(ThreefoldError):
    """A page asked for something in a way that cannot be understood, or for too much."""


class Request(Mapping[str, Any]):
    """The fields of one request; each is checked as it is fetched."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Any:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def text(self, name: str, most: int, default: str | None = None) -> str:
        """A text of at most `most` characters."""
        value = self._fields.get(name, default)
        if not isinstance(value, str):
            raise BadRequest(f"{name} is not a text")
        if len(value) > most:
            raise BadRequest(f"{name} is {len(value):,} characters long; the limit is {most:,}")
        if not _is_writable(value):
            raise BadRequest(f"{name} has half of a character in it, which cannot be written")
        return value

    def choice(self, name: str, of: Collection[str], default: str | None = None) -> str:
        """One of some texts."""
        value = self.text(name, 100, default)
        if value not in of:
            raise BadRequest(f"{name} {shorten(value)} is not one of {', '.join(of)}")
        return value

    def whole(self, name: str, least: int, most: int, default: int | None = None) -> int:
        """A whole number in range."""
        value = self._fields.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise BadRequest(f"{name} is not a whole number from {least} to {most}")
        return value

    def number(self, name: str, least: float, most: float, default: float | None = None) -> float:
        """A number in range."""
        value = self._fields.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadRequest(f"{name} is not a number")
        if not least <= value <= most:  # false for NaN
            raise BadRequest(f"{name} is not a number from {least:g} to {most:g}")
        return float(value)

    def texts(self, name: str, most: int, length: int = 100) -> list[str]:
        """A list of short texts."""
        value = self._fields.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise BadRequest(f"{name} is not a list of texts")
        if len(value) > most or any(len(item) > length for item in value):
            raise BadRequest(f"{name}: the limit is {most:,} texts of {length} characters")
        if not all(map(_is_writable, value)):
            raise BadRequest(f"{name} has half of a character in it, which cannot be written")
        return value

    def has(self, name: str) -> bool:
        """Whether a field is present and not null."""
        return self._fields.get(name) is not None


def _is_writable(text: str) -> bool:
    """Whether a text has no lone surrogate, which JSON can hold and UTF-8 cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
