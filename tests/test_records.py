"""What PGN and PDN share: words, tags, comments, variations, places of mistakes.

Tic-tac-toe stands in for the game; nobody else needs records of it.
"""

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold import ThreefoldError, game
from threefold.errors import BadRecord
from threefold.games.mnk.notation import notation
from threefold.games.mnk.rules import State, rules
from threefold.games.records import BadTag, Format, Line, Move, Record
from threefold.rules.contract import DRAWN
from threefold.rules.game import Game

GAME: Game[State] = game("tic-tac-toe")


def begin(tags: Mapping[str, str]) -> tuple[Game[State], State]:
    try:
        return GAME, GAME.parse(tags["FEN"]) if "FEN" in tags else GAME.initial()
    except ThreefoldError as error:
        raise BadTag("FEN", error) from None


TTT = Format(
    begin=begin,
    parse_move=lambda g, s, text: g.parse_move(s, text),
    format_move=lambda g, s, a: g.format_move(s, a),
    results={result: result for result in ("1-0", "0-1", "1/2-1/2", "*")},
    ply=lambda s: s.turn,
)


def only(text: str) -> Record:
    (record,) = TTT.read(text)
    return record


def moves(text: str) -> list[str]:
    return text.split()


def names(line: Line, s: State | None = None) -> list[str]:
    """A line's moves as text."""
    s = GAME.initial() if s is None else s
    found = []
    for move in line.moves:
        found.append(GAME.format_move(s, move.action))
        s = GAME.result(s, move.action)
    return found


def test_a_game_with_everything() -> None:
    record = only(
        """\ufeff% this line is for another program
[Event "one \\"two\\" \\\\ three"] [Site "an "open" quote"]
[Unknown "kept"]

{before} {all} 1. b2 a1!? {centre,
and corner} (1... a2?? ; as } they say
  2. c3 $14 (2. a1 $1 $2) {later} ) (1... {or} a3) 2. c1 b1 1-0 {resigns}
"""
    )
    assert record.tags == {
        "Event": 'one "two" \\ three',
        "Site": 'an "open" quote',
        "Unknown": "kept",
        "Result": "1-0",
    }
    assert list(record.tags) == ["Event", "Site", "Unknown", "Result"]
    assert record.result == "1-0"
    assert names(record.line) == ["b2", "a1", "c1", "b1"]
    assert record.line.comments == ["before", "all"]
    _, reply, _, last = record.line.moves
    assert (reply.nags, reply.comments) == ([5], ["centre, and corner"])
    assert last.comments == ["resigns"]
    first, second = reply.variations
    assert [move.nags for move in first.moves] == [[4], [14]]
    assert [move.comments for move in first.moves] == [["as } they say"], ["later"]]
    assert first.moves[1].variations == [Line([Move(0, [1, 2])])]
    assert second == Line([Move(8)], ["or"])


def test_what_is_written() -> None:
    record = Record(
        {"Odd": 'a "b" \\', "White": "W", "Event": "E", "Result": "0-1"},
        Line(
            [
                Move(5, [1], ["said"]),
                Move(0, variations=[Line([Move(4)], ["or"]), Line([Move(8, [2])])]),
                Move(2),
            ],
            ["first"],
        ),
    )
    assert (
        TTT.write(record)
        == r"""[Event "E"]
[White "W"]
[Result "0-1"]
[Odd "a \"b\" \\"]

{first} 1. b2 $1 {said} 1... a1 ({or} 1... a2) (1... a3 $2) 2. c1 0-1
"""
    )
    assert only(TTT.write(record)) == record


@pytest.mark.parametrize(
    ("text", "played"),
    [
        ("1.b2 a1 2.c1", "b2 a1 c1"),
        ("1 b2 a1 2 c1", "b2 a1 c1"),
        ("1. b2 1... a1 2. c1", "b2 a1 c1"),
        ("1.b2 1...a1 2.c1", "b2 a1 c1"),
        ("1. b2 1. ... a1", "b2 a1"),
        ("1. b2 1..a1", "b2 a1"),
        ("1. b2 1…a1", "b2 a1"),
        ("b2 a1 c1", "b2 a1 c1"),
        ("7. b2, a1, 99. c1", "b2 a1 c1"),
        ("1. b2{x}a1(1... a2)c1", "b2 a1 c1"),
        ("1. b2 ! a1 ?? c1", "b2 a1 c1"),
        ("1. b2(!) a1(?!)", "b2 a1"),
        ("1. b2* a1* 2. c1", "b2 a1 c1"),
        ("", ""),
    ],
)
def test_moves_are_found_however_they_are_numbered(text: str, played: str) -> None:
    for ending in (" *", " 1-0"):
        record = only(text + ending)
        assert names(record.line) == moves(played)
        assert record.result == ending.strip()


