"""The conventions of alpha-beta that a student's program may follow, and what is none."""

import math
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from student_programs import (
    ALPHABETA,
    FAIL_HARD,
    LAYERS,
    NEGAMAX,
    SLIDES,
    alpha_beta,
)
from test_textbook_grade import graded, wrong
from test_textbook_grade import student as student

from threefold.rules.contract import MAX
from threefold.textbook.conventions import (
    HARD,
    SOFT,
    Convention,
    Returns,
    Run,
    fitting,
    probes,
)
from threefold.textbook.cut import CUTS, Cut
from threefold.textbook.explain import explain
from threefold.textbook.grade import random_trees
from threefold.textbook.replay import show
from threefold.textbook.tree import Node, parse_tree


@pytest.mark.parametrize(
    ("code", "recognized"),
    [
        (ALPHABETA.replace(">=", ">").replace("<=", "<"), "fail-soft, equality does not cut"),
        (ALPHABETA.replace(">=", ">"), "fail-soft, equality cuts at MIN only"),
        (ALPHABETA.replace("<=", "<"), "fail-soft, equality cuts at MAX only"),
        (SLIDES, "fail-hard, equality cuts at MAX only"),
        (
            FAIL_HARD.replace("> beta", ">= beta").replace("< alpha", "<= alpha"),
            "fail-hard, equality cuts at MAX and MIN",
        ),
        # It takes no window, so nothing shows what it returns outside one.
        (NEGAMAX, "equality cuts at MAX and MIN"),
        (
            ALPHABETA.replace(
                "(node, alpha, beta)", "(node, depth=0, alpha=-9e9, beta=9e9)"
            ).replace("(child, alpha, beta)", "(child, depth, alpha, beta)"),
            "equality cuts at MAX and MIN",
        ),
        # A fail-soft search, called by a function that returns the bound.
        (
            ALPHABETA.replace("alphabeta", "search").replace(">=", ">").replace("<=", "<")
            + "def alphabeta(node, alpha, beta):\n"
            "    return max(alpha, min(beta, search(node, alpha, beta)))\n",
            "fail-soft, equality does not cut",
        ),
    ],
)
def test_conventions_are_recognized(student: Path, code: str, recognized: str) -> None:
    found = graded(student, code)
    assert found.right, str(found)
    assert found.functions[0].recognized == recognized
    assert f"(recognized: {recognized})" in str(found)
    assert found.to_json()["functions"][0]["recognized"] == recognized


@pytest.mark.parametrize(
    "code", [ALPHABETA.replace(">=", ">").replace("<=", "<"), FAIL_HARD], ids=["soft", "hard"]
)
def test_equality_may_cut_or_not(student: Path, code: str) -> None:
    found = graded(student, code)
    assert found.right, str(found)
    assert found.functions[0].cut == "strict"
    assert "equality does not cut" in str(found)


@pytest.mark.parametrize("at_max", [True, False])
@pytest.mark.parametrize("at_min", [True, False])
@pytest.mark.parametrize("soft", [True, False])
@pytest.mark.parametrize("bounds", [True, False])
def test_every_printed_convention_is_right(
    student: Path, at_max: bool, at_min: bool, soft: bool, bounds: bool
) -> None:
    """Where equality cuts × fail-soft or fail-hard × what is tested."""
    both = (soft, soft)
    code = alpha_beta(at_max=at_max, at_min=at_min, after=both, otherwise=both, bounds=bounds)
    found = graded(student, code)
    assert found.right, str(found)
    assert found.functions[0].cut == str(Cut(at_max, at_min))
    name = "fail-soft" if soft else "fail-hard"
    assert found.functions[0].recognized == f"{name}, {Cut(at_max, at_min).where}"


class Watched:
    """A node as a program sees it, which remembers the leaves looked at."""

    def __init__(self, node: Node, leaves: list[str]) -> None:
        self.name, self.is_max = node.name, node.player == MAX
        self.children = tuple(Watched(child, leaves) for child in node.children)
        self._value, self._leaves = node.value, leaves

    @property
    def value(self) -> Any:
        if not self.children and self.name not in self._leaves:
            self._leaves.append(self.name)
        return None if self.children else self._value


