// @ts-check
/**
 * The picture of a tree: drawn in Python, styled, folded and zoomed here.
 *
 * Python draws every node once, in its place, and says for each step which nodes change and how.
 * Folding a subtree moves the others together, by the rules that first placed them; every measure
 * comes from there, too (threefold/textbook/layout.py). Only nodes that look different are touched.
 *
 * The files in this folder need no others: a notebook or a standalone page has nothing else.
 */

import { Canvas } from "./canvas.js";
import { importDrawing, svgPart } from "./drawing.js";

/**
 * A look: its classes, the value, the window or the visits, the bound that caused the cutoff; and in simulations the upper
 * confidence bound or a playout's outcome.
 * @typedef {[css: string, value: string, window: string, cut: string, remark: string]} Look
 */

/** "MAX", "MIN", "chance" or "leaf"; or the name of one of more than two players. @typedef {string} Kind */

/**
 * How much room nodes take. The lists have an entry for each drawn node, in tree order.
 * @typedef {object} Layout
 * @property {Record<"half" | "beside" | "point" | "level" | "gap" | "margin" | "foot" | "cutAt" | "cutAboveWeightAt" |
 *   "weightAt" | "barApart" | "barHalf" | "wordBeside" | "wordAbove", number>} measures
 * @property {Kind[]} kinds
 * @property {number[]} left how far a node with its texts reaches left of its middle,
 * @property {number[]} right right of it,
 * @property {number[]} up up to its edge,
 * @property {number[]} down and down to its children's edges
 */

/**
 * The picture of a tree.
 * @typedef {object} Drawing
 * @property {string} svg
 * @property {string[]} nodes the drawn nodes' names, in tree order
 * @property {number[]} parents by node; -1 for the root
 * @property {Layout} layout
 */

/**
 * The picture of a run: how nodes may look, and by step, which of them change: node, look, node, look…
 * @typedef {Drawing & {looks: Look[], changes: number[][]}} Run
 */

/** A tree of more nodes than this is folded at first. */
const MANY = 160;
/** A tree of no more nodes, and no wider, than this is shown whole, however narrow the page is. */
const [FIT_WHOLE, FIT_WHOLE_WIDTH] = [60, 2400];

/**
 * A node's own name: in a game, its last move, which may contain a "/" itself.
 * @param {{names: string[], parents: number[]}} tree
 * @param {number} node
 */
export function shortName({ names, parents }, node) {
  const name = names[node], above = `${names[parents[node]] ?? ""}/`;
  return name === "." ? "root" : name.startsWith(above) ? name.slice(above.length) : name;
}

/** @param {number} x */
const short = x => String(Math.round(x * 100) / 100);

/** One node of the picture, and the edge above it. */
class Drawn {
  /** @param {Element} shape @param {Element | null} edge @param {Layout} layout @param {number} k */
  constructor(shape, edge, layout, k) {
    this.shape = shape;
    this.edge = edge;
    this.kind = layout.kinds[k];
    this.value = shape.querySelector(".value");
    this.window = shape.querySelector(".window");
    this.remark = shape.querySelector(".remark");
    this.way = edge?.querySelector(".way") ?? null;
    this.word = edge?.querySelector(".word") ?? null;
    this.bars = edge?.querySelector(".bars path") ?? null;
    this.weight = edge ? [...edge.children].find(c => c.localName === "text") ?? null : null;
    this.left = layout.left[k];
    this.right = layout.right[k];
    this.up = layout.up[k];
    this.down = layout.down[k];
    this.x = this.y = 0;
    /** @type {SVGElement | null} */
    this.handle = null;
  }
}

/**
 * The picture of a tree in a frame that scrolls.
 */
export class TreeView extends Canvas {
  /**
   * @param {HTMLElement} frame
   * @param {Drawing & {looks?: Look[]}} run
   * @param {{onPick?: (node: number) => void, onOpen?: (node: number) => void, onFold?: () => void, onZoom?: (scale: number) => void,
   *   room?: number}} [options] `room`: how wide a text may be put beside an inner node
   */
  constructor(frame, run, options = {}) {
    super(frame, importDrawing(run.svg), options.onZoom);
    this.options = options;
    this.parents = run.parents;
    this.names = run.nodes;
    this.size = run.nodes.length;
    this.looks = run.looks ?? [];
    this.measures = run.layout.measures;
    /** By node: its children, and how many nodes are below it. @type {number[][]} */
    this.children = run.nodes.map(() => []);
    this.below = run.nodes.map(() => 0);
    for (let k = this.size - 1; k > 0; k--) {
      const parent = run.parents[k];
      this.children[parent].unshift(k);
      this.below[parent] += 1 + this.below[k];
    }
    /** By node: the number of the look it shows. @type {number[]} */
    this.shown = [];
    /** Those that were unfolded only to follow the run. @type {Set<number>} */
    this.lent = new Set();
    this.here = -1;
    this.picked = -1;
    this.drawn = this.#adopt(run.layout);
    this.#makeRoom();
    this.#foldMany();
    this.#place();
    frame.append(this.svg);
    this.#listen();
  }

