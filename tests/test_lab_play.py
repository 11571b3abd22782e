"""The lab in a real browser: games played and analyzed, on boards that turn.

Whatever the page complains of on its console fails the test that made it.
"""

import json
import re

import pytest

pytest.importorskip("playwright", reason="needs Playwright")

from lab_browser import (
    BOTH_HUMAN,
    CHROMIUM,
    LOST_AT_ONCE,
    PHONE,
    Visitor,
    expect_marked,
    legal_places,
    lines,
    middle,
    move_list,
    place,
    result,
    touch,
)
from playwright.sync_api import Locator, Page, ViewportSize, WebSocketRoute, expect

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs Chromium at {CHROMIUM}")


# Play.


@pytest.mark.parametrize(
    ("game", "moves", "ends"),
    [
        ("tic-tac-toe", "a1 b1 b2 c3 a2 a3 c2", "X wins: 3 in line."),
        ("mnk(m=4,n=3,k=3)", "c1 c3 b1 c2 d1", "X wins: 3 in line."),
        ("nim(heaps=1-2)", "2:2 2:1 1:1", "The first player wins."),
        ("connect-four(columns=4,rows=4,k=3)", "2 1 3 1 4", "The first player wins: 3 in line."),
        ("chess", "f2 f3 e7 e5 g2 g4 d8 h4", "Black wins: checkmate."),
        ("kalah(pits=2,seeds=2)", "S2 N2 S1 N1 S2 N2 N1", "North wins by 2."),
    ],
)
def test_two_people_play_a_whole_game(visitor: Visitor, game: str, moves: str, ends: str) -> None:
    page = visitor.open(f"play/game={game}&{BOTH_HUMAN}")
    touch(page, *moves.split())
    expect(result(page)).to_have_text(ends)
    expect(legal_places(page)).to_have_count(0)


