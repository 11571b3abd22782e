// @ts-check
/**
 * Playing a game that hides something: the lab keeps it, and each seat is shown what it may see.
 *
 * One person sees their own seat. Several at one screen say who they are when it is their turn; until then nothing is shown.
 */

import { Board } from "./board.js";
import { games, LabError } from "./connection.js";
import { exportMenu } from "./exporting.js";
import { capital, resultText } from "./line.js";
import { MoveList, rowsOfSeats } from "./movelist.js";
import { announce, brief, button, choose, complain, controlPanel, field, fill, h, icon, isCalm, linkButton, panel, select, toolbar } from "./parts.js";
import { gamePicker } from "./picker.js";
import { SeatTable } from "./seats.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./seats.js").Seen} Seen */
/** @typedef {import("./connection.js").GameInfo} GameInfo */

export const HUMAN = "human";
const USUAL_COMPUTER = "5";
/** Seconds that a computer may be given, as `5s`. */
const SECONDS = [1, 3, 10];
/** Places of fewer pixels are hard to hit: the moves are then offered as buttons, too. */
const TOO_SMALL = 12;
/** Milliseconds for which a move is seen before the next computer moves. */
const PACE = 600;

export class HiddenPlay {
  /**
   * @param {HTMLElement} main
   * @param {State} state
   * @param {GameInfo} info
   * @param {(game: string) => void} onGame another game was chosen
   */
  constructor(main, state, info, onGame) {
    this._state = state;
    this._info = info;
    this._onGame = onGame;
    this._leaving = new AbortController();
    /** @type {SeatTable | undefined} */
    this._table = undefined;
    /** What is on the screen. @type {Seen | undefined} */
    this._seen = undefined;
    /** The look at the table that a person's move was made in: a second click is not another move. @type {Seen | undefined} */
    this._acted = undefined;
    /** Who says that they are looking, if several share the screen. @type {number | null} */
    this._looking = null;
    /** After how many moves the game is shown; all of them if null. @type {number | null} */
    this._at = null;
    /** How often something was asked for, so that only the latest answer is shown. */
    this._asked = 0;
    /** The move or the look that was asked for last: a hand is quicker than an answer. @type {Promise<unknown>} */
    this._last = Promise.resolve();
    /** What a computer is doing. @type {AbortController | undefined} */
    this._working = undefined;
    this.board = new Board({ onMove: (move) => void this._play(move) });
    const room = this;
    /** What the move list goes through. */
    this._gone = {
      get at() { return room._seen?.at ?? 0; },
      get moves() { return { length: room._seen?.plies ?? 0 }; },
      get first() { return room._seen?.first ?? 0; },
    };
    const many = info.seats.length > 2;
    this._moveList = new MoveList(this._gone, (at) => this._goTo(at), many ? rowsOfSeats(info.seats) : undefined);
    this._moveList.element.classList.toggle("by-seats", many);
    this._picker = gamePicker(state.get("game", info.game), (spec) => void this._changeGame(spec));
    this._strips = info.seats.map(() => h("div", { class: "strip seat" }));
    this._cover = h("div", { class: "cover panel", hidden: true });
    this._banner = h("div", { class: "banner", hidden: true });
    this._others = toolbar("Moves");
    this._others.hidden = true;
    this._hintButton = button("Hint", () => void this._hint(), { icon: "why", title: "What a computer would play that sees what you see" });
    this._hintButton.hidden = true;
    this._advice = h("div", { class: "advice", role: "status" });
    this._players = h("div", { class: "fields by-two" });
    this._layOut(main);
    void this._start();
  }

  /** @param {HTMLElement} main */
  _layOut(main) {
    const line = () => ({ game: this._spec, start: this._whole?.start ?? "", moves: this._whole?.moves ?? [], at: this._seen?.at ?? 0,
      view: { record: this._whole?.record ?? null } });
    main.append(
      h("div", { class: "room hidden-play" },
        h("h1", { class: "aloud" }, "Play"),
        h("div", { class: "stage" },
          h("div", { class: "board-column" },
            h("div", { class: "seats", role: "group", "aria-label": "Seats" }, this._strips), this._cover, this.board.element),
          h("div", { class: "row beside-board no-print" }, this._others, this._hintButton), this._advice),
        h("div", { class: "side" },
          this._banner,
          controlPanel("Game and seats", this._picker.element, this._players,
            h("p", { class: "note" }, "Each seat is shown only what it may see, and the lab keeps the rest. A move that was made stands."),
            toolbar("Game", button("New deal", () => void this._deal(), { icon: "plus", main: true }),
              exportMenu({ picture: () => this.board.picture, line, data: () => ({}) }))),
          panel("Moves", this._moveList.element))),
    );
  }

