// @ts-check
/**
 * The board: a server's picture with places to touch, and what is drawn over it.
 *
 * It knows no game. A legal move is a sequence of places; touching them one after another, by
 * click, drag or keyboard, makes it. Where several moves have the same places, it asks which.
 *
 * A move of several pieces is made one piece after another, and the server says what it looks like
 * half made; `halfmove.js` keeps it.
 */

import { Dragging, placeAt } from "./dragging.js";
import { HalfMove } from "./halfmove.js";
import { howToMove } from "./howto.js";
import { barredMark, frameOf, hint, moveMark, ownerMark, valueLabel } from "./marks.js";
import { button, choose, complain, h, isCalm, s, uniqueId } from "./parts.js";
import { middle, Places } from "./places.js";
import { mount } from "./svg.js";
import { isTurnable, turnRound } from "./turning.js";

/** @typedef {import("./line.js").View} View */
/** @typedef {import("./line.js").Move} Move */

/** Owners of less certainty are not shown. */
const UNSURE = 0.15;
/** Pixels that a fingertip can hit for sure. */
const FINGERTIP = 22;

export class Board {
  /**
   * @param {object} [options]
   * @param {(move: string) => void} [options.onMove]
   * @param {(touched: string[]) => Promise<import("./line.js").Half>} [options.onTouch] asks for a move
   *   of several pieces that is half made
   */
  constructor(options = {}) {
    this._onMove = options.onMove ?? (() => {});
    this._onTouch = options.onTouch;
    this._desc = h("p", { class: "aloud", id: uniqueId("position") });
    this._frame = h("div", { class: "board-frame" });
    this._undo = button("Undo", () => void this.undo(), { icon: "undo", small: true, title: "Put the last piece back (Escape)" });
    this._how = h("span", { class: "note" });
    /** Below the board, where moves are made piece by piece: what to click, and a way back. */
    this._steps = h("div", { class: "row steps no-print", hidden: true }, this._undo, this._how);
    /** The board's element. */
    this.element = h("div", { class: "board" }, this._frame, this._steps, this._desc);
    /** A move of several pieces. @type {HalfMove | undefined} */
    this._half = undefined;
    /** @type {SVGSVGElement | undefined} */
    this.picture = undefined;
    this._places = new Places();
    /** @type {View | undefined} */
    this._view = undefined;
    this._playable = false;
    /** Whether it can be shown from the other side. */
    this.isTurnable = false;
    this._isTurned = false;
    /** What is marked. @type {readonly {places: string[]}[]} */
    this._arrows = [];
    /** @type {readonly {places: string[], text: string, note?: string, good: number}[]} */
    this._values = [];
    /** Who is likely to own which place. @type {Readonly<Record<string, number>>} */
    this._owners = {};
    /** The place that a fingertip has aimed at, where places are smaller than it. */
    this._aimed = "";
    /** The places touched so far. @type {string[]} */
    this._touched = [];
    this._layers = layers();
    this._cursor = "";
    this._dragging = new Dragging(this._frame, {
      lift: (place) => (this._isSource(place) ? this._places.topOf(place) : null),
      onLift: (place) => {
        if (this._half) {
          this._reach(place);
          return;
        }
        this._touched = [place];
        this._refresh();
      },
      onDrop: (from, to) => {
        if (to === null || to === from) this.cancel();
        else this._reach(to);
      },
    });
    this._listen();
  }

  /**
   * Show a position. With `playable` its legal moves can be made; `animate` shows the last move in
   * motion.
   *
   * @param {View} view
   * @param {{playable?: boolean, animate?: boolean}} [options]
   */
  show(view, options = {}) {
    const hadFocus = this._frame.contains(document.activeElement);
    this._view = view;
    this._playable = options.playable ?? false;
    this._touched = [];
    this._arrows = [];
    this._values = [];
    this._owners = {};
    this._aimed = "";
    this._steps.hidden = !view.pairs || !this._onTouch;
    this._half = view.half && this._playable && this._onTouch ? new HalfMove(view.half, this._onTouch) : undefined;
    this._mount(view, view.svg);
    const last = view.played.at(-1);
    // What nature rolled, and what was decided about it, is seen anyway; what was played before is not.
    const isPlay = (/** @type {View["played"][number]} */ { player, places }) => player !== -1 && (!view.pairs || places.length > 1);
    this._markLast(view.played.findLast(isPlay)?.places ?? []);
    if (options.animate && last) this._animate(last.places);
    this._refresh();
    if (hadFocus) this._focusPlace();
  }

