"""What a client may ask for at most, so that none can harm the machine or another client."""

from typing import Final

#: Bytes of a message that a client sends,
MAX_MESSAGE: Final = 256 * 1024
#: characters of a position and of a tree, moves of a game,
MAX_POSITION: Final = 2_000
MAX_TREE_TEXT: Final = 60_000
MAX_PLIES: Final = 3_000
#: events of a procedure that is explained,
MAX_EVENTS: Final = 60_000
#: and seconds that it takes,
MAX_LESSON_SECONDS: Final = 10.0
#: nodes of a tree that are drawn,
MAX_NODES: Final = 2_000
#: seconds of a search, and how many a client may have under way,
MAX_SECONDS: Final = 3_600
SEARCHES_PER_CLIENT: Final = 3
#: memory of a search's table and of a solver, in MB.
TABLE_MEGABYTES: Final = 8
SOLVER_MEGABYTES: Final = 256
#: Seconds that a solver may work for a page.
SOLVER_SECONDS: Final = 120
#: Clients at once: a large lecture hall.
MAX_CLIENTS: Final = 300
#: Requests of one client that are being worked on.
REQUESTS_PER_CLIENT: Final = 16
