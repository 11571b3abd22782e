// @ts-check
/** Paths: a search for one agent, on a graph or on the 8-puzzle, one step at a time. */

import { ask } from "../connection.js";
import { button, calmly, field, h, numberInput, select } from "../parts.js";
import { shareLink } from "../sharing.js";
import { mountStepper } from "../stepper/stepper.js";
import { firstSentence } from "../subject.js";
import { exportMenu } from "./step.js";

/** @import { State } from "../state.js" */
/** @import { Stepper, Steps } from "../stepper/stepper.js" */

/**
 * @typedef {object} PathLessons
 * @property {{name: string, about: string}[]} procedures
 * @property {string} graph @property {string} from @property {string} to
 * @property {string} puzzle
 * @property {number} most the largest limit of a depth-limited search
 */
/** @typedef {Steps & {outcome: string, cost: number | null, expanded: number}} PathSteps */

const FIRST_PROCEDURE = "a-star";
const FIRST_LIMIT = 3;
/** What the address says besides the step. */
const KEYS = ["on", "graph", "from", "to", "puzzle", "search", "limit"];

/** @param {HTMLElement} main @param {State} state */
export function open(main, state) {
  const leaving = new AbortController();
  /** @type {AbortController | undefined} */
  let asking;
  /** @type {Stepper | undefined} */
  let stepper;
  /** @type {PathSteps | undefined} */
  let payload;
  /** What the stepper shows, to distinguish a new search from another step of the same one. */
  let shown = "";
  let refresh = () => {};

  const place = h("div", { class: "step-place" }, h("p", { class: "busy" }, "One moment…"));
  const chooser = h("div", { class: "panel" });
  const summary = h("p", { class: "note" });
  const tools = h("div", { class: "toolbar", role: "group", "aria-label": "This run" },
    button("Copy link", () => shareLink("this step"), { icon: "link", small: true }),
    exportMenu(() => stepper?.svg, () => payload));
  main.replaceChildren(h("div", { class: "room wide paths" },
    h("header", {}, h("h1", {}, "Paths"), tools), chooser, place, summary));

  const writeStep = calmly(() => { if (stepper) state.set({ step: stepper.step > 1 ? stepper.step : null }); }, 200);

  /** @param {PathLessons} all */
  function start(all) {
    const error = h("p", { class: "bad subject-error", role: "alert" });
    const about = h("p", { class: "note" });
    const onGraph = h("button", { type: "button", class: "button small", onclick: () => set({ on: null }) }, "A graph");
    const onPuzzle = h("button", { type: "button", class: "button small", onclick: () => set({ on: "puzzle" }) }, "The 8-puzzle");
    const kind = h("div", { class: "joined", role: "group", "aria-label": "What to search" }, onGraph, onPuzzle);
    const graph = h("textarea", { class: "mono paths-text", rows: 4, spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
    const from = nameInput("from"), to = nameInput("to"), puzzle = nameInput("puzzle");
    const graphPart = h("div", { class: "subject-part" },
      field("Graph", graph, { hint: "An edge A B 4; an estimate h A 8." }), field("From", from), field("To", to));
    const puzzlePart = h("div", { class: "subject-part" },
      field("Tiles, 0 for the blank", puzzle, { hint: "Row by row; the goal is 123456780." }));
    const how = h("div", { class: "subject-part" });
    chooser.replaceChildren(h("div", { class: "subject" }, kind, graphPart, puzzlePart, how), error, about);

    graph.addEventListener("input", calmly(() => set({ graph: graph.value.trim() === all.graph.trim() ? null : graph.value }), 600));

    /** @param {"from" | "to" | "puzzle"} key */
    function nameInput(key) {
      const input = h("input", { class: `mono${key === "puzzle" ? "" : " paths-name"}`, spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
      input.addEventListener("change", () => set({ [key]: input.value.trim() === all[key] ? null : input.value.trim() }));
      return input;
    }

    /** @param {Record<string, string | number | null>} values */
    function set(values) {
      state.set({ ...values, step: null });
      showChoices();
      void run();
    }

    function showChoices() {
      const isPuzzle = state.get("on") === "puzzle";
      const name = state.get("search", FIRST_PROCEDURE);
      onGraph.setAttribute("aria-pressed", String(!isPuzzle));
      onPuzzle.setAttribute("aria-pressed", String(isPuzzle));
      graphPart.hidden = isPuzzle;
      puzzlePart.hidden = !isPuzzle;
      if (document.activeElement !== graph) graph.value = state.get("graph", all.graph).trim();
      from.value = state.get("from", all.from);
      to.value = state.get("to", all.to);
      puzzle.value = state.get("puzzle", all.puzzle);
      how.replaceChildren(
        field("Procedure", select(all.procedures.map(each => each.name), name, value => set({ search: value === FIRST_PROCEDURE ? null : value }))),
        ...(name === "depth-limited"
          ? [field("Limit", numberInput(state.number("limit", FIRST_LIMIT), 0, all.most, value => set({ limit: value })))]
          : []));
      about.textContent = firstSentence(all.procedures.find(each => each.name === name)?.about ?? "").replaceAll("`", "");
    }

    async function run() {
      asking?.abort();
      asking = new AbortController();
      const { signal } = asking;
      const waiting = setTimeout(() => place.classList.add("waiting"), 250);
      const key = wanted(state);
      try {
        const procedure = state.get("search", FIRST_PROCEDURE);
        const subject = state.get("on") === "puzzle"
          ? { puzzle: state.get("puzzle", all.puzzle) }
          : { graph: state.get("graph", all.graph), from: state.get("from", all.from), to: state.get("to", all.to) };
        const limit = procedure === "depth-limited" ? { limit: state.number("limit", FIRST_LIMIT) } : {};
        /** @type {PathSteps} */
        const answer = await ask("path", { procedure, ...subject, ...limit }, { signal });
        error.textContent = "";
        shown = key;
        show(answer);
      } catch (problem) {
        if (signal.aborted) return;
        error.textContent = problem instanceof Error ? problem.message : String(problem);
        if (!stepper) place.replaceChildren(h("p", { class: "note" }, "Nothing to step through yet: see above."));
      } finally {
        clearTimeout(waiting);
        if (!signal.aborted) place.classList.remove("waiting");
      }
    }

    refresh = () => {
      if (wanted(state) === shown) {
        stepper?.go(state.number("step", 1), true);
        return;
      }
      showChoices();
      void run();
    };
    showChoices();
    void run();
  }

  /** @param {PathSteps} answer */
  function show(answer) {
    stepper?.destroy();
    payload = answer;
    summary.textContent = summaryOfPath(answer);
    stepper = mountStepper(place, answer, { step: state.number("step", 1), keys: document, onStep: () => writeStep() });
  }

  ask("path-procedures", {}, { signal: leaving.signal }).then(all => { if (!leaving.signal.aborted) start(all); }).catch(error => {
    if (!leaving.signal.aborted) place.replaceChildren(h("p", { class: "bad" }, error instanceof Error ? error.message : String(error)));
  });

  return {
    update: () => refresh(),
    close() {
      leaving.abort();
      asking?.abort();
      stepper?.destroy();
    },
  };
}

/** All of the address but the step. @param {State} state */
function wanted(state) {
  return KEYS.map(key => state.get(key)).join("\n");
}

/** The run's result. @param {PathSteps} run */
function summaryOfPath({ outcome, path = [], cost, expanded }) {
  const count = `${expanded.toLocaleString("en")} node${expanded === 1 ? "" : "s"} expanded.`;
  if (outcome === "cutoff") return `No path within the limit; something lies beyond it. ${count}`;
  if (!path.length) return `There is no path. ${count}`;
  const names = path.length > 12 ? `${path.slice(0, 11).join(" ")} … ${path[path.length - 1]}` : path.join(" ");
  return `The path ${names} has ${path.length - 1} step${path.length === 2 ? "" : "s"} and costs ${cost}. ${count}`;
}
