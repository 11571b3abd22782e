"""Draw the games for the docs: python docs/pictures.py. With --check, list outdated pictures."""

import math
import re
import sys
from pathlib import Path

from threefold import game
from threefold.rules import svg
from threefold.rules.shares import draw_shares
from threefold.textbook.chart import chart
from threefold.textbook.compare import compare
from threefold.textbook.explain import explain
from threefold.textbook.graph import LECTURE_GRAPH, parse_graph
from threefold.textbook.local import hill_climbing, random_cities, simulated_annealing
from threefold.textbook.local_picture import QueenSlides, TourSlides
from threefold.textbook.matrix import parse_matrix
from threefold.textbook.matrix_picture import MatrixSlides
from threefold.textbook.mixture import solve
from threefold.textbook.ordering import uniform
from threefold.textbook.path_picture import PathSlides
from threefold.textbook.paths import PATH_PROCEDURES
from threefold.textbook.picture import draw
from threefold.textbook.tree import parse_tree

FOLDER = Path(__file__).parent / "pictures"

#: An instructive position of each game.
POSITIONS = {
    "tic-tac-toe": ("tic-tac-toe", "XO./.X./..O X"),
    "mnk": ("mnk(m=5,n=4,k=4)", "...../..O../.XXO./.OX.. X"),
    "nim": ("nim", "3-2-5 2"),
    "dice-nim": ("dice-nim", "9 1 2"),
    "connect-four": ("connect-four", "4453443362"),
    "othello": (
        "othello",
        "---X--O-----XO----O-OOO---OXX-----OXX------XX------------------- X",
    ),
    "kalah": ("kalah", "5,0,3,6,6,1,2/0,6,6,0,6,6,1 N"),
    "chess": ("chess", "r1bq1rk1/pp2nppp/2n1p3/3pP3/1b1P4/2NB1N2/PP3PPP/R1BQK2R w KQ - 3 10"),
    "backgammon": (
        "backgammon(cube=true)",
        "XGID=-a--BBC-B---dD-a-c-dbA-A--:1:-1:1:31:0:0:0:0:10",
    ),
    "go": (
        "go",
        "..X.O..../..XO.O.../.XXO...../..XXO.O../.X.XO..../"
        "..XXOOO../.X.XXXO../...X.XXO./......XO. X",
    ),
    "bridge": (
        "bridge",
        "N:AKQ2.J5.T987.K3 J9.AQT84.KJ3.72 T8543.K62.AQ4.96 76.973.652.JT54 CQ,C8,CA S",
    ),
    "contract-bridge": (
        "contract-bridge",
        "N:AKQ2.J5.T987.K83 J9.AQT84.KJ3.A72 T8543.K62.AQ4.96 76.973.652.QJT54 "
        "| 1D 1H 1S pass 2S pass 3S pass 4S pass pass pass | H9 H5 HA H2 H4 H6",
    ),
    "checkers": ("checkers", "B:W22,23,24,28,30,32,K2:B1,3,6,7,10,14,20,K29"),
    "kuhn-poker": ("kuhn-poker", "J Q check bet"),
    "leduc-poker": ("leduc-poker", "Js Kh bet call / Qs check"),
}

#: Positions of the page on history.
FAMOUS = {
    "ajedrecista": ("chess", "8/8/8/4k3/8/8/R7/K7 w - - 0 1"),
    "turochamp": ("chess", "1r1r2k1/p4ppp/3Q4/1q2p2b/4P2P/2B2PR1/1PPK1P2/3R4 w - - 1 30"),
}

#: Worked examples: the procedure and the tree.
TREES = {
    "alphabeta": ("alphabeta", "((3 12 8) (2 4 6) (14 5 2))"),
    "two-ply": ("minimax", "A(B(E:9 F:-6 G:0) C(H:0 I:-2) D(J:-4 K:-3))"),
    "alpha-and-beta": ("alphabeta", "A(B(D:3 E:5) C(F(I(K:0 L) J:5) G(M:7 N)))"),
    "single-agent": ("single-agent", "((8 2) (2 6 4 6))"),
    "adversarial": ("minimax", "((8 2) (2 6 4 6))"),
    "ordering": ("alphabeta", "A(B(D(H:6 I:5) E(J:8 K)) C(F(L:2 M:1) G(N O)))"),
}

#: Matrix games.
MATRICES = {"matrix": "1 5 3; 4 2 3; 0 1 2"}

#: A tree of which only the two most plausible moves are generated.
PLAUSIBLE = "A(B:4(E:2 F:3) C:-3(G:6 H:7) D:3(I:1 J:2))"

#: Searches of the lecture's graph from A to G, and the step that is drawn.
PATHS = {
    "uniform-cost": 5,
    "greedy": 4,
    "a-star": 5,
    "depth-first": 3,
    "bidirectional": 4,
}

