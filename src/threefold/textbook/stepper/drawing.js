// @ts-check
/** Drawings in SVG, put into the page safely. */

export const SVG = "http://www.w3.org/2000/svg";
/** Elements that could run scripts, load something or restyle the page. */
const REFUSED = ["style", "script", "foreignObject", "iframe", "a", "use", "image"];

/**
 * A drawing as an element of this page, without scripts or styles that could affect the page.
 *
 * @param {string} text
 * @returns {SVGSVGElement}
 */
export function importDrawing(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const root = parsed.documentElement;
  if (root.namespaceURI !== SVG || root.localName !== "svg" || parsed.querySelector("parsererror"))
    throw new Error("the drawing could not be read");
  for (const element of [root, ...root.querySelectorAll("*")]) {
    if (REFUSED.includes(element.localName)) {
      element.remove();
      continue;
    }
    for (const { name } of [...element.attributes])
      if (/^on|^style$|href$/i.test(name)) element.removeAttribute(name);
  }
  return /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.importNode(root, true)));
}

/** A part of a drawing. @param {string} tag @param {Record<string, string>} [attributes] */
export function svgPart(tag, attributes = {}) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