  get _spec() {
    return this._state.get("game", this._info.game);
  }

  /** The whole game, once it is over. */
  get _whole() {
    return this._seen?.whole;
  }

  /** Leave the room. */
  close() {
    this._leaving.abort();
    this._working?.abort();
    this._moveList.close();
  }

  /** The address has changed. */
  update() {
    void this._start();
  }

  // Who plays.

  /** Who plays each seat, as the address has it, or the first a person and the others computers. */
  get _seats() {
    const given = this._state.get("seats").split(",");
    return this._info.seats.map((_, seat) => (given.length === this._info.seats.length && given[seat]) || (seat ? USUAL_COMPUTER : HUMAN));
  }

  /** @returns {import("./seats.js").Wanted} */
  get _wanted() {
    return { game: this._spec, start: this._state.get("start"), seats: this._seats.join(",") };
  }

  async _offerPlayers() {
    const { levels } = await games();
    /** @type {[string, string][]} */
    const options = [
      [HUMAN, "Human"],
      ...levels.map(({ level, name }) => /** @type {[string, string]} */ ([String(level), `Level ${level}${name ? ` · ${name}` : ""}`])),
      ...SECONDS.map((s) => /** @type {[string, string]} */ ([`${s}s`, `Computer, ${s} s`])),
    ];
    fill(this._players, this._info.seats.map((name, seat) =>
      field(capital(name), select(options, this._seats[seat] ?? HUMAN, (value) => void this._reseat(seat, value)))));
  }

  /** Another player for a seat: whoever it is knows nothing yet, so the cards are dealt again. @param {number} seat @param {string} who */
  async _reseat(seat, who) {
    if (!(await this._mayLeave())) {
      await this._offerPlayers();
      return;
    }
    const seats = this._seats.map((each, at) => (at === seat ? who : each));
    this._state.set({ seats: seats.join(",") });
    await this._begin();
  }

  /** @param {string} spec */
  async _changeGame(spec) {
    if (!spec || spec === this._spec) return;
    if (await this._mayLeave()) this._onGame(spec);
    else this._picker.show(this._spec);
  }

  /** Whether this game may be thrown away; the user is asked if a person has moved and it is not over. */
  async _mayLeave() {
    let last;
    do {
      last = this._last;
      await last.catch(() => {}); // whoever asked for it says what went wrong
    } while (last !== this._last);
    const { _seen: seen } = this;
    if (!seen || seen.over || !seen.played.some(({ seat }) => seat !== null && seat !== undefined && seen.people.includes(seat))) return true;
    return (await choose("Leave this game? It will be lost.", [{ value: "leave", text: "Leave it and start over" }], "Keep this game")) !== null;
  }

  // The game.

  async _start() {
    try {
      this._state.set({ game: this._spec });
      this._picker.show(this._spec);
      await this._offerPlayers();
      this._stop();
      const asked = ++this._asked;
      const table = await SeatTable.find(this._wanted);
      if (asked !== this._asked || this._leaving.signal.aborted) return;
      this._sit(table);
      await this._refresh();
    } catch (error) {
      this._fail(error);
    }
  }

  async _deal() {
    if (await this._mayLeave()) await this._begin();
  }

  async _begin() {
    this._stop();
    const asked = ++this._asked;
    try {
      const table = await SeatTable.begin(this._wanted);
      if (asked !== this._asked || this._leaving.signal.aborted) return;
      this._sit(table);
      if (await this._refresh()) announce(`New deal of ${this._seen?.title}`);
    } catch (error) {
      this._fail(error);
    }
  }

  /** @param {SeatTable} table */
  _sit(table) {
    this._table = table;
    this._looking = null;
    this._at = null;
    fill(this._advice);
  }

  _stop() {
    this._working?.abort();
    this._working = undefined;
  }

  /**
   * Look at the table, and go on if it is a computer's turn; whether this was still wanted.
   *
   * @param {{animate?: boolean}} [options]
   */
  _refresh(options = {}) {
    const looking = this._look(options);
    this._last = looking;
    return looking;
  }

