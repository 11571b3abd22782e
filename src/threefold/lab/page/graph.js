// @ts-check
/**
 * The value graph: the first player's share of the points after each move. It is also a slider:
 * clicking, dragging and the arrow keys go through the game.
 */

import { fill, h, s } from "./parts.js";

/**
 * @typedef {object} Point
 * @property {number} ply
 * @property {number} share the first player's, 0 to 1
 * @property {string} text the value in short
 * @property {string | null} [mark] inaccuracy, mistake, blunder
 */

const HEIGHT = 120;
const PAD = 10;
/** A shape for each mark, never color alone; around (0, 0). */
const MARKS = new Map([
  ["inaccuracy", "M0 -5L5 0L0 5L-5 0z"],
  ["mistake", "M0 -6L6 5H-6z"],
  ["blunder", "M-5 -5H5V5H-5z"],
]);

export class Graph {
  /** @param {(ply: number) => void} onGo */
  constructor(onGo) {
    this._onGo = onGo;
    this._last = 1;
    this._count = 0;
    this._at = 0;
    /** @type {Point[]} */
    this._points = [];
    this._width = 600;
    this.picture = s("svg", { class: "drawn graph", "aria-hidden": "true" });
    this.element = h("div", {
      class: "graph-frame", role: "slider", tabindex: 0, "aria-label": "Values over the game", "aria-valuemin": 0,
    }, this.picture);
    // Drawn as wide as it is shown, so that marks and lines keep their shape.
    new ResizeObserver(() => {
      const width = Math.round(this.element.clientWidth);
      if (width === this._width || !width) return;
      this._width = width;
      this.show(this._points, this._count, this._at);
    }).observe(this.element);
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      this._point(event);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) this._point(event);
    });
    this.element.addEventListener("keydown", (event) => {
      const step = /** @type {Record<string, number>} */ ({
        ArrowLeft: this._at - 1, ArrowDown: this._at - 1, ArrowRight: this._at + 1, ArrowUp: this._at + 1,
        Home: 0, End: this._count, PageUp: this._at + 10, PageDown: this._at - 10,
      })[event.key];
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      this._go(step);
    });
  }

  /**
   * @param {readonly Point[]} points those known, in order
   * @param {number} last the game's last ply
   * @param {number} at the ply on the board
   */
  show(points, last, at) {
    this._points = [...points];
    this._count = last;
    this._last = Math.max(1, last);
    this._at = at;
    const here = points.find(({ ply }) => ply === at);
    this.element.setAttribute("aria-valuemax", String(last));
    this.element.setAttribute("aria-valuenow", String(at));
    this.element.setAttribute(
      "aria-valuetext",
      `after ${at} of ${last} moves: ${here ? here.text : "not known yet"}${here?.mark ? `, ${here.mark}` : ""}`,
    );
    const middle = HEIGHT / 2;
    this.picture.setAttribute("viewBox", `0 0 ${this._width} ${HEIGHT}`);
    fill(
      this.picture,
      s("rect", { class: "graph-ground", width: this._width, height: HEIGHT }),
      this._runs().map((run) => this._area(run, middle)),
      s("path", { class: "graph-middle", d: `M0 ${middle}H${this._width}` }),
      this._runs().map((run) => s("path", { class: "graph-line", d: `M${run.map((p) => this._xy(p).join(" ")).join("L")}` })),
      s("path", { class: "graph-here", d: `M${this._x(at)} 0V${HEIGHT}` }),
      points.map((point) => this._mark(point, point.ply === at)),
    );
  }

  /** The points in runs without a gap. */
  _runs() {
    /** @type {Point[][]} */
    const runs = [];
    for (const point of this._points) {
      const run = runs.at(-1);
      if (run && point.ply - (run.at(-1)?.ply ?? 0) === 1) run.push(point);
      else runs.push([point]);
    }
    return runs;
  }

  /** @param {number} ply */
  _x(ply) {
    return PAD + (ply / this._last) * (this._width - 2 * PAD);
  }

  /** @param {Point} point @returns {[number, number]} */
  _xy({ ply, share }) {
    return [round(this._x(ply)), round(PAD + (1 - share) * (HEIGHT - 2 * PAD))];
  }

  /**
   * @param {Point[]} run
   * @param {number} middle
   */
  _area(run, middle) {
    const first = this._x(run[0]?.ply ?? 0);
    const last = this._x(run.at(-1)?.ply ?? 0);
    const outline = `M${first} ${middle}L${run.map((p) => this._xy(p).join(" ")).join("L")}L${last} ${middle}z`;
    return s("path", { class: "graph-area", d: outline });
  }

  /**
   * @param {Point} point
   * @param {boolean} here
   */
  _mark(point, here) {
    const [x, y] = this._xy(point);
    const shape = MARKS.get(point.mark ?? "");
    const place = `translate(${x} ${y})`;
    if (shape) return s("g", { transform: place }, s("path", { class: `graph-mark ${point.mark}`, d: shape }));
    return here || this._points.length < 60
      ? s("g", { transform: place }, s("circle", { class: here ? "graph-dot here" : "graph-dot", r: here ? 4.5 : 2 }))
      : null;
  }

  /** @param {PointerEvent} event */
  _point(event) {
    const { left, width } = this.element.getBoundingClientRect();
    const pad = (PAD / this._width) * width;
    this._go(Math.round(((event.clientX - left - pad) / (width - 2 * pad)) * this._last));
  }

  /** @param {number} ply */
  _go(ply) {
    const to = Math.max(0, Math.min(this._count, ply));
    if (to === this._at) return;
    this._at = to; // the next step starts from there, even if it is not shown yet
    this._onGo(to);
  }
}

/** @param {number} x */
const round = (x) => Math.round(x * 10) / 10;
