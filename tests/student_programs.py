"""Programs as good students write them."""

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
