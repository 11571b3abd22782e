// @ts-check
/** What is drawn over a board: where to go, where a move went, which is best, what it is worth. */

import { s } from "./parts.js";
import { middle } from "./places.js";

/** @typedef {import("./places.js").Box} Box */

/**
 * A mark for a legal place: a dot, or a ring around a piece that would be taken.
 *
 * @param {Box} box
 * @param {boolean} occupied
 */
export function hint(box, occupied) {
  const { x, y } = middle(box);
  const size = Math.min(box.width, box.height);
  return s("circle", { class: occupied ? "hint ring" : "hint dot", cx: x, cy: y, r: size * (occupied ? 0.44 : 0.13) });
}

/**
 * A frame in a place, with a light or dark edge that shows it on any ground.
 *
 * @param {Box} box
 * @param {string} css
 */
export function frameOf(box, css) {
  const inset = 2.5;
  const shape = {
    x: box.x + inset, y: box.y + inset, rx: 3,
    width: Math.max(0, box.width - 2 * inset), height: Math.max(0, box.height - 2 * inset),
  };
  return s("g", { class: `frame ${css}` }, s("rect", { ...shape, class: "around" }), s("rect", shape));
}

/**
 * A move: an arrow through its places, or four corners around a single place.
 *
 * @param {Box[]} boxes
 * @param {string} css
 */
export function moveMark(boxes, css) {
  const first = boxes[0];
  if (!first) return null;
  return boxes.length === 1 ? corners(first, css) : arrow(boxes.map(middle), Math.min(first.width, first.height), css);
}

/**
 * A value on a place, and a note below it if there is one; `good` is from 0, the worst, to 1, as good as the best.
 *
 * @param {Box} box
 * @param {string} text
 * @param {number} good
 * @param {string} [note]
 */
export function valueLabel(box, text, good, note = "") {
  const size = Math.min(box.width, box.height);
  const { x, y } = middle(box);
  // The width of its bold characters and the space at both ends, in units of the font size.
  const width = Math.max(text.length * 0.76 + 0.7, 1.5);
  const font = Math.min(size * 0.3, (size * 0.9) / width);
  const half = (width * font) / 2;
  const below = note ? font * 0.95 : 0;
  /** @param {string} words @param {number} at @param {number} high */
  const written = (words, at, high) => s("text", { x, y: at, "font-size": high, "text-anchor": "middle", "dominant-baseline": "central" }, words);
  const css = good >= 0.999 ? "best" : good >= 0.75 ? "fair" : good >= 0.4 ? "poor" : "bad-move";
  return s("g", { class: `move-value ${css}` },
    s("rect", { x: x - half, y: y - font * 0.75 - below / 2, width: 2 * half, height: font * 1.5 + below, rx: font * 0.4 }),
    written(text, y - below / 2, font), note ? written(note, y + below / 2, font * 0.8) : null);
}

/**
 * Four corners around a place: a mark that no game uses for a piece.
 *
 * @param {Box} box
 * @param {string} css
 */
function corners({ x, y, width, height }, css) {
  const inset = 4;
  const arm = Math.min(width, height) * 0.3;
  const [left, top, right, bottom] = [x + inset, y + inset, x + width - inset, y + height - inset];
  const way =
    `M${left} ${top + arm}V${top}H${left + arm}M${right - arm} ${top}H${right}V${top + arm}` +
    `M${right} ${bottom - arm}V${bottom}H${right - arm}M${left + arm} ${bottom}H${left}V${bottom - arm}`;
  return s("g", { class: `${css} corners` }, s("path", { class: "around", d: way }), s("path", { d: way }));
}

/**
 * An arrow through points.
 *
 * @param {{x: number, y: number}[]} points
 * @param {number} size of a place
 * @param {string} css
 */
function arrow(points, size, css) {
  const end = /** @type {{x: number, y: number}} */ (points.at(-1));
  const before = /** @type {{x: number, y: number}} */ (points.at(-2));
  const far = Math.hypot(end.x - before.x, end.y - before.y) || 1;
  const [ux, uy] = [(end.x - before.x) / far, (end.y - before.y) / far];
  const neck = { x: end.x - ux * size * 0.38, y: end.y - uy * size * 0.38 };
  const way = [...points.slice(0, -1), neck].map(({ x, y }) => `${x} ${y}`).join("L");
  const wing = size * 0.19;
  const tip = `M${end.x} ${end.y}L${neck.x - uy * wing} ${neck.y + ux * wing}L${neck.x + uy * wing} ${neck.y - ux * wing}z`;
  return s("g", { class: css },
    s("path", { d: `M${way}`, class: "shaft around", "stroke-width": size * 0.13 + 4 }),
    s("path", { d: tip, class: "tip around" }),
    s("path", { d: `M${way}`, class: "shaft", "stroke-width": size * 0.13 }),
    s("path", { d: tip, class: "tip" }));
}

/**
 * Who is likely to own a place: a square, the larger the surer.
 *
 * @param {Box} box
 * @param {number} balance from 1, surely the first player, to -1, surely the second
 */
export function ownerMark(box, balance) {
  const side = Math.min(box.width, box.height) * 0.5 * Math.abs(balance);
  const { x, y } = middle(box);
  return s("rect", { class: `owner ${balance > 0 ? "first" : "second"}`, x: x - side / 2, y: y - side / 2, width: side, height: side });
}

/** A place that a rule bars for now. @param {Box} box */
export function barredMark(box) {
  const { x, y } = middle(box);
  const arm = Math.min(box.width, box.height) * 0.14;
  const way = `M${x - arm} ${y - arm}l${2 * arm} ${2 * arm}M${x - arm} ${y + arm}l${2 * arm} ${-2 * arm}`;
  return s("g", { class: "barred" }, s("path", { class: "around", d: way }), s("path", { d: way }));
}
