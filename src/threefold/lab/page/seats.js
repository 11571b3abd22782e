// @ts-check
/** A game with hidden information, as a page may know it: the lab keeps the game, and a page has the key to its table. */

import { ask, LabError } from "./connection.js";

/**
 * What the lab shows of a game that hides something.
 *
 * @typedef {object} Seen
 * @property {string} game
 * @property {string} title
 * @property {string[]} seats what they are called
 * @property {string[]} sides
 * @property {number[]} people the seats that people have
 * @property {number | null} decides the seat whose turn it is; null once the game is over
 * @property {number | null} player its side
 * @property {number | null} seat the seat that this is seen from; null if from none, or from all
 * @property {boolean} covered whether nothing may be shown until somebody says who they are
 * @property {boolean} revealed whether nothing is hidden any more
 * @property {number} plies how many moves were made
 * @property {number} at how many of them are made on the board
 * @property {number} first how many nature made before there was anything to see
 * @property {import("./line.js").View["played"]} played
 * @property {boolean} over
 * @property {import("./line.js").View["result"]} result
 * @property {string} [svg]
 * @property {Record<string, string>} [contents]
 * @property {import("./line.js").Move[]} moves what may be played, if this is the one to play
 * @property {{start: string, moves: string[], record: string | null}} [whole] the game without secrets, once it is over
 */

/** @typedef {{game: string, start: string, seats: string}} Wanted a game, and who plays it */

/** Where a page keeps the key: no link shows it, and another window has its own. */
const KEPT = "threefold-table";

export class SeatTable {
  /** @param {Wanted} wanted @param {string} key */
  constructor(wanted, key) {
    this.wanted = wanted;
    this._key = key;
  }

  /**
   * The table that this window sat at last, if it is the one that is wanted and the lab still has it; else a new one.
   *
   * @param {Wanted} wanted
   */
  static async find(wanted) {
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
    const isSame = kept && (/** @type {const} */ (["game", "start", "seats"])).every((each) => kept[each] === wanted[each]);
    if (!isSame) return SeatTable.begin(wanted);
    const table = new SeatTable(wanted, kept.key);
    try {
      await table.look({});
      return table;
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      return SeatTable.begin(wanted);
    }
  }

  /**
   * Sit down at a new table; the one before is cleared.
   *
   * @param {Wanted} wanted
   */
  static async begin(wanted) {
    const before = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
    const { table } = await ask("sit", { game: wanted.game, start: wanted.start, seats: wanted.seats.split(",") });
    sessionStorage.setItem(KEPT, JSON.stringify({ ...wanted, key: table }));
    if (before) ask("leave", { table: before.key }).catch(() => {});
    return new SeatTable(wanted, table);
  }

  /**
   * What may be seen.
   *
   * @param {{seat?: number | null, at?: number | null}} from `seat`: who says that they look; `at`: after how many moves
   * @returns {Promise<Seen>}
   */
  look(from) {
    return ask("seen", { table: this._key, ...from });
  }

  /**
   * Make a person's move.
   *
   * @param {Seen} seen
   * @param {string} move
   */
  play(seen, move) {
    return ask("act", { table: this._key, seat: seen.decides, at: seen.plies, move });
  }

  /**
   * Let the computer move whose turn it is.
   *
   * @param {Seen} seen
   * @param {{signal: AbortSignal, onNews: (news: any) => void}} options
   */
  proceed(seen, options) {
    return ask("proceed", { table: this._key, at: seen.plies }, options);
  }

  /**
   * What one might play, by what the seat sees that decides.
   *
   * @param {Seen} seen
   * @param {{signal: AbortSignal, onNews: (news: any) => void}} options
   * @returns {Promise<{best: import("./line.js").Move, nodes: number, moves: (import("./line.js").Move & {value: string})[]}>}
   */
  hint(seen, options) {
    return ask("hint", { table: this._key, seat: seen.decides, at: seen.plies }, options);
  }
}
