"""Making end-game databases: from a game's rules to verified tables on disk."""
