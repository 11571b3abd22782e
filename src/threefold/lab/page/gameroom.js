// @ts-check
/**
 * What rooms with a game on the board have in common: the line, the board, the list of moves, the
 * texts and the choice of the game. It also handles a move, another position and another game.
 */

import { Board } from "./board.js";
import { Desk } from "./desk.js";
import { capital, lastMove, Line, mayDiscard, playerName, resultText } from "./line.js";
import { MoveList } from "./movelist.js";
import { announce, button, complain, fill, h } from "./parts.js";
import { gamePicker, usualGame } from "./picker.js";
import { turner } from "./turning.js";

/** @typedef {import("./line.js").View} View */
/** @typedef {import("./state.js").State} State */

/**
 * What a room adds.
 *
 * @typedef {object} Room
 * @property {(view: View) => void | Promise<void>} show show a position; board, moves and texts have it already
 * @property {() => void} stop end the work on the position that was shown
 * @property {(view: View) => boolean} [isPlayable] whether moves can be made on the board; always, by default
 * @property {() => Promise<void>} [prepare] what is needed before the first position is shown
 * @property {(spec: string) => Promise<boolean>} [takesOver] whether another room shows a game that was chosen
 * @property {() => boolean} [isTurned] whether the board is turned by default
 */

export class GameRoom {
  /**
   * @param {State} state
   * @param {Room} room
   */
  constructor(state, room) {
    this._state = state;
    this._room = room;
    this._leaving = new AbortController();
    /** Aborts when the room is left. */
    this.signal = this._leaving.signal;
    /** The position on the board. @type {View | undefined} */
    this.view = undefined;
    /** The board, while the reason why nothing can be shown is in its place. @type {ChildNode[] | undefined} */
    this._hidden = undefined;
    /** Showing the position that was asked for last. @type {Promise<unknown>} */
    this._showing = Promise.resolve();
    this.line = new Line(state);
    /** @param {string} move */
    const onMove = (move) => void this.make(move);
    this.board = new Board({ onMove, onTouch: (touched) => this.line.touch(touched) });
    this.moveList = new MoveList(this.line, (at) => this.goTo(at));
    this.desk = new Desk(this.line, {
      refresh: () => this.refresh(), settled: () => this.settled(), onMove, onHover: (move) => this.board.preview(move),
      signal: this.signal,
    });
    this.picker = gamePicker(this.line.game, (spec) => void this.begin(spec));
    this.turning = turner(this.board, state, this.signal, room.isTurned);
  }

  /** Show the game that the address names, or the usual one. */
  start() {
    this._showing = this._start();
    return this._showing;
  }

  async _start() {
    try {
      await this._room.prepare?.();
      if (!this.line.game) this.line.begin(await usualGame());
      this.picker.show(this.line.game);
      await this.refresh();
    } catch (error) {
      this.fail(error);
    }
  }

  /** The address has changed. */
  update() {
    this.line.read();
    void this.start();
  }

  /** Leave the room. */
  close() {
    this._leaving.abort();
    this._room.stop();
    this.moveList.close();
  }

  /**
   * Show the position that the line is at, unless another one is wanted by then; whether it was shown.
   *
   * @param {{animate?: boolean}} [options]
   */
  refresh(options) {
    const showing = this._refresh(options);
    this._showing = showing;
    return showing;
  }

  async _refresh({ animate = false } = {}) {
    this._room.stop();
    const { line, board } = this;
    const view = await line.look();
    if (!view || this.signal.aborted) return false;
    this.view = view;
    if (this._hidden) fill(board.element, this._hidden);
    this._hidden = undefined;
    const playable = !view.over && (this._room.isPlayable?.(view) ?? true);
    board.show(view, { playable, animate });
    this.turning.show();
    this.desk.show(view, { playable, hasPlaces: board.hasPlaces });
    this.moveList.show(line.played, line.at);
    await this._room.show(view);
    return true;
  }

  /**
   * The position on the board, once it is the one that was asked for last: a hand is quicker than an answer, and what is
   * clicked meanwhile is meant for what comes. Undefined if there is none, or if the room was left.
   */
  async settled() {
    let last;
    do {
      last = this._showing;
      await last.catch(() => {}); // whoever asked for it says what went wrong
    } while (last !== this._showing);
    return this.signal.aborted ? undefined : this.view;
  }

  /** Make a move, by hand or as text; not one that was offered in the position before. @param {string} move */
  async make(move) {
    if (!this.view || !this.line.isSeen) return;
    const { player } = this.view;
    const made = await this.line.make(move, this.signal).catch((error) => this.desk.complain(error));
    if (!made) return;
    try {
      if (!(await this.refresh({ animate: true }))) return;
      const { view } = this;
      const next = view.over ? `. ${resultText(view)}` : `; ${playerName(view.player, view)} to move`;
      announce(capital(`${playerName(player, view)} plays ${lastMove(view)}${next}`));
    } catch (error) {
      this.fail(error);
    }
  }

  /** Show the position after a number of moves. @param {number} at */
  goTo(at) {
    this.line.go(at);
    this.refresh({ animate: true }).then((shown) => {
      if (shown) announce(this.line.at ? `After ${this.line.at} moves: ${lastMove(this.view)}` : "The start");
    }).catch((error) => this.fail(error));
  }

  /** Begin a game, unless the user keeps the one on the board. @param {string} spec */
  async begin(spec) {
    if (!spec) return; // the usual game is about to begin
    if (!this._hidden && !(await mayDiscard(this.line))) {
      this.picker.show(this.line.game);
      return;
    }
    if (await this._room.takesOver?.(spec)) return;
    this.line.begin(spec);
    this._state.set({ eval: null, weights: null });
    this.picker.show(spec);
    try {
      if (await this.refresh()) announce(`New game of ${this.view?.title}`);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Say what went wrong; if no position was ever shown, in place of the board. @param {unknown} error */
  fail(error) {
    if (this.view || error instanceof DOMException) {
      complain(error);
      return;
    }
    this._hidden ??= [...this.board.element.childNodes];
    fill(this.board.element, h("div", { class: "failed panel" },
      h("p", {}, `This game cannot be shown: ${error instanceof Error ? error.message : error}`),
      button("Start another", () => {
        this._state.set({ game: null, start: null, moves: null, at: null });
        location.reload();
      }, { main: true })));
  }
}
