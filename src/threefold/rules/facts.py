"""What kind of game it is."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Typical:
    """How large a game's tree is, on average. Nature's events count as neither moves nor plies."""

    #: Moves in a position.
    branching: float
    #: Plies in a game.
    length: float
    #: Where the figures come from.
    source: str


@dataclass(frozen=True)
class Facts:
    """What kind of game it is; every search checks this first."""

    zero_sum: bool
    deterministic: bool
    perfect_information: bool
    finite: bool
    max_moves: int
    max_ply: int
    move_range: int
    players: int = 2
    #: How many observe the game by themselves: players, or partners where a player is a side.
    seats: int = 2
    discrete: bool = True
    typical: Typical | None = None

    def unfit_for(self, zero_sum: bool, perfect_information: bool, two_players: bool) -> str:
        """What a search is for that needs such a game and cannot have this one; else nothing."""
        if two_players and self.players > 2:
            return f"two players; {{name}} has {self.players}: try explain maxn"
        if zero_sum and not self.zero_sum:
            return "zero-sum games, and {name} is not one"
        if perfect_information and not self.perfect_information:
            return "games of perfect information, and {name} hides some"
        return ""

    def __str__(self) -> str:
        return ", ".join(
            (
                f"{self.players} players",
                "zero-sum" if self.zero_sum else "not zero-sum",
                "deterministic" if self.deterministic else "chance",
                "perfect information" if self.perfect_information else "hidden information",
                "discrete" if self.discrete else "continuous",
                "finite" if self.finite else "not finite",
            )
        )
