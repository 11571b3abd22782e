// @ts-check
/** The evaluation bar: the first player's expected share of the points, from that player's side. */

import { h } from "./parts.js";

export class EvalBar {
  constructor() {
    this._fill = h("div", { class: "eval-fill" });
    this._text = h("span", { class: "eval-text", "aria-hidden": "true" });
    this.element = h(
      "div",
      { class: "eval-bar", role: "meter", "aria-label": "Evaluation", "aria-valuemin": 0, "aria-valuemax": 100 },
      this._fill,
      h("div", { class: "eval-middle" }),
      this._text,
    );
    this.show(null, "", "unknown");
  }

  /**
   * @param {number | null} share the first player's, 0 to 1; null: unknown
   * @param {string} text in short
   * @param {string} said in words
   */
  show(share, text, said) {
    const percent = Math.round((share ?? 0.5) * 100);
    this.element.style.setProperty("--share", `${Math.max(3, Math.min(97, percent))}%`);
    this.element.setAttribute("aria-valuenow", String(percent));
    this.element.setAttribute("aria-valuetext", said);
    this.element.title = said;
    this.element.classList.toggle("unknown", share === null);
    this.element.classList.toggle("ahead", (share ?? 0.5) >= 0.5);
    this._text.textContent = text;
    this._text.style.setProperty("--letters", String(text.length || 1));
  }
}