#: Moves a second in random games on one H200, as docs/gpu.md has them, and how many times as many
#: that is as on one core, and as pgx makes on the same card.
SPEEDS = {
    "Othello": (19.5e9, 929, 253),
    "Connect Four": (69.7e9, 2090, 76.2),
    "Kalah": (57.9e9, 2320, None),
    "checkers": (14.4e9, 598, None),
    "chess": (1.54e9, 265, 890),
}

#: The house, from the top floor down: each floor's rooms stand on those below.
FLOORS = (
    (("cli", "the command line"), ("lab", "the web page")),
    (("arena", "matches, ratings, tuning"),),
    (("solve", "exact answers"), ("learn", "training"), ("protocols", "UCI, XBoard, GTP")),
    (("gpu", "the rules on a GPU"), ("cluster", "work on many machines")),
    (("engine", "compiled rules, search"), ("textbook", "procedures step by step")),
    (("games", "one home per game"),),
    (("rules", "the contract: Game, hooks, conformance"),),
)


def pictures() -> dict[Path, str]:
    """Each picture's file and contents."""
    drawn = {}
    for name, (spec, position) in (POSITIONS | FAMOUS).items():
        g = game(spec)
        drawn[FOLDER / f"{name}.svg"] = g.draw(g.parse(position)) + "\n"
    for name, (procedure, tree) in TREES.items():
        events = explain(procedure, parse_tree(tree), tree=tree).events
        drawn[FOLDER / f"{name}.svg"] = draw(events) + "\n"
    few = explain("minmax", parse_tree(PLAUSIBLE), tree=PLAUSIBLE, plausible=2).events
    drawn[FOLDER / "plausible.svg"] = draw(few) + "\n"
    graph = parse_graph(LECTURE_GRAPH)
    for name, step in PATHS.items():
        slides = PathSlides(PATH_PROCEDURES[name](graph, "A", "G"))
        drawn[FOLDER / f"path-{name}.svg"] = slides.picture(step) + "\n"
    queens = QueenSlides(hill_climbing(8, 1))
    drawn[FOLDER / "queens.svg"] = queens.picture(2) + "\n"
    tour = TourSlides(simulated_annealing(random_cities(10, 0), 0))
    drawn[FOLDER / "tour.svg"] = tour.picture(60) + "\n"
    compared = {d: compare(uniform(3, d, 1), ["minimax", "alphabeta", "sss"]) for d in range(1, 7)}
    drawn[FOLDER / "chart.svg"] = chart(compared, 3) + "\n"
    for name, matrix in MATRICES.items():
        drawn[FOLDER / f"{name}.svg"] = MatrixSlides(solve(parse_matrix(matrix))).picture() + "\n"
    drawn[FOLDER / "terms.svg"] = terms() + "\n"
    drawn[FOLDER / "threefold.svg"] = idea() + "\n"
    drawn[FOLDER / "speeds.svg"] = speeds() + "\n"
    drawn[FOLDER / "house.svg"] = house() + "\n"
    drawn[FOLDER / "timeline.svg"] = timeline() + "\n"
    return drawn


def terms() -> svg.Svg:
    """What a chess position's evaluation adds up."""
    chess = game("chess")
    s = chess.parse("r4rk1/pp3ppp/2n5/3q4/3P4/5N2/PP3PPP/R2Q1RK1 w - - 0 14")
    title = f"Chess, {chess.evaluation}: {chess.evaluate(s):+d} for white"
    return draw_shares(title, chess.shares(s), chess.sides)


def idea() -> svg.Svg:
    """The whole project in one picture: one set of rules, three ways to use them."""
    functions = ("initial()", "actions(s, out)", "result(s, a)", "utility(s)")
    body = [
        svg.rect(20, 60, 210, 190, "fill-board", 12),
        svg.label(125, 38, "the rules, once", size=18),
        *(svg.label(125, 100 + 37 * i, text, size=18) for i, text in enumerate(functions)),
    ]
    folds = (
        ("explains", "interpreted: every step visible", _tree),
        ("wins", "compiled: 100 million nodes a second", _race),
        ("scales", "on a GPU, on a cluster", _many),
    )
    for i, (name, how, drawing) in enumerate(folds):
        y = 60 + 95 * i
        body.append(svg.path(f"M240 155C300 155 290 {y} 340 {y}", "line-line"))
        body.append(svg.path(f"M332 {y - 6}l9 6l-9 6", "line-line"))
        body.append(svg.label(490, y - 12, name, size=22))
        body.append(svg.label(490, y + 14, how, size=13))
        body += drawing(690, y)
    return svg.picture(780, 310, "Threefold", "One set of rules; it explains, wins, scales.", body)


def _tree(x: float, y: float) -> list[str]:
    return [
        svg.path(f"M{x} {y - 22}l-28 24l-14 20m14 -20l14 20m14 -44l28 24l-14 20", "line-line"),
        svg.path(f"M{x + 28} {y + 2}l14 20", "line-max"),
        svg.path(f"M{x + 31} {y + 15}l10 -8", "line-max"),
        *(svg.circle(x + dx, y + dy, 5, "fill-ink") for dx, dy in ((0, -22), (-28, 2), (28, 2))),
    ]


