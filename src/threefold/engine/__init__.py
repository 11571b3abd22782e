"""The compiled way: a game's rules and the searches over them, as machine code."""
