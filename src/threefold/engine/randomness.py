"""Random numbers of templates: the same from the same seed, in every way of running them."""

from threefold.rules.bits import GOLDEN, add, lsr, mix, mul


def first_random(seed: int, game: int) -> int:
    """Where the random numbers of a game begin."""
    return mix(add(mix(seed), mul(game, GOLDEN)))


def next_random(random: int) -> int:
    """The next state of the generator, SplitMix64 (Steele, Lea and Flood, 2014)."""
    return add(random, GOLDEN)


def below(n: int, random: int) -> int:
    """A number from 0 to n - 1, for n of at most 32 bits."""
    return (lsr(mix(random), 32) * n) >> 32