  /** Show nothing, and keep nothing of what was shown. */
  clear() {
    this._view = undefined;
    this._playable = false;
    this._half = undefined;
    this._dragging.forget();
    this._frame.replaceChildren();
    this._places = new Places();
    this.picture = undefined;
    this._desc.textContent = "";
  }

  /**
   * Put a picture on the board, and the layers over it.
   *
   * @param {View} view
   * @param {string} svg
   */
  _mount(view, svg) {
    this._dragging.forget();
    this.picture = mount(this._frame, svg);
    this.picture.setAttribute("role", "group");
    this._desc.textContent = this.picture.querySelector("desc")?.textContent ?? "";
    // A browser shows an svg's title as a tooltip wherever the mouse is on the board.
    this.picture.querySelector("title")?.remove();
    this.picture.setAttribute("aria-label", `${view.title} board`);
    this.picture.setAttribute("aria-describedby", this._desc.id);
    this._seat(view, this.picture);
    this._layOut(this.picture);
    this._layers = layers();
    const { under, last, owners, hints, values, arrows } = this._layers;
    const top = this.picture.querySelector("g.places");
    for (const layer of [under, last, owners, hints, arrows, values]) this.picture.insertBefore(layer, top);
  }

  /** Show it from the other side, or as it is drawn. @param {boolean} isTurned */
  turn(isTurned) {
    if (isTurned === this._isTurned) return;
    this._isTurned = isTurned;
    if (!this._view) return;
    const [arrows, values, owners] = [this._arrows, this._values, this._owners];
    this.show(this._view, { playable: this._playable });
    this.showArrows(arrows);
    this.showValues(values);
    this.showOwners(owners);
  }

  /**
   * Find the places, on the side of the board that it is seen from.
   *
   * @param {View} view
   * @param {SVGSVGElement} picture
   */
  _seat(view, picture) {
    this._places = new Places(picture);
    this.isTurnable = isTurnable(this._places);
    const isTurned = this._isTurned && this.isTurnable;
    if (isTurned) {
      turnRound(picture, this._places);
      this._places = new Places(picture);
      this._desc.append(" The board is turned around: what is described as at the top is at the bottom.");
    }
    this.element.classList.toggle("first-above", isTurned !== (view.above === 0));
  }

  /**
   * Mark moves: one with several places by an arrow from the first to the last, one with a single place
   * by its four corners. The first is the best.
   *
   * @param {readonly {places: string[]}[]} moves
   */
  showArrows(moves) {
    const { arrows } = this._layers;
    this._arrows = moves;
    arrows.replaceChildren();
    for (const [rank, { places }] of [...moves.entries()].reverse()) {
      for (const part of this._stepsOf(places)) {
        const boxes = part.flatMap((place) => this._places.spot(place, "next") ?? []);
        arrows.append(moveMark(boxes, `arrow rank-${Math.min(rank, 4)}`) ?? "");
      }
    }
  }

  /**
   * Write values on the board, each at the last place of its move, with a note below it if there is
   * one. `good` is from 0, the worst, to 1, as good as the best.
   *
   * @param {readonly {places: string[], text: string, note?: string, good: number}[]} values
   */
  showValues(values) {
    const { values: layer } = this._layers;
    this._values = values;
    layer.replaceChildren();
    /** @type {Map<string, {text: string, note?: string, good: number}>} */
    const best = new Map();
    for (const value of values) {
      const place = value.places.at(-1);
      if (place !== undefined && value.good > (best.get(place)?.good ?? -1)) best.set(place, value);
    }
    for (const [place, { text, note, good }] of best) {
      const box = this._places.spot(place, "next");
      if (box) layer.append(valueLabel(box, text, good, note));
    }
  }