def program(code: str) -> Callable[..., Run]:
    """A program to run on a tree's text, and on a window."""
    student: dict[str, Any] = {}
    exec(code, student)

    def run(text: str, alpha: float = -math.inf, beta: float = math.inf) -> Run:
        leaves: list[str] = []
        return student["alphabeta"](Watched(parse_tree(text), leaves), alpha, beta), leaves

    return run


def followed(code: str, texts: list[str]) -> list[Convention]:
    """The conventions that a program agrees with on the trees and the probes."""
    run = program(code)
    asked = probes(tuple(texts))
    probed = [run(one.tree, one.alpha, one.beta)[0] for one in asked]
    return fitting(texts, [run(text) for text in texts], asked, [float(one) for one in probed])


@pytest.mark.parametrize("returns", [*product([True, False], repeat=4)])
def test_every_other_convention_fits_too(returns: tuple[bool, bool, bool, bool]) -> None:
    """MAX and MIN return soft or hard values after a cut and elsewhere: run here, which is fast."""
    a, b, c, d = returns
    texts = random_trees(60, seed=1)
    for at_max, at_min, bounds in product([True, False], repeat=3):
        code = alpha_beta(
            at_max=at_max, at_min=at_min, after=(a, b), otherwise=(c, d), bounds=bounds
        )
        ours = Convention(Cut(at_max, at_min), Returns(a, c), Returns(b, d), bounds)
        run = program(code)
        for text, window in product(texts, ((-math.inf, math.inf), (-2, 1))):
            assert ours.run(parse_tree(text), *window) == run(text, *window), (code, text, window)
        fit = followed(code, texts)
        assert ours in fit
        assert {one.cut for one in fit} == {ours.cut}


def test_the_open_convention_is_the_printed_procedures() -> None:
    """The grader's own run, with its choices made, against the procedures step by step."""
    for text in random_trees(60, seed=5):
        for cut in CUTS:
            for returns, procedure in ((SOFT, "alphabeta"), (HARD, "alphabeta-hard")):
                for window in ({}, {"alpha": -2, "beta": 1}):
                    run = explain(procedure, parse_tree(text), cut=cut, **window)  # type: ignore[arg-type]
                    leaves = [event.node for event in run.events if event.kind == "leaf"]
                    ours = Convention(cut, returns, returns, procedure == "alphabeta-hard")
                    found = ours.run(parse_tree(text), **window)
                    assert found == (run.value, leaves), (text, cut, procedure)


def test_minimax_may_go_layer_by_layer(student: Path) -> None:
    found = graded(student, LAYERS)
    assert found.right, str(found)
    assert found.functions[0].recognized == "layer by layer from the bottom"
    first_reads = LAYERS.replace(
        "    value = {}",
        "    value = {}\n    for layer in layers:\n"
        "        for one in layer:\n            one.value",
    )
    assert graded(student, first_reads).functions[0].recognized == "layer by layer from the top"
    backwards = LAYERS.replace("for one in layer:", "for one in layer[::-1]:")
    assert wrong(student, backwards).kind == "order"


#: Equality cuts here and not there: at nodes of the same player, so it is no convention.
MIXED = {
    "by the number of children": "len(node.children) == 2",
    "by the name": "node.name < 'E'",
    "by the first child": "node.children[0].children",
    "by the value": "best > 0",
}


@pytest.mark.parametrize("where", MIXED.values(), ids=MIXED)
@pytest.mark.parametrize("soft", [True, False])
def test_a_mixture_is_no_convention(student: Path, where: str, soft: bool) -> None:
    code = alpha_beta(at_max=False, at_min=False, after=(soft,) * 2, otherwise=(soft,) * 2)
    code = code.replace("alpha > beta", f"alpha > beta or (alpha == beta and {where})")
    code = code.replace("beta < alpha", f"beta < alpha or (alpha == beta and {where})")
    first = wrong(student, code)
    assert first.kind == "cuts"
    assert first.explanation.endswith("Choose one rule for MAX and one for MIN.")


