"""Learning: evaluations that a game teaches itself."""
