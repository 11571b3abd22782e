"""What engines declare about themselves, in one line each: options and features."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold.protocols.uci_engine import _declared
from threefold.protocols.xboard_engine import _features

TEXTS = st.lists(
    st.sampled_from(("Skill", "Level", "name", "value", "1", "-", "typed")), min_size=1, max_size=3
).map(" ".join)


@given(TEXTS, st.lists(TEXTS, max_size=3), st.integers(-9, 9), st.integers(10, 99))
def test_options_of_uci(name: str, choices: list[str], least: int, most: int) -> None:
    combo = _declared(
        f"option name {name} type combo default x y" + "".join(f" var {c}" for c in choices)
    )
    assert combo is not None
    assert (combo.name, combo.type, combo.choices) == (name, "combo", tuple(choices))
    spin = _declared(f"option  name {name}  type spin default 3 min {least} max {most}")
    assert spin is not None
    assert (spin.name, spin.type, spin.bounds) == (name, "spin", {"min": least, "max": most})


@pytest.mark.parametrize(
    "line",
    ["", "option", "option name", "option name type spin", "option name Hash type", "id name"],
)
def test_lines_that_declare_no_option(line: str) -> None:
    assert _declared(line) is None


QUOTED = st.text("ab 1=/-*", max_size=8)


@given(
    st.lists(
        st.tuples(st.sampled_from(("ping", "myname", "option")), QUOTED, st.booleans()), max_size=4
    )
)
def test_features_of_xboard(declared: list[tuple[str, str, bool]]) -> None:
    parts, expected = [], []
    for name, value, plain in declared:
        if plain and value.isalnum():
            parts.append(f"{name}={value}")
        else:
            parts.append(f'{name}="{value}"')
        expected.append((name, value))
    assert list(_features(f"feature {' '.join(parts)}")) == expected


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "line",
    [
        "option name" + " " * 60_000,
        "option name x type " * 4_000,
        "option name x type combo " + "var " * 16_000,
        "x" * 65_000,
        "=" * 65_000,
        'a="' * 20_000,
    ],
)
def test_long_nonsense_is_read_quickly(line: str) -> None:
    """The time grows with the length, and not with its square or cube."""
    _declared(line)
    list(_features(line))
