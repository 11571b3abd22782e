// @ts-check
/** The position and the moves as text: to copy, to paste, to type. */

import { button, copyText, field, fill, fold, h, panel } from "./parts.js";

/** @typedef {import("./line.js").View} View */

export class Desk {
  /**
   * @param {{onLoad: (position: string) => void, onMove: (move: string) => void,
   *   onHover?: (move: string) => void}} options `onMove` hears what was typed or chosen
   */
  constructor(options) {
    this._options = options;
    this._position = h("input", { class: "mono", type: "text", spellcheck: "false", autocomplete: "off", autocapitalize: "off" });
    this._load = button("Load", () => options.onLoad(this._position.value.trim()), { small: true, title: "Go on from this position (Enter)" });
    this._position.addEventListener("keydown", (event) => {
      if (event.key === "Enter") options.onLoad(this._position.value.trim());
    });
    this._move = h("input", { class: "mono", type: "text", spellcheck: "false", autocomplete: "off", autocapitalize: "off", list: "" });
    this._form = h(
      "form",
      {
        class: "with-button",
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          const text = this._move.value.trim();
          if (text) options.onMove(text);
        },
      },
      field("Type a move", this._move),
      h("button", { class: "button small", type: "submit" }, "Play it"),
    );
    this._legal = h("div", { class: "legal", role: "group", "aria-label": "Legal moves" });
    this._legalFold = fold("All legal moves", false, this._legal);
    this._problem = h("p", { class: "bad note", role: "alert" });
    this.element = panel(
      "Position and moves as text",
      h("div", { class: "with-button" }, field("Position", this._position), h("div", { class: "row" }, this._load,
        button("Copy", () => copyText(this._position.value, "Position copied"), { small: true, icon: "copy" }))),
      this._form,
      this._problem,
      this._legalFold,
    );
  }

  /**
   * @param {View} view
   * @param {{playable: boolean, hasPlaces: boolean}} options
   */
  show(view, { playable, hasPlaces }) {
    this._problem.textContent = "";
    if (document.activeElement !== this._position) this._position.value = view.position;
    this._move.value = "";
    this._move.placeholder = view.moves.length ? `such as ${view.moves[0]?.move}` : "";
    this._form.hidden = !playable;
    this._legalFold.hidden = !playable || !view.moves.length;
    const summary = this._legalFold.querySelector("summary");
    if (summary) summary.textContent = `All ${view.moves.length} legal moves`;
    // Where nothing can be touched on the board, or a move has no place there, the list is the way.
    if (!hasPlaces || view.moves.some(({ places }) => !places.length)) this._legalFold.open = true;
    fill(
      this._legal,
      view.moves.map(({ move }) => {
        const one = button(move, () => this._options.onMove(move), { small: true });
        one.classList.add("mono");
        const hover = this._options.onHover;
        if (hover) {
          for (const name of ["pointerenter", "focus"]) one.addEventListener(name, () => hover(move));
          for (const name of ["pointerleave", "blur"]) one.addEventListener(name, () => hover(""));
        }
        return one;
      }),
    );
  }

  /** @param {unknown} error */
  complain(error) {
    this._problem.textContent = error instanceof Error ? error.message : String(error);
  }
}
