// @ts-check
/** A recorded game on the board, with what its players thought of each position and how long they took. */

import { Board } from "./board.js";
import { ask } from "./connection.js";
import { EvalBar } from "./evalbar.js";
import { Graph } from "./graph.js";
import { capital, Line } from "./line.js";
import { resultOf } from "./matchgames.js";
import { MoveList, numbered } from "./movelist.js";
import { complain, fill, h, linkButton, panel, s, signed, toolbar } from "./parts.js";
import { turner } from "./turning.js";

/** @typedef {import("./line.js").View} View */

/** What a player thought of its move. @typedef {{value: number | null, share: number | null, seconds: number | null}} Thought */

/**
 * @typedef {import("./matchgames.js").Row & {
 *   match: number, game: string | null, spec: string, names: string[], start: string, moves: string[], opening: number,
 *   thoughts: (Thought | null)[] | null, output: string, previous: number | null, next: number | null,
 * }} Recorded
 */

const HEIGHT = 60;

export class Replay {
  /**
   * @param {import("./state.js").State} state
   * @param {AbortSignal} signal
   */
  constructor(state, signal) {
    this._state = state;
    this._signal = signal;
    this._line = new Line(state);
    /** @type {Recorded | undefined} */
    this._game = undefined;
    this._board = new Board();
    this._bar = new EvalBar();
    this._turning = turner(this._board, state, signal);
    this._graph = new Graph((at) => this._go(at));
    this._times = h("div", { class: "times-part" });
    this._moveList = new MoveList(this._line, (at) => this._go(at));
    this._remark = h("div", { class: "panel remark", "aria-live": "polite" });
    this._about = h("div", { class: "side" });
    this._doors = toolbar("Games");
    this._upwards = h("p", { class: "note" });
    this._stage = h("div", { class: "stage" },
      h("div", { class: "board-column" }, h("div", { class: "with-bar" }, this._bar.element, this._board.element), this._remark),
      toolbar("This position", this._turning.element));
    this._thoughts = panel("Values and times", h("div", { class: "graph-part" }, this._graph.element, this._times, this._upwards));
    this.element = h("div", { class: "room" },
      h("h1", { class: "aloud" }, "A recorded game"), this._stage,
      h("div", { class: "side" }, panel("The game", this._about, this._doors), this._thoughts, panel("Moves", this._moveList.element)));
  }

  close() {
    this._moveList.close();
  }

  /** Show the game that the address names. */
  async update() {
    const wanted = { match: this._state.number("match", -1), number: this._state.number("number", -1) };
    const question = wanted.match < 0 ? { number: wanted.number } : wanted;
    if (!this._game || this._game.number !== wanted.number || (wanted.match >= 0 && this._game.match !== wanted.match)) {
      try {
        this._game = /** @type {Recorded} */ (await ask("match-game", question, { signal: this._signal }));
      } catch (error) {
        if (error instanceof DOMException) return;
        this._game = undefined;
        fill(this._about, h("p", { class: "bad", role: "alert" }, error instanceof Error ? error.message : String(error)));
        fill(this._doors, this._back());
        return;
      }
    }
    const game = this._game;
    this._showAbout(game);
    const shows = game.game !== null && game.thoughts !== null;
    this._stage.hidden = this._thoughts.hidden = !shows;
    if (!shows) {
      this._moveList.show(game.moves.map((text, i) => ({ move: text, text, places: [], player: i % 2 })), game.moves.length);
      return;
    }
    if (this._state.get("game") !== game.game || this._state.get("start") !== game.start || this._state.get("moves") !== game.moves.join(";")) {
      this._state.set({ game: game.game, start: game.start, moves: game.moves.join(";"), at: this._state.number("at", game.opening) });
    }
    this._line.read();
    await this._refresh();
  }

  _back() {
    return linkButton("All games", this._state.link("matches", { number: null }), { icon: "back" });
  }

  /** @param {Recorded} game */
  _showAbout(game) {
    const [first = "", second = ""] = game.names;
    fill(this._about,
      h("p", { class: "bigger" }, h("b", {}, `Game ${game.number + 1}: `), h("span", { class: "mono" }, first), " – ", h("span", { class: "mono" }, second)),
      h("p", {}, h("b", {}, resultOf(game)), ` ${capital(game.reason || game.ending)}.`),
      game.game === null ? h("p", { class: "note" }, `This lab does not have the game ${game.spec}. Start it with the game's file as well, to see the board.`) : null,
      game.output ? h("details", {}, h("summary", {}, "The last that the player said"), h("pre", { class: "mono scroll" }, game.output)) : null);
    const fresh = { game: null, start: null, moves: null, at: null };
    const other = (/** @type {string} */ text, /** @type {number | null} */ number, /** @type {"first" | "last"} */ icon) =>
      number === null ? null : linkButton(text, this._state.link("matches", { ...fresh, number }), { icon, small: true });
    const here = { game: game.game, start: game.start, moves: game.moves.join(";") };
    fill(this._doors, this._back(), other("Game before", game.previous, "first"), other("Next game", game.next, "last"),
      game.game === null ? null : linkButton("Review it", this._state.link("review", { ...here, at: null, run: true }), { icon: "review", small: true }),
      game.game === null ? null : linkButton("Analyze", this._state.link("analyse", here), { icon: "analyse", small: true }));
  }

