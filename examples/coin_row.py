"""Three players take turns taking a coin from either end of a row; each wants the most.

`threefold explain maxn --game coin_row.py` takes the 1, because Ben and Cid also look after
themselves, and ends up with 8. `paranoid` fears that they only want to hurt Ann: it takes the 4,
which is sure to bring 6.
"""

from typing import NamedTuple

from threefold import Game

LEFT, RIGHT = 0, 1


class State(NamedTuple):
    first: int  # the coins that are left: from this one
    last: int  # to this one
    ann: int
    ben: int
    cid: int
    turn: int


def coin_row(coins: tuple[int, ...] = (1, 2, 7, 3, 4)) -> Game[State]:
    """Take a coin from the left or the right end. Every player keeps what they take."""
    if not coins:
        raise ValueError("coins: at least one, like 1-2-7-3-4")

    def initial():
        return State(0, len(coins) - 1, 0, 0, 0, 0)

    def actions(s, out):
        n = min(2, s.last - s.first + 1)  # the last coin is at both ends
        for a in range(n):
            out[a] = a
        return n

    def result(s, a):
        coin = coins[s.first] if a == LEFT else coins[s.last]
        return State(
            s.first + (a == LEFT),
            s.last - (a == RIGHT),
            s.ann + coin * (s.turn == 0),
            s.ben + coin * (s.turn == 1),
            s.cid + coin * (s.turn == 2),
            (s.turn + 1) % 3,
        )

    def worth(s, p):  # what player p has, at the end and on the way there
        return (s.ann, s.ben, s.cid)[p]

    def render(s):
        left = " ".join(map(str, coins[s.first : s.last + 1])) or "no coin left"
        return f"{left}\nAnn {s.ann}, Ben {s.ben}, Cid {s.cid}"

    return Game(
        "Coin row",
        players=3,
        initial=initial,
        actions=actions,
        result=result,
        utility=worth,
        evaluate=worth,
        format_move=lambda _, a: ("left", "right")[a],
        render=render,
        sides=("Ann", "Ben", "Cid"),
        zero_sum=False,
        max_moves=2,
        max_ply=len(coins),
    )
