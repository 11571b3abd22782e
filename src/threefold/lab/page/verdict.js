// @ts-check
/** What a search has found: the value, what it cost, and the best lines. */

import { brief, fill, grouped, h } from "./parts.js";
import { longValue, shortValue, wordsOf } from "./values.js";

/** @typedef {import("./searcher.js").Found} Found */
/** @typedef {import("./searcher.js").Known} Known */
/** @typedef {import("./values.js").Scale} Scale */

/** Moves of a line that are shown. */
const LONGEST = 24;
/** Lines that are shown of a solved position. */
const SOLVED_LINES = 12;

export class Verdict {
  /**
   * @param {(moves: string[]) => void} [onLine] called with the moves of a line up to the one that was clicked; without
   *   it, lines are only shown
   */
  constructor(onLine) {
    this._onLine = onLine;
    this._value = h("div", { class: "verdict" });
    this._figures = h("div", { class: "figures" });
    this._lines = h("div", { class: "lines" });
    this.element = h("div", { class: "engine-output" }, this._value, this._figures, this._lines);
    /** The lines that are shown. @type {string[][]} */
    this._shown = [];
  }

  /** Show that nothing is known. @param {string} note why; empty if that is clear */
  clear(note) {
    fill(this._value);
    fill(this._figures);
    fill(this._lines, note ? h("p", { class: "note" }, note) : null);
  }

  /**
   * @param {Known} now
   * @param {Scale} scale
   * @param {number} count of lines
   */
  show({ found, solved, done }, scale, count) {
    fill(this._value, h("span", { class: "value" }, shortValue(found, scale)), h("span", { class: "soft" }, wordsOf(found, scale), found.database ? ", database" : null));
    fill(this._figures,
      solved
        ? h("span", {}, h("b", {}, found.complete === false ? "not solved in time" : "solved"), found.method ? ` by ${found.method}` : "")
        : h("span", {}, "depth ", h("b", {}, found.depth), found.selective_depth > found.depth ? `/${found.selective_depth}` : ""),
      h("span", { title: `${grouped(found.nodes)} ${found.simulated ? "simulations" : "positions"}` }, h("b", {}, brief(found.nodes)), found.simulated ? " simulations" : " nodes"),
      h("span", {}, h("b", {}, brief(found.rate)), "/s"),
      h("span", {}, `${found.seconds.toFixed(1)} s`),
      done && !solved ? h("span", {}, found.exact ? "proven" : "finished") : null);
    this._showLines(found.moves.slice(0, solved ? SOLVED_LINES : count), scale);
  }

  /**
   * The lines, in the existing elements: news comes five times a second, and a button
   * must not go away under the mouse or the keyboard's focus.
   *
   * @param {Found["moves"]} moves
   * @param {Scale} scale
   */
  _showLines(moves, scale) {
    const lines = this._lines;
    this._shown = moves.map((each) => each.pv.slice(0, LONGEST));
    const rows = [...lines.querySelectorAll(".pv")];
    if (rows.length !== lines.children.length) lines.replaceChildren();
    for (const [k, each] of moves.entries()) {
      let row = lines.children[k];
      if (!row) {
        row = h("div", { class: "pv" }, h("span", { class: "value" }), h("span", { class: "pv-moves", role: "group" }), h("span", { class: "visits" }));
        lines.append(row);
      }
      const [value, group, visits] = /** @type {HTMLElement[]} */ ([...row.children]);
      if (!value || !group || !visits) continue;
      value.textContent = shortValue(each, scale);
      value.title = longValue(each, scale);
      visits.hidden = each.visits === null;
      visits.textContent = `${grouped(each.visits ?? 0)} ${each.visits === 1 ? "visit" : "visits"}`;
      visits.style.setProperty("--share", String((each.visits ?? 0) / Math.max(1, moves[0]?.visits ?? 1)));
      group.setAttribute("aria-label", `Line of ${each.text}`);
      const pv = each.pv_text.slice(0, LONGEST);
      for (const [i, move] of pv.entries()) {
        let one = group.children[i];
        if (!one) {
          one = this._onLine ? h("button", { type: "button", class: "move", onclick: () => this._choose(k, i) }) : h("span", { class: "move" });
          group.append(one);
        }
        if (one.textContent !== move) one.textContent = move;
      }
      while (group.children.length > pv.length) group.lastElementChild?.remove();
    }
    while (lines.children.length > moves.length) lines.lastElementChild?.remove();
  }

  /**
   * @param {number} k the line
   * @param {number} i the move in it
   */
  _choose(k, i) {
    const pv = this._shown[k];
    if (pv && i < pv.length) this._onLine?.(pv.slice(0, i + 1));
  }
}

/**
 * The values of moves for the board, each at the places of its move; what a tree search has not visited has none.
 *
 * @param {Found} found
 * @param {Scale} scale
 * @param {(move: Found["moves"][number]) => string[]} placesOf
 */
export const valuesOf = (found, scale, placesOf) =>
  found.moves.filter(({ visits }) => visits !== 0).map((each) => ({
    places: placesOf(each),
    text: shortValue(each, scale),
    note: each.visits === null ? "" : brief(each.visits).replace(" ", ""),
    good: goodness(each, found),
  }));

/**
 * How good a move is compared with the best, from 0 to 1. Of a tree search, the best is the first: what was visited little
 * may seem better by luck.
 *
 * @param {Found["moves"][number]} each
 * @param {Found} found
 */
function goodness(each, found) {
  const best = found.moves[0];
  if (!best || each === best || (!found.simulated && each.value >= best.value)) return 1;
  return Math.max(0, Math.min(0.99, 1 - Math.abs(best.share - each.share) * 2.5));
}
