"""A module of an author's own, for rules that reach into it."""


def square(x: int) -> int:
    return x * x


MOST = 3
