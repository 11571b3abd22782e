"""Exact answers: what a position is worth when both sides play perfectly."""

from threefold.solve.proof import prove
from threefold.solve.solve import Solver, solve

__all__ = ["Solver", "prove", "solve"]
