// @ts-check
/** Learning: TD(λ) on a random walk or in Nim with a die, one step at a time. */

import { ask } from "../connection.js";
import { button, calmly, field, h, numberInput, select } from "../parts.js";
import { shareLink } from "../sharing.js";
import { mountStepper } from "../stepper/stepper.js";
import { attempt, exportMenu, roomWith } from "./step.js";

/** @import { State } from "../state.js" */
/** @import { Stepper, Steps } from "../stepper/stepper.js" */

/** @typedef {{walk: number, stones: number, episodes: number, seeds: number}} LearningLessons the most of each */
/** @typedef {Steps & {summary: string}} LearningSteps */

/** What the address says besides the step. */
const KEYS = ["on", "walk", "stones", "episodes", "episode", "alpha", "lambda", "traces", "seed"];
/** What is learned from, by what the address says. */
const SUBJECTS = { "": "A random walk", nim: "Nim with a die" };
const ABOUT = {
  "": "From the middle, left or right with equal chance; beyond the right end is 1, beyond the left end 0. What is a state worth?",
  nim: "Both players choose by the values that they learn, and sometimes try another move. “6 1”: six stones, and player 1 rolls.",
};
const FIRST = { walk: "5", stones: 6, episodes: 10, alpha: "0.1", lambda: "0" };
const ALPHAS = ["0.01", "0.05", "0.1", "0.2", "0.3", "0.5", "0.9"];
const LAMBDAS = ["0", "0.3", "0.5", "0.8", "0.9", "1"];

/** @param {HTMLElement} main @param {State} state */
export function open(main, state) {
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
    h("header", {}, h("h1", {}, "Learning"), tools), chooser, place, summary));

  const writeStep = calmly(() => { if (stepper) state.set({ step: stepper.step > 1 ? stepper.step : null }); }, 200);

  /** @param {LearningLessons} all */
  function start(all) {
    const error = h("p", { class: "bad subject-error", role: "alert" });
    const about = h("p", { class: "note" });
    const kinds = Object.entries(SUBJECTS).map(([on, text]) =>
      h("button", { type: "button", class: "button small", "data-on": on, onclick: () => set({ on: on || null }) }, text));
    const kind = h("div", { class: "joined", role: "group", "aria-label": "What to learn from" }, ...kinds);
    const how = h("div", { class: "subject-part" });
    chooser.replaceChildren(h("div", { class: "subject" }, kind, how), error, about);

    /** @param {Record<string, string | number | null>} values */
    function set(values) {
      state.set({ ...values, step: null });
      showChoices();
      void run();
    }

    /** A choice whose first value is not written into the address. @param {"walk" | "alpha" | "lambda"} key @param {string[]} options */
    function chosen(key, options) {
      const now = state.get(key, FIRST[key]);
      return select(options.includes(now) ? options : [now, ...options], now, value => set({ [key]: value === FIRST[key] ? null : value }));
    }

    function showChoices() {
      const on = subjectOf(state);
      for (const each of kinds) each.setAttribute("aria-pressed", String(each.dataset.on === on));
      about.textContent = ABOUT[on];
      const odd = Array.from({ length: (all.walk + 1) / 2 }, (_, i) => String(2 * i + 1));
      const episode = h("input", { class: "mono", spellcheck: "false", autocapitalize: "off", autocomplete: "off", placeholder: "C D E 1", value: state.get("episode") });
      episode.addEventListener("change", () => set({ episode: episode.value.trim() || null }));
      how.replaceChildren(
        on === "nim"
          ? field("Stones", numberInput(state.number("stones", FIRST.stones), 1, all.stones, value => set({ stones: value === FIRST.stones ? null : value })))
          : field("States", chosen("walk", odd)),
        field("α", chosen("alpha", ALPHAS)),
        field("λ", chosen("lambda", LAMBDAS)),
        field("Traces", select([["", "accumulating"], ["replacing", "replacing"]], state.get("traces"), value => set({ traces: value || null }))),
        field("Episodes", numberInput(state.number("episodes", FIRST.episodes), 1, all.episodes, value => set({ episodes: value === FIRST.episodes ? null : value }))),
        field("Seed", numberInput(state.number("seed", 0), 0, all.seeds, value => set({ seed: value || null }))),
        ...(on === "nim" ? [] : [field("Or one episode of your own", episode)]));
    }

    async function run() {
      asking?.abort();
      asking = new AbortController();
      const { signal } = asking;
      const key = wanted(state);
      await attempt(place, signal, async () => {
        const subject = subjectOf(state) === "nim"
          ? { stones: state.number("stones", FIRST.stones) }
          : { walk: state.number("walk", Number(FIRST.walk)), episode: state.get("episode") };
        /** @type {LearningSteps} */
        const answer = await ask("td", {
          ...subject,
          alpha: Number(state.get("alpha", FIRST.alpha)),
          lambda: Number(state.get("lambda", FIRST.lambda)),
          traces: state.get("traces"),
          episodes: state.number("episodes", FIRST.episodes),
          seed: state.number("seed", 0),
        }, { signal });
        error.textContent = "";
        shown = key;
        show(answer);
      }, problem => {
        error.textContent = problem instanceof Error ? problem.message : String(problem);
        return Boolean(stepper);
      });
    }

    showChoices();
    void run();
    return () => {
      if (wanted(state) === shown) {
        stepper?.go(state.number("step", 1), true);
        return;
      }
      showChoices();
      void run();
    };
  }

  /** @param {LearningSteps} answer */
  function show(answer) {
    stepper?.destroy();
    payload = answer;
    summary.textContent = answer.summary;
    stepper = mountStepper(place, answer, { step: state.number("step", 1), keys: document, onStep: () => writeStep() });
  }

  return roomWith(ask("learning", {}, { signal: leaving.signal }), start, place, () => {
    leaving.abort();
    asking?.abort();
    stepper?.destroy();
  });
}

/** All of the address but the step. @param {State} state */
function wanted(state) {
  return KEYS.map(key => state.get(key)).join("\n");
}

/** What is learned from, a key of SUBJECTS. @param {State} state @returns {"" | "nim"} */
function subjectOf(state) {
  return state.get("on") === "nim" ? "nim" : "";
}
