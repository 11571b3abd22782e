"""The slides' fail-hard alpha-beta, transcribed by a student: an example for `threefold grade`."""


def alphabeta(state):
    if state.is_max:
        return max_value(state, float("-inf"), float("inf"))
    return min_value(state, float("-inf"), float("inf"))


def max_value(state, alpha, beta):
    if not state.children:
        return state.value
    for s in state.children:
        alpha = max(alpha, min_value(s, alpha, beta))
        if alpha >= beta:
            return beta
    return alpha


def min_value(state, alpha, beta):
    if not state.children:
        return state.value
    for s in state.children:
        beta = min(beta, max_value(s, alpha, beta))
        if beta < alpha:
            return alpha
    return beta
