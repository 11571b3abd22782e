// @ts-check
/** Paths: a search for one agent, one step at a time: on a graph, the 8-puzzle, a board of queens, a tour. */

import { ask } from "../connection.js";
import { calmly, field, h, numberInput, select } from "../parts.js";
import { openRunRoom, subjectOf, textInput } from "../runroom.js";
import { firstSentence } from "../subject.js";

/** @import { State } from "../state.js" */
/** @import { Change, Choices } from "../runroom.js" */
/** @import { Steps } from "../stepper/stepper.js" */

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
const KEYS = ["graph", "from", "to", "puzzle", "search", "limit", "queens", "cities", "seed"];
const SUBJECTS = { "": "A graph", puzzle: "The 8-puzzle", queens: "Queens", tour: "A tour" };
/** Local search: the size of a problem at first, and what the procedure does. */
const LOCAL = {
  queens: { first: 8, least: 1, label: "Queens", about: "Hill climbing: move one queen within its column to the best square, as long as fewer pairs attack each other." },
  cities: { first: 10, least: 3, label: "Cities", about: "Simulated annealing: reverse a part of the tour; a longer tour is accepted more rarely the colder it gets." },
};

/** @param {HTMLElement} main @param {State} state */
export function open(main, state) {
  return openRunRoom(main, state, {
    title: "Paths", first: "path-procedures", subjects: SUBJECTS, chooses: "What to search", keys: KEYS,
    start: (/** @type {PathLessons} */ all, change) => choices(state, all, change),
  });
}

/** @param {State} state @param {PathLessons} all @param {Change} change @returns {Choices} */
function choices(state, all, change) {
  const graph = h("textarea", { class: "mono paths-text", rows: 4, spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
  const from = nameInput("from"), to = nameInput("to"), puzzle = nameInput("puzzle");
  const graphPart = h("div", { class: "subject-part" },
    field("Graph", graph, { hint: "An edge A B 4; an estimate h A 8." }), field("From", from), field("To", to));
  const puzzlePart = h("div", { class: "subject-part" },
    field("Tiles, 0 for the blank", puzzle, { hint: "Row by row; the goal is 123456780." }));
  const how = h("div", { class: "subject-part" });

  graph.addEventListener("input", calmly(() => change({ graph: graph.value.trim() === all.graph.trim() ? null : graph.value }), 600));

  /** @param {"from" | "to" | "puzzle"} key */
  function nameInput(key) {
    const input = textInput(key === "puzzle" ? {} : { class: "mono paths-name" });
    input.addEventListener("change", () => change({ [key]: input.value.trim() === all[key] ? null : input.value.trim() }));
    return input;
  }

  return {
    parts: [graphPart, puzzlePart, how],
    show() {
      const on = subjectOf(state, SUBJECTS);
      graphPart.hidden = on !== "";
      puzzlePart.hidden = on !== "puzzle";
      const size = localSize(on);
      if (size) {
        const { first, least, label, about } = LOCAL[size];
        how.replaceChildren(
          field(label, numberInput(state.number(size, first), least, all[size], value => change({ [size]: value === first ? null : value }))),
          field("Seed", numberInput(state.number("seed", 0), 0, all.seeds, value => change({ seed: value || null }))));
        return about;
      }
      const name = state.get("search", FIRST_PROCEDURE);
      if (document.activeElement !== graph) graph.value = state.get("graph", all.graph).trim();
      from.value = state.get("from", all.from);
      to.value = state.get("to", all.to);
      puzzle.value = state.get("puzzle", all.puzzle);
      how.replaceChildren(
        field("Procedure", select(all.procedures.map(each => each.name), name, value => change({ search: value === FIRST_PROCEDURE ? null : value }))),
        ...(name === "depth-limited"
          ? [field("Limit", numberInput(state.number("limit", FIRST_LIMIT), 0, all.most, value => change({ limit: value })))]
          : []));
      return firstSentence(all.procedures.find(each => each.name === name)?.about ?? "").replaceAll("`", "");
    },
    async run(signal) {
      const on = subjectOf(state, SUBJECTS);
      const size = localSize(on);
      if (size) {
        /** @type {LocalSteps} */
        const local = await ask("local", { [size]: state.number(size, LOCAL[size].first), seed: state.number("seed", 0) }, { signal });
        return { steps: local, summary: local.summary };
      }
      const procedure = state.get("search", FIRST_PROCEDURE);
      const subject = on === "puzzle"
        ? { puzzle: state.get("puzzle", all.puzzle) }
        : { graph: state.get("graph", all.graph), from: state.get("from", all.from), to: state.get("to", all.to) };
      const limit = procedure === "depth-limited" ? { limit: state.number("limit", FIRST_LIMIT) } : {};
      /** @type {PathSteps} */
      const steps = await ask("path", { procedure, ...subject, ...limit }, { signal });
      return { steps, summary: summaryOfPath(steps) };
    },
  };
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
