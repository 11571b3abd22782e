// @ts-check
/**
 * Pictures from the server, put into the page safely, and out of it again as files.
 *
 * The page's policy forbids style elements inside pictures, so the server sends them without. Their
 * colors come from lab.css by the classes `fill-ROLE` and `line-ROLE`, so that they follow the
 * page's theme. A picture that leaves the page takes its colors with it.
 */

import { download } from "./parts.js";
import { importDrawing, SVG } from "./stepper/drawing.js";

/**
 * The picture in an SVG text, without anything active.
 *
 * @param {string} text
 * @returns {SVGSVGElement}
 */
export function parse(text) {
  const picture = importDrawing(text);
  picture.classList.add("drawn");
  return picture;
}

/**
 * Show a picture in a container instead of what was there.
 *
 * @param {Element} container
 * @param {string} text
 * @returns {SVGSVGElement} the picture in the page
 */
export function mount(container, text) {
  const picture = parse(text);
  container.replaceChildren(picture);
  return picture;
}

/**
 * A picture that is only for viewing.
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

/** The styles that a picture keeps when it leaves the page, and the defaults that are left out. */
const LOOKS = {
  fill: "rgb(0, 0, 0)",
  stroke: "none",
  "stroke-width": "1px",
  "stroke-dasharray": "none",
  "stroke-linejoin": "miter",
  "stroke-linecap": "butt",
  "fill-opacity": "1",
  "stroke-opacity": "1",
  opacity: "1",
  "paint-order": "normal",
};
const TEXT_LOOKS = ["font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline"];

/**
 * A picture of the page as a separate document, in its current colors. Parts of the
 * class `only-here` (what can be touched) are left out.
 *
 * @param {SVGSVGElement} picture
 * @returns {string}
 */
export function standalone(picture) {
  const copy = /** @type {SVGSVGElement} */ (picture.cloneNode(true));
  const originals = [picture, ...picture.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  const gone = [];
  for (const [i, original] of originals.entries()) {
    const twin = copies[i];
    if (!twin) continue;
    const look = getComputedStyle(original);
    if (original !== picture && (look.display === "none" || original.classList.contains("only-here"))) {
      gone.push(twin);
      continue;
    }
    twin.removeAttribute("class");
    twin.removeAttribute("style");
    for (const name of ["role", "tabindex", "aria-label", "aria-hidden", "aria-describedby"])
      twin.removeAttribute(name);
    if (!(original instanceof SVGGraphicsElement)) continue;
    if (original instanceof SVGGElement || original === picture) {
      if (look.opacity !== "1") twin.setAttribute("opacity", look.opacity);
      continue;
    }
    for (const [name, usual] of Object.entries(LOOKS)) {
      const value = look.getPropertyValue(name);
      if (value && value !== usual) twin.setAttribute(name, value);
    }
    if (original instanceof SVGTextContentElement)
      for (const name of TEXT_LOOKS) twin.setAttribute(name, look.getPropertyValue(name));
  }
  for (const element of gone) element.remove();
  const { width, height } = sizeOf(picture);
  copy.setAttribute("xmlns", SVG);
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  copy.setAttribute("role", "img");
  return new XMLSerializer().serializeToString(copy);
}

/**
 * Save a picture as an SVG file.
 *
 * @param {SVGSVGElement} picture
 * @param {string} name without its ending
 */
export function saveSvg(picture, name) {
  download(`${name}.svg`, standalone(picture), "image/svg+xml");
}

/**
 * Save a picture as a PNG file, at twice its nominal size or at the given scale.
 *
 * @param {SVGSVGElement} picture
 * @param {string} name without its ending
 * @param {number} [scale]
 */
export async function savePng(picture, name, scale = 2) {
  const { width, height } = sizeOf(picture);
  // Browsers refuse canvases of more than about 16,000 pixels per side.
  const factor = Math.min(scale, 12000 / Math.max(width, height));
  const address = URL.createObjectURL(new Blob([standalone(picture)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(width * factor);
    canvas.height = Math.ceil(height * factor);
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    if (!(blob instanceof Blob)) throw new Error("this browser could not make a PNG of the picture");
    download(`${name}.png`, blob);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** @param {SVGSVGElement} picture */
function sizeOf(picture) {
  const box = picture.viewBox.baseVal;
  return box && box.width ? { width: box.width, height: box.height } : picture.getBoundingClientRect();
}
