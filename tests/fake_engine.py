"""An engine for tic-tac-toe that speaks a protocol, well or badly: fake_engine.py PROTOCOL MANNER.

It plays the first square that is free. It imports little, so that it starts at once.
"""

import os
import signal
import sys
import time

SQUARES = [f"{column}{row}" for row in "123" for column in "abc"]
PROTOCOL, MANNER = sys.argv[1:3]
preferred = ""


def say(*lines: str) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def misbehave() -> None:
    """What some engines do when it is their turn to answer."""
    match MANNER:
        case "crashes":
            sys.stderr.write("Segmentation fault, nearly\n")
            sys.exit(3)
        case "is killed":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "hangs" | "ignores stop":
            time.sleep(1000)
        case "closes its output":
            os.close(1)
            time.sleep(1000)
        case "floods":
            while True:
                sys.stdout.write("info string nothing new\n" * 1000)
        case "garbage":
            sys.stdout.buffer.write(bytes(range(256)) * 5 + b"\n" + b"x" * 300_000 + b"\n\xff\n\n")
            sys.stdout.flush()
        case "is slow":
            time.sleep(0.3)
        case "stops in the middle of a line":
            sys.stdout.write("info string I was about to")
            sys.stdout.flush()
            time.sleep(1000)


def choose(moves: list[str]) -> str:
    if MANNER == "illegal":
        return "z9"
    free = [square for square in SQUARES if square not in moves]
    return preferred if preferred in free else free[0]


def uci() -> None:
    global preferred
    moves: list[str] = []
    for line in sys.stdin:
        match line.split():
            case ["uci"]:
                say(
                    "id name Fake 1.0",
                    "id author A. Nobody",
                    "option name Hash type spin min 1 max 64",
                )
                say("option name Square type combo default a1 var a1 var c3")
                say("option name Clear type button", "option name Own Book type check default true")
                if MANNER != "plays chess":
                    say(
                        "option name UCI_Variant type combo default chess var chess var tic-tac-toe"
                    )
                say("uciok")
            case ["isready"]:
                say("readyok")
            case ["setoption", "name", "Square", "value", preferred]:
                pass
            case ["position", "startpos", *rest]:
                moves = rest[1:]
            case ["go", *_]:
                misbehave()
                say("info string thinking", "info depth 3 score cp 12 nodes 30 pv a1")
                say("info depth 4 multipv 1 score mate -2 nodes 70 pv a1")
                say("info depth 4 multipv 2 score cp 5 nodes 71 pv b1", "info nodes 99 time 3")
                say("bestmove" if MANNER == "nonsense" else f"bestmove {choose(moves)} ponder a1")
            case ["quit"]:
                return


def xboard() -> None:
    moves: list[str] = []
    playing = False
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        answer = word == "go"
        match word:
            case "protover" | "ping" if MANNER == "speaks version 1":
                say(f"Error (unknown command): {word}")
            case "protover":
                say('feature done=0 myname="Fake 1.0" usermove=1 ping=1 setboard=0 colors=0')
                say('feature variants="normal,tic-tac-toe" option="Hash -spin 16 1 64"')
                say('feature option="Style -combo calm /// *wild" done=1')
                if MANNER == "plays once":
                    say("feature reuse=0")
            case "new":
                moves, playing = [], False
            case "force":
                playing = False
            case "ping":
                say(f"pong {rest}")
            case "usermove":
                moves.append(rest)
                answer = playing
            case "quit":
                return
        if answer:
            playing = True
            misbehave()
            if MANNER == "resigns":
                say("resign")
                continue
            if MANNER == "nonsense":
                say("1/2-1/2 {I am tired}")
                continue
            say(
                "# hm",
                "tellics whisper hi",
                " 2   -15     0       55  a1",
                " 3. 100002   1   77  a1",
            )
            if MANNER == "speaks version 1":  # it plays chess, one move of it
                say("1. ... e2e4")
                continue
            moves.append(choose(moves))
            say(f"move {moves[-1]}", "offer draw")


def gtp() -> None:
    moves: list[str] = []
    commands = [
        *("boardsize", "clear_board", "play", "genmove", "time_settings", "time_left", "level"),
        *("undo", "gogui-rules_game_id"),
    ]
    for line in sys.stdin:
        number, command, *rest = line.split()
        answer = ""
        match command:
            case "protocol_version":
                answer = "2"
            case "name":
                answer = "Fake"
            case "version":
                answer = "1.0"
            case "list_commands":
                answer = "\n".join(commands)
            case "gogui-rules_game_id":
                answer = "Tic-Tac-Toe"
            case "clear_board":
                moves = []
            case "play":
                moves.append(rest[1].lower())
            case "genmove":
                misbehave()
                if MANNER == "nonsense":
                    say(f"?{number} I am tired", "")
                    continue
                moves.append("resign" if MANNER == "resigns" else choose(moves))
                answer = moves[-1].upper()
        say(f"={number} {answer}", "")
        if command == "quit":
            return


if MANNER == "dies at once":
    sys.exit("no license")
if MANNER == "says nothing":
    time.sleep(1000)
if MANNER == "is stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if not os.fork():
        time.sleep(1000)
    for _ in sys.stdin:
        pass
    time.sleep(1000)
{"uci": uci, "xboard": xboard, "gtp": gtp}[PROTOCOL]()
