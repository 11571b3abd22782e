"""Means of whole numbers, rounded to whole numbers."""


def rounded_mean(total: int, weight: int) -> int:
    """`total / weight` to the nearest integer, halves away from zero, so that signs commute."""
    if total < 0:
        return -((2 * -total + weight) // (2 * weight))
    return (2 * total + weight) // (2 * weight)