def test_a_side_without_a_move_passes(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=othello(size=4)&{BOTH_HUMAN}")
    touch(page, "c4", "b4", "a1", "d2", "d4", "d3", "a2", "c1", "a4", "a3")
    page.clock.install(time=0)
    page.clock.pause_at(3600)  # what is said for a moment stays
    touch(page, "b1")
    # Nobody has to do it, and it is said.
    expect(page.get_by_text("cannot move and passes", exact=True)).to_be_visible()
    page.clock.resume()
    touch(page, "d1")
    expect(result(page)).to_have_text("Black wins by 12.")
    expect(move_list(page).nth(11)).to_have_text("pass")
    # Taken back is what somebody chose, not what had to be.
    for left in (12, 10):
        page.get_by_role("button", name="Take back").click()
        expect(move_list(page)).to_have_count(left)


def test_nature_rolls_by_itself(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=dice-nim(stones=2)&{BOTH_HUMAN}")
    while True:
        expect(legal_places(page).or_(result(page)).first).to_be_visible()
        if result(page).count():
            break
        made = move_list(page).count()
        legal_places(page).first.click()
        expect(move_list(page).nth(made)).to_be_visible()
    expect(move_list(page).first).to_have_text(re.compile("roll-"))


def test_a_jump_over_several_pieces_from_a_pasted_position(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=checkers&{BOTH_HUMAN}")
    expect(legal_places(page).first).to_be_visible()
    page.get_by_label("Position", exact=True).fill("B:W18,26:B14")
    page.get_by_role("button", name="Load", exact=True).click()
    expect(legal_places(page)).to_have_count(1)
    touch(page, "14", "23", "30")
    expect(move_list(page)).to_have_text(["14x23x30"])
    expect(result(page)).to_have_text("Black wins: all pieces are captured.")


@pytest.mark.parametrize("game", ["tic-tac-toe", "nim(heaps=1-2-3)"])
def test_a_whole_game_against_the_engine(visitor: Visitor, game: str) -> None:
    page = visitor.open(f"play/game={game}&second=1")
    while True:
        expect(legal_places(page).or_(result(page)).first).to_be_visible()
        if result(page).count():
            break
        made = move_list(page).count()
        legal_places(page).first.click()
        expect(move_list(page).nth(made + 1).or_(result(page)).first).to_be_visible()
    expect(page.get_by_role("link", name="Where was it lost?")).to_be_visible()


def test_the_engine_may_begin(visitor: Visitor) -> None:
    page = visitor.open("play/game=tic-tac-toe")
    expect(legal_places(page)).to_have_count(9)
    page.get_by_label("O", exact=True).select_option("Human")
    page.get_by_label("X", exact=True).select_option("1")
    expect(move_list(page)).to_have_count(1)
    expect(legal_places(page)).to_have_count(8)


def test_a_program_of_the_past_plays_chess_and_nothing_else(visitor: Visitor) -> None:
    page = visitor.open("play/game=chess&first=turochamp&second=human")
    expect(page.get_by_text("White · Turochamp, 1948")).to_be_visible()
    expect(move_list(page)).to_have_text(["e3"])
    page = visitor.open("play/game=tic-tac-toe&first=human&second=turochamp")
    expect(page.get_by_text("O · engine, level 3")).to_be_visible()
    expect(page.get_by_role("option", name="Turochamp, 1948")).to_have_count(0)


def test_a_piece_is_dragged(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=chess&{BOTH_HUMAN}")
    place(page, "e2").drag_to(place(page, "e4"))
    expect(move_list(page)).to_have_text(["e4"])


def test_a_pawn_becomes_what_is_chosen(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=chess&start=8/P6k/8/8/8/8/8/K7 w - - 0 1&{BOTH_HUMAN}")
    touch(page, "a7", "a8")
    dialog = page.get_by_role("dialog", name="Which move?")
    expect(dialog.get_by_role("button", name="a8=Q")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    touch(page, "a7", "a8")
    dialog.get_by_role("button", name="a8=N").click()
    expect(move_list(page)).to_have_text(["a8=N"])
    expect(page).to_have_url(re.compile("moves=a7a8n"))


def test_black_may_begin_and_a_king_in_check_is_marked(visitor: Visitor) -> None:
    start = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2"
    page = visitor.open(f"play/game=chess&start={start}&{BOTH_HUMAN}")
    touch(page, "d8", "h4")
    expect(page.get_by_role("list", name="Moves")).to_have_text("1…Qh4#")
    expect(result(page)).to_have_text("Black wins: checkmate.")
    expect(place(page, "e1")).to_have_accessible_name(re.compile("white king in check"))
    expect(place(page, "e8")).not_to_have_accessible_name(re.compile("in check"))
    page.get_by_role("button", name="One move back").click()
    expect(place(page, "e1")).not_to_have_accessible_name(re.compile("in check"))


@pytest.mark.parametrize(
    ("game", "start", "ends"),
    [
        ("chess", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "A draw: stalemate."),
        (
            "checkers",
            "B:WK29,K30:BK1,K2:H80",
            "A draw: 40 moves without a capture or a move by a man.",
        ),
    ],
)
def test_a_draw_says_why(visitor: Visitor, game: str, start: str, ends: str) -> None:
    page = visitor.open(f"play/game={game}&start={start}&{BOTH_HUMAN}")
    expect(result(page)).to_have_text(ends)


def test_a_new_game_asks_before_one_is_thrown_away(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=tic-tac-toe&{BOTH_HUMAN}")
    touch(page, "a1", "b2")
    dialog = page.get_by_role("dialog", name=re.compile("^Leave this game"))
    page.get_by_role("button", name="New game").click()
    dialog.get_by_role("button", name="Keep this game").click()
    expect(move_list(page)).to_have_count(2)
    chooser = page.get_by_role("combobox", name="Game", exact=True)
    chooser.select_option("Nim")
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(chooser).to_have_value("tic-tac-toe")
    expect(move_list(page)).to_have_count(2)
    page.get_by_role("button", name="New game").click()
    dialog.get_by_role("button", name="Leave it and start over").click()
    expect(move_list(page)).to_have_count(0)
    page.get_by_role("button", name="New game").click()
    expect(dialog).to_have_count(0)


def test_a_move_is_taken_back(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=tic-tac-toe&{BOTH_HUMAN}")
    touch(page, "a1", "b2")
    expect(move_list(page)).to_have_text(["a1", "b2"])
    page.get_by_role("button", name="Take back").click()
    expect(move_list(page)).to_have_text(["a1"])
    expect(legal_places(page)).to_have_count(8)
    page.keyboard.press("Backspace")
    expect(move_list(page)).to_have_count(0)
    expect(page.get_by_role("button", name="Take back")).to_be_disabled()


def test_the_move_list_is_clicked_through(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=tic-tac-toe&moves=a1;b2;c3&{BOTH_HUMAN}")
    position = page.get_by_label("Position", exact=True)
    expect(position).to_have_value("..X/.O./X.. O")
    move_list(page).first.click()
    expect(position).to_have_value(".../.../X.. O")
    expect(move_list(page)).to_have_count(3)
    expect(move_list(page).first).to_have_attribute("aria-current", "step")
    page.get_by_role("button", name="One move forward").click()
    expect(position).to_have_value(".../.O./X.. X")
    page.keyboard.press("Home")
    expect(position).to_have_value(".../.../... X")
    page.keyboard.press("End")
    expect(position).to_have_value("..X/.O./X.. O")


def test_a_move_is_typed(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=chess&{BOTH_HUMAN}")
    expect(legal_places(page).first).to_be_visible()
    typed = page.get_by_label("Type a move")
    typed.fill("Nf3")
    typed.press("Enter")
    expect(move_list(page)).to_have_text(["Nf3"])
    typed.fill("Nf3")
    typed.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="Nf3")).to_be_visible()
    expect(move_list(page)).to_have_count(1)


def test_what_is_typed_stays_until_it_is_wanted(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=tic-tac-toe&{BOTH_HUMAN}")
    position, move = page.get_by_label("Position", exact=True), page.get_by_label("Type a move")
    expect(position).to_have_value(".../.../... X")
    position.fill("XO./...")
    move.fill("c")
    touch(page, "a1")
    expect(move_list(page)).to_have_text(["a1"])
    expect(position).to_have_value("XO./...")
    expect(move).to_have_value("c")
    position.press("Escape")
    expect(position).to_have_value(".../.../X.. O")
    move.fill("b2")
    move.press("Enter")
    expect(position).to_have_value(".../.O./X.. X")
    expect(move).to_have_value("")
    position.fill("XO./.../... X")
    position.press("Enter")
    expect(move_list(page)).to_have_count(0)
    expect(position).to_have_value("XO./.../... X")
    position.fill("XO./...")
    page.get_by_role("combobox", name="Game", exact=True).select_option("Nim")
    expect(position).to_have_value("3-4-5 1")


def test_a_wrong_position_is_refused_with_the_reason(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=tic-tac-toe&{BOTH_HUMAN}")
    expect(legal_places(page)).to_have_count(9)
    position = page.get_by_label("Position", exact=True)
    position.fill("XXX/XXX X")
    position.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="XXX/XXX")).to_be_visible()


def test_a_game_is_chosen_with_its_parameters(visitor: Visitor) -> None:
    page = visitor.open(f"play/{BOTH_HUMAN}")
    page.get_by_role("combobox", name="Game", exact=True).select_option("Kalah")
    pits = page.get_by_label("pits", exact=True)
    pits.fill("3")
    pits.press("Enter")
    expect(legal_places(page)).to_have_count(3)
    expect(page).to_have_url(re.compile(r"game=kalah\(pits=3\)"))


def test_a_parameter_has_a_control_that_fits(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=backgammon(inputs=tesauro)&{BOTH_HUMAN}")

    def expect_rolled(parameters: str) -> None:
        """The game is there, and nature has rolled: nothing more changes by itself."""
        expect(page).to_have_url(re.compile(rf"{parameters}.*&moves="))
        expect(move_list(page)).to_have_count(1)

    expect_rolled(r"\(inputs=tesauro\)")
    match = page.get_by_label("match", exact=True)
    match.fill("5")
    match.press("Enter")
    # What cannot be played is explained, and another field makes it right.
    problem = page.get_by_role("alert").filter(has_text="match=5 needs the cube")
    expect(problem).to_be_visible()
    expect(page).not_to_have_url(re.compile("match"))
    page.get_by_label("cube", exact=True).select_option("yes")
    expect(problem).to_be_hidden()
    expect_rolled("cube=true,match=5,inputs=tesauro")
    page.get_by_label("score of O", exact=True).fill("3")
    page.get_by_label("score of O", exact=True).press("Enter")
    expect(page.get_by_text("match to 5: X 0, O 3", exact=True)).to_be_visible()
    # What a person cannot choose here stays as it was.
    expect(page.get_by_label("inputs")).to_have_count(0)
    expect_rolled(r"cube=true,match=5,score=0-3,inputs=tesauro\)")
    page.get_by_role("combobox", name="Game", exact=True).select_option("Kalah")
    page.get_by_label("rest", exact=True).select_option("mover")
    expect(page).to_have_url(re.compile(r"game=kalah\(rest=mover\)"))


def test_a_newcomer_is_told_what_to_click(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=checkers&{BOTH_HUMAN}")
    told = page.get_by_text("Click a piece, then where it goes.", exact=True)
    expect(told).to_be_visible()
    touch(page, "11", "15")
    expect(told).to_be_hidden()
    page = visitor.open(f"play/game=dice-nim&{BOTH_HUMAN}")
    expect(page.get_by_text("Click one of the dots.", exact=True)).to_be_visible()
    page = visitor.open("analyse/game=dice-nim&engine=0")
    expect(page.get_by_text("Click the die to choose what comes up.")).to_be_visible()


def test_moves_are_read_out(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=tic-tac-toe&{BOTH_HUMAN}")
    touch(page, "b2")
    news = page.get_by_role("status").filter(has_text="plays b2")
    expect(news).to_have_text("X plays b2; O to move")


# Turning the board around.


def turn_button(page: Page) -> Locator:
    return page.get_by_role("button", name="Turn board", exact=True)


@pytest.mark.parametrize(
    ("game", "here", "opposite"),
    [
        ("chess", "a1", "h8"),
        ("checkers", "4", "29"),
        ("othello", "b1", "g8"),
        ("kalah", "S1", "N1"),
    ],
)
def test_a_board_is_turned_round(visitor: Visitor, game: str, here: str, opposite: str) -> None:
    page = visitor.open(f"play/game={game}&{BOTH_HUMAN}")
    expect(turn_button(page)).to_have_attribute("aria-pressed", "false")
    before = middle(place(page, here)), middle(place(page, opposite))
    turn_button(page).click()
    expect(turn_button(page)).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_url(re.compile("turned=1"))
    assert middle(place(page, opposite)) == pytest.approx(before[0], abs=1)
    assert middle(place(page, here)) == pytest.approx(before[1], abs=1)
    page.reload()
    expect(turn_button(page)).to_have_attribute("aria-pressed", "true")
    assert middle(place(page, opposite)) == pytest.approx(before[0], abs=1)
    page.keyboard.press("f")
    expect(turn_button(page)).to_have_attribute("aria-pressed", "false")
    assert middle(place(page, here)) == pytest.approx(before[0], abs=1)


def test_pieces_letters_and_players_turn_with_the_board(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=chess&turned=1&{BOTH_HUMAN}")
    expect(turn_button(page)).to_have_attribute("aria-pressed", "true")
    letters = page.get_by_role("group", name="Chess board").locator("text")
    a, h, first = (letters.get_by_text(text, exact=True) for text in ("a", "h", "1"))
    assert middle(a)[0] > middle(h)[0]
    assert middle(a)[1] > middle(place(page, "a8"))[1], "below the board, as before"
    assert middle(first)[1] == pytest.approx(middle(place(page, "a1"))[1], abs=2)
    pieces = [middle(each) for each in page.locator(".board-frame > svg > g[transform]").all()]
    assert len(pieces) == 32
    for square in ("a1", "e8", "d2", "h7"):
        x, y = middle(place(page, square))
        assert any(abs(x - u) < 8 and abs(y - v) < 8 for u, v in pieces), square
    white, black = (page.get_by_text(f"{side} · human") for side in ("White", "Black"))
    assert middle(white)[1] < middle(black)[1]
    place(page, "e2").drag_to(place(page, "e4"))
    expect(move_list(page)).to_have_text(["e4"])
    page.keyboard.press("f")
    assert middle(white)[1] > middle(black)[1]


def test_who_plays_the_upper_side_against_the_engine_sits_below(visitor: Visitor) -> None:
    page = visitor.open("play/game=chess&first=1&second=human")
    expect(turn_button(page)).to_have_attribute("aria-pressed", "true")
    assert middle(place(page, "e8"))[1] > middle(place(page, "e1"))[1]
    assert "turned" not in page.url
    page.keyboard.press("f")
    expect(page).to_have_url(re.compile("turned=0"))
    expect(turn_button(page)).to_have_attribute("aria-pressed", "false")
    page.reload()
    expect(turn_button(page)).to_have_attribute("aria-pressed", "false")


def test_players_sit_where_their_pieces_stand(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=checkers&{BOTH_HUMAN}")
    black, white = (page.get_by_text(f"{side} · human") for side in ("Black", "White"))
    expect(place(page, "1")).to_have_accessible_name(re.compile("black man"))
    assert middle(black)[1] < middle(place(page, "1"))[1] < middle(place(page, "32"))[1]
    assert middle(place(page, "32"))[1] < middle(white)[1]


@pytest.mark.parametrize("game", ["connect-four", "nim", "dice-nim"])
def test_what_has_no_other_side_is_not_turned(visitor: Visitor, game: str) -> None:
    page = visitor.open(f"play/game={game}&{BOTH_HUMAN}")
    expect(legal_places(page).first).to_be_visible()
    expect(turn_button(page)).to_have_count(0)
    before = middle(legal_places(page).first)
    page.keyboard.press("f")
    assert "turned" not in page.url
    assert middle(legal_places(page).first) == before


def test_the_key_that_turns_the_board_can_be_typed(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=chess&{BOTH_HUMAN}")
    expect(legal_places(page).first).to_be_visible()
    page.get_by_label("Type a move").press_sequentially("f3")
    expect(page.get_by_label("Type a move")).to_have_value("f3")
    expect(turn_button(page)).to_have_attribute("aria-pressed", "false")


def test_a_turned_board_keeps_what_is_marked_and_stays_turned_in_other_rooms(
    visitor: Visitor,
) -> None:
    page = visitor.open(f"review/game=tic-tac-toe&moves={LOST_AT_ONCE}&pace=0.1&run=1&at=5")
    expect(page.get_by_text("Best now is a3.")).to_be_visible()
    expect(page.get_by_role("progressbar", name="Review")).to_be_hidden()
    expect_marked(page, "a3")
    before = middle(place(page, "a3"))
    page.keyboard.press("f")
    expect(turn_button(page)).to_have_attribute("aria-pressed", "true")
    assert middle(place(page, "c1")) == pytest.approx(before, abs=1)
    expect_marked(page, "a3")
    page.get_by_role("navigation", name="Rooms").get_by_role("link", name="Analyze").click()
    expect(page.get_by_role("button", name="Hide hints")).to_be_visible()
    expect(turn_button(page)).to_have_attribute("aria-pressed", "true")


# Analyze.


def test_analysis_shows_depth_and_lines_that_can_be_played(visitor: Visitor) -> None:
    page = visitor.open("analyse/game=tic-tac-toe&moves=a1;b1")
    expect(page.get_by_text(re.compile(r"depth \d+"))).to_be_visible()
    expect(lines(page)).to_have_count(3)
    expect(page.get_by_role("meter", name="Evaluation")).to_have_attribute(
        "aria-valuetext", re.compile("wins")
    )
    expect(page.get_by_text("proven")).to_be_visible()  # the lines stay as they are
    second = lines(page).first.get_by_role("button").nth(1)
    move = second.inner_text()
    second.click()
    expect(move_list(page)).to_have_count(4)
    expect(move_list(page).last).to_have_text(move)


def test_a_line_is_exact_by_itself(visitor: Visitor) -> None:
    def told(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            answer = json.loads(message)
            found = answer.get("news") or answer.get("answer") or {}
            if "rate" in found:
                found["exact"] = True
                for rank, line in enumerate(found["moves"]):
                    line |= {"exact": rank == 0, "value": -rank, "win_in": None}
            route.send(json.dumps(answer))

        server.on_message(pass_on)
        route.on_message(server.send)

    page = visitor.open("games/")
    page.route_web_socket(re.compile("/connect$"), told)
    page.goto(f"{visitor.lab.url}#analyse/game=tic-tac-toe&lines=2&time=10")
    page.reload()
    values = page.locator(".pv > .value")
    expect(values).to_have_text(["=0", "−1"])


@pytest.mark.parametrize("viewport", [PHONE, {"width": 1280, "height": 800}])
def test_a_value_fits_into_the_bar(visitor: Visitor, viewport: ViewportSize) -> None:
    page = visitor.open("analyse/game=nim", viewport=viewport)
    text = page.locator(".eval-text")
    expect(text).to_have_text(re.compile(r"#\d\d"))
    assert text.evaluate(
        """text => {
          const range = document.createRange();
          range.selectNodeContents(text);
          const { width } = range.getBoundingClientRect();
          return range.getClientRects().length === 1 && width < text.parentElement.clientWidth;
        }"""
    )


def test_values_on_the_board_fit_into_their_frames(visitor: Visitor) -> None:
    page = visitor.open("analyse/game=tic-tac-toe&moves=a1;b1&values=1")
    labels = page.locator(".move-value")
    expect(page.get_by_text("proven")).to_be_visible()  # they are not drawn anew
    expect(labels).to_have_count(7)
    for label in labels.all():
        text, frame = (label.locator(part).bounding_box() for part in ("text", "rect"))
        assert text is not None
        assert frame is not None
        assert text["width"] < 0.9 * frame["width"], label.inner_text()
        square = place(page, "c3").bounding_box()
        assert square is not None
        assert frame["width"] < square["width"]


def test_hints_are_hidden(visitor: Visitor) -> None:
    page = visitor.open("analyse/game=tic-tac-toe")
    expect(lines(page).first).to_be_visible()
    page.get_by_role("button", name="Hide hints").click()
    expect(lines(page)).to_have_count(0)
    expect(page.get_by_role("meter", name="Evaluation")).to_have_attribute(
        "aria-valuetext", "hidden"
    )
    page.reload()
    expect(page.get_by_role("button", name="Hide hints", pressed=True)).to_be_visible()
    expect(lines(page)).to_have_count(0)


def test_every_position_of_a_game_is_valued(visitor: Visitor) -> None:
    page = visitor.open("analyse/game=tic-tac-toe&engine=0&moves=a1;b1")
    page.get_by_role("button", name="Value every move").click()
    expect(page.locator(".graph-dot")).to_have_count(3)


def test_a_position_is_solved(visitor: Visitor) -> None:
    page = visitor.open("analyse/game=tic-tac-toe&engine=0&moves=a1")
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.get_by_text(re.compile("^solved"))).to_be_visible()
    expect(lines(page)).to_have_count(8)
    expect(lines(page).first).to_have_accessible_name("Line of b2")


@pytest.mark.parametrize("room", ["play", "analyse"])
def test_a_game_that_cannot_be_shown_is_followed_by_another(visitor: Visitor, room: str) -> None:
    page = visitor.open(f"{room}/game=tic-tac-toe&engine=0&moves=a1.nowhere")
    expect(page.get_by_text("This game cannot be shown")).to_be_visible()
    page.get_by_role("combobox", name="Game", exact=True).select_option(label="Connect Four")
    expect(page.get_by_role("group", name="Connect Four board")).to_be_visible()
    expect(page.get_by_text("This game cannot be shown")).to_have_count(0)
