// @ts-check
/**
 * The board: a server's picture with places to touch, and what is drawn over it.
 *
 * It knows no game. A legal move is a sequence of places; touching them one after another, by
 * click, drag or keyboard, makes it. Where several moves have the same places, it asks which.
 */

import { choose, h, isCalm, s, uniqueId } from "./parts.js";
import { mount, parse } from "./svg.js";

/** @typedef {import("./line.js").View} View */
/** @typedef {import("./line.js").Move} Move */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/** Pixels that a pointer goes before it drags. */
const DRAG_AFTER = 5;
const PROMOTIONS = new Map([["q", "Queen"], ["r", "Rook"], ["b", "Bishop"], ["n", "Knight"]]);

export class Board {
  /** @param {{onMove?: (move: string) => void}} [options] */
  constructor(options = {}) {
    this._onMove = options.onMove ?? (() => {});
    this._desc = h("p", { class: "aloud", id: uniqueId("position") });
    this._frame = h("div", { class: "board-frame" });
    /** The board's element. */
    this.element = h("div", { class: "board" }, this._frame, this._desc);
    /** @type {SVGSVGElement | undefined} */
    this.picture = undefined;
    /** @type {Map<string, SVGGraphicsElement>} */
    this._places = new Map();
    /** @type {Map<string, Box>} */
    this._boxes = new Map();
    /** @type {View | undefined} */
    this._view = undefined;
    this._playable = false;
    /** The places touched so far. @type {string[]} */
    this._touched = [];
    this._layers = layers();
    this._cursor = "";
    /** What is being dragged. @type {{place: string, x: number, y: number, pieces: SVGGraphicsElement[], moving: boolean} | undefined} */
    this._drag = undefined;
    this._quiet = false;
    this._listen();
  }

  /**
   * Show a position. With `playable` its legal moves can be made; `animate` lets the last move be
   * seen.
   *
   * @param {View} view
   * @param {{playable?: boolean, animate?: boolean}} [options]
   */
  show(view, options = {}) {
    const hadFocus = this._frame.contains(document.activeElement);
    this._view = view;
    this._playable = options.playable ?? false;
    this._touched = [];
    this._drag = undefined;
    this.picture = mount(this._frame, view.svg);
    this.picture.setAttribute("role", "group");
    this._desc.textContent = this.picture.querySelector("desc")?.textContent ?? "";
    // A browser shows an svg's title as a tooltip wherever the mouse stands on the board.
    this.picture.querySelector("title")?.remove();
    this.picture.setAttribute("aria-label", `${view.title} board`);
    this.picture.setAttribute("aria-describedby", this._desc.id);
    this._findPlaces();
    this._layers = layers();
    const last = view.played.at(-1);
    if (last) this._markLast(last.places);
    const { under, last: lastLayer, hints, values, arrows } = this._layers;
    const top = this.picture.querySelector("g.places");
    for (const layer of [under, lastLayer, hints, arrows, values]) this.picture.insertBefore(layer, top);
    if (options.animate && last) this._animate(last.places);
    this._refresh();
    if (hadFocus) this._focusPlace();
  }

  /**
   * Draw arrows for moves: one of several places from the first to the last, one of a single place
   * as its four corners. The first is the best.
   *
   * @param {readonly {places: string[], label?: string}[]} moves
   */
  showArrows(moves) {
    const { arrows } = this._layers;
    arrows.replaceChildren();
    for (const [rank, { places }] of [...moves.entries()].reverse()) {
      const boxes = places.flatMap((place) => this._spot(place, "next") ?? []);
      const css = `arrow rank-${Math.min(rank, 4)}`;
      const first = boxes[0];
      if (!first) continue;
      if (boxes.length === 1) arrows.append(corners(first, css));
      else arrows.append(arrow(boxes.map(middle), Math.min(first.width, first.height), css));
    }
  }

