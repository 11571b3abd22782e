// @ts-check
/** The searches of a room, one at a time, and everything they have found about the game's positions. */

import { ask } from "./connection.js";
import { resultText } from "./line.js";
import { chosenEvaluation, scaleOf, shortValue } from "./values.js";

/** @typedef {import("./line.js").Line} Line */
/** @typedef {import("./line.js").View} View */
/** @typedef {import("./state.js").State} State */

/**
 * What the server says about a search.
 *
 * @typedef {object} Found
 * @property {number} value
 * @property {boolean} exact
 * @property {boolean} database whether an end-game database has the position
 * @property {number | null} win_in
 * @property {number} depth
 * @property {number} selective_depth
 * @property {number} nodes
 * @property {number} seconds
 * @property {number} rate
 * @property {{move: string, text: string, value: number, pv: string[], pv_text: string[], exact: boolean, win_in: number | null, share: number, visits: number | null}[]} moves
 * @property {string | null} best
 * @property {number} share
 * @property {boolean} simulated whether it is a tree search, whose values are means of simulations
 * @property {string[]} [all_best]
 * @property {string} [method]
 * @property {boolean} [complete]
 */

/** What a short look says about a position. @typedef {{ply: number, share: number, value: number, simulated: boolean, win_in: number | null, best: string | null}} Glimpse */
/** What is known about a position. @typedef {{found: Found, solved: boolean, done: boolean}} Known */

/**
 * @typedef {object} SearcherOptions
 * @property {AbortSignal} signal of leaving the room
 * @property {() => void} onFound there is news about a position
 * @property {(now: Known, view: View) => void} onDone a search has finished
 * @property {() => void} onChange a search was started or stopped
 * @property {(text: string, options?: {busy?: boolean}) => void} onStatus what the search waits for, or what is wrong
 */

/**
 * How to read what a search has found.
 *
 * @param {View} view
 * @param {Known} known
 * @param {State} state
 */
export const foundScale = (view, { found, solved }, state) =>
  scaleOf(view, { solved, simulated: found.simulated, evaluation: state.get("eval") });

const SOLVE_SECONDS = 30;
const GLANCE_SECONDS = 0.1;

export class Searcher {
  /**
   * @param {Line} line
   * @param {State} state
   * @param {SearcherOptions} options
   */
  constructor(line, state, options) {
    this._line = line;
    this._state = state;
    this._options = options;
    /** @type {AbortController | undefined} */
    this._running = undefined;
    /** @type {Map<string, Known>} */
    this._known = new Map();
    /** Values for the graph. @type {Map<string, {share: number, text: string}>} */
    this._values = new Map();
  }

  /** Positions are remembered by their moves. @param {readonly string[]} moves */
  _key(moves) {
    return [this._line.game, this._state.get("eval"), this._line.start, ...moves].join("\n");
  }

  /** What is known about the position on the board. */
  get known() {
    return this._known.get(this._key(this._line.made));
  }

  /** Its value, which is known even without a search if the game is over. */
  get value() {
    return this._values.get(this._key(this._line.made));
  }

  /** The values of the game's positions, as far as they are known. */
  get points() {
    const { moves } = this._line;
    const points = [];
    for (let ply = 0; ply <= moves.length; ply++) {
      const value = this._values.get(this._key(moves.slice(0, ply)));
      if (value) points.push({ ply, ...value });
    }
    return points;
  }

  get isRunning() {
    return this._running !== undefined && !this._running.signal.aborted;
  }

  stop() {
    this._running?.abort();
    this._running = undefined;
    this._options.onStatus("");
    this._options.onChange();
  }

  /** A finished game's value is its result. @param {View} view */
  note(view) {
    if (!view.over || !view.result || typeof view.result.utility !== "number") return;
    const { winner } = view.result;
    this._values.set(this._key(this._line.made), { share: winner === 0 ? 1 : winner === 1 ? 0 : 0.5, text: resultText(view) });
  }

  /**
   * Look for the best moves of the position on the board, unless they are known.
   *
   * @param {View} view
   * @param {{lines: number, time: number, again?: boolean}} wanted
   */
  analyze(view, { lines, time, again = false }) {
    const wanted = Math.min(view.moves.length, lines);
    const before = this.known;
    if (before?.done && !again && (before.solved || before.found.moves.length >= wanted)) return;
    void this._run("analyse", {
      ...this._line.here, time, multipv: Math.max(1, wanted),
      ...chosenEvaluation(this._state, view),
    }, view, false);
  }

  /** Find the exact value of the position on the board. @param {View} view */
  solve(view) {
    this.stop();
    void this._run("solve", { ...this._line.here, time: SOLVE_SECONDS }, view, true);
    this._options.onStatus("Solving…", { busy: true });
  }

  /**
   * @param {"analyse" | "solve"} what
   * @param {Record<string, unknown>} fields
   * @param {View} view
   * @param {boolean} solved
   */
  async _run(what, fields, view, solved) {
    const { signal, onFound, onDone, onChange, onStatus } = this._options;
    const key = this._key(this._line.made);
    const mine = new AbortController();
    this._running = mine;
    onChange();
    const take = (/** @type {Found} */ found, /** @type {boolean} */ done) => {
      const now = { found, solved, done };
      this._known.set(key, now);
      this._values.set(key, { share: found.share, text: shortValue(found, foundScale(view, now, this._state)) });
      if (!signal.aborted) onFound();
      return now;
    };
    try {
      const found = await ask(what, fields, {
        signal: AbortSignal.any([mine.signal, signal]),
        onNews: (news) => {
          if (news.compiling) onStatus(`Compiling ${news.compiling} for the first time…`, { busy: true });
          else if (news.waiting) onStatus(`${news.waiting}…`, { busy: true });
          else if (news.moves) {
            onStatus("");
            take(news, false);
          }
        },
      });
      if (this._running === mine) {
        onStatus("");
        this._running = undefined;
      }
      const now = take(found, true);
      onChange();
      onDone(now, view);
    } catch (error) {
      if (this._running !== mine) return;
      this._running = undefined;
      onChange();
      if (error instanceof DOMException) return;
      onStatus(error instanceof Error ? error.message : String(error));
    }
  }

  /** A short look at every position of the game, for the graph. @param {View} view */
  async glance(view) {
    const { game, start, moves } = this._line;
    const chosen = chosenEvaluation(this._state, view);
    const scale = scaleOf(view, { evaluation: chosen.eval });
    const take = (/** @type {Glimpse[]} */ ...plies) => {
      if (this._line.game !== game || this._line.start !== start) return;
      for (const { ply, share, value, simulated, win_in, best } of plies) {
        const key = this._key(moves.slice(0, ply));
        if (!this._known.has(key)) this._values.set(key, { share, text: shortValue({ value, share, win_in, exact: best === null }, { ...scale, simulated, player: 0 }) });
      }
      this._options.onFound();
    };
    const { plies } = await ask("review", { game, start, moves, time: GLANCE_SECONDS, ...chosen }, {
      signal: this._options.signal,
      onNews: (news) => {
        if (news.ply) take(news.ply);
      },
    });
    take(...plies); // news may have been skipped; the answer is complete
  }
}
