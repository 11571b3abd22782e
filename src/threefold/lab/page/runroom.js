// @ts-check
/** Rooms with a run to step through: what to run and how, the stepper, and the result below it. */

import { ask } from "./connection.js";
import { button, calmly, download, fold, h } from "./parts.js";
import { shareLink } from "./sharing.js";
import { mountStepper } from "./stepper/stepper.js";
import { savePng, saveSvg } from "./svg.js";

/** @import { State } from "./state.js" */
/** @import { Stepper, Steps } from "./stepper/stepper.js" */

/** Change the address, and run again. @typedef {(values: Record<string, string | number | null>) => void} Change */
/** A run, and its result in words. @typedef {{steps: Steps, summary: string}} Run */

/**
 * How one room chooses and runs.
 *
 * @typedef {object} Choices
 * @property {HTMLElement[]} parts beside the choice of the subject
 * @property {() => string} show show what the address says; returns what the run is about
 * @property {(signal: AbortSignal) => Promise<Run>} run
 */

/**
 * What is run on, a key of the room's subjects.
 *
 * @template {string} Subject
 * @param {State} state
 * @param {Record<Subject, string>} subjects
 */
export function subjectOf(state, subjects) {
  const on = state.get("on");
  return /** @type {Subject} */ (Object.hasOwn(subjects, on) ? on : "");
}

/**
 * @template T
 * @param {HTMLElement} main
 * @param {State} state
 * @param {object} room
 * @param {string} room.title
 * @param {string} room.first what to ask for before the room starts
 * @param {Record<string, string>} room.subjects what can be run on, by what the address says
 * @param {string} room.chooses what that choice is called
 * @param {string[]} room.keys what the address says besides the subject and the step
 * @param {(all: T, change: Change) => Choices} room.start
 */
export function openRunRoom(main, state, { title, first, subjects, chooses, keys, start }) {
  const leaving = new AbortController();
  /** @type {AbortController | undefined} */
  let asking;
  /** @type {Stepper | undefined} */
  let stepper;
  /** @type {Steps | undefined} */
  let payload;
  /** What the stepper shows, to distinguish a new run from another step of the same one. */
  let shown = "";

  const place = h("div", { class: "step-place" }, h("p", { class: "busy" }, "One moment…"));
  const chooser = h("div", { class: "panel" });
  const summary = h("p", { class: "note" });
  const tools = h("div", { class: "toolbar", role: "group", "aria-label": "This run" },
    button("Copy link", () => shareLink("this step"), { icon: "link", small: true }),
    exportMenu(() => stepper?.svg, () => payload));
  main.replaceChildren(h("div", { class: "room wide paths" },
    h("header", {}, h("h1", {}, title), tools), chooser, place, summary));

  const writeStep = calmly(() => { if (stepper) state.set({ step: stepper.step > 1 ? stepper.step : null }); }, 200);

  /** All of the address but the step. */
  const wanted = () => ["on", ...keys].map(key => state.get(key)).join("\n");

  /** @param {T} all */
  function begin(all) {
    const error = h("p", { class: "bad subject-error", role: "alert" });
    const about = h("p", { class: "note" });
    const kinds = Object.entries(subjects).map(([on, text]) =>
      h("button", { type: "button", class: "button small", "data-on": on, onclick: () => change({ on: on || null }) }, text));
    const kind = h("div", { class: "joined", role: "group", "aria-label": chooses }, ...kinds);

    /** @type {Change} */
    function change(values) {
      state.set({ ...values, step: null });
      again();
    }

    function again() {
      const on = subjectOf(state, subjects);
      for (const each of kinds) each.setAttribute("aria-pressed", String(each.dataset.on === on));
      about.textContent = choices.show();
      void run();
    }

    async function run() {
      asking?.abort();
      asking = new AbortController();
      const { signal } = asking;
      const key = wanted();
      await attempt(place, signal, async () => {
        const { steps, summary: result } = await choices.run(signal);
        error.textContent = "";
        shown = key;
        show(steps, result);
      }, problem => {
        error.textContent = problem instanceof Error ? problem.message : String(problem);
        return Boolean(stepper);
      });
    }

    const choices = start(all, change);
    chooser.replaceChildren(h("div", { class: "subject" }, kind, ...choices.parts), error, about);
    again();
    return () => {
      if (wanted() === shown) stepper?.go(state.number("step", 1), true);
      else again();
    };
  }

  /** @param {Steps} steps @param {string} result */
  function show(steps, result) {
    stepper?.destroy();
    payload = steps;
    summary.textContent = result;
    stepper = mountStepper(place, steps, { step: state.number("step", 1), keys: document, onStep: () => writeStep() });
  }

  return roomWith(ask(first, {}, { signal: leaving.signal }), begin, place, () => {
    leaving.abort();
    asking?.abort();
    stepper?.destroy();
  });
}

/** A field for a name or a short text. @param {Record<string, string>} [attributes] */
export function textInput(attributes = {}) {
  return h("input", { class: "mono", spellcheck: "false", autocapitalize: "off", autocomplete: "off", ...attributes });
}

/**
 * Wait for a run, with its place grayed out if that takes a while. The run that is there cannot be stepped through any
 * more: a step would be lost, or be meant for the one that comes. What goes wrong is told to `complain`, which returns
 * whether an earlier run can still be stepped through.
 * @param {HTMLElement} place @param {AbortSignal} signal
 * @param {() => Promise<void>} work @param {(error: unknown) => boolean} complain
 */
export async function attempt(place, signal, work, complain) {
  const waiting = setTimeout(() => place.classList.add("waiting"), 250);
  place.inert = true;
  try {
    await work();
  } catch (error) {
    if (signal.aborted) return;
    if (!complain(error)) place.replaceChildren(h("p", { class: "note" }, "Nothing to step through yet: see above."));
  } finally {
    clearTimeout(waiting);
    if (!signal.aborted) {
      place.classList.remove("waiting");
      place.inert = false;
    }
  }
}

/**
 * A room that starts when what it needs has come, and says in its place why nothing came.
 *
 * @template T
 * @param {Promise<T>} coming
 * @param {(all: T) => () => void} start returns what follows the address
 * @param {HTMLElement} place
 * @param {() => void} leave
 */
export function roomWith(coming, start, place, leave) {
  let refresh = () => {};
  let isOpen = true;
  coming.then(all => { if (isOpen) refresh = start(all); }).catch(error => {
    if (isOpen) place.replaceChildren(h("p", { class: "bad" }, error instanceof Error ? error.message : String(error)));
  });
  return {
    update: () => refresh(),
    close() {
      isOpen = false;
      leave();
    },
  };
}

/** A menu to save what is shown. @param {() => SVGSVGElement | undefined} svg @param {() => Steps | undefined} payload */
export function exportMenu(svg, payload) {
  const name = () => `${payload()?.procedure ?? "tree"}-step`;
  const menu = fold("Save", false,
    h("div", { class: "row" },
      button("SVG", () => { const picture = svg(); if (picture) saveSvg(picture, name()); }, { small: true }),
      button("PNG", () => { const picture = svg(); if (picture) void savePng(picture, name()); }, { small: true }),
      button("JSON", () => download(`${name()}.json`, JSON.stringify(payload()), "application/json"), { small: true }),
      button("Print or PDF", () => print(), { small: true })));
  menu.classList.add("step-save");
  return menu;
}
