"""The player that has a strategy for the whole of a game before it begins."""

from typing import Any

from threefold.arena.line_options import check_options, check_words, read_number, read_whole
from threefold.arena.lines import PlayerLine
from threefold.protocols.player import Budget, Player, Reply, Turn
from threefold.rules.game import Game


class Regrets(Player[Any]):
    """A strategy for the whole of a game that hides something, found before the first move."""

    def __init__(self, line: PlayerLine, game: Game[Any], _: Budget) -> None:
        from threefold.solve.sequence_form import check_rememberable

        check_words(line, 0)
        check_options(line, ("exploitability", "iterations", "memory", "method", "seed"))
        check_rememberable(game)
        super().__init__(game, Budget())
        given = line.options
        self._options: dict[str, Any] = {"method": given.get("method", "auto")}
        for name, asked in (
            ("iterations", "iterations"),
            ("memory", "megabytes"),
            ("seed", "seed"),
        ):
            if name in given:
                self._options[asked] = read_whole(
                    line, given[name], least=0 if name == "seed" else 1
                )
        if "exploitability" in given:
            self._options["exploitability"] = read_number(line, given["exploitability"])

    def prepare(self) -> None:
        """Solve the game."""
        from threefold.solve.regret_search import solved_by_regret

        self._strategy = solved_by_regret(self.game, progress=False, **self._options)

    def choose(self, turn: Turn[Any]) -> Reply:
        """A move at random, by the chances that the strategy gives to each."""
        return Reply(self._strategy.choose(turn.position, turn.seed))
