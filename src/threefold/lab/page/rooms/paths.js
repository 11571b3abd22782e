// @ts-check
/** Paths: a search for one agent, one step at a time: on a graph, the 8-puzzle, a board of queens, a tour. */

import { ask } from "../connection.js";
import { button, calmly, field, h, numberInput, select } from "../parts.js";
import { shareLink } from "../sharing.js";
import { mountStepper } from "../stepper/stepper.js";
import { firstSentence } from "../subject.js";
import { attempt, exportMenu, roomWith } from "./step.js";

/** @import { State } from "../state.js" */
/** @import { Stepper, Steps } from "../stepper/stepper.js" */

/**
 * @typedef {object} PathLessons
 * @property {{name: string, about: string}[]} procedures
 * @property {string} graph @property {string} from @property {string} to
 * @property {string} puzzle
 * @property {number} most the largest limit of a depth-limited search
 * @property {number} queens @property {number} cities @property {number} seeds the most of each
 */
/** @typedef {Steps & {outcome: string, cost: number | null, expanded: number}} PathSteps */
/** @typedef {Steps & {summary: string}} LocalSteps */

const FIRST_PROCEDURE = "a-star";
const FIRST_LIMIT = 3;
/** What the address says besides the step. */
const KEYS = ["on", "graph", "from", "to", "puzzle", "search", "limit", "queens", "cities", "seed"];
/** What can be searched, by what the address says. */
const SUBJECTS = { "": "A graph", puzzle: "The 8-puzzle", queens: "Queens", tour: "A tour" };
/** Local search: the size of a problem at first, and what the procedure does. */
const LOCAL = {
  queens: { first: 8, least: 1, label: "Queens", about: "Hill climbing: move one queen within its column to the best square, as long as fewer pairs attack each other." },
  cities: { first: 10, least: 3, label: "Cities", about: "Simulated annealing: reverse a part of the tour; a longer tour is accepted more rarely the colder it gets." },
};

/** @param {HTMLElement} main @param {State} state */
export function open(main, state) {
  const leaving = new AbortController();
  /** @type {AbortController | undefined} */
  let asking;
  /** @type {Stepper | undefined} */
  let stepper;
  /** @type {Steps | undefined} */
  let payload;
  /** What the stepper shows, to distinguish a new search from another step of the same one. */
  let shown = "";

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
    const kinds = Object.entries(SUBJECTS).map(([on, text]) =>
      h("button", { type: "button", class: "button small", "data-on": on, onclick: () => set({ on: on || null }) }, text));
    const kind = h("div", { class: "joined", role: "group", "aria-label": "What to search" }, ...kinds);
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
      const on = subjectOf(state);
      const name = state.get("search", FIRST_PROCEDURE);
      for (const each of kinds) each.setAttribute("aria-pressed", String(each.dataset.on === on));
      graphPart.hidden = on !== "";
      puzzlePart.hidden = on !== "puzzle";
      const size = localSize(on);
      if (size) {
        const { first, least, label, about: does } = LOCAL[size];
        how.replaceChildren(
          field(label, numberInput(state.number(size, first), least, all[size], value => set({ [size]: value === first ? null : value }))),
          field("Seed", numberInput(state.number("seed", 0), 0, all.seeds, value => set({ seed: value || null }))));
        about.textContent = does;
        return;
      }
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
      const key = wanted(state);
      await attempt(place, signal, async () => {
        const size = localSize(subjectOf(state));
        if (size) {
          /** @type {LocalSteps} */
          const local = await ask("local", { [size]: state.number(size, LOCAL[size].first), seed: state.number("seed", 0) }, { signal });
          error.textContent = "";
          shown = key;
          show(local, local.summary);
          return;
        }
        const procedure = state.get("search", FIRST_PROCEDURE);
        const subject = subjectOf(state) === "puzzle"
          ? { puzzle: state.get("puzzle", all.puzzle) }
          : { graph: state.get("graph", all.graph), from: state.get("from", all.from), to: state.get("to", all.to) };
        const limit = procedure === "depth-limited" ? { limit: state.number("limit", FIRST_LIMIT) } : {};
        /** @type {PathSteps} */
        const answer = await ask("path", { procedure, ...subject, ...limit }, { signal });
        error.textContent = "";
        shown = key;
        show(answer, summaryOfPath(answer));
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

  /** @param {Steps} answer @param {string} result */
  function show(answer, result) {
    stepper?.destroy();
    payload = answer;
    summary.textContent = result;
    stepper = mountStepper(place, answer, { step: state.number("step", 1), keys: document, onStep: () => writeStep() });
  }

  return roomWith(ask("path-procedures", {}, { signal: leaving.signal }), start, place, () => {
    leaving.abort();
    asking?.abort();
    stepper?.destroy();
  });
}

/** All of the address but the step. @param {State} state */
function wanted(state) {
  return KEYS.map(key => state.get(key)).join("\n");
}

/** What is searched, a key of SUBJECTS. @param {State} state */
function subjectOf(state) {
  const on = state.get("on");
  return on in SUBJECTS ? on : "";
}

/** What is counted where a search is local. @param {string} on @returns {"queens" | "cities" | undefined} */
function localSize(on) {
  if (on === "queens") return "queens";
  return on === "tour" ? "cities" : undefined;
}

/** The run's result. @param {PathSteps} run */
function summaryOfPath({ outcome, path = [], cost, expanded }) {
  const count = `${expanded.toLocaleString("en")} node${expanded === 1 ? "" : "s"} expanded.`;
  if (outcome === "cutoff") return `No path within the limit; something lies beyond it. ${count}`;
  if (!path.length) return `There is no path. ${count}`;
  const names = path.length > 12 ? `${path.slice(0, 11).join(" ")} … ${path[path.length - 1]}` : path.join(" ");
  return `The path ${names} has ${path.length - 1} step${path.length === 2 ? "" : "s"} and costs ${cost}. ${count}`;
}
