// @ts-check
/** Dragging: what is on a place follows the pointer until it is released over another. */

/** Pixels that a pointer moves before it drags. */
const DRAG_AFTER = 5;

/**
 * @typedef {object} Hands
 * @property {(place: string) => SVGGraphicsElement[] | null} lift what is picked up from a place; null
 *   if nothing may be
 * @property {(place: string) => void} onLift
 * @property {(from: string, to: string | null) => void} onDrop
 */

/**
 * The place that an element belongs to.
 *
 * @param {EventTarget | null} target
 */
export function placeAt(target) {
  return target instanceof Element ? (target.closest("[data-place]")?.getAttribute("data-place") ?? null) : null;
}

export class Dragging {
  /**
   * @param {HTMLElement} frame around the picture
   * @param {Hands} hands
   */
  constructor(frame, hands) {
    this._frame = frame;
    this._hands = hands;
    /** @type {{place: string, x: number, y: number, pieces: SVGGraphicsElement[], moving: boolean} | undefined} */
    this._drag = undefined;
    this._dropped = false;
    frame.addEventListener("pointerdown", (event) => this._lift(event));
    frame.addEventListener("pointermove", (event) => this._carry(event));
    frame.addEventListener("pointerup", (event) => this._drop(event));
    frame.addEventListener("pointercancel", () => this._putBack());
    // The browser also reports the release as a click.
    frame.addEventListener("click", (event) => {
      if (this._dropped) event.stopImmediatePropagation();
      this._dropped = false;
    }, { capture: true });
  }

  /** The picture has been replaced. */
  forget() {
    this._drag = undefined;
  }

  /** @param {PointerEvent} event */
  _lift(event) {
    this._dropped = false;
    const place = placeAt(event.target);
    if (event.button !== 0 || place === null) return;
    const pieces = this._hands.lift(place);
    if (pieces) this._drag = { place, ...this._point(event), pieces, moving: false };
  }

  /** @param {PointerEvent} event */
  _carry(event) {
    const drag = this._drag;
    if (!drag) return;
    const { x, y } = this._point(event);
    if (!drag.moving) {
      const scale = this._picture?.getScreenCTM()?.a ?? 1;
      if (Math.hypot(x - drag.x, y - drag.y) * scale < DRAG_AFTER) return;
      drag.moving = true;
      this._frame.setPointerCapture(event.pointerId);
      this._hands.onLift(drag.place);
      const places = this._picture?.querySelector("g.places") ?? null;
      for (const piece of drag.pieces) {
        piece.classList.add("lifted");
        this._picture?.insertBefore(piece, places);
      }
    }
    for (const piece of drag.pieces) piece.style.translate = `${x - drag.x}px ${y - drag.y}px`;
  }

  /** @param {PointerEvent} event */
  _drop(event) {
    const drag = this._drag;
    this._drag = undefined;
    if (!drag?.moving) return;
    this._dropped = true;
    settle(drag.pieces);
    const over = document.elementsFromPoint(event.clientX, event.clientY).map(placeAt).find((p) => p !== null);
    this._hands.onDrop(drag.place, over ?? null);
  }

  _putBack() {
    const drag = this._drag;
    this._drag = undefined;
    if (!drag) return;
    settle(drag.pieces);
    this._hands.onDrop(drag.place, null);
  }

  get _picture() {
    return this._frame.querySelector("svg");
  }

  /** @param {PointerEvent} event */
  _point(event) {
    const matrix = this._picture?.getScreenCTM()?.inverse();
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    return { x, y };
  }
}

/** @param {SVGGraphicsElement[]} pieces */
function settle(pieces) {
  for (const piece of pieces) {
    piece.classList.remove("lifted");
    piece.style.translate = "";
  }
}
