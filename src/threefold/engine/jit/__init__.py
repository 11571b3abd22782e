"""The room for Numba: everything that needs its private parts, and nothing else."""
