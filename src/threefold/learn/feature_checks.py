"""Whether a game can be learned: checked on a sample of positions before the training begins."""

import random
from typing import Any, Final

from threefold.errors import BrokenRules
from threefold.rules.asking import Asker
from threefold.rules.contract import MAX, MIN
from threefold.rules.game import Game
from threefold.rules.strict_row import Broken

#: How many positions of random games are looked at.
_POSITIONS: Final = 200


def check_features(game: Game[Any], seed: int = 0) -> int:
    """How many words of features a game has; raise unless they are a function of the position.

    Every position of the sample is asked about again at the end, since what depends on anything
    else may have changed by then.
    """
    sample = _sample(game, seed)
    asker = Asker(game)
    first: list[list[int]] = []
    for again in (False, True):
        for number, s in enumerate(sample):
            words = [_asked(asker, s, p) for p in (MAX, MIN)]
            if not again:
                first.append(words[0] + words[1])
            elif words[0] + words[1] != first[number]:
                raise _broken(game, s, "features are not the same each time a position is asked")
            for each in words:
                if not each:
                    raise _broken(game, s, "features wrote no words, so a net would see nothing")
                if len(each) != len(first[0]) // 2:
                    raise _broken(
                        game,
                        s,
                        f"features returned {len(each)} here and {len(first[0]) // 2} at the "
                        "start; write the same number of words for every position and player",
                    )
    return len(first[0]) // 2


def _sample(game: Game[Any], seed: int) -> list[Any]:
    """Positions of random games, the first one the start."""
    rng = random.Random(seed)
    sample: list[Any] = []
    s = game.initial()
    while len(sample) < _POSITIONS:
        sample.append(s)
        moves = game.moves(s)
        s = game.result(s, rng.choice(moves)) if moves else game.initial()
    return sample


def _asked(asker: Asker[Any], s: Any, p: int) -> list[int]:
    try:
        return asker.features(s, p)
    except Broken as defect:
        raise _broken(asker.game, s, defect.sentence) from defect


def _broken(game: Game[Any], s: Any, what: str) -> BrokenRules:
    return BrokenRules(f"{game.name}: {what}; position: {game.show(s)}")