def _race(x: float, y: float) -> list[str]:
    bars = ((-22, 84, "max"), (-4, 8, "ink"), (14, 5, "ink"))
    return [svg.rect(x - 42, y + dy, width, 12, f"fill-{role}", 3) for dy, width, role in bars]


def _many(x: float, y: float) -> list[str]:
    return [
        svg.rect(x - 42 + 15 * i, y - 24 + 15 * j, 11, 11, "fill-min", 2)
        for i in range(6)
        for j in range(4)
    ]


def house() -> svg.Svg:
    """The rooms of the source, floor upon floor."""
    width, height, gap = 620.0, 56.0, 8.0
    body = []
    for floor, rooms in enumerate(FLOORS):
        each = (width - gap * (len(rooms) - 1)) / len(rooms)
        y = 20 + floor * (height + gap)
        for i, (name, about) in enumerate(rooms):
            x = 20 + i * (each + gap)
            body.append(svg.rect(x, y, each, height, "fill-board", 8))
            body.append(svg.label(x + each / 2, y + 20, name, size=18))
            body.append(svg.label(x + each / 2, y + 41, about, size=13))
    told = "Every room imports only from the floors below it."
    tall = 32 + len(FLOORS) * (height + gap)
    return svg.picture(width + 40, tall, "The house", told, body)


def timeline() -> svg.Svg:
    """The headings of the page on history: their years on a scale, and what happened."""
    page = (Path(__file__).parent / "history.md").read_text("utf-8")
    events = [(int(year), what) for year, what in re.findall(r"^## (\d{4}): (.*)$", page, re.M)]
    row, top, axis, first, last = 30.0, 34.0, 70.0, 1900, 2020
    tall = top + row * len(events)
    per_year = (tall - 2 * top) / (last - first)

    def place(year: int) -> float:
        """How far down a year is; years before the scale begins are above it."""
        return top + per_year * (year - first) if year >= first else top - 16

    body = [
        svg.path(f"M{axis:g} {place(first):g}V{place(last):g}", "line-line"),
        svg.path(f"M{axis:g} {top - 16:g}V{place(first):g}", "line-line", dash="2 4"),
    ]
    for year in range(first, last + 1, 20):
        body.append(svg.path(f"M{axis - 6:g} {place(year):g}h6", "line-line"))
        body.append(svg.label(axis - 32, place(year), str(year), size=13))
    for i, (year, what) in enumerate(events):
        y = 18 + row * i
        at = place(year)
        body.append(
            svg.path(
                f"M{axis:g} {at:g}C{axis + 40:g} {at:g} {axis + 30:g} {y:g} 150 {y:g}", "line-line"
            )
        )
        body.append(svg.circle(axis, at, 5, "fill-max"))
        body.append(svg.label(158, y, str(year), size=15, anchor="start"))
        body.append(svg.label(206, y, what, size=15, anchor="start"))
    told = "; ".join(f"{year} {what}" for year, what in events)
    return svg.picture(560, tall, "A short history", told, body)


def speeds() -> svg.Svg:
    """Random games on a GPU beside one core and beside pgx, on a logarithmic scale."""
    left, decade, row, bar = 120.0, 100.0, 66.0, 16.0
    least = 6  # the axis begins at a million
    body = []
    for power, text in enumerate(("1 M", "10 M", "100 M", "1 G", "10 G", "100 G")):
        x = left + power * decade
        body.append(svg.path(f"M{x:g} 50v6", "line-line"))
        body.append(svg.label(x, 38, text, size=13))
    for i, (name, (device, times_core, times_pgx)) in enumerate(SPEEDS.items()):
        y = 64 + row * i
        body.append(svg.label(left - 62, y + 24, name, size=15))
        bars = [(device, "max", "one H200"), (device / times_core, "min", "one core")]
        if times_pgx is not None:
            bars.insert(1, (device / times_pgx, "ink", "pgx on the H200"))
        for j, (rate, role, text) in enumerate(bars):
            width = decade * (math.log10(rate) - least)
            body.append(svg.rect(left, y + j * (bar + 2), width, bar, f"fill-{role}", 3))
            middle = left + width + 8 + 3.4 * len(text)
            body.append(svg.label(middle, y + j * (bar + 2) + bar / 2, text, size=12))
    body.append(svg.label(left + 2.5 * decade, 14, "moves a second in random games", size=15))
    told = "Moves a second by game: one H200, pgx on the same card, one core."
    return svg.picture(760, 74 + row * len(SPEEDS), "Random games on a GPU", told, body)


def stale() -> list[Path]:
    """The pictures that are missing or differ from what the games draw now."""
    return [
        path
        for path, drawing in pictures().items()
        if not path.is_file() or path.read_text("utf-8") != drawing
    ]


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(f"out of date: {', '.join(p.name for p in stale())}" if stale() else 0)
    FOLDER.mkdir(exist_ok=True)
    for path, drawing in pictures().items():
        path.write_text(drawing, "utf-8")
        print(path.name)