  /**
   * Write values on the board, each at the last place of its move. `good` is from 0, the worst, to
   * 1, as good as the best.
   *
   * @param {readonly {places: string[], text: string, good: number}[]} values
   */
  showValues(values) {
    const { values: layer } = this._layers;
    layer.replaceChildren();
    /** @type {Map<string, {text: string, good: number}>} */
    const best = new Map();
    for (const value of values) {
      const place = value.places.at(-1);
      if (place !== undefined && value.good > (best.get(place)?.good ?? -1)) best.set(place, value);
    }
    for (const [place, { text, good }] of best) {
      const box = this._spot(place, "next");
      if (!box) continue;
      const size = Math.min(box.width, box.height);
      const { x, y } = middle(box);
      const font = Math.min(size * 0.3, (size * 1.4) / Math.max(text.length, 3));
      const half = Math.max(text.length * font * 0.31 + font * 0.3, font * 0.75);
      const css = good >= 0.999 ? "best" : good >= 0.75 ? "fair" : good >= 0.4 ? "poor" : "bad-move";
      layer.append(
        s("g", { class: `move-value ${css}` },
          s("rect", { x: x - half, y: y - font * 0.75, width: 2 * half, height: font * 1.5, rx: font * 0.4 }),
          s("text", { x, y, "font-size": font, "text-anchor": "middle", "dominant-baseline": "central" }, text)),
      );
    }
  }

  /** Whether the picture has places to touch. */
  get hasPlaces() {
    return this._places.size > 0;
  }

  /** Let a legal move with all its places be made by others too. @param {string} move */
  preview(move) {
    const found = this._view?.moves.find((each) => each.move === move);
    this._layers.under.replaceChildren();
    for (const place of found?.places ?? []) {
      const box = this._boxes.get(place);
      if (box) this._layers.under.append(frameOf(box, "previewed"));
    }
  }

  // Places.

  _findPlaces() {
    this._places.clear();
    this._boxes.clear();
    if (!this.picture) return;
    /** @type {SVGGraphicsElement[]} */
    const found = [...this.picture.querySelectorAll("[data-place]")].filter((e) => e instanceof SVGGraphicsElement);
    for (const element of found) {
      const name = element.getAttribute("data-place") ?? "";
      if (this._places.has(name)) continue;
      this._places.set(name, element);
      this._boxes.set(name, boxOf(element));
    }
    if (!this._places.size) return;
    const grid = s("g", { class: "places only-here", role: "grid", "aria-label": "Places; arrow keys move, Enter chooses" });
    for (const row of rowsOf([...this._places.keys()], this._boxes)) {
      const line = s("g", { role: "row" });
      for (const name of row) {
        const element = this._places.get(name);
        if (!element) continue;
        element.setAttribute("role", "gridcell");
        element.setAttribute("class", "place");
        line.append(element);
      }
      grid.append(line);
    }
    this.picture.append(grid);
    if (!this._places.has(this._cursor)) this._cursor = this._places.keys().next().value ?? "";
  }

  /** The legal moves that begin with the places touched so far. */
  _fitting() {
    if (!this._view || !this._playable) return [];
    return this._view.moves.filter(
      ({ places }) => places.length > 0 && this._touched.every((place, i) => places[i] === place),
    );
  }

  _refresh() {
    const fitting = this._fitting();
    const depth = this._touched.length;
    const next = new Set(fitting.flatMap(({ places }) => places[depth] ?? []));
    const isSource = depth === 0 && fitting.some(({ places }) => places.length > 1);
    const { hints } = this._layers;
    hints.replaceChildren();
    for (const name of this._touched) {
      const box = this._boxes.get(name);
      if (box) hints.append(frameOf(box, "selected"));
    }
    if (!isSource)
      for (const name of next) {
        const box = this._spot(name, "next");
        if (box) hints.append(hint(box, this._piecesOn(name).length > 0 && depth > 0));
      }
    for (const [name, element] of this._places) {
      const can = next.has(name);
      element.classList.toggle("can", can);
      element.classList.toggle("source", can && isSource);
      element.setAttribute("tabindex", name === this._cursor ? "0" : "-1");
      element.setAttribute("aria-selected", String(this._touched.includes(name)));
      const holds = this._view?.contents?.[name];
      element.setAttribute(
        "aria-label",
        [name, holds, can ? (isSource ? "can move" : "legal move") : ""].filter(Boolean).join(", "),
      );
    }
  }

