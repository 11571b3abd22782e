// @ts-check
/**
 * A game on the board: which one, where it started, its moves, and the current place among them.
 *
 * It is kept in the page's address; the server supplies what it looks like.
 */

import { ask } from "./connection.js";
import { choose } from "./parts.js";

/**
 * @typedef {object} Move
 * @property {string} move its name, as the server expects it
 * @property {string} text in readable form
 * @property {string[]} places
 */

/**
 * A move of several pieces that is half made.
 *
 * @typedef {object} Half
 * @property {string[]} next the places to touch next
 * @property {boolean} picks whether a piece is picked up there, or put down
 * @property {string} svg
 * @property {string} hint what to do next, if the game has words for it
 * @property {string | null} move once it is complete
 */

/**
 * What the server says about a position.
 *
 * @typedef {object} View
 * @property {string} game
 * @property {string} title
 * @property {string} position
 * @property {number} player 0, 1, or -1 for nature
 * @property {string} turn
 * @property {string} svg
 * @property {Move[]} moves
 * @property {Half | null} [half] how to begin a move that is made one piece after another, if moves are
 * @property {boolean} [pairs] whether the places of a move are pairs: where a piece is picked up, and put down
 * @property {boolean} [passes] whether the player can only pass
 * @property {(Move & {player: number, passed?: boolean, seat?: number | null, ply?: number})[]} played `ply`: the number
 *   of moves made with it, if nature's are listed together
 * @property {boolean} over
 * @property {{winner: number | null, utility: number | number[], reason: string} | null} result
 * @property {string[]} evaluations
 * @property {Record<string, number>} units by evaluation, what people count as one
 * @property {string[]} pieces
 * @property {Record<string, [sign: string, name: string]>} signs by piece
 * @property {string | null} record what the notation for whole games is called, such as PGN
 * @property {string[]} sides what players call the first and the second player
 * @property {number | null} above the player whose pieces are above the other's at the start, if any
 * @property {boolean} [hides] whether players do not see everything
 * @property {boolean} open whether a large board has a move nearly everywhere
 * @property {string[]} barred the places of moves that only superko forbids
 * @property {boolean} territory whether it can be estimated who will own what
 * @property {"alphabeta" | "mcts" | "ismcts" | "worlds"} search which search suits the game
 * @property {Record<string, string>} [contents] what is on each place, if the game says
 */

const KEPT = 400;

export class Line {
  /** @param {import("./state.js").State} state */
  constructor(state) {
    this._state = state;
    /** @type {Map<string, Promise<View>>} */
    this._views = new Map();
    /** The position on the board. @type {View | undefined} */
    this.view = undefined;
    /** All moves of the game, also those after the position on the board. @type {View["played"]} */
    this.played = [];
    /** What `view` and `played` belong to. */
    this._seen = "";
    this.game = "";
    this.start = "";
    /** @type {string[]} */
    this.moves = [];
    this.at = 0;
    this.read();
  }

  /** Take the game from the address. */
  read() {
    const state = this._state;
    this.game = state.get("game");
    this.start = state.get("start");
    this.moves = state.moves;
    this.at = Math.max(0, Math.min(this.moves.length, state.number("at", this.moves.length)));
  }

  /** The moves up to the position on the board. */
  get made() {
    return this.moves.slice(0, this.at);
  }

  /** The position on the board, as the server expects it. */
  get here() {
    return { game: this.game, start: this.start, moves: this.made };
  }

  /** Whether the position on the board is the game's last. */
  get isAtEnd() {
    return this.at === this.moves.length;
  }

  /** The game and the place in it. */
  get _key() {
    return [this.game, this.start, ...this.moves, this.at].join("\n");
  }

  /** Whether `view` is the position that the line is at, and not one that was left meanwhile. */
  get isSeen() {
    return this._seen === this._key;
  }

  /**
   * Another game, from its start or from a position.
   *
   * @param {string} game
   * @param {string} [start]
   */
  begin(game, start = "") {
    this.game = game;
    this.start = start;
    this.moves = [];
    this.at = 0;
    this._write();
  }

  /**
   * Make moves from the position on the board; what came after it is forgotten, unless it is the
   * same.
   *
   * @param {...string} moves
   */
  play(...moves) {
    for (const move of moves) {
      if (this.moves[this.at] !== move) this.moves = [...this.made, move];
      this.at++;
    }
    this._write();
  }

  /**
   * Make a move from the position on the board, even one that is not written as in the list of legal
   * moves: the server knows more forms.
   *
   * @param {string} move
   * @param {AbortSignal} signal
   * @returns {Promise<string>} its name, as the list has it
   */
  async make(move, signal) {
    let made = move;
    if (!this.view?.moves.some((each) => each.move === move)) {
      const after = /** @type {View} */ (await ask("view", { ...this.here, moves: [...this.made, move] }, { signal }));
      made = after.played.at(-1)?.move ?? move;
    }
    this.play(made);
    return made;
  }

