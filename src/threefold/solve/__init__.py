"""Exact answers: what a position is worth when both sides play perfectly."""

from threefold.solve.proof import prove
from threefold.solve.solve import solve

__all__ = ["prove", "solve"]