  /**
   * Show who is likely to own each place: 1 if the first player surely, -1 if the second.
   *
   * @param {Readonly<Record<string, number>>} owners
   */
  showOwners(owners) {
    const { owners: layer } = this._layers;
    this._owners = owners;
    layer.replaceChildren();
    for (const [place, balance] of Object.entries(owners)) {
      const box = this._places.boxes.get(place);
      if (box && Math.abs(balance) >= UNSURE) layer.append(ownerMark(box, balance));
    }
    this._refresh();
  }

  /** Who is likely to own a place, in words. @param {string} place */
  _ownerOf(place) {
    const balance = this._owners[place] ?? 0;
    const side = this._view?.sides[balance > 0 ? 0 : 1];
    return Math.abs(balance) < UNSURE ? "" : `${Math.round(50 + 50 * Math.abs(balance))} % ${side}`;
  }

  /** Whether the picture has places to touch. */
  get hasPlaces() {
    return this._places.elements.size > 0;
  }

  /** The width or height in pixels of the smallest of some places, as it is seen. @param {string[]} places */
  smallest(places) {
    const boxes = places.map((place) => this._places.elements.get(place)?.getBoundingClientRect());
    return Math.min(...boxes.map((box) => (box ? Math.min(box.width, box.height) : Infinity)));
  }

  /** Show the places of a legal move that is pointed at elsewhere. @param {string} move */
  preview(move) {
    const found = this._view?.moves.find((each) => each.move === move);
    this._layers.under.replaceChildren();
    for (const place of found?.places ?? []) {
      const box = this._places.boxes.get(place);
      if (box) this._layers.under.append(frameOf(box, "previewed"));
    }
  }

  // Touching.

  /** Lay the places out as a grid, for keys and for screen readers. @param {SVGSVGElement} picture */
  _layOut(picture) {
    const { elements } = this._places;
    if (!elements.size) return;
    const grid = s("g", { class: "places only-here", role: "grid", "aria-label": "Places; arrow keys move, Enter chooses" });
    for (const row of this._places.rows()) {
      const line = s("g", { role: "row" });
      for (const name of row) {
        const element = elements.get(name);
        if (!element) continue;
        element.setAttribute("role", "gridcell");
        element.setAttribute("class", "place");
        line.append(element);
      }
      grid.append(line);
    }
    picture.append(grid);
    if (!elements.has(this._cursor)) this._cursor = elements.keys().next().value ?? "";
  }

  /** The legal moves that begin with the places touched so far. */
  _fitting() {
    if (!this._view || !this._playable) return [];
    return this._view.moves.filter(
      ({ places }) => places.length > 0 && this._touched.every((place, i) => places[i] === place),
    );
  }

  /** The places of a move, piece by piece. @param {string[]} places */
  _stepsOf(places) {
    if (!this._view?.pairs) return [places];
    return Array.from({ length: Math.ceil(places.length / 2) }, (_, i) => places.slice(2 * i, 2 * i + 2));
  }

  /** What can be touched next, whether a piece is picked up there, and what has been touched. */
  _choices() {
    if (this._half) return { next: this._half.next, isSource: this._half.picks, depth: 1, touched: this._half.selected };
    const fitting = this._fitting();
    const depth = this._touched.length;
    const next = new Set(fitting.flatMap(({ places }) => places[depth] ?? []));
    const isSource = depth === 0 && fitting.some(({ places }) => places.length > 1);
    return { next, isSource, depth, touched: this._touched };
  }