  /**
   * What the places touched so far come to, for a move of several pieces.
   *
   * @param {string[]} touched
   * @returns {Promise<Half>}
   */
  async touch(touched) {
    return /** @type {Half} */ (await ask("touch", { ...this.here, touched }));
  }

  /**
   * Start over from a position, if the game accepts it.
   *
   * @param {string} position
   * @param {AbortSignal} signal
   */
  async load(position, signal) {
    await ask("view", { game: this.game, start: position, moves: [] }, { signal });
    this.begin(this.game, position);
  }

  /**
   * Show the position after a number of moves.
   *
   * @param {number} at
   */
  go(at) {
    this.at = Math.max(0, Math.min(this.moves.length, at));
    this._write();
  }

  /**
   * Take moves back, for good.
   *
   * @param {number} at how many stay
   */
  takeBack(at) {
    this.moves = this.moves.slice(0, Math.max(0, at));
    this.at = this.moves.length;
    this._write();
  }

  /**
   * Ask for the position on the board and for the game's moves. If the line has moved on meanwhile,
   * the answer is undefined: the later call will show it.
   *
   * @returns {Promise<View | undefined>}
   */
  async look() {
    const asked = this._key;
    const all = this._ask(this.moves);
    const view = await this._ask(this.made);
    const { played } = await all;
    if (asked !== this._key) return undefined;
    this.view = view;
    this.played = played;
    this._seen = asked;
    return view;
  }

  /**
   * The places of a legal move after a number of moves of the game.
   *
   * @param {string} move
   * @param {number} ply
   */
  async placesOf(move, ply) {
    const view = await this._ask(this.moves.slice(0, ply));
    return view.moves.find((each) => each.move === move)?.places ?? [];
  }

  /**
   * The position after some moves from the start, wherever the board is.
   *
   * @param {string[]} moves
   * @returns {Promise<View>}
   */
  _ask(moves) {
    const key = [this.game, this.start, ...moves].join("\n");
    let view = this._views.get(key);
    if (!view) {
      view = /** @type {Promise<View>} */ (ask("view", { game: this.game, start: this.start, moves }));
      view.catch(() => this._views.delete(key));
      this._views.set(key, view);
      const oldest = this._views.keys().next().value;
      if (this._views.size > KEPT && oldest !== undefined) this._views.delete(oldest);
    }
    return view;
  }

  _write() {
    this._state.set({
      game: this.game,
      start: this.start,
      moves: this.moves.join(";"),
      at: this.isAtEnd ? null : this.at,
    });
  }
}

/** What players are called if the game does not say. */
export const PLAYERS = ["first player", "second player"];

/**
 * A player's name in a sentence: `white`, `the first player`.
 *
 * @param {number} player
 * @param {{sides?: string[]} | undefined} view
 */
export function playerName(player, view) {
  const name = view?.sides?.[player] ?? (player < 0 ? "nature" : (PLAYERS[player] ?? ""));
  return name.endsWith("player") ? `the ${name}` : name;
}

/** @param {string} sentence */
export const capital = (sentence) => sentence.charAt(0).toUpperCase() + sentence.slice(1);

/**
 * The last move that was made, in readable form; empty at the start.
 *
 * @param {View | undefined} view
 */
export const lastMove = (view) => view?.played.at(-1)?.text ?? "";

/**
 * Whether the game may be left for another; the user is asked if a player has moved and it is not
 * finished.
 *
 * @param {Line} line
 */
export async function mayDiscard(line) {
  // A game that is not on the board yet may be a player's.
  if (line.moves.every((_, i) => line.played[i]?.player === -1) || (line.isSeen && line.isAtEnd && line.view?.over)) return true;
  const count = line.moves.length === 1 ? "one move" : `${line.moves.length} moves`;
  const answer = await choose(`Leave this game? It has ${count}, which will be lost.`, [
    { value: "leave", text: "Leave it and start over" },
  ], "Keep this game");
  return answer !== null;
}

/**
 * How a finished game ended, in a sentence.
 *
 * @param {View} view
 */
export function resultText(view) {
  const { result } = view;
  if (!result) return "";
  const { winner, utility, reason } = result;
  if (Array.isArray(utility)) return `The game is over: the players get ${utility.join(", ")}.`;
  const margin = Math.abs(utility) > 1 ? ` by ${Math.abs(utility)}` : "";
  const said = winner === null ? "A draw" : capital(`${playerName(winner, view)} wins${margin}`);
  return `${said}${reason ? `: ${reason}` : ""}.`;
}