  /** @param {{animate?: boolean}} options */
  async _look({ animate = false }) {
    this._stop();
    const asked = ++this._asked;
    const seen = await this._table?.look({ seat: this._looking, at: this._at });
    if (!seen || asked !== this._asked || this._leaving.signal.aborted) return false;
    const news = this._seen && this._seen.plies < seen.plies ? seen.played.filter(({ ply = 0 }) => ply > (this._seen?.plies ?? 0)) : [];
    this._seen = seen;
    if (seen.covered) this._looking = null;
    this._show(seen, animate);
    for (const each of news) announce(`${capital(each.seat === null || each.seat === undefined ? "nature" : seen.seats[each.seat] ?? "")}: ${each.text}`);
    if (seen.over && news.length) announce(resultOf(seen));
    if (this._isComputers(seen) && this._isAtEnd) void this._proceed(seen);
    return true;
  }

  get _isAtEnd() {
    return this._at === null;
  }

  /** @param {Seen} seen */
  _isComputers({ decides, people }) {
    return decides !== null && !people.includes(decides);
  }

  /** @param {number} at */
  _goTo(at) {
    if (!this._seen) return;
    this._at = at >= this._seen.plies ? null : Math.max(at, this._seen.first);
    this._refresh().catch(complain);
  }

  /** Make a person's move. @param {string} move */
  _play(move) {
    const playing = this._make(move);
    this._last = playing;
    return playing;
  }

  /** @param {string} move */
  async _make(move) {
    const { _seen: seen, _table: table } = this;
    if (!seen || !table || this._acted === seen) return;
    this._acted = seen;
    fill(this._advice);
    try {
      await table.play(seen, move);
    } catch (error) {
      if (!this._leaving.signal.aborted) complain(error);
    }
    await this._refresh({ animate: true }).catch((error) => this._fail(error));
  }

  /** Let the computers move, one after another. @param {Seen} seen */
  async _proceed(seen) {
    const mine = new AbortController();
    this._working = mine;
    const signal = AbortSignal.any([mine.signal, this._leaving.signal]);
    const seat = seen.decides ?? 0;
    this._showStrips(seen, "thinking…");
    const rest = pause(isCalm() ? 0 : PACE, signal).catch(() => {});
    try {
      await this._table?.proceed(seen, {
        signal,
        onNews: (news) => {
          if (this._working !== mine) return;
          if (news.compiling) this._showStrips(seen, `compiling ${news.compiling} for the first time…`);
          else if (news.waiting) this._showStrips(seen, `${news.waiting}…`);
          else if (news.nodes) this._showStrips(seen, `thinking: ${brief(news.nodes)}…`);
        },
      });
      await rest;
      if (this._working === mine) await this._refresh({ animate: true });
    } catch (error) {
      if (this._working !== mine || signal.aborted) return;
      this._working = undefined;
      this._showStrips(seen);
      this._stuck(error, seat);
    }
  }

  /** A computer could not move: say why, and offer to try again. @param {unknown} error @param {number} seat */
  _stuck(error, seat) {
    this._banner.hidden = false;
    fill(this._banner,
      h("p", {}, `${capital(this._info.seats[seat] ?? "")} cannot move: ${error instanceof Error ? error.message : error}`),
      button("Try again", () => {
        this._banner.hidden = true;
        this._refresh().catch((again) => this._fail(again));
      }, { main: true }));
  }

  async _hint() {
    const { _seen: seen, _table: table } = this;
    if (!seen || !table) return;
    this._hintButton.disabled = true;
    fill(this._advice, h("p", { class: "busy" }, "Thinking about what you see…"));
    try {
      const { best, moves } = await table.hint(seen, {
        signal: this._leaving.signal,
        onNews: (news) => {
          if (news.compiling) fill(this._advice, h("p", { class: "busy" }, `Compiling ${news.compiling} for the first time…`));
        },
      });
      if (this._seen !== seen) return;
      const others = moves.filter(({ move }) => move !== best.move).slice(0, 4);
      const value = moves.find(({ move }) => move === best.move)?.value;
      fill(this._advice, h("p", {}, "By what you see: ", h("b", {}, best.text), value ? ` (${value})` : "",
        others.length ? `; then ${others.map((each) => `${each.text} (${each.value})`).join(", ")}` : ""));
    } catch (error) {
      if (this._seen === seen && !this._leaving.signal.aborted) fill(this._advice, h("p", { class: "bad" }, error instanceof Error ? error.message : String(error)));
    } finally {
      this._hintButton.disabled = false;
    }
  }

  // What is shown.

