// @ts-check
/**
 * The connection to the lab's server: requests go out with a number, answers come back with it.
 *
 * The server remembers nothing about a page, so after a lost connection whatever is unanswered is
 * simply asked again.
 */

/** The server's message about what cannot be done. */
export class LabError extends Error {}

/**
 * @typedef {object} Pending
 * @property {Record<string, unknown>} message
 * @property {(answer: any) => void} resolve
 * @property {(error: Error) => void} reject
 * @property {((news: any) => void) | undefined} onNews
 */

/** A promise of the answer that can be asked to come early. @typedef {Promise<any> & {stop(): void}} Asked */

/** @typedef {"waiting" | "open" | "lost"} Standing */

const LONGEST_PAUSE = 5000;

export class Connection {
  /** @param {string} address */
  constructor(address) {
    this._address = address;
    /** @type {Map<number, Pending>} */
    this._pending = new Map();
    /** @type {Set<(standing: Standing) => void>} */
    this._listeners = new Set();
    this._last = 0;
    this._pause = 250;
    /** @type {Standing} */
    this.standing = "waiting";
    /** @type {WebSocket | undefined} */
    this._socket = undefined;
    this._open();
    // A browser that comes back from sleep or gets its network back should not wait.
    addEventListener("online", () => this._hurry());
    addEventListener("focus", () => this._hurry());
  }

  /**
   * Ask the server: `ask("view", {game, start, moves})`. News along the way goes to `onNews`. When
   * `signal` aborts, the server is asked to stop and the promise is rejected with an AbortError; the
   * promise's own `stop()` ends a search with the answer found so far instead.
   *
   * @param {string} what
   * @param {Record<string, unknown>} [fields]
   * @param {{onNews?: (news: any) => void, signal?: AbortSignal}} [options]
   * @returns {Asked}
   */
  ask(what, fields = {}, options = {}) {
    const id = ++this._last;
    const message = { ...fields, id, do: what };
    const asked = /** @type {Asked} */ (
      new Promise((resolve, reject) => {
        const { signal } = options;
        if (signal?.aborted) {
          reject(left());
          return;
        }
        const leave = () => {
          this._stop(id);
          this._pending.delete(id);
          reject(left());
        };
        signal?.addEventListener("abort", leave, { once: true });
        this._pending.set(id, {
          message,
          resolve: (answer) => {
            signal?.removeEventListener("abort", leave);
            resolve(answer);
          },
          reject: (error) => {
            signal?.removeEventListener("abort", leave);
            reject(error);
          },
          onNews: options.onNews,
        });
        this._send(message);
      })
    );
    asked.stop = () => this._stop(id);
    return asked;
  }

  /**
   * Get the state of the connection, now and whenever it changes.
   *
   * @param {(standing: Standing) => void} listener
   */
  watch(listener) {
    this._listeners.add(listener);
    listener(this.standing);
  }

  /** @param {number} id */
  _stop(id) {
    if (this._pending.has(id)) this._send({ id: ++this._last, do: "stop", which: id });
  }

  /** @param {Record<string, unknown>} message */
  _send(message) {
    if (this._socket?.readyState === WebSocket.OPEN) this._socket.send(JSON.stringify(message));
  }

  _open() {
    const socket = new WebSocket(this._address);
    this._socket = socket;
    socket.addEventListener("open", () => {
      this._pause = 250;
      this._stand("open");
      for (const { message } of this._pending.values()) this._send(message);
    });
    socket.addEventListener("message", (event) => this._receive(JSON.parse(event.data)));
    socket.addEventListener("close", () => {
      if (this._socket !== socket) return;
      this._stand("lost");
      this._timer = setTimeout(() => this._open(), this._pause);
      this._pause = Math.min(LONGEST_PAUSE, this._pause * 2);
    });
  }

  _hurry() {
    if (this.standing !== "lost" || this._socket?.readyState !== WebSocket.CLOSED) return;
    clearTimeout(this._timer);
    this._open();
  }

  /** @param {Standing} standing */
  _stand(standing) {
    if (standing === this.standing) return;
    this.standing = standing;
    for (const listener of this._listeners) listener(standing);
  }

  /** @param {{id: number | null, news?: any, answer?: any, error?: string}} message */
  _receive(message) {
    const pending = message.id === null ? undefined : this._pending.get(message.id);
    if (!pending || message.id === null) return;
    if (message.news !== undefined) {
      pending.onNews?.(message.news);
      return;
    }
    this._pending.delete(message.id);
    if (message.error !== undefined) pending.reject(new LabError(message.error));
    else pending.resolve(message.answer);
  }
}

/** The error of a request that is no longer wanted. */
const left = () => new DOMException("no longer wanted", "AbortError");

/** The page's connection. */
export const connection = new Connection(
  `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/connect`,
);

/**
 * Ask over the page's connection; see `Connection.ask`.
 *
 * @param {string} what
 * @param {Record<string, unknown>} [fields]
 * @param {{onNews?: (news: any) => void, signal?: AbortSignal}} [options]
 */
export const ask = (what, fields, options) => connection.ask(what, fields, options);

/**
 * @typedef {object} Parameter
 * @property {string} name
 * @property {string} default
 * @property {"flag" | "number" | "pair" | "choice" | "text"} kind a pair is a number for each side
 * @property {string[]} choices
 */

/**
 * @typedef {object} GameInfo
 * @property {string} game its name in requests
 * @property {string} title
 * @property {string} about
 * @property {Parameter[]} parameters
 * @property {string[]} sides what players call the first and the second of them
 * @property {string} facts
 * @property {string[]} evaluations
 * @property {string} picture
 * @property {boolean} own
 * @property {boolean} solvable
 * @property {string[]} seats who sits at its table, if something is hidden from them; else empty
 */

/**
 * @typedef {object} Catalogue
 * @property {GameInfo[]} games
 * @property {string | null} usual the game to begin with, if the user has said so
 * @property {{level: number, name: string, about: Record<string, string>}[]} levels by search, what each does
 * @property {{level: string, name: string, about: string, game: string}[]} historic programs of the past, and what they play
 */

/** @type {Promise<Catalogue> | undefined} */
let catalogue;

/**
 * All games and levels, asked for once.
 *
 * @returns {Promise<Catalogue>}
 */
export function games() {
  catalogue ??= ask("games").catch((error) => {
    catalogue = undefined;
    throw error;
  });
  return catalogue;
}
