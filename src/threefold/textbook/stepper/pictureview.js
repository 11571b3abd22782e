// @ts-check
/**
 * A picture that is drawn anew at every step, in Python: this only shows the step's parts.
 *
 * The parts of all steps are in one list, because most of a picture is the same at the next step
 * (threefold/textbook/slides.py).
 */

import { Canvas } from "./canvas.js";
import { SVG, importDrawing, svgPart } from "./drawing.js";

/**
 * The pictures of a run: `frames` has for each step the numbers of its parts, `focus` where it happens.
 * @typedef {{width: number, height: number, about: string, parts: string[], frames: number[][], focus: number[][]}} Pictures
 */

/** A picture that is wider than this is not shown whole at first, but where the step happens. */
const FIT_WIDTH = 1500;

export class PictureView extends Canvas {
  /** @param {HTMLElement} frame @param {Pictures} run @param {(scale: number) => void} [onZoom] */
  constructor(frame, run, onZoom) {
    const svg = /** @type {SVGSVGElement} */ (svgPart("svg", {
      viewBox: `0 0 ${run.width} ${run.height}`, role: "img",
      "aria-label": "The step, drawn. The text beside it says the same in words.",
    }));
    super(frame, svg, onZoom);
    this.run = run;
    this.width = run.width;
    this.height = run.height;
    this.whole = run.width <= FIT_WIDTH;
    this.step = 0;
    /** By number: a part that has been shown. @type {Map<number, Node[]>} */
    this.made = new Map();
    this.layer = svgPart("g", { class: "drawn" });
    svg.append(this.layer);
    frame.append(svg);
    this.resize();
    this.listen();
  }

  /** @param {number[]} _looks @param {number} _here @param {number} step */
  dress(_looks, _here, step) {
    // A part may occur twice in a picture, so that what is shown are copies.
    this.layer.replaceChildren(...this.run.frames[step].flatMap(k => this.#part(k).map(part => part.cloneNode(true))));
    this.step = step;
    this.track();
    return [];
  }

  track() {
    const [x, y] = this.run.focus[this.step] ?? [];
    if (y !== undefined) this.scrollTo(x, y);
  }

  /** @param {number} k */
  #part(k) {
    let made = this.made.get(k);
    if (!made) {
      made = [...importDrawing(`<svg xmlns="${SVG}">${this.run.parts[k]}</svg>`).childNodes];
      this.made.set(k, made);
    }
    return made;
  }
}
