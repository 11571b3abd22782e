// @ts-check
/** Matches: the file that the lab was started with. Where a match stands, its games, and each of them replayed. */

import { ask } from "../connection.js";
import { Games } from "../matchgames.js";
import { Replay } from "../replay.js";
import { complain, field, fill, h, panel, select, signed } from "../parts.js";

/** @typedef {import("../state.js").State} State */

/**
 * @typedef {object} Standing what the server says about a match
 * @property {number} match
 * @property {number} version
 * @property {string} heading
 * @property {string} kind
 * @property {string} game
 * @property {string | null} board the game's name in this lab, if the lab has it
 * @property {string[]} players
 * @property {number} games
 * @property {string} [conclusion] of a match of two
 * @property {[name: string, text: string][]} [rows]
 * @property {string} [unit] of a tournament's ratings
 * @property {{player: number, rating: number | null, error: number | null, games: number, points: number}[]} [ratings]
 * @property {string[][]} [table] in the order of the ratings
 */

/** Milliseconds between two looks at a match that may still be played. */
const PAUSE = 2000;

/**
 * @param {HTMLElement} main
 * @param {State} state
 */
export function open(main, state) {
  const room = new Matches(main, state);
  return { close: () => room.close(), update: () => room.update() };
}

class Matches {
  /**
   * @param {HTMLElement} main
   * @param {State} state
   */
  constructor(main, state) {
    this._state = state;
    this._leaving = new AbortController();
    /** @type {Standing | undefined} */
    this._standing = undefined;
    /** @type {Replay | undefined} */
    this._replay = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this._timer = undefined;
    this._rounds = 0;
    this._choice = h("div", {});
    this._result = h("div", { class: "side" });
    this._games = new Games(state, this._leaving.signal);
    this._overview = h("div", { class: "room wide" },
      h("header", {}, h("h1", {}, "Matches")), this._choice, this._result, this._games.element);
    this._replaying = h("div", {});
    main.append(this._overview, this._replaying);
    void this.update();
  }

  close() {
    this._leaving.abort();
    clearTimeout(this._timer);
    this._replay?.close();
  }

  /** The address has changed, or the room was entered. */
  async update() {
    const round = ++this._rounds;
    clearTimeout(this._timer);
    this._showGame();
    await this._look(round);
  }

  /** Look at the match now and, as long as the room is open, again and again. @param {number} round */
  async _look(round) {
    try {
      if (!document.hidden) await this._refresh();
    } catch (error) {
      if (error instanceof DOMException) return;
      this._fail(error);
    }
    if (round !== this._rounds || this._leaving.signal.aborted) return;
    this._timer = setTimeout(() => void this._look(round), PAUSE);
  }

  async _refresh() {
    const signal = this._leaving.signal;
    const { file, matches } = await ask("matches", {}, { signal });
    if (!file || !matches.length) {
      this._showNone(file);
      return;
    }
    const wanted = this._state.number("match", matches[0].match);
    const known = this._standing?.match === wanted ? this._standing.version : null;
    this._showChoice(file, matches, wanted);
    const standing = await ask("match", { match: wanted, version: known }, { signal });
    if (standing.heading !== undefined) {
      this._standing = standing;
      this._showStanding(standing);
    }
    if (this._standing) await this._games.show(this._standing);
  }

  // What is shown.

  /** One game instead of the list, if the address names one. */
  _showGame() {
    const number = this._state.get("number");
    this._overview.hidden = number !== "";
    if (number === "") {
      this._replay?.close();
      this._replay = undefined;
      fill(this._replaying);
      return;
    }
    if (!this._replay) {
      this._replay = new Replay(this._state, this._leaving.signal);
      fill(this._replaying, this._replay.element);
    }
    this._replay.update().catch(complain);
  }

  /** @param {string | null} file */
  _showNone(file) {
    fill(this._choice);
    this._games.element.hidden = true;
    fill(this._result, panel("No matches",
      h("p", {}, file ? `${file} has no matches yet.` : "Here you see recorded matches. Play one, and open its file:"),
      file ? null : h("pre", { class: "mono scroll" }, "threefold match \"alphabeta(depth=4)\" \"mcts(simulations=1000)\" \\\n  --game othello --games 100 --db games.db\nthreefold lab games.db")));
  }

  /**
   * @param {string} file
   * @param {{match: number, heading: string}[]} matches
   * @param {number} chosen
   */
  _showChoice(file, matches, chosen) {
    const key = JSON.stringify([file, matches, chosen]);
    if (this._choice.dataset.shown === key) return;
    this._choice.dataset.shown = key;
    const options = matches.map(({ match, heading }) => /** @type {[string, string]} */ ([String(match), `${match}: ${heading}`]));
    fill(this._choice, field(`Match in ${file}`, select(options, String(chosen), (match) => {
      this._state.set({ match, number: null, page: null, player: null, result: null });
      void this.update();
    })));
  }

  /** @param {Standing} standing */
  _showStanding(standing) {
    const parts = standing.ratings ? tournament(standing) : [
      h("p", { class: "bigger" }, standing.conclusion ?? ""),
      h("div", { class: "scroll" }, h("table", { class: "table" }, h("tbody", {},
        (standing.rows ?? []).map(([name, text]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "mono" }, text)))))),
    ];
    fill(this._result, panel("Standing", parts));
    this._games.element.hidden = false;
  }

  /** @param {unknown} error */
  _fail(error) {
    const said = error instanceof Error ? error.message : String(error);
    fill(this._result, panel("Matches", h("p", { class: "bad", role: "alert" }, said)));
    this._games.element.hidden = true;
    this._standing = undefined;
  }
}

/**
 * The ratings, and everyone against everyone.
 *
 * @param {Standing} standing
 */
function tournament({ players, ratings = [], table = [], unit = "Elo" }) {
  const number = (/** @type {number | null} */ x, /** @type {number} */ digits) => (x === null ? "–" : x.toFixed(digits));
  const digits = unit === "Elo" ? 0 : 3;
  return [
    h("div", { class: "scroll" }, h("table", { class: "table" },
      h("thead", {}, h("tr", {}, [["", "number"], ["Player", ""], [unit, "number"], ["± 95%", "number"], ["Games", "number"], ["Points", "number"]]
        .map(([text, css]) => h("th", { scope: "col", class: css || null }, text)))),
      h("tbody", {}, ratings.map((one, rank) => h("tr", {},
        h("td", { class: "number" }, rank + 1), h("th", { scope: "row", class: "mono" }, players[one.player] ?? ""),
        h("td", { class: "number" }, one.rating === null ? "–" : signed(Number(one.rating.toFixed(digits)))),
        h("td", { class: "number" }, number(one.error, digits)),
        h("td", { class: "number" }, one.games), h("td", { class: "number" }, one.points)))))),
    h("h3", {}, "Everyone against everyone"),
    h("div", { class: "scroll" }, h("table", { class: "table" },
      h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, "Player"), ratings.map((_, rank) => h("th", { scope: "col", class: "number" }, rank + 1)))),
      h("tbody", {}, table.map((row, rank) => h("tr", {},
        h("td", { class: "number" }, rank + 1), h("th", { scope: "row", class: "mono" }, players[ratings[rank]?.player ?? -1] ?? ""),
        row.map((cell) => h("td", { class: "number" }, cell))))))),
  ];
}
