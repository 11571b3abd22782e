"""Programs as good students write them."""

from pathlib import Path

MINIMAX = """
def minimax(node):
    if not node.children:
        return node.value
    values = [minimax(child) for child in node.children]
    return max(values) if node.is_max else min(values)
"""

ALPHABETA = """
def alphabeta(node, alpha, beta):
    if not node.children:
        return node.value
    if node.is_max:
        value = float("-inf")
        for child in node.children:
            value = max(value, alphabeta(child, alpha, beta))
            if value >= beta:
                return value
            alpha = max(alpha, value)
    else:
        value = float("inf")
        for child in node.children:
            value = min(value, alphabeta(child, alpha, beta))
            if value <= alpha:
                return value
            beta = min(beta, value)
    return value
"""

FAIL_HARD = """
def alphabeta(node, alpha=float("-inf"), beta=float("inf")):
    if not node.children:
        return node.value
    for child in node.children:
        value = alphabeta(child, alpha, beta)
        if node.is_max:
            alpha = max(alpha, value)
            if alpha > beta:
                return beta
        else:
            beta = min(beta, value)
            if beta < alpha:
                return alpha
    return alpha if node.is_max else beta
"""

#: Alpha-beta with every choice of a convention open, as a student would write each.
_ANY = """
INF = float("inf")

def alphabeta(node, alpha, beta):
    return search(node, alpha, beta)

def search(node, alpha, beta):
    if not node.children:
        return node.value
    best = -INF if node.is_max else INF
    low, high = alpha, beta
    for child in node.children:
        value = search(child, alpha, beta)
        if node.is_max:
            best = max(best, value)
            alpha = max(alpha, best)
            if {tested_max} {at_max} beta:
                return {after_max}
        else:
            best = min(best, value)
            beta = min(beta, best)
            if {tested_min} {at_min} alpha:
                return {after_min}
    return {otherwise_max} if node.is_max else {otherwise_min}
"""


def alpha_beta(
    *,
    at_max: bool,
    at_min: bool,
    after: tuple[bool, bool],
    otherwise: tuple[bool, bool],
    bounds: bool = True,
) -> str:
    """A program: where equality cuts, what MAX and MIN return, and whether it tests the bounds."""
    return _ANY.format(
        tested_max="alpha" if bounds else "best",
        tested_min="beta" if bounds else "best",
        at_max=">=" if at_max else ">",
        at_min="<=" if at_min else "<",
        after_max="best" if after[0] else "beta",
        after_min="best" if after[1] else "alpha",
        otherwise_max="best" if otherwise[0] else "max(best, low)",
        otherwise_min="best" if otherwise[1] else "min(best, high)",
    )


#: The fail-hard listing of the slides, line by line.
SLIDES = (Path(__file__).parents[1] / "examples" / "students" / "fail_hard.py").read_text("utf-8")

NEGAMAX = """
def alphabeta(node):
    value = search(node, float("-inf"), float("inf"))
    return value if node.is_max else -value

def search(node, alpha, beta):
    if not node.children:
        return node.value if node.is_max else -node.value
    for child in node.children:
        alpha = max(alpha, -search(child, -beta, -alpha))
        if alpha >= beta:
            break
    return alpha
"""

#: The five steps: list the whole tree, read the leaves, back the values up.
LAYERS = """
def minimax(node):
    layers = [[node]]
    while layers[-1]:
        layers.append([child for one in layers[-1] for child in one.children])
    value = {}
    for layer in layers[::-1]:
        for one in layer:
            below = [value[child.name] for child in one.children]
            value[one.name] = (max(below) if one.is_max else min(below)) if below else one.value
    return value[node.name]
"""