  /**
   * A place was touched.
   *
   * @param {string} place
   */
  async _touch(place) {
    if (!this._playable) return;
    const fitting = this._fitting();
    const depth = this._touched.length;
    const going = fitting.filter(({ places }) => places[depth] === place);
    if (going.length) {
      this._touched.push(place);
      const done = going.filter(({ places }) => places.length === depth + 1);
      if (done.length === going.length) await this._make(done);
      else this._refresh();
      return;
    }
    const whole = fitting.filter(({ places }) => places.length === depth);
    if (depth && this._touched.at(-1) === place) {
      if (whole.length) await this._make(whole);
      else this.cancel();
      return;
    }
    // A move of many places may be shown by its first and its last.
    const short = depth ? fitting.filter(({ places }) => places.at(-1) === place) : [];
    if (short.length) {
      await this._make(short);
      return;
    }
    this._touched = [];
    if (depth) await this._touch(place);
    this._refresh();
  }

  /** Forget the places touched. */
  cancel() {
    this._touched = [];
    this._refresh();
  }

  /** @param {Move[]} moves */
  async _make(moves) {
    const only = moves[0];
    if (!only) return;
    let { move } = only;
    if (moves.length > 1) {
      const answer = await choose("Which move?", moves.map((each) => ({ value: each.move, text: describe(each, moves, this._view) })));
      if (answer === null) {
        this.cancel();
        this._focusPlace();
        return;
      }
      move = answer;
    }
    this._playable = false;
    this._touched = [];
    this._refresh();
    this._quiet = true;
    this._onMove(move);
  }

  // Hands and keys.

  _listen() {
    const frame = this._frame;
    frame.addEventListener("click", (event) => {
      if (this._quiet) {
        this._quiet = false;
        return;
      }
      const place = placeAt(event.target);
      if (place === null) this.cancel();
      else {
        this._cursor = place;
        void this._touch(place);
      }
    });
    frame.addEventListener("pointerdown", (event) => this._lift(event));
    frame.addEventListener("pointermove", (event) => this._carry(event));
    frame.addEventListener("pointerup", (event) => this._drop(event));
    frame.addEventListener("pointercancel", () => this._putBack());
    frame.addEventListener("keydown", (event) => this._key(event));
    frame.addEventListener("focusin", (event) => {
      const place = placeAt(event.target);
      if (place !== null && place !== this._cursor) {
        this._places.get(this._cursor)?.setAttribute("tabindex", "-1");
        this._cursor = place;
        this._places.get(place)?.setAttribute("tabindex", "0");
      }
    });
  }

  /** @param {PointerEvent} event */
  _lift(event) {
    this._quiet = false;
    const place = placeAt(event.target);
    if (event.button !== 0 || place === null || !this._playable) return;
    const starts = this._view?.moves.some(({ places }) => places.length > 1 && places[0] === place);
    if (!starts) return;
    const point = this._point(event);
    this._drag = { place, ...point, pieces: this._piecesOn(place), moving: false };
  }

  /** @param {PointerEvent} event */
  _carry(event) {
    const drag = this._drag;
    if (!drag) return;
    const { x, y } = this._point(event);
    if (!drag.moving) {
      const scale = this.picture?.getScreenCTM()?.a ?? 1;
      if (Math.hypot(x - drag.x, y - drag.y) * scale < DRAG_AFTER) return;
      drag.moving = true;
      this._frame.setPointerCapture(event.pointerId);
      this._touched = [drag.place];
      this._refresh();
      for (const piece of drag.pieces) {
        piece.classList.add("lifted");
        this.picture?.insertBefore(piece, this._layers.values.nextSibling);
      }
    }
    for (const piece of drag.pieces) piece.style.translate = `${x - drag.x}px ${y - drag.y}px`;
  }

  /** @param {PointerEvent} event */
  _drop(event) {
    const drag = this._drag;
    this._drag = undefined;
    if (!drag?.moving) return;
    this._quiet = true;
    this._settle(drag.pieces);
    const over = document.elementsFromPoint(event.clientX, event.clientY).map(placeAt).find((p) => p !== null);
    if (over === undefined || over === null || over === drag.place) this.cancel();
    else {
      this._cursor = over;
      void this._touch(over);
    }
  }

  _putBack() {
    if (this._drag) this._settle(this._drag.pieces);
    this._drag = undefined;
    this.cancel();
  }

  /** @param {SVGGraphicsElement[]} pieces */
  _settle(pieces) {
    for (const piece of pieces) {
      piece.classList.remove("lifted");
      piece.style.translate = "";
    }
  }