  async _refresh({ animate = false } = {}) {
    const view = await this._line.look();
    const game = this._game;
    if (!view || !game || this._signal.aborted) return;
    this._board.show(view, { playable: false, animate });
    this._turning.show();
    const thoughts = game.thoughts ?? [];
    const remarks = new Map(thoughts.flatMap((thought, i) => {
      const text = i < game.opening ? "book" : said(thought);
      return text ? [[i + 1, { text }]] : [];
    }));
    this._moveList.show(this._line.played, this._line.at, remarks);
    this._graph.show(thoughts.flatMap((thought, i) => (thought?.share == null ? [] : [{ ply: i + 1, share: thought.share, text: shortly(thought.value) }])),
      game.moves.length, this._line.at);
    this._upwards.textContent = `Above: what each player thought of its move; up is good for ${view.sides[0]}. Below: the seconds it took.`;
    this._showTimes(thoughts, view);
    this._showNow(game, view);
  }

  /**
   * A bar for the time of each move, the first player's up and the second's down.
   *
   * @param {(Thought | null)[]} thoughts
   * @param {View} view
   */
  _showTimes(thoughts, view) {
    const played = this._line.played;
    const longest = Math.max(0.001, ...thoughts.map((thought) => thought?.seconds ?? 0));
    const count = Math.max(1, played.length);
    const totals = [0, 0];
    const bars = thoughts.map((thought, i) => {
      const player = played[i]?.player ?? -1;
      if (thought?.seconds == null || player < 0) return null;
      totals[player] = (totals[player] ?? 0) + thought.seconds;
      const height = (thought.seconds / longest) * (HEIGHT / 2 - 2);
      return s("rect", {
        class: `time-bar ${player === 0 ? "first" : "second"}${i + 1 === this._line.at ? " here" : ""}`,
        x: (i / count) * 600, width: Math.max(0.5, 600 / count - 0.5), y: player === 0 ? HEIGHT / 2 - height : HEIGHT / 2, height: Math.max(0.5, height),
      });
    });
    const words = totals.map((total, player) => `${view.sides[player]} ${total.toFixed(2)} s`).join(", ");
    fill(this._times,
      s("svg", { class: "drawn times", viewBox: `0 0 600 ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": `Time in all: ${words}` },
        s("path", { class: "graph-middle", d: `M0 ${HEIGHT / 2}H600` }), bars),
      h("p", { class: "note" }, `In all: ${words}; the longest ${longest.toFixed(2)} s.`));
  }

  /**
   * @param {Recorded} game
   * @param {View} view
   */
  _showNow(game, view) {
    const { at, played } = this._line;
    const thought = at ? game.thoughts?.[at - 1] : null;
    const mover = played[at - 1]?.player ?? -1;
    const value = thought?.value ?? null;
    this._bar.show(thought?.share ?? null, value === null ? "" : shortly(value), value === null ? "unknown" : `${shortly(value)}, thinks ${view.sides[mover] ?? "the player"}`);
    const isLast = at === game.moves.length;
    fill(this._remark,
      at ? h("p", { class: "bigger" }, h("b", {}, numbered(played, at)), h("span", { class: "soft" }, at <= game.opening ? " from the opening" : thought ? ` ${said(thought)}` : ""))
        : h("p", { class: "bigger" }, "The start"),
      isLast ? h("p", {}, h("b", {}, `${resultOf(game)}: ${game.reason || game.ending}.`)) : null);
  }

  /** @param {number} at */
  _go(at) {
    if (!this._game?.thoughts) return;
    this._line.go(at);
    this._refresh({ animate: true }).catch(complain);
  }
}

/** @param {number | null} value for the first player */
const shortly = (value) => (value === null ? "?" : signed(Math.round(value * 100) / 100));

/** @param {Thought | null | undefined} thought */
const said = (thought) =>
  [thought?.value == null ? "" : shortly(thought.value), thought?.seconds == null ? "" : `${thought.seconds.toFixed(2)} s`].filter(Boolean).join(", ");