  _refresh() {
    const { next, isSource, depth, touched } = this._choices();
    const { hints } = this._layers;
    hints.replaceChildren();
    this._undo.disabled = !this._half?.touched.length;
    this._how.textContent = this._aimed ? `${this._aimed}: tap it again to play there, or tap another point.` : this._half ? this._half.hint : this._playable && this._view?.pairs ? howToMove(this._view) : "";
    for (const name of this._aimed ? [...touched, this._aimed] : touched) {
      const box = this._places.boxes.get(name);
      if (box) hints.append(frameOf(box, "selected"));
    }
    for (const name of this._view?.barred ?? []) {
      const box = this._places.boxes.get(name);
      if (box) hints.append(barredMark(box));
    }
    if (!isSource && !this._view?.open)
      for (const name of next) {
        const box = this._places.spot(name, "next");
        if (!box) continue;
        // What is touched in place of a piece, such as dice or a card, stays readable.
        if (this._view?.hides) hints.append(frameOf(box, "offered"));
        else if (this._view?.pairs && this._onTouch && !this._half) hints.append(frameOf(box, "previewed"));
        else hints.append(hint(box, !this._half && depth > 0 && this._places.piecesOn(name).length > 0));
      }
    for (const [name, element] of this._places.elements) {
      const can = next.has(name);
      element.classList.toggle("can", can);
      element.classList.toggle("source", can && isSource);
      element.setAttribute("tabindex", name === this._cursor ? "0" : "-1");
      element.setAttribute("aria-selected", String(touched.includes(name)));
      const holds = this._view?.contents?.[name];
      const barred = this._view?.barred?.includes(name) ? "barred by superko" : "";
      element.setAttribute(
        "aria-label",
        [name, holds, barred, this._ownerOf(name), can ? (isSource ? "can move" : "legal move") : ""].filter(Boolean).join(", "),
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
    if (this._half) {
      await this._step(this._half.touch(place));
      return;
    }
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
    // A move of many places may be given by its first and its last.
    const short = depth ? fitting.filter(({ places }) => places.at(-1) === place) : [];
    if (short.length) {
      await this._make(short);
      return;
    }
    this._touched = [];
    if (depth) await this._touch(place);
    this._refresh();
  }

  /** Put the last piece of a half-made move back; whether there was one. */
  undo() {
    if (!this._half?.touched.length) return false;
    void this._step(this._half.undo());
    return true;
  }

  /**
   * Show a move of several pieces after another place was touched, or make it if it is complete.
   *
   * @param {Promise<string | null>} asked the move, once it is complete
   */
  async _step(asked) {
    const half = this._half;
    const move = await asked.catch((error) => (complain(error), null));
    if (!this._view || !half || half !== this._half) return;
    const hadFocus = this._frame.contains(document.activeElement);
    if (half.svg !== half.shown) {
      this._mount(this._view, half.svg);
      half.shown = half.svg;
    }
    if (move !== null) {
      this._half = undefined;
      this._playable = false;
    }
    this._refresh();
    if (hadFocus) this._focusPlace();
    if (move !== null) this._onMove(move);
  }

  /** Forget the places touched; of a move of several pieces, the last. */
  cancel() {
    if (this.undo()) return;
    this._touched = [];
    this._aimed = "";
    this._refresh();
  }

  /** @param {Move[]} moves */
  async _make(moves) {
    const only = moves[0];
    if (!only) return;
    let { move } = only;
    if (moves.length > 1) {
      const answer = await choose("Which move?", moves.map((each) => ({ value: each.move, text: each.text })));
      if (answer === null) {
        this.cancel();
        this._focusPlace();
        return;
      }
      move = answer;
    }
    this._playable = false;
    this._touched = [];
    this._aimed = "";
    this._refresh();
    this._onMove(move);
  }

  // Hands and keys.

  _listen() {
    const frame = this._frame;
    frame.addEventListener("click", (event) => {
      const place = placeAt(event.target);
      if (place !== null && event instanceof PointerEvent && event.pointerType === "touch" && this._isAimedFirst(place)) this._aim(place);
      else if (place !== null) this._reach(place);
      else if (!this._half) this.cancel();
    });
    frame.addEventListener("keydown", (event) => this._key(event));
    frame.addEventListener("focusin", (event) => {
      const place = placeAt(event.target);
      if (place === null || place === this._cursor) return;
      this._places.elements.get(this._cursor)?.setAttribute("tabindex", "-1");
      this._cursor = place;
      this._places.elements.get(place)?.setAttribute("tabindex", "0");
    });
  }

  /** Whether a fingertip first aims at a place, which it cannot hit for sure. @param {string} place */
  _isAimedFirst(place) {
    if (!this._playable || !this._view?.open || place === this._aimed) return false;
    return (this._places.elements.get(place)?.getBoundingClientRect().width ?? FINGERTIP) < FINGERTIP;
  }

  /** @param {string} place */
  _aim(place) {
    const isLegal = this._view?.moves.some(({ places }) => places[0] === place);
    this._aimed = isLegal ? place : "";
    this._cursor = place;
    this._steps.hidden = !isLegal;
    this._undo.hidden = true;
    this._refresh();
  }

  /** @param {string} place */
  _reach(place) {
    this._cursor = place;
    void this._touch(place);
  }

  /** Whether a move of several places starts here. @param {string} place */
  _isSource(place) {
    if (this._half) return this._half.picks && this._half.next.has(place);
    return this._playable && this._view?.moves.some(({ places }) => places.length > 1 && places[0] === place);
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
      this._cursor = this._places.neighbor(place, way) ?? place;
      this._focusPlace();
    } else if (event.key === "Enter" || event.key === " ") void this._touch(place);
    else if (event.key === "Escape" && (this._touched.length || this._half?.touched.length)) this.cancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  _focusPlace() {
    const element = this._places.elements.get(this._cursor);
    if (!element) return;
    for (const other of this._places.elements.values()) other.setAttribute("tabindex", other === element ? "0" : "-1");
    element.focus({ preventScroll: true });
  }

  // The last move.

  /** @param {string[]} places */
  _markLast(places) {
    for (const step of this._stepsOf(places))
      for (const [i, place] of step.entries()) {
        const isEnd = i === step.length - 1;
        // Where pieces are stacked, the others of the stack have nothing to do with the move.
        const box = this._view?.pairs && !isEnd ? undefined : this._places.spot(place, "last");
        if (!box) continue;
        const frame = frameOf(box, isEnd ? "layer last-move" : "layer last-move from");
        // Under the piece that moved, so that its color stays as it is.
        const piece = this._places.piecesIn(box)[0];
        if (piece) piece.before(frame);
        else this._layers.last.append(frame);
      }
  }

  /** @param {string[]} places */
  _animate(places) {
    if (!isCalm()) for (const step of this._stepsOf(places)) this._animateStep(step);
  }

  /** @param {string[]} places of one piece */
  _animateStep(places) {
    const place = places.at(-1) ?? "";
    const to = this._places.spot(place, "last");
    const whole = this._places.boxes.get(place);
    if (!to || !whole) return;
    // From where the piece was; into a column it falls from above.
    const above = to.height < whole.height ? { ...to, y: whole.y - to.height / 2 } : undefined;
    const from = places.length > 1 ? this._places.boxes.get(places[0] ?? "") : above;
    for (const piece of this._places.piecesIn(to)) {
      if (from) {
        const [a, b] = [middle(from), middle(to)];
        piece.animate([{ translate: `${a.x - b.x}px ${a.y - b.y}px` }, { translate: "0 0" }], { duration: 180, easing: "ease-out" });
      } else piece.animate([{ opacity: 0.2 }, { opacity: 1 }], { duration: 180, easing: "ease-out" });
    }
  }
}

const layers = () => ({
  under: s("g", { class: "layer only-here" }),
  last: s("g", { class: "layer" }),
  values: s("g", { class: "layer", "aria-hidden": "true" }),
  arrows: s("g", { class: "layer", "aria-hidden": "true" }),
  owners: s("g", { class: "layer", "aria-hidden": "true" }),
  hints: s("g", { class: "layer only-here" }),
});
