// @ts-check
/** The evaluation as a weighted sum: its terms in the position on the board, and weights to try. */

import { ask } from "./connection.js";
import { playerName } from "./line.js";
import { button, fill, h, signed } from "./parts.js";
import { chosenEvaluation, FINISHED, scaleOf, shortValue } from "./values.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./line.js").View} View */
/** @typedef {import("./gameroom.js").GameRoom} GameRoom */
/** @typedef {import("./searcher.js").Found} Found */

/**
 * @typedef {object} Term
 * @property {string} name
 * @property {number} max
 * @property {number} min
 * @property {number} weight
 * @property {number} share
 * @property {number} own the game's own weight
 */

/** Seconds for each of the two searches that are compared. */
const SECONDS = 1;

export class Weighing {
  /**
   * @param {GameRoom} room
   * @param {State} state keeps the weights, in `weights`
   */
  constructor(room, state) {
    this._room = room;
    this._state = state;
    /** @type {View | undefined} */
    this._view = undefined;
    /** @type {Term[]} */
    this._terms = [];
    this._asked = 0;
    this._table = h("div", { class: "scroll" });
    this._result = h("div", { class: "compared", role: "status" });
    this._compareButton = button("Compare best moves", () => void this._compare(), { icon: "compare", small: true, title: "Search briefly with both weightings", disabled: true });
    this._resetButton = button("The game's own weights", () => this._set(null), { icon: "undo", small: true });
    this.element = h("div", { class: "weighing" }, this._table, h("div", { class: "row" }, this._compareButton, this._resetButton), this._result);
  }

