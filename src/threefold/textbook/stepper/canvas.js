// @ts-check
/** A drawing in a frame that scrolls: it is zoomed, fitted and dragged, whatever it shows. */

const [SMALLEST, LARGEST] = [0.08, 4];
/** A drawing with room to spare is not enlarged beyond this, and one without stays readable. */
const [FIT_MOST, FIT_LEAST, FIT_LEAST_HIGH] = [1.3, 0.72, 0.5];

export class Canvas {
  /** @param {HTMLElement} frame @param {SVGSVGElement} svg @param {(scale: number) => void} [onZoom] */
  constructor(frame, svg, onZoom) {
    this.frame = frame;
    this.svg = svg;
    this.onZoom = onZoom;
    this.scale = 1;
    this.fitted = true;
    this.width = this.height = 1;
    /** Whether fitting shows all of it, however small that is. */
    this.whole = false;
    this.dragged = false;
    /** The nodes, if it shows any: their names, parents (-1 for the root) and children. @type {string[]} */
    this.names = [];
    /** @type {number[]} */
    this.parents = [];
    /** @type {number[][]} */
    this.children = [];
    /** By node: how many are below it. @type {number[]} */
    this.below = [];
    /** By node: what kind it is. @type {{kind: string}[]} */
    this.drawn = [];
    /** The nodes that are folded: nothing below them is drawn. @type {Set<number>} */
    this.folded = new Set();
    /** Whether the path to the node of the step is unfolded. */
    this.follow = true;
    /** What is written below the drawing. */
    this.note = "";
    this.leaving = new AbortController();
    this.watching = new ResizeObserver(() => {
      if (this.fitted) this.resize();
      this.track();
    });
  }

  /** Scroll to what the step is about. */
  track() {}

  /**
   * Show a step.
   * @param {number[]} _looks by node @param {number} _here the node of the step, or -1 @param {number} _step from 0
   * @returns {number[]} the nodes that were changed
   */
  dress(_looks, _here, _step) {
    return [];
  }

  // What a drawing of nodes does with them; one without nodes has nothing to do.

  /** Mark a node as chosen by the reader. @param {number} _node */
  pick(_node) {}
  /** Scroll to a node. @param {number} _node */
  reveal(_node) {}
  /** Fold or unfold a node. @param {number} _node */
  fold(_node) {}
  /** Fold or unfold all. @param {boolean} _fold */
  foldAll(_fold) {}

  /** Zoom by a factor, around a point of the frame. @param {number} factor @param {number} [atX] @param {number} [atY] */
  zoom(factor, atX = this.frame.clientWidth / 2, atY = this.frame.clientHeight / 2) {
    const { frame } = this;
    const scale = Math.min(LARGEST, Math.max(SMALLEST, this.scale * factor));
    const x = (frame.scrollLeft + atX) / this.scale, y = (frame.scrollTop + atY) / this.scale;
    this.fitted = false;
    this.scale = scale;
    this.resize();
    frame.scrollLeft = x * scale - atX;
    frame.scrollTop = y * scale - atY;
  }

  /** Show all of it. */
  fit() {
    this.fitted = true;
    this.resize(SMALLEST);
    this.track();
  }

  /** @param {number} [least] the smallest scale that fitting may choose */
  resize(least = this.whole ? SMALLEST : FIT_LEAST) {
    const { frame, svg } = this;
    if (this.fitted && frame.clientWidth) {
      // Better too wide than too high: the reader scrolls sideways to follow the tree.
      const wide = Math.max(least, frame.clientWidth / this.width);
      const high = Math.max(Math.min(least, FIT_LEAST_HIGH), frame.clientHeight / this.height);
      this.scale = Math.min(FIT_MOST, wide, high);
    }
    // Rounded down: a fraction of a pixel too much would cause scroll bars.
    svg.setAttribute("width", String(Math.floor(this.width * this.scale)));
    svg.setAttribute("height", String(Math.floor(this.height * this.scale)));
    this.onZoom?.(this.scale);
  }

  /** Scroll the frame, and nothing else, so that a point of the drawing is visible. @param {number} x @param {number} y */
  scrollTo(x, y) {
    const { frame } = this;
    const room = frame.getBoundingClientRect(), drawing = this.svg.getBoundingClientRect();
    const left = x * this.scale + drawing.left - room.left, top = y * this.scale + drawing.top - room.top;
    const edge = Math.min(70, frame.clientWidth / 4);
    if (left < edge || left > frame.clientWidth - edge) frame.scrollLeft += left - frame.clientWidth / 2;
    if (top < edge || top > frame.clientHeight - edge) frame.scrollTop += top - frame.clientHeight / 2;
  }

  /** Zoom by the wheel, and move by dragging. */
  listen() {
    const { frame } = this, { signal } = this.leaving;
    frame.addEventListener("wheel", event => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = frame.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
    }, { signal, passive: false });
    frame.addEventListener("pointerdown", event => {
      this.dragged = false;
      if (event.pointerType !== "mouse" || event.button !== 0) return;
      let [x, y] = [event.clientX, event.clientY];
      /** @param {PointerEvent} move */
      const drag = move => {
        if (!this.dragged && Math.hypot(move.clientX - x, move.clientY - y) < 5) return;
        this.dragged = true;
        frame.scrollLeft -= move.clientX - x;
        frame.scrollTop -= move.clientY - y;
        [x, y] = [move.clientX, move.clientY];
      };
      const drop = () => {
        removeEventListener("pointermove", drag);
        removeEventListener("pointerup", drop);
        removeEventListener("pointercancel", drop);
      };
      addEventListener("pointermove", drag, { signal });
      addEventListener("pointerup", drop, { signal });
      addEventListener("pointercancel", drop, { signal });
    }, { signal });
    this.watching.observe(frame);
  }

  /** Stop listening. */
  destroy() {
    this.watching.disconnect();
    this.leaving.abort();
    this.svg.remove();
  }
}
