// @ts-check
/** A standalone page with one run to step through; the page's address has the step: `#12`. */

import { mountStepper } from "./stepper.js";

const place = /** @type {HTMLElement} */ (document.getElementById("stepper"));
const data = JSON.parse(document.getElementById("data")?.textContent ?? "{}");
const fromAddress = () => Number.parseInt(location.hash.slice(1), 10) || 1;
const mounted = mountStepper(place, data, {
  step: fromAddress(),
  keys: document,
  onStep: step => history.replaceState(null, "", `#${step}`),
});
addEventListener("hashchange", () => mounted.go(fromAddress(), true));
