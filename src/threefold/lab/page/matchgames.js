// @ts-check
/** The games of a match, page by page, all of them or those of one kind. */

import { ask } from "./connection.js";
import { button, complain, field, fill, grouped, h, panel, select, toolbar } from "./parts.js";

/**
 * @typedef {object} Row a game in the list
 * @property {number} number from 0
 * @property {[number, number]} players the first and the second to move
 * @property {number | null} utility
 * @property {number | null} points of the first; null if the game does not count
 * @property {string} ending
 * @property {string} reason
 * @property {number} plies
 * @property {number | null} seconds
 */

const RESULTS = /** @type {const} */ ([
  ["any", "Any result"], ["won", "Won"], ["drawn", "Drawn"], ["lost", "Lost"], ["failed", "Failed: crash, time, …"],
]);

/**
 * A result as players write it, with the margin where there is one.
 *
 * @param {Pick<Row, "points" | "utility">} row
 */
export function resultOf({ points, utility }) {
  if (points === null) return "–";
  const margin = utility !== null && Math.abs(utility) > 1 ? ` (${Math.abs(utility)})` : "";
  return (points === 1 ? "1–0" : points === 0 ? "0–1" : "½–½") + margin;
}

export class Games {
  /**
   * @param {import("./state.js").State} state
   * @param {AbortSignal} signal
   */
  constructor(state, signal) {
    this._state = state;
    this._signal = signal;
    /** @type {import("./rooms/matches.js").Standing | undefined} */
    this._standing = undefined;
    this._shown = "";
    this._total = 0;
    this._page = 50;
    this._choices = h("div", { class: "fields" });
    this._rows = h("div", { class: "scroll" });
    this._place = h("span", { class: "note", role: "status" });
    this._back = button("Earlier games", () => this._turn(-1), { icon: "back", only: true });
    this._next = button("Later games", () => this._turn(1), { icon: "next", only: true });
    this.element = panel("Games", this._choices, this._rows, toolbar("Pages", this._back, this._next, this._place));
    this.element.hidden = true;
  }

  /** @param {import("./rooms/matches.js").Standing} standing */
  async show(standing) {
    const isOther = this._standing?.match !== standing.match;
    this._standing = standing;
    if (isOther) this._showChoices(standing);
    await this._fetch();
  }

  /** @param {import("./rooms/matches.js").Standing} standing */
  _showChoices({ players }) {
    const everyone = /** @type {[string, string][]} */ ([["", "Everyone"], ...players.map((name, i) => [String(i), name])]);
    const again = (/** @type {import("./state.js").Values} */ values) => {
      this._state.set({ ...values, page: null });
      this._fetch().catch(complain);
    };
    fill(this._choices,
      field("Games of", select(everyone, this._state.get("player"), (player) => again({ player }))),
      field("Result", select(RESULTS, this._state.get("result", "any"), (result) => again({ result: result === "any" ? null : result }))));
  }

  async _fetch() {
    const standing = this._standing;
    if (!standing) return;
    const page = Math.max(1, this._state.number("page", 1));
    const question = {
      match: standing.match,
      player: this._state.number("player", -1),
      result: this._state.get("result", "any"),
      first: (page - 1) * this._page,
    };
    const key = JSON.stringify([question, standing.version]);
    if (key === this._shown) return;
    const answer = await ask("match-games", question, { signal: this._signal });
    this._shown = key;
    this._total = answer.total;
    this._page = answer.page;
    this._showRows(answer.rows, page);
  }

  /**
   * @param {Row[]} rows
   * @param {number} page
   */
  _showRows(rows, page) {
    const players = this._standing?.players ?? [];
    const columns = [["Game", "number"], ["Result", ""], ["First", ""], ["Second", ""], ["Why", ""], ["Plies", "number"], ["Seconds", "number"]];
    if (rows.length) fill(this._rows, h("table", { class: "table games-table" },
      h("thead", {}, h("tr", {}, columns.map(([name, css]) => h("th", { scope: "col", class: css || null }, name)))),
      h("tbody", {}, rows.map((row) => h("tr", {},
        h("td", { class: "number" }, h("a", { href: this._state.link("matches", { match: this._standing?.match, number: row.number, game: null, start: null, moves: null, at: null }), "aria-label": `Replay game ${row.number + 1}` }, row.number + 1)),
        h("td", {}, resultOf(row)),
        row.players.map((player) => h("td", { class: "mono" }, players[player] ?? "")),
        h("td", {}, row.reason || row.ending),
        h("td", { class: "number" }, row.plies), h("td", { class: "number" }, row.seconds?.toFixed(2) ?? ""))))));
    else fill(this._rows, h("p", { class: "note" }, "No such game."));
    const first = (page - 1) * this._page;
    this._place.textContent = rows.length ? `${grouped(first + 1)} to ${grouped(first + rows.length)} of ${grouped(this._total)}` : `0 of ${grouped(this._total)}`;
    this._back.disabled = page <= 1;
    this._next.disabled = first + this._page >= this._total;
  }

  /** @param {number} step */
  _turn(step) {
    const page = Math.max(1, this._state.number("page", 1) + step);
    this._state.set({ page: page === 1 ? null : page });
    this._fetch().catch(complain);
  }
}