def test_marks_are_glyphs() -> None:
    for text, nags in (
        ("1. b2! a1? 2. c1!! a3?? *", [[1], [2], [3], [4]]),
        ("1. b2!? a1?! 2. c1(?) a3* 3. a2!! $9 *", [[5], [6], [2], [7], [3, 9]]),
    ):
        assert [move.nags for move in only(text).line.moves] == nags


@pytest.mark.parametrize("text", ["1. b2 a1*", "1. b2 a1*\n\n1. a1 *", '1. b2 a1*\n[Event "?"]'])
def test_a_star_at_the_end_ends_the_game(text: str) -> None:
    assert names(next(TTT.read(text)).line) == ["b2", "a1"]
    assert next(TTT.read(text)).line.moves[-1].nags == []


def test_many_games() -> None:
    text = """
; what follows was played
[Event "one"]
1. b2 0-1
[Event "two"]

1. a1

[Event "three"]

[Site "an empty line between"]
[Site "twice, the last counts"]

[Event "four, no moves"]
{but a word}

[Event "five"]
*
1. c3 *
1. c1 1/2-1/2

{the rest is silence}
"""
    games = list(TTT.read(text))
    assert [names(record.line) for record in games] == [["b2"], ["a1"], [], [], [], ["c3"], ["c1"]]
    assert [record.tags.get("Event", "")[:4] for record in games] == [
        *("one", "two", "thre", "four", "five", "", "")
    ]
    assert [record.result for record in games] == ["0-1", *"*****", "1/2-1/2"]
    assert games[0].line.comments == ["what follows was played"]
    assert games[2].tags["Site"] == "twice, the last counts"
    assert games[3].line.comments == ["but a word"]


def test_the_result_in_the_tags_wins() -> None:
    assert only('[Result "1-0"] 1. b2 *').result == "1-0"
    assert only('[Result "*"] 1. b2 1-0').result == "1-0"
    assert only('[Result "?"] 1. b2 1-0').result == "1-0"
    assert "Result" not in only("1. b2 *").tags
    assert TTT.write(only('[Result "who knows"] 1. b2 1-0')).endswith("1. b2 *\n")


def test_a_result_within_a_variation_is_a_word() -> None:
    record = only("1. b2 (1. a1 1-0) (1. c1 *) a1 0-1")
    assert [line.moves[0].comments for line in record.line.moves[0].variations] == [["1-0"], []]
    assert record.result == "0-1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1. b2 b2", "line 1, column 7: Tic-tac-toe: 'b2' is not a legal move; legal here: a1"),
        ("\n1. b2\n(1. a1", "line 3, column 1: this variation has no end; close it with )"),
        ("1. b2 (1. a1\n[Event", "line 2, column 1: a tag is written [Name"),
        ('1. b2 (1. a1 [Event "x"]', "line 1, column 7: this variation has no end"),
        ("(1. a1)", "line 1, column 1: a variation must follow a move"),
        ("$1", "line 1, column 1: a glyph must follow a move"),
        ("1. b2 (", "line 1, column 7: this variation has no end"),
        ("1. b2 )", "line 1, column 7: this ) has no matching ("),
        ("1. b2 {a\nb", "line 1, column 7: this comment has no end; close it with }"),
        ("1. b2 }", "line 1, column 7: '}' has no meaning here"),
        ("1. b2 <3>", "line 1, column 7: '<' has no meaning here"),
        ('1. b2 "', "line 1, column 7: '\"' has no meaning here"),
        ("1. b2 $x", "line 1, column 7: expected a number after $, as in $1"),
        ("1. b2 3 a1", "line 1, column 7: Tic-tac-toe: '3' is not a legal move"),
        ("[Event]", "line 1, column 1: a tag is written"),
        ('[Event "x]', "line 1, column 1: a tag is written"),
        ('[A "b"]\r\n[FEN "x"]\r\n\r\n', "line 2, column 1: tag FEN: Tic-tac-toe: position 'x': "),
        ("1. b2 " + "(1. a1 " * 61, "line 1, column 427: variations are nested more than 60 deep"),
    ],
)
def test_mistakes_have_their_place(text: str, message: str) -> None:
    with pytest.raises(BadRecord) as caught:
        list(TTT.read(text))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_bad_game_can_be_passed_over() -> None:
    text = """[Event "good"]
1. b2 *

[Event "bad"]

1. b2 b2 2. nonsense {and so on} ( 1-0

[Event "better"]
1. a1 *
"""
    told: list[BadRecord] = []
    games = list(TTT.read(text, report=told.append))
    assert [record.tags["Event"] for record in games] == ["good", "better"]
    assert [str(error)[:17] for error in told] == ["line 6, column 7:"]
    assert list(TTT.read("1. b2 {", report=told.append)) == []
    assert len(told) == 2