  /** @param {KeyboardEvent} event */
  _key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const place = placeAt(event.target);
    if (place === null) return;
    const ways = /** @type {Record<string, [number, number]>} */ ({
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
    });
    const way = ways[event.key];
    if (way) {
      this._cursor = neighbour(place, way, this._boxes) ?? place;
      this._focusPlace();
    } else if (event.key === "Enter" || event.key === " ") void this._touch(place);
    else if (event.key === "Escape" && this._touched.length) this.cancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  _focusPlace() {
    const element = this._places.get(this._cursor);
    if (!element) return;
    for (const other of this._places.values()) other.setAttribute("tabindex", other === element ? "0" : "-1");
    element.focus({ preventScroll: true });
  }

  /** @param {PointerEvent} event */
  _point(event) {
    const matrix = this.picture?.getScreenCTM()?.inverse();
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    return { x, y };
  }

  // What stands where.

  /**
   * What is drawn on a place: the parts of the picture that lie inside it.
   *
   * @param {string} name
   * @returns {SVGGraphicsElement[]}
   */
  _piecesOn(name) {
    const box = this._boxes.get(name);
    return box ? this._piecesIn(box) : [];
  }

  /**
   * Where in a place something is to be drawn. In a column that pieces are dropped into, that is
   * not its middle but the piece that came last, or the hole where the next will lie; a hole is
   * drawn with fewer shapes than a piece.
   *
   * @param {string} name
   * @param {"last" | "next"} which
   * @returns {Box | undefined}
   */
  _spot(name, which) {
    const box = this._boxes.get(name);
    if (!box || box.height < 1.6 * box.width) return box;
    /** @type {Map<number, number>} */
    const shapes = new Map();
    for (const piece of this._piecesIn(box)) {
      const y = Math.round(middle(boxOf(piece)).y);
      shapes.set(y, (shapes.get(y) ?? 0) + 1);
    }
    const holes = [...shapes].filter(([, count]) => count === 1).map(([y]) => y);
    const pieces = [...shapes].filter(([, count]) => count > 1).map(([y]) => y);
    const found = which === "next" ? holes : pieces;
    if (!found.length) return box;
    const y = which === "next" ? Math.max(...found) : Math.min(...found);
    return { x: box.x, y: y - box.width / 2, width: box.width, height: box.width };
  }

  /**
   * @param {Box} box
   * @returns {SVGGraphicsElement[]}
   */
  _piecesIn(box) {
    if (!this.picture) return [];
    return [...this.picture.children].filter(
      /** @returns {element is SVGGraphicsElement} */ (element) => {
        if (!(element instanceof SVGGraphicsElement) || element instanceof SVGTextElement) return false;
        if (element.classList.contains("layer") || element.classList.contains("places")) return false;
        const inner = boxOf(element);
        const { x, y } = middle(inner);
        return (
          inner.width < box.width * 0.98 && inner.height < box.height * 0.98 && inner.width > 0 &&
          x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height
        );
      },
    );
  }

  /** @param {string[]} places */
  _markLast(places) {
    for (const [i, place] of places.entries()) {
      const box = this._spot(place, "last");
      if (!box) continue;
      const frame = frameOf(box, i === places.length - 1 ? "layer last-move" : "layer last-move from");
      // Under the piece that moved, so that its colour stays as it is.
      const piece = this._piecesIn(box)[0];
      if (piece) piece.before(frame);
      else this._layers.last.append(frame);
    }
  }

  /** @param {string[]} places */
  _animate(places) {
    const place = places.at(-1) ?? "";
    const to = this._spot(place, "last");
    const whole = this._boxes.get(place);
    if (!to || !whole || isCalm()) return;
    // From where the piece was; into a column it falls from above.
    const above = to.height < whole.height ? { ...to, y: whole.y - to.height / 2 } : undefined;
    const from = places.length > 1 ? this._boxes.get(places[0] ?? "") : above;
    for (const piece of this._piecesIn(to)) {
      if (from) {
        const [a, b] = [middle(from), middle(to)];
        piece.animate([{ translate: `${a.x - b.x}px ${a.y - b.y}px` }, { translate: "0 0" }], { duration: 180, easing: "ease-out" });
      } else piece.animate([{ opacity: 0.2 }, { opacity: 1 }], { duration: 180, easing: "ease-out" });
    }
  }
}