  /** Show the terms of a position. @param {View} view */
  async show(view) {
    this._view = view;
    fill(this._result);
    const asked = ++this._asked;
    if (!view.evaluations.length) {
      this._terms = [];
      this._say("This game has no evaluation.");
      return;
    }
    try {
      const answer = await ask("evaluate", this._fields(true), { signal: this._room.signal });
      if (asked !== this._asked) return;
      this._terms = answer.terms;
      const value = signed(round(answer.value / answer.unit));
      if (typeof answer.win === "number") this._say(`${answer.evaluation}, a net: ${value} points for ${playerName(0, view)}, who wins with probability ${answer.win.toFixed(3)}${answer.draws ? ", a draw counted as half" : ""}.`);
      else if (!this._terms.length) this._say(`${answer.evaluation}: ${value} for ${playerName(0, view)}. It has no terms.`);
      else this._showTerms(view, answer.evaluation);
    } catch (error) {
      if (error instanceof DOMException || asked !== this._asked) return;
      // Weights of another game, or of another evaluation.
      if (this._state.get("weights")) this._set(null);
      else this._say(error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {string} text */
  _say(text) {
    fill(this._table, h("p", { class: "note" }, text), this._overNote());
    this._compareButton.disabled = true;
    this._resetButton.hidden = true;
  }

  /** The position, as the server expects it. @param {boolean} weighed with the weights that were set */
  _fields(weighed) {
    const weights = this._state.get("weights");
    return {
      ...this._room.line.here,
      ...chosenEvaluation(this._state, this._view),
      ...(weighed && weights ? { weights } : {}),
    };
  }

  /**
   * @param {View} view
   * @param {string} evaluation
   */
  _showTerms(view, evaluation) {
    const changed = Boolean(this._state.get("weights"));
    const most = Math.max(...this._terms.flatMap((term) => [Math.abs(term.share), Math.abs(share(term))]), 1e-9);
    const total = (/** @type {(term: Term) => number} */ of) => signed(round(this._terms.reduce((sum, term) => sum + of(term), 0)));
    const scale = view.units[evaluation] === FINISHED ? `; ${FINISHED} is a point` : "";
    const head = ["Weight", "Share", ...(changed ? ["With own weights"] : [])];
    fill(this._table,
      h("table", { class: "table terms" },
        h("caption", { class: "aloud" }, `The terms of ${evaluation}`),
        h("thead", {}, h("tr", {},
          h("th", { scope: "col" }, "Term", inBrief(view.sides)),
          view.sides.map((side) => h("th", { class: "number term-side", scope: "col" }, side)),
          head.map((title) => h("th", { class: "number", scope: "col" }, title)))),
        h("tbody", {}, this._terms.map((term) => h("tr", {},
          h("th", { scope: "row" }, term.name, inBrief([term.max, term.min])),
          h("td", { class: "number term-side" }, term.max), h("td", { class: "number term-side" }, term.min),
          h("td", { class: "number" }, this._input(term)),
          shareCell(term.share, most), changed ? shareCell(share(term), most) : null))),
        h("tfoot", {}, h("tr", {}, h("th", { scope: "row", colspan: 2 }, `${evaluation}, for ${view.sides[0]}${scale}`),
          h("td", { class: "term-side", colspan: 2 }),
          h("td", { class: "number" }, total((term) => term.share)), changed ? h("td", { class: "number" }, total(share)) : null))),
      this._zeroNote(), this._overNote());
    this._compareButton.disabled = !this._canCompare;
    this._resetButton.hidden = !changed;
  }

  /** The weights that were set, by term, as the address writes them. @returns {Map<string, string>} */
  _given() {
    const weights = this._state.get("weights");
    return new Map((weights ? weights.split(",") : []).map((part) => {
      const [name = "", weight = ""] = part.split("=");
      return [name.trim(), weight.trim()];
    }));
  }

  /** Why terms count 0 that were given no weight. */
  _zeroNote() {
    const given = this._given();
    const silent = this._terms.filter((term) => term.weight !== term.own && !given.has(term.name)).map((term) => term.name);
    if (!silent.length) return null;
    const [belong, they, them] = silent.length > 1 ? ["belong", "they count", "them"] : ["belongs", "it counts", "it"];
    return h("p", { class: "note" }, `${silent.join(" and ")} ${belong} to the game's own weights. With others ${they} 0, unless you give ${them} a weight.`);
  }

  /** What a finished game counts in a search. */
  _overNote() {
    const utility = this._view?.result?.utility;
    return typeof utility === "number" ? h("p", { class: "note" }, `The game is over: a search counts its utility, ${signed(utility)}.`) : null;
  }

  /** Whether there is something to search, with other weights than the game's own. */
  get _canCompare() {
    return Boolean(this._terms.length && this._state.get("weights") && !this._view?.over);
  }

  /** @param {Term} term */
  _input(term) {
    const isChanged = term.weight !== term.own && this._given().has(term.name);
    const input = h("input", {
      type: "number", step: "any", value: term.weight, class: isChanged ? "changed" : "",
      "aria-label": `Weight of ${term.name}`, title: `The game's own weight is ${term.own}`,
    });
    input.addEventListener("change", () => {
      const typed = input.value.trim() === "" ? term.own : Number(input.value);
      const weight = Math.round(Math.max(-10000, Math.min(10000, Number.isFinite(typed) ? typed : term.own)) * 100) / 100;
      const given = this._given().set(term.name, String(weight));
      const isOwn = this._terms.every(({ name, own }) => Number(given.get(name) ?? own) === own);
      this._set(isOwn ? null : [...given].map((each) => each.join("=")).join(","), term.name);
    });
    return input;
  }

  /**
   * @param {string | null} weights
   * @param {string} [focused] the term whose weight was typed
   */
  _set(weights, focused) {
    this._state.set({ weights });
    if (!this._view) return;
    void this.show(this._view).then(() => {
      if (!focused) return;
      const input = this._table.querySelector(`input[aria-label="Weight of ${CSS.escape(focused)}"]`);
      if (input instanceof HTMLInputElement && document.activeElement === document.body) input.focus();
    });
  }

  /** Search briefly with both weightings, and show both answers side by side. */
  async _compare() {
    this._compareButton.disabled = true;
    const view = await this._room.settled();
    if (!view || !this._canCompare) return;
    const asked = this._asked;
    const scale = scaleOf(view, { evaluation: this._state.get("eval") });
    try {
      const answers = [];
      for (const weighed of [false, true]) {
        fill(this._result, h("p", { class: "note busy" }, weighed ? "Searching with your weights…" : "Searching with the game's own weights…"));
        const found = /** @type {Found} */ (await ask("analyse", { ...this._fields(weighed), method: "alphabeta", time: SECONDS }, {
          signal: this._room.signal,
          onNews: (news) => {
            if (news.compiling) fill(this._result, h("p", { class: "note busy" }, `Compiling ${news.compiling} for the first time…`));
          },
        }));
        if (asked !== this._asked) return;
        answers.push(found);
      }
      fill(this._result,
        h("table", { class: "table" },
          h("thead", {}, h("tr", {}, ["Weights", "Best move", "Value", "Depth", "Line"].map((title) => h("th", { scope: "col" }, title)))),
          h("tbody", {}, answers.map((found, i) => h("tr", {},
            h("th", { scope: "row" }, i ? "Yours" : "Own"),
            h("td", {}, found.moves[0]?.text ?? "–"),
            h("td", { class: "number" }, shortValue(found, scale)),
            h("td", { class: "number" }, found.depth),
            h("td", {}, (found.moves[0]?.pv_text ?? []).slice(0, 6).join(" ")))))));
    } catch (error) {
      if (!(error instanceof DOMException)) fill(this._result, h("p", { class: "bad" }, error instanceof Error ? error.message : String(error)));
    } finally {
      this._compareButton.disabled = !this._canCompare;
    }
  }
}

/** A term's share with the game's own weight. @param {Term} term */
const share = (term) => term.own * (term.max - term.min);

/**
 * Both sides in one line below the term, where a column for each would be too wide.
 *
 * @param {(string | number)[]} both
 */
const inBrief = (both) => h("small", { class: "term-sides" }, both.join(" : "));

/** @param {number} value */
const round = (value) => Math.round(value * 1000) / 1000;

/**
 * A share as a number and as a bar, to the right for the first player and to the left for the second.
 *
 * @param {number} value
 * @param {number} most
 */
function shareCell(value, most) {
  const bar = h("span", { class: value < 0 ? "share-bar for-second" : "share-bar", "aria-hidden": "true" });
  bar.style.setProperty("--length", String(Math.abs(value) / most));
  return h("td", { class: "number term-share" }, h("span", {}, signed(round(value))), bar);
}
