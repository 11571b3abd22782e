"""The most that a client may ask for, so that none can harm the machine or another client."""

from typing import Final

#: Bytes of a message that a client sends,
MAX_MESSAGE: Final = 256 * 1024
#: characters of a position and of a tree,
MAX_POSITION: Final = 2_000
MAX_TREE_TEXT: Final = 60_000
#: of a graph, expansions of a path search, and the limit of one that is limited in depth,
MAX_GRAPH_TEXT: Final = 20_000
MAX_EXPANSIONS: Final = 20_000
MAX_PATH_LIMIT: Final = 100
#: queens on a board, cities of a tour, and the seeds of both,
MAX_QUEENS: Final = 20
MAX_CITIES: Final = 40
MAX_SEED: Final = 999_999
#: rounds of simulations that are explained, and how much they explore,
MAX_LESSON_SIMULATIONS: Final = 500
MAX_EXPLORATION: Final = 10_000
#: episodes that are learned from, characters of one that is written down, stones of Nim,
MAX_LESSON_EPISODES: Final = 200
MAX_EPISODE_TEXT: Final = 1_000
MAX_STONES: Final = 20
#: iterations of regret minimization,
MAX_LESSON_ITERATIONS: Final = 100
#: moves of a game,
MAX_PLIES: Final = 3_000
#: places touched for one of them,
MAX_TOUCHED: Final = 20
#: games of a recorded match in a list,
MAX_ROWS: Final = 50
#: characters of an evaluation's weights,
MAX_WEIGHTS: Final = 2_000
#: events of a procedure that is explained,
MAX_EVENTS: Final = 60_000
#: and seconds that it takes,
MAX_LESSON_SECONDS: Final = 10.0
#: and those of all the parts of one answer together,
MAX_ANSWER_SECONDS: Final = 30.0
#: nodes of a tree that are drawn,
MAX_NODES: Final = 2_000
#: lines of play of a search,
MAX_LINES: Final = 500
#: seconds of a search, and how many searches a client may have running,
MAX_SECONDS: Final = 3_600
SEARCHES_PER_CLIENT: Final = 3
#: Memory for all searches of all pages together, in MB; on a small machine, 1/n of its memory;
LAB_MEGABYTES: Final = 1_024
SHARE_OF_THE_MACHINE: Final = 4
#: how much of it a search takes for its table, or for the tree of its simulations,
TABLE_MEGABYTES: Final = 8
SIMULATIONS_MEGABYTES: Final = 32
#: what a solver takes, the least it is worth starting with, and what it leaves to searches.
SOLVER_MEGABYTES: Final = 256
LEAST_SOLVER_MEGABYTES: Final = 64
LEFT_TO_SEARCHES: Final = 128
#: Seconds that a search waits for memory before the page is asked to try again.
SECONDS_TO_WAIT: Final = 10.0
#: Seconds that a solver may work for a page.
SOLVER_SECONDS: Final = 120
#: Games with hidden information that the lab keeps at the same time, seconds after which one that
#: nobody looks at is forgotten, and seconds for which it is kept even if others want its place.
MAX_TABLES: Final = 500
TABLE_SECONDS: Final = 6 * 3_600.0
TABLE_KEPT_SECONDS: Final = 600.0
#: Clients at the same time: a large lecture hall.
MAX_CLIENTS: Final = 300
#: Connections at the same time, including those that only fetch files; those of one address; and
#: those that may arrive together. There are fewer if the system allows fewer open files, of which
#: the lab itself needs some.
MAX_CONNECTIONS: Final = 700
CONNECTIONS_PER_ADDRESS: Final = 250
BACKLOG: Final = 128
OWN_FILES: Final = 50
#: Seconds to send a request in full, to fetch its answer, and to hang up.
REQUEST_SECONDS: Final = 10.0
EXCHANGE_SECONDS: Final = 60.0
CLOSING_SECONDS: Final = 5.0
#: Requests of one client that are in progress or waiting, the largest number that a request may
#: have, and how many immediate answers get a thread: per client and in all.
REQUESTS_PER_CLIENT: Final = 16
MAX_ID: Final = (1 << 53) - 1
ANSWERS_PER_CLIENT: Final = 2
ANSWERS_AT_ONCE: Final = 32
