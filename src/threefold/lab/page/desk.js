// @ts-check
/** The position and the moves as text: to copy, to paste, to type. */

import { capital, mayDiscard } from "./line.js";
import { announce, button, copyText, field, fill, fold, h, panel, toolbar } from "./parts.js";

/** @typedef {import("./line.js").View} View */

export class Desk {
  /**
   * @param {import("./line.js").Line} line
   * @param {{refresh: () => Promise<unknown>, settled: () => Promise<unknown>, onMove: (move: string) => void,
   *   onHover: (move: string) => void, signal: AbortSignal}} options `refresh` shows the line after a position was
   *   loaded, `settled` waits for the one that was asked for last, `onMove` receives a move that was typed or chosen
   */
  constructor(line, options) {
    this._line = line;
    this._options = options;
    /** @type {View | undefined} */
    this._view = undefined;
    this._playable = false;
    /** The move in the field, once it has been sent. @type {string | undefined} */
    this._sent = undefined;
    this._position = h("input", { class: "mono", type: "text", spellcheck: "false", autocomplete: "off", autocapitalize: "off" });
    this._position.addEventListener("keydown", (event) => {
      if (event.key === "Enter") void this._load();
      else if (event.key === "Escape") this._position.value = this._view?.position ?? "";
    });
    this._move = h("input", { class: "mono", type: "text", spellcheck: "false", autocomplete: "off", autocapitalize: "off", list: "" });
    this._playIt = h("button", { class: "button small", type: "submit" }, "Play it");
    this._form = h(
      "form",
      {
        class: "with-button no-print",
        onsubmit: async (/** @type {Event} */ event) => {
          event.preventDefault();
          await options.settled();
          const text = this._move.value.trim();
          if (!text || !this._playable) return;
          this._sent = text;
          options.onMove(text);
        },
      },
      field("Type a move", this._move),
      this._playIt,
    );
    this._legal = h("div", { class: "legal", role: "group", "aria-label": "Legal moves" });
    this._legalFold = fold("All legal moves", false, this._legal);
    /** Shown below the board: the legal moves, where touching the board is not enough. */
    this.below = h("div", { class: "panel below", hidden: true });
    /** Shown near the board: moves that have no place on it, such as a pass. */
    this.others = toolbar("Moves without a place on the board");
    this._problem = h("p", { class: "bad note", role: "alert" });
    this.element = panel(
      "Position and moves as text",
      h("div", { class: "with-button" }, field("Position", this._position), h("div", { class: "row" },
        button("Load", () => void this._load(), { small: true, title: "Continue from this position (Enter); Escape restores the board's" }),
        button("Copy", () => copyText(this._view?.position ?? "", "Position copied"), { small: true, icon: "copy" }))),
      this._form,
      this._problem,
      this._legalFold,
    );
  }

  /**
   * Show a position. What the user has typed meanwhile stays, unless it was for another game.
   *
   * @param {View} view
   * @param {{playable: boolean, hasPlaces: boolean}} options
   */
  show(view, { playable, hasPlaces }) {
    const before = this._view;
    this._view = view;
    this._playable = playable;
    this._problem.textContent = "";
    const isTyped = before?.game === view.game && this._position.value !== before.position;
    if (!isTyped) this._position.value = view.position;
    if (this._move.value.trim() === this._sent || before?.game !== view.game) this._move.value = "";
    this._sent = undefined;
    this._move.placeholder = view.moves.length ? `such as ${view.moves[0]?.text}` : "";
    this._form.hidden = view.over;
    this._playIt.disabled = !playable;
    this._legalFold.hidden = !playable || !view.moves.length;
    const summary = this._legalFold.querySelector("summary");
    if (summary) summary.textContent = view.moves.length === 1 ? "The only legal move" : `All ${view.moves.length} legal moves`;
    // If nothing can be touched on the board, the list is used instead. Where moves are usually made piece by
    // piece, it also shows that something else is due. Elsewhere, moves without a place have their own buttons.
    const isOther = Boolean(view.pairs) && !view.half;
    const isNeeded = playable && (!hasPlaces || isOther);
    const hasOthers = hasPlaces && !view.pairs && !view.passes && view.player !== -1 && !view.over;
    const others = hasOthers ? view.moves.filter(({ places }) => !places.length) : [];
    fill(this.others, others.map(({ move, text }) => button(capital(text), () => this._options.onMove(move), { disabled: !playable })));
    (isNeeded ? this.below : this.element).append(this._legalFold);
    this.others.hidden = !others.length;
    this.below.hidden = !isNeeded;
    if (isNeeded) this._legalFold.open = true;
    fill(
      this._legal,
      view.moves.map(({ move, text }) => {
        const one = button(text, () => this._options.onMove(move), { small: true });
        one.classList.add("mono");
        const hover = this._options.onHover;
        for (const name of ["pointerenter", "focus"]) one.addEventListener(name, () => hover(move));
        for (const name of ["pointerleave", "blur"]) one.addEventListener(name, () => hover(""));
        return one;
      }),
    );
  }

  async _load() {
    try {
      if (!(await mayDiscard(this._line))) return;
      await this._line.load(this._position.value.trim(), this._options.signal);
      this._view = undefined;
      await this._options.refresh();
      announce("Position loaded");
    } catch (error) {
      this.complain(error);
    }
  }

  /** Report what is wrong with what was typed. @param {unknown} error */
  complain(error) {
    this._sent = undefined;
    if (error instanceof DOMException) return;
    this._problem.textContent = error instanceof Error ? error.message : String(error);
  }
}