  /** @param {Seen} seen @param {boolean} animate */
  _show(seen, animate) {
    const mine = seen.moves.length > 0;
    this._cover.hidden = !seen.covered;
    this.board.element.hidden = seen.covered;
    if (seen.covered) {
      this.board.clear();
      this._showCover(seen);
    } else this.board.show(asView(seen), { playable: mine, animate });
    this._showStrips(seen);
    this._showBanner(seen);
    this._moveList.show(seen.played, seen.at);
    const isSmall = this.board.smallest(seen.moves.flatMap(({ places }) => places)) < TOO_SMALL;
    if (mine) this.board.element.classList.toggle("enlarged", isSmall);
    fill(this._others, seen.moves.filter(({ places }) => isSmall || !places.length || !this.board.hasPlaces)
      .map(({ move, text }) => button(capital(text), () => void this._play(move))));
    this._others.hidden = !this._others.hasChildNodes();
    this._hintButton.hidden = !mine;
    if (!mine) fill(this._advice);
  }

  /** @param {Seen} seen */
  _showCover(seen) {
    const { decides } = seen;
    const name = decides === null ? "" : seen.seats[decides] ?? "";
    if (decides === null || this._isComputers(seen)) {
      fill(this._cover, h("p", { class: "bigger" }, "The cards are covered."), h("p", { class: "note" }, `${capital(name)}, a computer, is to move.`));
      return;
    }
    const show = button(`I am ${name}: show my cards`, () => {
      this._looking = decides;
      this._refresh().catch((error) => this._fail(error));
    }, { main: true, icon: "show" });
    fill(this._cover, h("p", { class: "bigger" }, `Pass the screen to ${name}.`),
      h("p", { class: "note" }, "Nobody else looks. The cards are covered again after the move."), show);
    if (document.activeElement === document.body || this._cover.contains(document.activeElement)) show.focus();
  }

  /** @param {Seen} seen @param {string} [thinking] */
  _showStrips(seen, thinking = "") {
    const seats = this._seats;
    for (const [seat, strip] of this._strips.entries()) {
      const human = seen.people.includes(seat);
      const turn = seen.decides === seat;
      const who = seats[seat] ?? "";
      const what = human ? (seen.people.length === 1 ? "you" : "human") : who.endsWith("s") ? `${who.slice(0, -1)} s` : `level ${who}`;
      const last = seen.played.slice(-seats.length).findLast((each) => each.seat === seat);
      const doing = turn ? thinking || "to move" : last && !seen.over ? last.text : "";
      strip.classList.toggle("turn", turn);
      if (turn) strip.setAttribute("aria-current", "true");
      else strip.removeAttribute("aria-current");
      fill(strip, h("span", { class: "strip-icon" }, icon(human ? "human" : "engine")),
        h("span", { class: "strip-name" }, capital(seen.seats[seat] ?? ""), h("small", {}, ` · ${what}`)),
        h("span", { class: `strip-doing${turn && thinking ? " busy" : ""}` }, doing));
    }
  }

  /** @param {Seen} seen */
  _showBanner(seen) {
    this._banner.hidden = !seen.over;
    fill(this._banner);
    if (!seen.over) return;
    const { whole } = seen;
    const there = { start: whole?.start || null, moves: whole?.moves.join(";") ?? null, at: null };
    fill(this._banner,
      h("p", { class: "bigger" }, h("b", {}, resultOf(seen))),
      toolbar("After the game",
        button("New deal", () => void this._begin(), { icon: "plus", main: true }),
        linkButton("Go through it", this._state.link("review", there), { icon: "review" })));
  }

  /** Say what went wrong; if nothing was ever shown, in place of the board. @param {unknown} error */
  _fail(error) {
    if (error instanceof DOMException) return;
    if (this._seen && !(error instanceof LabError)) {
      complain(error);
      return;
    }
    this._seen = undefined;
    this.board.clear();
    this.board.element.hidden = this._others.hidden = this._hintButton.hidden = this._banner.hidden = true;
    this._cover.hidden = false;
    fill(this._cover, h("p", { role: "alert" }, error instanceof Error ? error.message : String(error)),
      button("New deal", () => void this._begin(), { main: true }));
  }
}

/**
 * A position as the board takes it.
 *
 * @param {Seen} seen
 * @returns {import("./line.js").View}
 */
function asView(seen) {
  return {
    game: seen.game, title: seen.title, position: "", player: seen.player ?? 0, turn: "", svg: seen.svg ?? "", moves: seen.moves,
    played: seen.played.filter(({ ply = 0 }) => ply <= seen.at), over: seen.over, result: seen.result, evaluations: [], units: {}, pieces: [], signs: {},
    record: null, sides: seen.sides, above: null, open: false, hides: true, barred: [], territory: false, search: "ismcts", contents: seen.contents,
  };
}

/** How the game ended, in a sentence. @param {Seen} seen */
const resultOf = (seen) => resultText(asView(seen));

/**
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("no longer wanted", "AbortError"));
    }, { once: true });
  });
}
