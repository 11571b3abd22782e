// @ts-check
/** Learning: TD(λ) on a random walk or in Nim with a die, and regrets where cards are hidden, one step at a time. */

import { ask } from "../connection.js";
import { field, h, numberInput, select } from "../parts.js";
import { openRunRoom, subjectOf, textInput } from "../runroom.js";

/** @import { State } from "../state.js" */
/** @import { Change, Choices } from "../runroom.js" */
/** @import { Steps } from "../stepper/stepper.js" */

/**
 * The most of each; and how regrets are minimized, and in which games.
 * @typedef {{walk: number, stones: number, episodes: number, seeds: number, iterations: number, regrets: string[], hidden: [string, string][]}} LearningLessons
 */
/** @typedef {Steps & {summary: string}} LearningSteps */

const KEYS = ["walk", "stones", "episodes", "episode", "alpha", "lambda", "traces", "seed", "cards", "regret", "iterations"];
const SUBJECTS = { "": "A random walk", nim: "Nim with a die", cards: "Hidden cards" };
const ABOUT = {
  "": "From the middle, left or right with equal chance; beyond the right end is 1, beyond the left end 0. What is a state worth?",
  nim: "Both players choose by the values that they learn, and sometimes try another move. “6 1”: six stones, and player 1 rolls.",
  cards: "Every information set remembers for each move how much better it would have been. Dashed: what the player cannot tell apart.",
};
const FIRST = { walk: "5", stones: 6, episodes: 10, alpha: "0.1", lambda: "0", cards: "kuhn-poker", regret: "cfr", iterations: 10 };
const ALPHAS = ["0.01", "0.05", "0.1", "0.2", "0.3", "0.5", "0.9"];
const LAMBDAS = ["0", "0.3", "0.5", "0.8", "0.9", "1"];

/** @param {HTMLElement} main @param {State} state */
export function open(main, state) {
  return openRunRoom(main, state, {
    title: "Learning", first: "learning", subjects: SUBJECTS, chooses: "What to learn from", keys: KEYS,
    start: (/** @type {LearningLessons} */ all, change) => choices(state, all, change),
  });
}

/** @param {State} state @param {LearningLessons} all @param {Change} change @returns {Choices} */
function choices(state, all, change) {
  const how = h("div", { class: "subject-part" });

  /** A choice whose first value is not written into the address. @param {"walk" | "alpha" | "lambda" | "regret"} key @param {string[]} options */
  function chosen(key, options) {
    const now = state.get(key, FIRST[key]);
    return select(options.includes(now) ? options : [now, ...options], now, value => change({ [key]: value === FIRST[key] ? null : value }));
  }

  /** How regrets are minimized, and in which game. */
  function regretFields() {
    return [
      field("Game", select(all.hidden, state.get("cards", FIRST.cards), value => change({ cards: value === FIRST.cards ? null : value }))),
      field("Procedure", chosen("regret", all.regrets)),
      field("Iterations", numberInput(state.number("iterations", FIRST.iterations), 1, all.iterations, value => change({ iterations: value === FIRST.iterations ? null : value }))),
    ];
  }

  return {
    parts: [how],
    show() {
      const on = subjectOf(state, SUBJECTS);
      if (on === "cards") {
        how.replaceChildren(...regretFields());
        return ABOUT[on];
      }
      const odd = Array.from({ length: (all.walk + 1) / 2 }, (_, i) => String(2 * i + 1));
      const episode = textInput({ placeholder: "C D E 1", value: state.get("episode") });
      episode.addEventListener("change", () => change({ episode: episode.value.trim() || null }));
      how.replaceChildren(
        on === "nim"
          ? field("Stones", numberInput(state.number("stones", FIRST.stones), 1, all.stones, value => change({ stones: value === FIRST.stones ? null : value })))
          : field("States", chosen("walk", odd)),
        field("α", chosen("alpha", ALPHAS)),
        field("λ", chosen("lambda", LAMBDAS)),
        field("Traces", select([["", "accumulating"], ["replacing", "replacing"]], state.get("traces"), value => change({ traces: value || null }))),
        field("Episodes", numberInput(state.number("episodes", FIRST.episodes), 1, all.episodes, value => change({ episodes: value === FIRST.episodes ? null : value }))),
        field("Seed", numberInput(state.number("seed", 0), 0, all.seeds, value => change({ seed: value || null }))),
        ...(on === "nim" ? [] : [field("Or one episode of your own", episode)]));
      return ABOUT[on];
    },
    async run(signal) {
      if (subjectOf(state, SUBJECTS) === "cards") {
        /** @type {LearningSteps} */
        const steps = await ask("regrets", {
          cards: state.get("cards", FIRST.cards), procedure: state.get("regret", FIRST.regret),
          iterations: state.number("iterations", FIRST.iterations),
        }, { signal });
        return { steps, summary: steps.summary };
      }
      const subject = subjectOf(state, SUBJECTS) === "nim"
        ? { stones: state.number("stones", FIRST.stones) }
        : { walk: state.number("walk", Number(FIRST.walk)), episode: state.get("episode") };
      /** @type {LearningSteps} */
      const steps = await ask("td", {
        ...subject,
        alpha: Number(state.get("alpha", FIRST.alpha)),
        lambda: Number(state.get("lambda", FIRST.lambda)),
        traces: state.get("traces"),
        episodes: state.number("episodes", FIRST.episodes),
        seed: state.number("seed", 0),
      }, { signal });
      return { steps, summary: steps.summary };
    },
  };
}
