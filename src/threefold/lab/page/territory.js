// @ts-check
/** An estimate of territory: who is likely to own which places at the end, from games played out. */

import { ask } from "./connection.js";
import { button, complain, fill, h, press } from "./parts.js";

/** @typedef {import("./line.js").View} View */

/** By place, the first player's share of the games less the second's, from -1 to 1. @typedef {Record<string, number>} Balance */

export class Territory {
  /**
   * @param {import("./board.js").Board} board
   * @param {import("./line.js").Line} line
   * @param {import("./state.js").State} state which keeps whether it is shown
   */
  constructor(board, line, state) {
    this._board = board;
    this._line = line;
    this._state = state;
    /** @type {View | undefined} */
    this._view = undefined;
    /** @type {AbortController | undefined} */
    this._asking = undefined;
    this._button = button("Territory", () => this._toggle(), {
      icon: "games", pressed: state.flag("territory"), title: "Show who is likely to own each point at the end",
    });
    this._estimate = h("span", { class: "note", role: "status" });
    /** The switch, and what the estimate comes to. */
    this.element = h("div", { class: "row", hidden: true }, this._button, this._estimate);
  }

  /** Another position is on the board. @param {View} view */
  show(view) {
    this.stop();
    this._view = view;
    this.element.hidden = !view.territory;
    // The picture of a finished game shows its territory itself.
    this._button.disabled = view.over;
    press(this._button, this._state.flag("territory"));
    if (view.territory && !view.over && this._state.flag("territory")) void this._ask();
    else fill(this._estimate);
  }

  /** Forget what was asked for. */
  stop() {
    this._asking?.abort();
    this._asking = undefined;
  }

  _toggle() {
    this._state.set({ territory: !this._state.flag("territory") });
    if (!this._state.flag("territory")) this._board.showOwners({});
    if (this._view) this.show(this._view);
  }

  async _ask() {
    const mine = new AbortController();
    this._asking = mine;
    try {
      const { balance, score } = await ask("territory", this._line.here, {
        signal: mine.signal,
        onNews: (news) => {
          if (news.compiling) fill(this._estimate, h("span", { class: "busy" }, `Compiling ${news.compiling} for the first time…`));
        },
      });
      if (this._asking !== mine) return;
      this._board.showOwners(balance);
      fill(this._estimate, `about ${score === "0" ? "even" : score}`);
    } catch (error) {
      if (this._asking !== mine) return;
      fill(this._estimate);
      complain(error);
    }
  }
}