def test_games_come_as_the_file_is_read() -> None:
    taken = []

    def lines() -> Iterator[str]:
        for number in range(10_000):
            taken.append(number)
            yield f'[Round "{number}"]\n'
            yield "1. b2 *\n"
            yield "\n"

    games = TTT.read(lines())
    assert next(games).tags["Round"] == "0"
    assert len(taken) < 4
    assert sum(1 for _ in games) == 9_999


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("Gödel".encode(), "Gödel"),
        (b"\xef\xbb\xbf" + "Gödel".encode("latin-1"), "Gödel"),
        ("Gödel".encode("latin-1"), "Gödel"),
    ],
)
def test_files_are_utf_8_or_latin_1(tmp_path: Path, raw: bytes, name: str) -> None:
    mark = raw[:3] if raw.startswith(b"\xef\xbb\xbf") else b""
    file = tmp_path / "games.txt"
    for end in (b"\n", b"\r\n", b"\r"):
        lines = [mark + b'[White "' + raw.removeprefix(mark) + b'"]', b"", b"1. b2 {a", b"b} *"]
        file.write_bytes(end.join(lines))
        (record,) = TTT.load(file)
        assert record.tags == {"White": name}
        assert record.line.moves[0].comments == ["a b"]
    file.write_bytes(b"1. b2\nb2")
    with pytest.raises(BadRecord, match=r"games\.txt: line 2, column 1: "):
        list(TTT.load(file))


def test_lines_stay_below_eighty_columns() -> None:
    comment = " ".join(["word"] * 50) + " [%clk 0:00:01] %odd  spaces   stay"
    line = Line([Move(5, [3], [comment], [Line([Move(0)], [comment])] * 3), Move(0)] * 1)
    text = TTT.write(Record({}, line))
    assert only(text).line == line
    assert max(map(len, text.splitlines())) < 80
    assert not any(shown.startswith(("%", "[")) for shown in text.splitlines())


def test_a_new_record_has_the_roster() -> None:
    record = TTT.record(["b2", "a1", 8, "c1", "b3", 10], tags={"White": "me"})
    assert list(record.tags) == ["Event", "Site", "Date", "Round", "White", "Black", "Result"]
    assert record.tags["Date"] == "????.??.??"
    assert (record.tags["White"], record.result) == ("me", "*")
    assert len(TTT.positions(record)) == 7
    assert TTT.record(moves("b2 a1 b1 a2 b3")).result == "1-0"
    assert TTT.record(moves("a1 b2 a2 b1 c3 b3")).result == "0-1"
    assert TTT.record(moves("a1 b2 c3 b3 b1 c1 a3 a2 c2")).result == "1/2-1/2"
    assert TTT.record(moves("b2 a1 b1 a2 b3"), tags={"Result": "0-1"}).result == "0-1"


def test_a_record_from_elsewhere_says_where() -> None:
    start = GAME.parse("XO./.X./... O")
    record = TTT.record(["c1"], start=start)
    assert record.tags["FEN"] == GAME.format(start)
    assert record.tags["SetUp"] == "1"
    assert TTT.write(record).endswith("\n\n1... c1 *\n")
    assert only(TTT.write(record)) == record
    assert TTT.positions(record) == [start, GAME.result(start, GAME.parse_move(start, "c1"))]


