"""An engine that gets ready in the background, so that nobody waits for the compiler."""

import threading
from typing import TYPE_CHECKING, Any, Final

from threefold.engine import background
from threefold.engine.uncompiled import bind
from threefold.errors import ThreefoldError
from threefold.rules.game import Game

if TYPE_CHECKING:
    from threefold.engine.compile import Compiled
    from threefold.engine.searchers import GameSearcher


#: The size of the table where nobody asks for another, in MB.
DEFAULT_MEGABYTES: Final = 64


class Loading:
    """The search for a game, being loaded or compiled from the moment this is made."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game
        #: Why there will be no compiled search, if that is so; known once it is over.
        self.failure = ""
        self._compiled: Compiled[Any] | None = None
        self._over = threading.Event()
        bind(game)  # what stands in for it meanwhile is there at once
        # A process that ends while this runs does not wait for it: `background` sees to that.
        work = threading.Thread(target=background.finish, args=(self._load,), daemon=True)
        work.start()

    def is_over(self, seconds: float = 0.0) -> bool:
        """Wait at most this long; whether the engine is ready, or never will be."""
        return self._over.wait(seconds)

    def engine(self, game: Game[Any], megabytes: int, threads: int) -> "GameSearcher[Any]":
        """An engine for a game with the same rules; only once it is ready."""
        from threefold.engine.searchers import searcher

        assert self._compiled is not None
        return searcher(game, megabytes=megabytes, threads=threads, compiled=self._compiled)

    def _load(self) -> None:
        try:
            from threefold.engine.limits import Limits
            from threefold.engine.searchers import compiled_for, searcher

            compiled = compiled_for(self.game)
            # What else is loaded at the first search is loaded now.
            engine = searcher(self.game, megabytes=1, compiled=compiled)
            engine.analyze(None, Limits(depth=1) if engine.deepens else Limits(nodes=1))
            self._compiled = compiled
        except ThreefoldError as error:
            self.failure = str(error)
        except Exception as error:
            self.failure = f"{type(error).__name__}: {error}"
        finally:
            self._over.set()
