// @ts-check
/**
 * The whole state of the page, in the address: `#room/key=value&key=value`.
 *
 * So a link shows the same thing, a reload loses nothing, and back and forward work. A room writes
 * what it shows with `set`; going to another room means following a link, `link(room)`.
 */

/** What rooms pass on to each other; a room's other keys are its own. */
const SHARED = ["game", "start", "moves", "at", "eval", "tree", "procedure", "turned"];
const FIRST_ROOM = "play";

/** @typedef {Record<string, string | number | boolean | null | undefined>} Values */

/**
 * A text as it is written in an address: only what would be misread there is escaped.
 *
 * @param {string} text
 */
const encode = (text) =>
  encodeURIComponent(text).replace(/%(?:2C|3B|3A|2F|40|3D|2B|24|3F|7C)/g, (code) => decodeURIComponent(code));

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * @param {string} fragment
 * @returns {{room: string, values: Map<string, string>}}
 */
function parse(fragment) {
  const [, room = "", rest = ""] = /^#?([^/]*)\/?(.*)$/s.exec(fragment) ?? [];
  const values = new Map();
  for (const pair of rest.split("&")) {
    const at = pair.indexOf("=");
    if (at > 0) values.set(decode(pair.slice(0, at)), decode(pair.slice(at + 1)));
  }
  return { room: /^[a-z]+$/.test(room) ? room : FIRST_ROOM, values };
}

/**
 * @param {string} room
 * @param {Map<string, string>} values
 */
function write(room, values) {
  const pairs = [...values].map(([key, value]) => `${encode(key)}=${encode(value)}`);
  return `#${room}/${pairs.join("&")}`;
}

export class State {
  constructor() {
    /** @type {Set<() => void>} */
    this._listeners = new Set();
    /** What each room showed last, to restore it on return. @type {Map<string, Map<string, string>>} */
    this._left = new Map();
    const now = parse(location.hash);
    /** The name of the room that is open. */
    this.room = now.room;
    this._values = now.values;
    addEventListener("hashchange", () => {
      this._left.set(this.room, this._values);
      const next = parse(location.hash);
      this.room = next.room;
      this._values = next.values;
      for (const listener of this._listeners) listener();
    });
  }

  /**
   * A value of the state, or the fallback if it is not set.
   *
   * @param {string} key
   * @param {string} [fallback]
   * @returns {string}
   */
  get(key, fallback = "") {
    return this._values.get(key) ?? fallback;
  }

  /**
   * A number of the state.
   *
   * @param {string} key
   * @param {number} fallback
   */
  number(key, fallback) {
    const value = Number(this._values.get(key) || NaN);
    return Number.isFinite(value) ? value : fallback;
  }

  /**
   * Whether a switch is on: `1` in the address.
   *
   * @param {string} key
   * @param {boolean} [fallback]
   */
  flag(key, fallback = false) {
    const value = this._values.get(key);
    return value === undefined ? fallback : value === "1";
  }

  /** The moves of the game. @returns {string[]} */
  get moves() {
    const text = this.get("moves");
    return text ? text.split(";") : [];
  }

  /**
   * Change values; null, undefined, "" and false take a key out of the address, true is `1`. With
   * `push` the browser's back button returns to before.
   *
   * @param {Values} values
   * @param {{push?: boolean}} [options]
   */
  set(values, options = {}) {
    const next = merged(this._values, values);
    const address = write(this.room, next);
    if (address === write(this.room, this._values)) return;
    this._values = next;
    history[options.push ? "pushState" : "replaceState"](null, "", address);
    dispatchEvent(new Event("statechange"));
  }

  /**
   * The address of a room: with what rooms share, what that room showed last, and `values`.
   *
   *     state.link("step", {game: "nim", start: "3-4-5 1", procedure: "alphabeta"})
   *
   * @param {string} room
   * @param {Values} [values]
   */
  link(room, values = {}) {
    const kept = new Map(room === this.room ? this._values : this._left.get(room));
    for (const key of SHARED) {
      const value = this._values.get(key);
      if (value === undefined) kept.delete(key);
      else kept.set(key, value);
    }
    return write(room, merged(kept, values));
  }

  /**
   * Go to a room; the browser's back button returns.
   *
   * @param {string} room
   * @param {Values} [values]
   */
  go(room, values = {}) {
    location.hash = this.link(room, values);
  }

  /**
   * Listen for changes that the browser made: back, forward, a link followed, an address typed.
   *
   * @param {() => void} listener
   * @returns {() => void} ends it
   */
  listen(listener) {
    this._listeners.add(listener);
    return () => this._listeners.delete(listener);
  }
}

/**
 * @param {Map<string, string>} old
 * @param {Values} changes
 */
function merged(old, changes) {
  const values = new Map(old);
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === undefined || value === "" || value === false) values.delete(key);
    else values.set(key, value === true ? "1" : String(value));
  }
  return values;
}

/** The page's state. */
export const state = new State();
