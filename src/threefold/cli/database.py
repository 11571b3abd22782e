"""Databases of end-games: make them, look into them, and verify them.

A database knows the value of every position with few pieces. Build one with threefold database
build GAME --pieces N --dir DIR; then threefold analyze, play, solve, match, tournament, uci and lab
use it with --database DIR. Building can be interrupted: the same command goes on where it was.
A small game without declared end-games takes no --pieces: its database has every position.
"""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from threefold.cli.output import (
    GAME_HELP,
    add_game,
    add_json,
    chosen_game,
    number,
    print_json,
    print_line,
    print_painted,
    whole_number,
)
from threefold.errors import ThreefoldError
from threefold.games import game
from threefold.rules.text import shorten

if TYPE_CHECKING:
    from threefold.engine.endgames.files import TableFile

NAME = "database"
HELP = "exact end-games on disk: build, info, verify, probe"

_DIR_HELP = "the folder of the database; auto (the default) for a small one of your own"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold database`."""
    parser.set_defaults(action=None)
    actions = parser.add_subparsers(metavar="ACTION", title="actions")

    def action(name: str, about: str, act: Any) -> argparse.ArgumentParser:
        added = actions.add_parser(name, help=about, description=about, allow_abbrev=False)
        added.set_defaults(action=act)
        return added

    build = action("build", "make the tables that are missing, and verify each", _build)
    build.add_argument("game", metavar="GAME", help=GAME_HELP)
    build.add_argument(
        "--pieces",
        metavar="N",
        type=whole_number,
        help="positions with up to N pieces, kings included; in Kalah, seeds in the pits; games "
        "without declared end-games take none",
    )
    build.add_argument("--dir", metavar="DIR", required=True, help="the folder of the database")
    build.add_argument(
        "--outcomes",
        action="store_true",
        help="keep only who wins, not how soon: smaller, but a win is harder to play",
    )
    build.add_argument(
        "--threads", metavar="T", type=whole_number, help="threads (default: one for each core)"
    )
    build.add_argument(
        "--memory",
        metavar="GB",
        type=number,
        help="memory to use in gigabytes, on a cluster for each worker (default: two thirds of "
        "what is free; 1 for a game without declared end-games)",
    )
    build.add_argument("--device", metavar="WHERE", default="cpu", help="cpu (the default) or gpu")
    build.add_argument(
        "--cluster",
        metavar="WHERE",
        default="local",
        help="local (the default), or ray or ray:ADDRESS, a Ray cluster",
    )
    add_json(build)

    info = action("info", "what a database holds", _info)
    info.add_argument("dir", metavar="DIR", help="the folder of the database")
    add_json(info)

    verify = action("verify", "compare every value with what its successors say", _verify)
    verify.add_argument("dir", metavar="DIR", help="the folder of the database")
    verify.add_argument(
        "--threads", metavar="T", type=whole_number, help="threads (default: one for each core)"
    )
    verify.add_argument("--game", metavar="GAME", help="the game, if it is not found by its name")
    add_json(verify)

    probe = action("probe", "look up a position and its moves", _probe)
    add_game(probe)
    probe.add_argument("--dir", metavar="DIR", default="auto", help=_DIR_HELP)
    add_json(probe)


def run(args: argparse.Namespace) -> int:
    """Do what is asked for."""
    if args.action is None:
        raise ThreefoldError("database needs an action: build, info, verify or probe")
    return int(args.action(args))


def _build(args: argparse.Namespace) -> int:
    from threefold.solve.endgames.building import build

    chosen = game(args.game)
    built = build(
        chosen,
        args.pieces,
        args.dir,
        threads=args.threads,
        distances=not args.outcomes,
        gigabytes=args.memory,
        device=args.device,
        cluster=args.cluster,
    )
    if args.json:
        print_json(
            {
                "game": args.game,
                "pieces": args.pieces or 0,
                "made": built.made,
                "kept": built.kept,
                "positions": built.positions,
                "bytes": built.bytes,
                "seconds": round(built.seconds, 3),
            }
        )
        return 0
    each = built.bytes / built.positions if built.positions else 0.0
    were = "was" if built.kept == 1 else "were"
    print_painted(
        f"{_tables_in_words(built.made)} made and verified"
        + (f", {built.kept} {were} there already" if built.kept else ""),
        "strong",
    )
    print_line(
        f"{built.positions:,} positions in {built.bytes:,} bytes ({each:.3f} each), "
        f"{built.seconds:.1f} s"
    )
    return 0


def _tables_in_words(count: int) -> str:
    return "1 table" if count == 1 else f"{count} tables"


def _tables(folder: str) -> "list[TableFile]":
    from threefold.engine.endgames.database import tables_in

    return list(tables_in(Path(folder)).values())


def _info(args: argparse.Namespace) -> int:
    from threefold.engine.endgames.reachable import positions_bytes

    tables = _tables(args.dir)
    headers = [table.header for table in tables]
    length = sum(table.bytes for table in tables) + positions_bytes(Path(args.dir))
    if args.json:
        keys = ("name", "positions", "won", "drawn", "lost", "longest")
        print_json(
            {
                "game": headers[0].game,
                "pieces": max(header.pieces for header in headers),
                "slices": [{key: getattr(header, key) for key in keys} for header in headers],
                "bytes": length,
            }
        )
        return 0
    rows: list[tuple[str, ...]] = [
        ("slice", "positions", "won", "drawn", "lost", "longest", "bytes each")
    ]
    for table in tables:
        header = table.header
        numbers = (header.positions, header.won, header.drawn, header.lost)
        longest = "" if header.longest is None else str(header.longest)
        size = length if len(tables) == 1 else table.bytes
        each = f"{size / header.positions:.3f}" if header.positions else ""
        rows.append((header.name, *(f"{n:,}" for n in numbers), longest, each))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number_of_row, (name, *cells) in enumerate(rows):
        shown = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True)]
        line = "  ".join([f"{name:<{widths[0]}}", *shown]).rstrip()
        if number_of_row:
            print_line(line)
        else:
            print_painted(line, "strong")
    positions = sum(header.positions for header in headers)
    slices = "1 slice" if len(headers) == 1 else f"{len(headers)} slices"
    print_line(f"{headers[0].game}: {slices}, {positions:,} positions, {length:,} bytes")
    return 0


def _own_game(folder: str) -> str:
    """The game of a database, if it is one of ours: a file that a table names is not run."""
    from threefold.engine.endgames.database import files_in
    from threefold.engine.endgames.files import Damaged, read_header
    from threefold.games.catalogue import HOMES

    for path in files_in(Path(folder)):
        try:
            name = read_header(path)[0].game
        except Damaged:
            continue
        if name.partition("(")[0] in HOMES:
            return name
        raise ThreefoldError(f"the database is for {shorten(name)}; say so with --game")
    raise ThreefoldError(f"no table in {shorten(folder, 200)} can be read; name the --game")


def _verify(args: argparse.Namespace) -> int:
    from threefold.solve.endgames.verifying import Verified, verify

    name = args.game or _own_game(args.dir)

    def watch(found: Verified) -> None:
        if not args.json and not found.is_sound:
            print_line(str(found))

    threads = (os.cpu_count() or 1) if args.threads is None else args.threads
    found = verify(game(name), args.dir, threads=threads, watch=watch)
    unsound = [each for each in found if not each.is_sound]
    positions = sum(each.positions for each in found)
    if args.json:
        print_json(
            {
                "game": name,
                "slices": len(found),
                "positions": positions,
                "wrong": [
                    {
                        "name": each.name,
                        "values": each.wrong,
                        "position": each.first or None,
                        "damage": each.damage or None,
                    }
                    for each in unsound
                ],
            }
        )
    elif unsound:
        print_painted(f"{len(unsound)} of {_tables_in_words(len(found))} are wrong", "bad")
    else:
        which = "the table is" if len(found) == 1 else f"all {len(found)} tables are"
        print_painted(f"{which} right: {positions:,} positions", "good")
    return 1 if unsound else 0


def _probe(args: argparse.Namespace) -> int:
    from threefold.engine.endgames.lines import best_play, known_moves, known_of
    from threefold.solve.endgames.opening import open_database

    chosen, s, position = chosen_game(args)
    database = open_database(chosen, args.dir)
    known = known_of(chosen, database, s)
    moves = known_moves(chosen, database, s)
    if known is None or moves is None:
        raise ThreefoldError(
            f"{position} is not in the database in {database.folder}, which has {database.extent}"
        )
    if args.json:
        print_json(
            {
                "game": args.game,
                "position": position,
                "value": known.value,
                "win_in": known.win_in,
                "moves": [
                    {"move": chosen.format_move(s, a), "value": each.value, "win_in": each.win_in}
                    for a, each in moves.items()
                ],
            }
        )
        return 0
    print_painted(known.words, "strong")
    for a, each in moves.items():
        print_line(f"{chosen.readable_move(s, a):>12}  {each.words}")
    line = best_play(chosen, database, s)
    if line:
        texts = []
        for a in line:
            texts.append(chosen.readable_move(s, a))
            s = chosen.result(s, a)
        print_line(f"best play: {' '.join(texts)}")
    return 0