  track() {
    if (this.here >= 0) this.reveal(this.here);
  }

  /** Find the nodes and edges of the drawing. @param {Layout} layout */
  #adopt(layout) {
    const { svg } = this;
    for (const each of svg.querySelectorAll(":scope > title, :scope > desc, :scope > rect")) each.remove();
    this.note = [...svg.querySelectorAll(":scope > text")].map(t => (t.remove(), t.textContent)).join(" ");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", "The tree, drawn. The outline has the same in words.");
    const tree = svg.querySelector(".tree");
    tree?.removeAttribute("transform");
    // The nodes are in tree order, and so are the edges above all but the root.
    const shapes = svg.querySelectorAll(".node"), edges = svg.querySelectorAll(".edge");
    if (shapes.length !== this.size) throw new Error("the drawing's nodes differ from the tree's");
    return [...shapes].map((shape, k) => {
      const edge = k > 0 ? edges[k - 1] : null;
      shape.setAttribute("data-node", String(k));
      edge?.setAttribute("data-node", String(k));
      return new Drawn(shape, edge, layout, k);
    });
  }

  /** Leave room beside inner nodes for what a page puts there. */
  #makeRoom() {
    const { half, beside } = this.measures;
    for (const node of this.drawn)
      if (node.kind !== "leaf") node.right = Math.max(node.right, half + beside + (this.options.room ?? 0));
  }

  /** Fold what is too much at first: whole families from the top stay open, as many as fit. */
  #foldMany() {
    if (this.size <= MANY) return;
    let shown = 1, layer = [0];
    while (layer.length) {
      /** @type {number[]} */
      const next = [];
      for (const node of layer) {
        const family = this.children[node];
        if (!family.length) continue;
        if (shown + family.length > MANY && node !== 0) this.folded.add(node);
        else {
          shown += family.length;
          next.push(...family);
        }
      }
      layer = next;
    }
  }

  /** Whether a node is drawn: nothing above it is folded. @param {number} node */
  isVisible(node) {
    for (let k = this.parents[node]; k >= 0; k = this.parents[k]) if (this.folded.has(k)) return false;
    return true;
  }

  /** Put every node in its place: children first, each subtree against those to its left. */
  #place() {
    const { drawn, children, folded, parents } = this;
    const { gap, level: levelHeight, margin, point, foot } = this.measures;
    /** @type {number[]} */
    const visible = [];
    const hidden = new Uint8Array(this.size);
    for (let k = 0; k < this.size; k++) {
      const above = parents[k];
      hidden[k] = above >= 0 && (hidden[above] || folded.has(above)) ? 1 : 0;
      if (!hidden[k]) visible.push(k);
    }
    const offset = new Float64Array(this.size);
    /** By node: for each level, how far the subtree reaches left and right of its root. @type {[number, number][][]} */
    const outlines = [];
    for (let i = visible.length - 1; i >= 0; i--) {
      const k = visible[i], family = folded.has(k) ? [] : children[k];
      /** @type {[number, number][]} */
      let outline = [];
      for (const child of family) {
        const below = outlines[child];
        let x = 0;
        const both = Math.min(outline.length, below.length);
        for (let level = 0; level < both; level++)
          x = level ? Math.max(x, outline[level][1] - below[level][0] + gap) : outline[0][1] - below[0][0] + gap;
        offset[child] = x;
        for (let level = 0; level < below.length; level++) {
          const right = below[level][1] + x;
          if (level < both) outline[level] = [outline[level][0], right];
          else outline[level] = [below[level][0] + x, right];
        }
        delete outlines[child];
      }
      const middle = family.length ? (offset[family[0]] + offset[family[family.length - 1]]) / 2 : 0;
      for (const child of family) offset[child] -= middle;
      const node = drawn[k];
      outlines[k] = [[-node.left, node.right], ...outline.map(([a, b]) => /** @type {[number, number]} */ ([a - middle, b - middle]))];
    }
    const whole = outlines[0];
    let deepest = 0;
    for (const k of visible) {
      const node = drawn[k], above = drawn[parents[k]];
      node.x = above ? above.x + offset[k] : margin - Math.min(...whole.map(([left]) => left));
      node.y = above ? above.y + levelHeight : margin + point;
      deepest = Math.max(deepest, node.y);
    }
    this.width = drawn[0].x + Math.max(...whole.map(([, right]) => right)) + margin;
    this.height = deepest + margin + foot;
    this.whole = this.size <= FIT_WHOLE && this.width <= FIT_WHOLE_WIDTH;
    for (let k = 0; k < this.size; k++) this.#draw(k, !hidden[k]);
    this.svg.setAttribute("viewBox", `0 0 ${short(this.width)} ${short(this.height)}`);
    this.resize();
  }

  /** @param {number} k @param {boolean} visible */
  #draw(k, visible) {
    const { shape, edge, way, bars, word, weight, x, y, up } = this.drawn[k];
    const { cutAt, cutAboveWeightAt, weightAt, barApart, barHalf, wordBeside, wordAbove } = this.measures;
    shape.toggleAttribute("data-hidden", !visible);
    edge?.toggleAttribute("data-hidden", !visible);
    if (!visible) return;
    shape.setAttribute("transform", `translate(${short(x)} ${short(y)})`);
    this.#drawHandle(k);
    if (!way) return;
    const above = this.drawn[this.parents[k]];
    const [x1, y1, x2, y2] = [above.x, above.y + above.down, x, y - up];
    way.setAttribute("d", `M${short(x1)} ${short(y1)}L${short(x2)} ${short(y2)}`);
    const dx = x2 - x1, dy = y2 - y1, length = Math.hypot(dx, dy) || 1;
    if (weight) {
      weight.setAttribute("x", short(x1 + dx * weightAt));
      weight.setAttribute("y", short(y1 + dy * weightAt));
    }
    const at = weight ? cutAboveWeightAt : cutAt, mx = x1 + at * dx, my = y1 + at * dy;
    const [ax, ay] = [dx / length, dy / length];
    bars?.setAttribute("d", [-barApart, barApart].map(shift => {
      const [px, py] = [mx + ax * shift, my + ay * shift];
      return `M${short(px - barHalf * ay)} ${short(py + barHalf * ax)}L${short(px + barHalf * ay)} ${short(py - barHalf * ax)}`;
    }).join(""));
    word?.setAttribute("x", short(mx + (x2 < x1 - 1 ? -wordBeside : wordBeside)));
    word?.setAttribute("y", short(my - wordAbove));
  }

  /** The ⊕ or ⊖ of a node that has something below it. @param {number} k */
  #drawHandle(k) {
    if (!this.children[k].length) return;
    const node = this.drawn[k], folded = this.folded.has(k);
    node.shape.classList.toggle("folded", folded);
    if (!node.handle) {
      node.handle = svgPart("g");
      node.handle.append(
        svgPart("circle", { class: "fill-paper line-ink", r: "9" }),
        svgPart("path", { class: "line-ink" }),
        svgPart("text", { class: "fill-ink line-paper halo", x: "14", "font-size": "12", "dominant-baseline": "central" }));
      node.shape.append(node.handle);
    }
    // A picture that is saved as a file has no use for what only folds.
    node.handle.setAttribute("class", folded ? "folder" : "folder only-here");
    const [circle, cross, count] = node.handle.children;
    const y = folded ? 34 : 27;
    circle.setAttribute("cy", String(y));
    cross.setAttribute("d", `M-4.5 ${y}h9${folded ? `M0 ${y - 4.5}v9` : ""}`);
    count.setAttribute("y", String(y));
    count.textContent = folded ? this.below[k].toLocaleString("en") : "";
  }

  /** Give a node the look of a step. @param {number} k @param {number} number */
  #dress(k, number) {
    const [css, value, window, cut, remark] = this.looks[number];
    const node = this.drawn[k];
    const extra = (this.folded.has(k) ? " folded" : "") + (k === this.picked ? " picked" : "");
    node.shape.setAttribute("class", `node ${css}${extra}`);
    if (node.value && node.value.textContent !== value) node.value.textContent = value;
    if (node.window && node.window.textContent !== window) node.window.textContent = window;
    if (node.remark && node.remark.textContent !== remark) node.remark.textContent = remark;
    if (!node.edge) return;
    node.edge.setAttribute("class", `edge ${css}${cut ? " cut" : ""}`);
    const best = css.split(" ").includes("best");
    node.way?.setAttribute("class", `way ${best ? "line-ink" : "line-line"}`);
    if (node.word) node.word.textContent = cut;
  }

  /**
   * Show a step.
   * @param {number[]} looks by node
   * @param {number} here the node of the step, or -1
   * @returns {number[]} the nodes that were changed
   */
  dress(looks, here) {
    const changed = [];
    for (let k = 0; k < this.size; k++)
      if (looks[k] !== this.shown[k]) {
        this.#dress(k, (this.shown[k] = looks[k]));
        changed.push(k);
      }
    this.here = here;
    if (this.follow) this.#lend(here);
    this.#markFolded();
    if (here >= 0) this.reveal(here);
    return changed;
  }

  /** Unfold the way to the node of the step, and fold again what was unfolded for earlier ones. @param {number} here */
  #lend(here) {
    const way = new Set();
    for (let k = here < 0 ? -1 : this.parents[here]; k >= 0; k = this.parents[k]) way.add(k);
    let moved = false;
    for (const k of this.lent)
      if (!way.has(k) && k !== here) {
        this.lent.delete(k);
        this.folded.add(k);
        moved = true;
      }
    for (const k of way)
      if (this.folded.delete(k)) {
        this.lent.add(k);
        moved = true;
      }
    if (moved) {
      this.#place();
      this.options.onFold?.();
    }
  }

  /** Mark the folded node that hides the node of the step. */
  #markFolded() {
    for (const each of this.svg.querySelectorAll(".holds-here")) each.classList.remove("holds-here");
    if (this.here < 0 || this.isVisible(this.here)) return;
    let holder = this.here;
    for (let k = this.here; k >= 0; k = this.parents[k]) if (this.folded.has(k)) holder = k;
    this.drawn[holder].shape.classList.add("holds-here");
  }

  /** Fold or unfold a node. @param {number} node @param {boolean} [fold] */
  fold(node, fold = !this.folded.has(node)) {
    if (!this.children[node].length || fold === this.folded.has(node)) return;
    this.lent.delete(node);
    if (fold) this.folded.add(node);
    else this.folded.delete(node);
    this.#folded(node);
  }

  /** Unfold all, or fold all below the root's children. @param {boolean} fold */
  foldAll(fold) {
    this.lent.clear();
    this.folded.clear();
    if (fold) for (let k = 1; k < this.size; k++) if (this.children[k].length) this.folded.add(k);
    if (fold && this.follow) this.#lend(this.here);
    this.#folded(this.here);
    if (this.here >= 0) this.reveal(this.here);
  }

  /** @param {number} node */
  #folded(node) {
    const before = node >= 0 ? this.#where(node) : null;
    this.#place();
    this.#markFolded();
    // What was touched stays where it was.
    if (before && !this.fitted) {
      const after = this.#where(node);
      this.frame.scrollLeft += after.x - before.x;
      this.frame.scrollTop += after.y - before.y;
    }
    this.options.onFold?.();
  }

  /** @param {number} node */
  #where(node) {
    return { x: this.drawn[node].x * this.scale, y: this.drawn[node].y * this.scale };
  }

  /** Mark a node as chosen by the reader. @param {number} node */
  pick(node) {
    if (this.picked >= 0) this.drawn[this.picked].shape.classList.remove("picked");
    this.picked = node;
    if (node >= 0) this.drawn[node].shape.classList.add("picked");
  }

  /** Scroll the frame, and nothing else, so that a node is visible. @param {number} node */
  reveal(node) {
    let seen = node;
    for (let k = node; k >= 0; k = this.parents[k]) if (this.folded.has(k)) seen = k;
    this.scrollTo(this.drawn[seen].x, this.drawn[seen].y);
  }

  #listen() {
    const { svg, options } = this, { signal } = this.leaving;
    /** @param {Event} event */
    const nodeOf = event => {
      const found = /** @type {Element} */ (event.target).closest("[data-node]");
      return found ? Number(found.getAttribute("data-node")) : -1;
    };
    svg.addEventListener("click", event => {
      if (this.dragged) return;
      const node = nodeOf(event);
      if (node < 0) return;
      if (/** @type {Element} */ (event.target).closest(".folder")) this.fold(node);
      else options.onPick?.(node);
    }, { signal });
    svg.addEventListener("dblclick", event => {
      const node = nodeOf(event);
      if (node < 0 || /** @type {Element} */ (event.target).closest(".folder")) return;
      if (options.onOpen) options.onOpen(node);
      else this.fold(node);
    }, { signal });
    this.listen();
  }
}
