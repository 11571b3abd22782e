"""Run the benchmarks of a source checkout: Threefold's figures and its peers', as ratios.

Both sides of a ratio are measured in the same run. Peers that are not installed are skipped with a
note; pip install -e ".[bench]" installs them. So are sets of positions that are not in the --data
folder; each benchmark's own text says which files it looks for. A benchmark that could run forever
stops after --time seconds.
"""

import argparse
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import threefold
from threefold.cli.output import add_json, number, print_json, print_line
from threefold.errors import ThreefoldError
from threefold.rules.text import did_you_mean

NAME = "bench"
#: Where the benchmarks, and the programs they start, look for sets of positions.
DATA = "THREEFOLD_BENCH_DATA"
#: The time limit in seconds for a benchmark that could run forever.
TIME = "THREEFOLD_BENCH_TIME"
#: Modules that the benchmarks import; not benchmarks themselves.
_SHARED = ("comparison", "duel", "opponents")
HELP = "the benchmarks, with ratios against peers"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold bench`."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="one benchmark (default: all)")
    parser.add_argument("--data", metavar="DIR", help="a folder with sets of positions")
    parser.add_argument(
        "--time", metavar="S", type=number, help="time limit in seconds, where one is needed"
    )
    parser.add_argument("--list", action="store_true", help="list the benchmarks")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the requested benchmarks, printing each comparison as soon as it is done."""
    folder = _folder()
    if args.data is not None:
        if not Path(args.data).is_dir():
            raise ThreefoldError(f"--data {args.data}: there is no such folder")
        os.environ[DATA] = args.data
    if args.time is not None:
        os.environ[TIME] = str(args.time)
    names = sorted(p.stem for p in folder.glob("*.py") if p.stem not in _SHARED)
    if args.name is not None and args.name not in names:
        raise ThreefoldError(
            f"there is no benchmark {args.name!r}: {did_you_mean(args.name, names)}"
        )
    if args.list:
        about = {name: (_load(folder, name).__doc__ or "").splitlines()[0] for name in names}
        if args.json:
            print_json({"benchmarks": about})
            return 0
        for name, sentence in about.items():
            print_line(f"{name}: {sentence}")
        return 0
    measured = []
    for name in [args.name] if args.name else names:
        for comparison in _load(folder, name).measure():
            measured.append({"bench": name, **comparison.to_json()})
            if not args.json:
                print_line(f"{name}: {comparison}")
    if args.json:
        print_json({"comparisons": measured})
    return 0


def _folder() -> Path:
    candidates = [Path(threefold.__file__).parents[2] / "bench", Path.cwd() / "bench"]
    for folder in candidates:
        if (folder / "comparison.py").is_file():
            return folder
    raise ThreefoldError(
        "the benchmarks are part of the source checkout: run this from a clone of Threefold"
    )


def _load(folder: Path, name: str) -> ModuleType:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    specification = importlib.util.spec_from_file_location(f"bench_{name}", folder / f"{name}.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module
