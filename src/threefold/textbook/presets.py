"""Worked examples: trees that lectures and books work through by hand."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Preset:
    """A tree, with the procedure it illustrates best."""

    name: str
    tree: str
    procedure: str
    about: str


PRESETS = (
    Preset(
        "Three times three",
        "((3 12 8) (2 4 6) (14 5 2))",
        "alphabeta",
        "The usual first example: the value is 3, and alpha-beta never looks at 4 and 6.",
    ),
    Preset(
        "The smallest cut",
        "A(B(D:3 E:5) C(F:-5 G))",
        "alphabeta",
        "One cut. The leaf behind it has no value at all, because no one needs it.",
    ),
    Preset(
        "Two plies deeper",
        "A(B(D(H:3 I:17) E(J:2 K:12)) C(F(L:15 M:25) G(N:0 O:2)))",
        "alphabeta",
        "MAX, MIN and MAX again: windows are passed down and get narrower.",
    ),
    Preset(
        "Perfect order",
        "((3 4 5) (3 6 7) (2 8 9))",
        "alphabeta",
        "The best move comes first everywhere: no procedure can do with fewer leaves.",
    ),
    Preset(
        "Worst order",
        "((9 8 2) (7 6 3) (5 4 3))",
        "alphabeta",
        "The best move comes last everywhere: nothing is cut, and alpha-beta is minimax.",
    ),
    Preset(
        "Ties at both sides",
        "A(B(D(H:3 I:1) E(J:3 K:7)) C(F(L:3 M:2) G(N:6 O:4)))",
        "alphabeta-hard",
        "Where equality cuts decides what is skipped. The slides' listing is --cut "
        "max=equal,min=strict: it skips K and O.",
    ),
    Preset(
        "Scout and search again",
        "((5 8 7) (9 6 8) (4 2 3))",
        "scout",
        "The second move is tested with a null window, turns out better, and is searched again.",
    ),
    Preset(
        "Dice",
        "(~(0.5*3 0.5*9) ~(0.9*5 0.1*20))",
        "expectiminimax",
        "Nature moves between the players: values are expectations.",
    ),
    Preset(
        "Not quiet yet",
        "A(B:6!(D:-3 E:2) C:3)",
        "quiescence",
        "B looks good, but it is in the middle of an exchange.",
    ),
    Preset(
        "Payoffs for each",
        "(<3,1> (<1,4> <4,2>))",
        "maxn",
        "Both players want their own number to be large.",
    ),
    Preset(
        "Rounds of simulations",
        "((1 9 9) (4 5 6))",
        "mcts",
        "Random moves make B look better. Round by round the visits go to C, as MIN's reply shows.",
    ),
)
