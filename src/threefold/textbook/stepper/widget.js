// @ts-check
/** The stepper in a notebook cell, in the form that anywidget expects. */

import { mountStepper } from "./stepper.js";

export default {
  /** @param {{model: {get: (name: "run") => import("./stepper.js").Steps}, el: HTMLElement}} cell */
  render({ model, el }) {
    const mounted = mountStepper(el, model.get("run"));
    return () => mounted.destroy();
  },
};
