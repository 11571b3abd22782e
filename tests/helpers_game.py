"""A module with a game in it."""

import nim

pile = nim.nim()