def test_a_draw_by_rule_ends_a_game_that_may_be_recorded_further() -> None:
    """Where two stones make a draw, a third can still be set."""

    def drawn(s: State) -> int:
        return DRAWN if s.o else 0

    short: Game[State] = Game("Short", **rules(3, 3, 3) | {"drawn": drawn}, **notation(3, 3, 3))
    form = replace(
        TTT,
        begin=lambda _: (short, short.initial()),
        parse_move=lambda _, s, text: GAME.parse_move(s, text),
        format_move=lambda _, s, a: GAME.format_move(s, a),
    )
    assert form.record(["b2"]).result == "*"
    assert form.record(["b2", "a1"]).result == "1/2-1/2"
    record = form.record(["b2", "a1", "c3"])
    assert record.result == "1/2-1/2"
    assert list(form.read(form.write(record))) == [record]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (Record({"No name": ""}), "'No name' is not a tag name"),
        (Record({}, Line([Move(0), Move(0)])), "move 1: 0 is illegal in .../.../X.. O"),
        (Record({"FEN": "x"}), "tag FEN: "),
    ],
)
def test_what_cannot_be_written(record: Record, message: str) -> None:
    with pytest.raises(BadRecord) as caught:
        TTT.write(record)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("played", "message"),
    [(["b2", "b2"], "move 2: Tic-tac-toe: 'b2'"), ([5, 5], "move 2: 5 is no")],
)
def test_what_cannot_be_recorded(played: list[str | int], message: str) -> None:
    with pytest.raises(BadRecord, match=message):
        TTT.record(played)


# Any text, and any record.

CHARACTERS = st.characters(exclude_categories=["Cs"])
WORDY = st.text(CHARACTERS, max_size=12) | st.text("a {}[]%;$(.1*", max_size=100)
COMMENTS = st.lists(WORDY.map(str.strip).map(lambda text: re.sub("[\r\n]", " ", text)), max_size=2)
NAGS = st.lists(st.integers(0, 255), max_size=2)
TAGS = st.dictionaries(
    st.from_regex(r"[A-Z][A-Za-z0-9_]{0,9}", fullmatch=True).filter(
        lambda name: name not in {"FEN", "Result"}
    ),
    st.text(CHARACTERS).map(lambda text: re.sub("[\r\n]", " ", text)),
    max_size=3,
)


@st.composite
def lines(draw: st.DrawFn, s: State, depth: int) -> Line:
    line = Line([], list(filter(None, draw(COMMENTS))))
    for _ in range(draw(st.integers(0, 4))):
        legal = GAME.moves(s)
        if not legal:
            break
        move = Move(draw(st.sampled_from(legal)), draw(NAGS), list(filter(None, draw(COMMENTS))))
        if depth:
            move.variations = draw(st.lists(lines(s, depth - 1), max_size=2))
        line.moves.append(move)
        s = GAME.result(s, move.action)
    return line


@given(TAGS, lines(GAME.initial(), 2), st.sampled_from(["1-0", "0-1", "1/2-1/2", None]))
def test_what_is_written_is_read(tags: dict[str, str], line: Line, result: str | None) -> None:
    record = Record(tags | ({"Result": result} if result else {}), line)
    assert list(TTT.read(TTT.write(record) + "\n" + TTT.write(record)))[1] == record


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        games = list(TTT.read(text))
    except BadRecord as error:
        assert "\n" not in str(error)
    else:
        assert list(TTT.read("\n".join(map(TTT.write, games)))) == games


WORDS = [*'(){}[];$!?*%<>.,"\\\n', "1.", "2...", "b2", "a1", "c3", "1-0", '[A "b"]', "$7", " "]


@given(st.lists(st.sampled_from(WORDS)))
def test_any_words_are_read_or_refused(words: list[str]) -> None:
    test_any_text_is_read_or_refused.hypothesis.inner_test("".join(words))  # type: ignore[attr-defined]


@pytest.mark.slow
def test_a_million_words_are_read_or_refused() -> None:
    rng = random.Random(5)
    for _ in range(100_000):
        text = " ".join(rng.choices(WORDS, k=10))
        test_any_text_is_read_or_refused.hypothesis.inner_test(text)  # type: ignore[attr-defined]
