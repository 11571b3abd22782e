"""Leduc poker solved by CFR+: `game.solve`, from the call to the answer, beside OpenSpiel's C++.

Both go on until the exploitability is below 3e-4. Their first hundred iterations are the same, and
later ones differ by how sums are rounded. Ours looks at its averages as it goes, and that counts;
those of OpenSpiel are looked at every fifty iterations, and that does not. Time is CPU time of all
threads. The first call, which compiles, is left out.
"""

import time
from collections.abc import Iterator

from comparison import AtMost, Comparison, LeftOut, Seconds, quickest, say

from threefold import game
from threefold.solve.regret_search import solved_by_regret

GAME, PEER = "leduc-poker", "leduc_poker"
WANTED = 3e-4
#: OpenSpiel takes some twelve seconds, and this is to take two.
WANTED_SECONDS, WANTED_RATIO = 2.0, 6.0
LOOK_EVERY = 50


def measure() -> Iterator[Seconds | AtMost | Comparison | LeftOut]:
    leduc = game(GAME)
    say(f"{GAME} by CFR+")
    solved_by_regret(leduc, iterations=1, progress=False)  # compiles
    seconds, found = quickest(
        lambda: solved_by_regret(leduc, exploitability=WANTED, progress=False),
        clock=time.process_time,
    )
    assert found.exploitability is not None
    what = f"{GAME} to an exploitability below {WANTED:g}, {found.iterations} iterations"
    yield AtMost(f"{GAME} by CFR+, exploitability", found.exploitability, "chips", WANTED)
    yield Seconds(what, seconds, WANTED_SECONDS)
    try:
        import pyspiel
    except ImportError:
        yield LeftOut(what, 'pip install -e ".[bench]" installs OpenSpiel')
        return
    say("OpenSpiel's CFRPlusSolver")
    peer = pyspiel.load_game(PEER)
    solver = pyspiel.CFRPlusSolver(peer)
    theirs, reached = 0.0, 1.0
    while reached >= WANTED:
        began = time.process_time()
        for _ in range(LOOK_EVERY):
            solver.evaluate_and_update_policy()
        theirs += time.process_time() - began
        reached = pyspiel.nash_conv(peer, solver.tabular_average_policy(), True) / 2
    yield Comparison(
        what, 1 / seconds, "OpenSpiel's CFRPlusSolver (C++)", 1 / theirs, "times/s", WANTED_RATIO
    )