@pytest.mark.parametrize("seed", range(1, 11))
def test_every_printed_convention_is_right_for_many_seeds(seed: int) -> None:
    texts = random_trees(100, seed)
    for at_max, at_min, soft in product([True, False], repeat=3):
        both = (soft, soft)
        code = alpha_beta(at_max=at_max, at_min=at_min, after=both, otherwise=both)
        first = followed(code, texts)[0]
        returns = SOFT if soft else HARD
        assert (first.cut, first.at_max, first.at_min) == (Cut(at_max, at_min), returns, returns)


#: What is wrong with a program that looks right on most trees.
SUBTLE = {
    "b replaced": ("beta = min(beta, value)", "beta = value"),
    "a replaced": ("alpha = max(alpha, value)", "alpha = value"),
    "low start": ('float("-inf")', "-10"),
    "high start": ('float("inf")', "10"),
    "more than found at MAX": (
        "beta:\n                return value",
        "beta:\n                return value + 1",
    ),
    "less than found at MIN": (
        "alpha:\n                return value",
        "alpha:\n                return value - 1",
    ),
    "infinity": (
        "beta:\n                return value",
        "beta:\n                return float('inf')",
    ),
    "past the bound": (
        "beta:\n                return value",
        "beta:\n                return beta + 1",
    ),
}


@pytest.mark.parametrize(("right", "mistaken"), SUBTLE.values(), ids=SUBTLE)
def test_a_subtle_mistake_is_caught_with_every_seed(right: str, mistaken: str) -> None:
    assert right in ALPHABETA
    for seed in range(1, 11):
        assert followed(ALPHABETA.replace(right, mistaken), random_trees(100, seed)) == []


def test_what_is_no_bound_outside_a_window(student: Path) -> None:
    code = ALPHABETA.replace(*SUBTLE["more than found at MAX"])
    first = wrong(student, code)
    assert first.kind == "value"
    assert first.window
    alpha, beta = map(show, first.window)
    assert f"on tree {first.number} with alpha = {alpha} and beta = {beta}: " in str(first)
    assert re.fullmatch(
        rf"alphabeta\(A, {alpha}, {beta}\) returned {first.found_value}, but A is worth −?\d+, "
        rf"above this window: right is {beta} \(fail-hard\) or −?\d+ \(fail-soft\)\.",
        first.explanation,
    )
    assert 0 < graded(student, code).functions[0].right_trees < 60


def test_a_mixture_outside_a_window(student: Path) -> None:
    """Each value is one that a convention returns, but no convention returns them all."""
    soft = alpha_beta(at_max=True, at_min=True, after=(True, True), otherwise=(True, True))
    code = soft.replace(
        "    return search",
        "    if alpha % 3 == 0:\n        return max(alpha, min(beta, search(node, alpha, beta)))\n"
        "    return search",
    )
    first = wrong(student, code)
    assert re.fullmatch(
        r"alphabeta\(.*\) returned .*, but for other windows alphabeta is fail-\w+, which returns "
        r"−?\d+ here\. Choose one rule for MAX and one for MIN\.",
        first.explanation,
    )


@pytest.mark.parametrize(
    ("body", "kind", "why"),
    [
        ("while alpha > -INF: pass", "failure", "The time limit of 3 seconds was reached while"),
        ("alpha > -INF and 1 / 0", "failure", "alphabeta raised ZeroDivisionError at line "),
        ("if alpha > -INF: return 'x'", "value", " returned 'x', of type str; it should return"),
    ],
)
def test_a_window_that_gives_no_number(student: Path, body: str, kind: str, why: str) -> None:
    code = alpha_beta(at_max=True, at_min=True, after=(True, True), otherwise=(True, True))
    code = code.replace("    return search", f"    {body}\n    return search")
    first = wrong(student, code, seconds=3)
    assert first.kind == kind
    assert first.window
    assert re.match(r"alphabeta\(A, −?\d+, −?\d+\)", first.explanation)
    assert why in first.explanation
