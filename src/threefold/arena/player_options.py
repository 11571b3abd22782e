"""What a player's line may say: examples, and reading what it says.

Each raises a `BadPlayer` that names the line, what is wrong with it and what would be right.
"""

from typing import Any, Final

from threefold.arena.lines import LIMITS, BadPlayer, PlayerLine
from threefold.rules.definition_checks import INFORMATION_SETS, WORLDS
from threefold.rules.text import did_you_mean, shorten

#: What a line of each kind may look like.
EXAMPLES: Final = {
    "alphabeta": "alphabeta(time=0.2) or alphabeta(depth=6,eval=material)",
    "mcts": "mcts(simulations=10000) or mcts(eval=NET.npz,simulations=400)",
    "cfr": "cfr(iterations=1000)",
    "rollout": "rollout(games=360) or rollout(time=1,truncate=8)",
    INFORMATION_SETS: "ismcts(simulations=10000) or ismcts(time=0.2)",
    WORLDS: "worlds(deals=50) or worlds(time=1,threads=2)",
    "random": "random",
    "level": "level(5)",
    "textbook": "textbook(minimax,depth=3)",
    "python": "python(FILE.py:NAME)",
    "uci": "uci(stockfish,Skill Level=5)",
    "xboard": "xboard(fairymax)",
    "gtp": "gtp(gnugo --mode gtp)",
}


def check_limits(line: PlayerLine) -> None:
    """Raise if a line limits a player whose limits are its own."""
    rolling = ("time", "tc", "nodes")
    own = {"random": (), "level": (), "cfr": (), "textbook": ("depth",), "rollout": rolling}
    known = own.get(line.kind, LIMITS)
    for name in line.options:
        if name in LIMITS and name not in known:
            raise BadPlayer(f"player {line}: {line.kind} has no option {name}")


def truth(line: PlayerLine, text: str) -> bool:
    """True or false."""
    if text not in ("true", "false"):
        raise BadPlayer(f"player {line}: {shorten(text)} is neither true nor false")
    return text == "true"


def check_words(line: PlayerLine, wanted: int) -> None:
    """Raise unless a line has so many words beside its options."""
    if len(line.words) != wanted:
        example = EXAMPLES[line.kind]
        raise BadPlayer(f"player {line} is not written like {example}")


def check_options(line: PlayerLine, known: tuple[str, ...]) -> None:
    """Raise if a line has other options."""
    for name in line.options:
        if name not in known:
            others = f"; {did_you_mean(name, known)}" if known else ": it has none"
            raise BadPlayer(f"player {line} has no option {shorten(name)}{others}")


def whole(line: PlayerLine, value: str, least: int = 1) -> int:
    """A whole number that is not too small."""
    if not value.isdecimal() or not least <= int(value) < 1 << 20:
        right = f"above {least - 1}" if least else "from 0 up"
        raise BadPlayer(f"player {line}: {shorten(value)} is not a whole number {right}")
    return int(value)


def as_whole(value: str) -> Any:
    """A number that may be negative, or what is written instead, for its owner to refuse."""
    try:
        return int(value)
    except ValueError:
        return value


def number(line: PlayerLine, value: str) -> float:
    """Any number."""
    try:
        return float(value)
    except ValueError:
        raise BadPlayer(f"player {line}: {shorten(value)} is not a number") from None
