"""The GPU way: the same rules as CUDA device functions, one thread a game."""
