// @ts-check
/** The moves of a game, in rows of the first and the second player, to click through. */

import { button, fill, h, isTyping } from "./parts.js";

/** @typedef {import("./line.js").View["played"]} Played */

/** The game that is gone through: how many moves it has, and how many are made on the board; `first`: the fewest that one can
 * go back to. @typedef {{at: number, moves: {length: number}, first?: number}} Gone */

/** A remark on a move: a sign, and words for it. @typedef {{sign?: string, text?: string, css?: string}} Remark */

export class MoveList {
  /**
   * @param {Gone} line says where a step starts from: it may be ahead of what is shown
   * @param {(at: number) => void} onGo
   * @param {(played: Played) => Entry[][][]} [rows] how the moves are put into rows of cells
   */
  constructor(line, onGo, rows = rowsOf) {
    this._onGo = onGo;
    this._line = line;
    this._rowsOf = rows;
    /** @type {string} */
    this._shown = "";
    this._rows = h("ol", { class: "moves", "aria-label": "Moves", tabindex: 0 });
    this._steps = {
      first: button("First position", () => onGo(0), { icon: "first", only: true }),
      back: button("One move back", () => onGo(line.at - 1), { icon: "back", only: true, title: "One move back (←)" }),
      next: button("One move forward", () => onGo(line.at + 1), { icon: "next", only: true, title: "One move forward (→)" }),
      last: button("Last position", () => onGo(line.moves.length), { icon: "last", only: true }),
    };
    this.element = h("div", { class: "move-list" }, this._rows,
      h("div", { class: "joined fill", role: "group", "aria-label": "Go through the game" }, Object.values(this._steps)));
    /** @param {KeyboardEvent} event */
    this._key = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event)) return;
      const count = line.moves.length;
      const to = /** @type {Record<string, number>} */ ({
        ArrowLeft: line.at - 1, ArrowRight: line.at + 1, Home: 0, End: count,
      })[event.key];
      if (to === undefined) return;
      event.preventDefault();
      if (to >= 0 && to <= count && to !== line.at) onGo(to);
    };
    document.addEventListener("keydown", this._key);
  }

  /** Leave the room. */
  close() {
    document.removeEventListener("keydown", this._key);
  }

  /**
   * @param {Played} played
   * @param {number} at
   * @param {ReadonlyMap<number, Remark>} [remarks] by ply: the number of moves made
   */
  show(played, at, remarks = new Map()) {
    const shown = JSON.stringify([played.map(({ text, player, ply }) => [text, player, ply]), [...remarks]]);
    if (shown !== this._shown) {
      this._shown = shown;
      if (played.length) fill(this._rows, this._rowsOf(played).map((row, i) => this._row(row, i, remarks)));
      else fill(this._rows, h("li", { class: "soft none" }, "No moves yet."));
    }
    for (const each of this._rows.querySelectorAll("button")) {
      if (Number(each.dataset.ply) === at) {
        each.setAttribute("aria-current", "step");
        reveal(this._rows, each);
      } else each.removeAttribute("aria-current");
    }
    if (at === 0) this._rows.scrollTop = 0;
    this._steps.first.disabled = this._steps.back.disabled = at <= (this._line.first ?? 0);
    this._steps.last.disabled = this._steps.next.disabled = at === (played.at(-1)?.ply ?? played.length);
  }

  /**
   * @param {Entry[][]} row
   * @param {number} index
   * @param {ReadonlyMap<number, Remark>} remarks
   */
  _row(row, index, remarks) {
    // If the second player began, there is no first move to show: 1… Qh4.
    const cells = row[0]?.length ? row : row.slice(1);
    return h(
      "li",
      { class: cells.length < row.length ? "second-began" : null },
      h("span", { class: "move-number" }, `${index + 1}${cells.length < row.length ? "…" : "."}`),
      cells.map((cell) => h("span", { class: "move-cell" }, cell.map((entry) => this._entry(entry, remarks.get(entry.ply))))),
    );
  }

  /**
   * @param {Entry} entry
   * @param {Remark | undefined} remark
   */
  _entry({ text, player, ply, who = "" }, remark) {
    const isNature = player === -1;
    return h(
      "button",
      {
        type: "button", class: `move${isNature ? " nature" : ""} ${remark?.css ?? ""}`, "data-ply": ply,
        title: remark?.text, "aria-label": [isNature ? `nature: ${text}` : who ? `${who}: ${text}` : text, remark?.text].filter(Boolean).join(", "),
        onclick: () => this._onGo(ply),
      },
      who ? h("span", { class: "move-seat", "aria-hidden": "true" }, who.charAt(0)) : null,
      isNature ? `⚄ ${text}` : text,
      remark?.sign ? h("b", { class: "sign" }, remark.sign) : null,
    );
  }
}

/** @typedef {{text: string, player: number, ply: number, who?: string}} Entry `who` if a row does not show it */

/**
 * Rows of two cells. A player who moves twice in a row has both moves in one cell; nature's rolls
 * are listed with the player who moves next.
 *
 * @param {Played} played
 */
function rowsOf(played) {
  /** @type {[Entry[], Entry[]][]} */
  const rows = [];
  /** @type {Entry[]} */
  let rolls = [];
  for (const [i, { text, player, ply = i + 1 }] of played.entries()) {
    const entry = { text, player, ply };
    if (player === -1) {
      rolls.push(entry);
      continue;
    }
    const last = rows.at(-1);
    if (!last || (player === 0 && last[1].length)) rows.push([[], []]);
    rows.at(-1)?.[player === 0 ? 0 : 1].push(...rolls, entry);
    rolls = [];
  }
  if (rolls.length) {
    const last = rows.at(-1);
    if (!last || last[1].length) rows.push([rolls, []]);
    else last[1].push(...rolls);
  }
  return rows;
}

/**
 * Rows for a table of more than two, a cell for each move: a round of bidding, or a trick. A row ends when it is full, and
 * when a side moves twice in a row, since then something new begins.
 *
 * @param {string[]} seats
 * @returns {(played: Played) => Entry[][][]}
 */
export const rowsOfSeats = (seats) => (played) => {
  /** @type {Entry[][][]} */
  const rows = [];
  /** @type {number | undefined} */
  let before;
  for (const [i, { text, player, seat, ply = i + 1 }] of played.entries()) {
    const last = rows.at(-1);
    if (!last || player === -1 || player === before || before === -1 || last.length === seats.length) rows.push([]);
    rows.at(-1)?.push([{ text, player, ply, who: seats[seat ?? -1] }]);
    before = player;
  }
  return rows;
};

/**
 * A move with its number, as the list has it: `4. e5`, `4… d6`.
 *
 * @param {Played} played
 * @param {number} ply the number of moves made with it
 */
export function numbered(played, ply) {
  const row = rowsOf(played).findIndex((cells) => cells.flat().some((entry) => entry.ply === ply));
  const entry = played[ply - 1];
  return `${row + 1}${entry?.player === 1 ? "…" : "."} ${entry?.text ?? ""}`;
}

/**
 * Scroll a list, and nothing else, until an entry is visible.
 *
 * @param {HTMLElement} list
 * @param {HTMLElement} entry
 */
function reveal(list, entry) {
  const [outer, inner] = [list.getBoundingClientRect(), entry.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top + 8;
  else if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom + 8;
}

