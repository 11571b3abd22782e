// @ts-check
/**
 * A move of several pieces, made one piece after another: which places have been touched, and what
 * the server says of them.
 */

/** @typedef {import("./line.js").Half} Half */

export class HalfMove {
  /**
   * @param {Half} start nothing has been touched yet
   * @param {(touched: string[]) => Promise<Half>} ask
   */
  constructor(start, ask) {
    this._ask = ask;
    this._now = start;
    /** The places touched so far: where a piece was picked up, where it was put down, and so on. @type {string[]} */
    this.touched = [];
    /** The picture on the board. */
    this.shown = start.svg;
    /** What was done last: a hand is quicker than an answer, so one thing waits for another. @type {Promise<unknown>} */
    this._last = Promise.resolve();
  }

  /** The places to touch next. */
  get next() {
    return new Set(this._now.next);
  }

  /** Whether a piece is picked up there. */
  get picks() {
    return this._now.picks;
  }

  /** What to do next, in words. */
  get hint() {
    return this._now.hint || (this._now.picks ? "Click a piece, then where it goes." : "Now click where it goes.");
  }

  get svg() {
    return this._now.svg;
  }

  /** The place of the piece that has been picked up, if any. */
  get selected() {
    return this._now.picks ? [] : this.touched.slice(-1);
  }

  /**
   * Touch a place. Where the piece in hand cannot go, it is put back; a piece that is there is
   * picked up instead.
   *
   * @param {string} place
   * @returns {Promise<string | null>} the move, once it is complete
   */
  touch(place) {
    return this._then(() => this._touch(place));
  }

  /** Put a piece that was picked up back, or the last one that was moved. */
  undo() {
    return this._then(() => this._go(this.touched.slice(0, this._now.picks ? -2 : -1)));
  }

  /** @param {string} place */
  async _touch(place) {
    if (this.next.has(place)) return this._go([...this.touched, place]);
    const picked = this.selected[0];
    if (picked === undefined) return null;
    await this._go(this.touched.slice(0, -1));
    return picked !== place && this.next.has(place) ? this._go([...this.touched, place]) : null;
  }

  /**
   * @template T
   * @param {() => Promise<T>} action
   * @returns {Promise<T>}
   */
  _then(action) {
    const mine = this._last.then(action, action);
    this._last = mine;
    return mine;
  }

  /** @param {string[]} touched */
  async _go(touched) {
    this._now = await this._ask(touched);
    this.touched = touched;
    return this._now.move;
  }
}