/**
 * A picture that is only looked at.
 *
 * @param {string} text
 * @param {string} [label]
 */
export function still(text, label) {
  const picture = parse(text);
  if (label) {
    picture.setAttribute("aria-label", label);
    picture.querySelector("title")?.remove();
  }
  return picture;
}

const layers = () => ({
  under: s("g", { class: "layer only-here" }),
  last: s("g", { class: "layer" }),
  values: s("g", { class: "layer", "aria-hidden": "true" }),
  arrows: s("g", { class: "layer", "aria-hidden": "true" }),
  hints: s("g", { class: "layer only-here" }),
});

/** @param {EventTarget | null} target */
function placeAt(target) {
  return target instanceof Element ? (target.closest("[data-place]")?.getAttribute("data-place") ?? null) : null;
}

/**
 * Where an element stands in the picture.
 *
 * @param {SVGGraphicsElement} element
 * @returns {Box}
 */
function boxOf(element) {
  const { x, y, width, height } = element.getBBox();
  const moved = element.transform.baseVal.consolidate()?.matrix;
  return moved ? { x: x + moved.e, y: y + moved.f, width, height } : { x, y, width, height };
}

/** @param {Box} box */
const middle = (box) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });

/**
 * Places in rows from the top, each from the left.
 *
 * @param {string[]} names
 * @param {Map<string, Box>} boxes
 */
function rowsOf(names, boxes) {
  const places = names.flatMap((name) => {
    const box = boxes.get(name);
    return box ? [{ name, ...middle(box), reach: box.height / 2 }] : [];
  });
  places.sort((a, b) => a.y - b.y);
  /** @type {{y: number, names: {name: string, x: number}[]}[]} */
  const rows = [];
  for (const place of places) {
    const row = rows.at(-1);
    if (row && place.y - row.y < Math.max(place.reach, 1)) row.names.push(place);
    else rows.push({ y: place.y, names: [place] });
  }
  return rows.map((row) => row.names.sort((a, b) => a.x - b.x).map(({ name }) => name));
}

/**
 * The nearest place in a direction; one straight ahead is nearer than one aside.
 *
 * @param {string} from
 * @param {[number, number]} way
 * @param {Map<string, Box>} boxes
 */
function neighbour(from, way, boxes) {
  const box = boxes.get(from);
  if (!box) return undefined;
  const here = middle(box);
  let best;
  let least = Infinity;
  for (const [name, other] of boxes) {
    if (name === from) continue;
    const { x, y } = middle(other);
    const ahead = (x - here.x) * way[0] + (y - here.y) * way[1];
    const aside = Math.abs((x - here.x) * way[1]) + Math.abs((y - here.y) * way[0]);
    if (ahead > 1 && ahead + 2.5 * aside < least && aside <= 2 * ahead) {
      least = ahead + 2.5 * aside;
      best = name;
    }
  }
  return best;
}

/**
 * A mark for a legal place: a dot, or around a piece that would be taken a ring.
 *
 * @param {Box} box
 * @param {boolean} occupied
 */
function hint(box, occupied) {
  const { x, y } = middle(box);
  const size = Math.min(box.width, box.height);
  return s("circle", { class: occupied ? "hint ring" : "hint dot", cx: x, cy: y, r: size * (occupied ? 0.44 : 0.13) });
}

/**
 * @param {Box} box
 * @param {string} css
 */
function frameOf(box, css) {
  const inset = 1.5;
  return s("rect", {
    class: `frame ${css}`, x: box.x + inset, y: box.y + inset, rx: 3,
    width: Math.max(0, box.width - 2 * inset), height: Math.max(0, box.height - 2 * inset),
  });
}

/**
 * Four corners around a place: a mark that no game has for a piece.
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
 * A move among others of the same places, for a human.
 *
 * @param {Move} move
 * @param {Move[]} among
 * @param {View | undefined} view
 */
function describe(move, among, view) {
  const promoted = PROMOTIONS.get(move.move.slice(-1));
  const alike = among.every((other) => other.move.slice(0, -1) === move.move.slice(0, -1));
  return view?.title.startsWith("Chess") && alike && promoted ? promoted : move.move;
}
