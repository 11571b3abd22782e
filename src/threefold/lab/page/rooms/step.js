// @ts-check
/** Step through: a textbook procedure on a tree or on a position, one step at a time. */

import { ask } from "../connection.js";
import { button, calmly, field, fold, h, numberInput, select } from "../parts.js";
import { attempt, exportMenu, roomWith } from "../runroom.js";
import { shareLink } from "../sharing.js";
import { mountStepper } from "../stepper/stepper.js";
import { FIRST_TREE, Subject, firstSentence, lessons } from "../subject.js";
import { mount } from "../svg.js";

/** @import { State } from "../state.js" */
/** @import { Lessons } from "../subject.js" */
/** @import { Stepper, Steps } from "../stepper/stepper.js" */

/** Where equality cuts: the values of --cut, and what they mean. @type {[string, string][]} */
const CUTS = [
  ["", "cuts (≥ and ≤)"],
  ["strict", "does not cut (> and <)"],
  ["max=equal,min=strict", "cuts at MAX only (≥ and <)"],
  ["max=strict,min=equal", "cuts at MIN only (> and ≤)"],
];

/** @param {HTMLElement} main @param {State} state */
export function open(main, state) {
  const leaving = new AbortController();
  /** @type {AbortController | undefined} */
  let asking;
  /** @type {Stepper | undefined} */
  let stepper;
  /** @type {Steps | undefined} */
  let payload;
  /** What the stepper shows, to distinguish a new subject from another step of the same one. */
  let shown = "";
  /** The game, if the subject is one. @type {{game: string, position: string} | undefined} */
  let onGame;
  const corner = h("div", { class: "step-board" });
  /** Whether the address does not say what to look at; then the room opens at an interesting step. */
  let isNew = !state.get("tree") && !state.get("on");

  const place = h("div", { class: "step-place" }, h("p", { class: "busy" }, "One moment…"));
  const summary = h("p", {});
  const chooser = h("div", { class: "panel" });
  const tools = h("div", { class: "toolbar", role: "group", "aria-label": "This run" },
    button("Copy link", () => shareLink("this step"), { icon: "link", small: true }),
    button("Compare", () => state.go("compare", { procedures: null, on: state.get("on"), step: null }), { icon: "compare", small: true }),
    exportMenu(() => stepper?.svg, () => payload));
  main.replaceChildren(h("div", { class: "room wide" },
    h("header", {}, h("h1", {}, "Step through"), tools), chooser, place,
    fold("Result and cost of the whole run", false, summary)));

  const writeStep = calmly(() => { if (stepper) state.set({ step: stepper.step > 1 ? stepper.step : null }); }, 200);

  /** @param {Lessons} all */
  function start(all) {
    const subject = new Subject(state, all, { onChange: () => { showChoices(); void run(); } });
    const procedures = h("div", { class: "subject-part" });
    const more = h("div", { class: "fields" });
    const about = h("span", {});
    subject.element.append(procedures);
    chooser.replaceChildren(subject.element, subject.error,
      h("div", { class: "row spread step-more" },
        h("p", { class: "note" }, about, " ", subject.about),
        fold("Options", ["order", "cut", "simulations", "exploration"].some(key => state.get(key)), more, subject.random)));

    function showChoices() {
      const procedure = state.get("procedure", "alphabeta");
      const chosen = all.procedures.find(each => each.name === procedure);
      const order = state.get("order", "given");
      const set = (/** @type {Record<string, string | number | null>} */ values) => {
        state.set({ ...values, step: null });
        void run();
      };
      procedures.replaceChildren(field("Procedure", select(all.procedures.map(each => each.name), procedure, value => {
        set({ procedure: value });
        showChoices();
      })));
      const simulates = chosen?.simulations ?? false;
      subject.play(simulates);
      more.replaceChildren(
        ...(simulates ? simulationFields(state, all, set) : []),
        ...(hasOrder(chosen) ? [field("Order of the children", select(all.orders, order, value => {
          set({ order: value === "given" ? null : value });
          showChoices();
        }))] : []),
        ...(order === "random" && !simulates ? [field("Seed of the order", numberInput(state.number("seed", 0), 0, 2 ** 31 - 1, value => set({ seed: value })))] : []),
        ...(chosen?.cut ? [field("A value equal to the bound", select(CUTS, state.get("cut"), value => set({ cut: value || null })))] : []),
        ...(subject.onGame ? [] : [depthField(state, set)]));
      about.textContent = firstSentence(chosen?.about ?? "");
    }

    /** A game that is played to its end has too large a tree to be put in order. @param {Lessons["procedures"][number]} [chosen] */
    function hasOrder(chosen) {
      return !(subject.onGame && chosen?.simulations);
    }

    async function run() {
      asking?.abort();
      asking = new AbortController();
      const { signal } = asking;
      await attempt(place, signal, async () => {
        const procedure = state.get("procedure", "alphabeta");
        const chosen = all.procedures.find(each => each.name === procedure);
        const cut = chosen?.cut ? state.get("cut") : "", order = hasOrder(chosen) ? state.get("order") : "";
        const exploration = state.get("exploration");
        const simulations = chosen?.simulations
          ? { simulations: state.number("simulations", all.simulations.first), seed: state.number("seed", 0), ...(exploration ? { exploration: Number(exploration) } : {}) }
          : {};
        const key = wanted(state);
        const fields = await subject.fields(signal);
        /** @type {Steps} */
        const answer = await ask("explain", {
          procedure, ...fields, ...(order ? { order, seed: state.number("seed", 0) } : {}), ...(cut ? { cut } : {}), ...simulations,
        }, { signal });
        subject.complain();
        onGame = subject.onGame ? /** @type {{game: string, position: string}} */ (fields) : undefined;
        show(answer);
        shown = key;
      }, error => {
        subject.complain(error);
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
      subject.update();
      showChoices();
      void run();
    };
  }

  /** @param {Steps} answer */
  function show(answer) {
    const cut = answer.cutoffs[0];
    if (isNew && cut !== undefined && !state.get("step")) state.set({ on: "tree", tree: FIRST_TREE, step: cut + 1 });
    isNew = false;
    stepper?.destroy();
    payload = answer;
    summary.replaceChildren(...summaryOf(answer));
    corner.replaceChildren();
    stepper = mountStepper(place, answer, {
      step: state.number("step", 1), keys: document, corner: onGame ? corner : undefined,
      onStep: () => {
        writeStep();
        showBoard();
      },
    });
    showBoard();
  }

  /** The position that the step is at: a node of a game is named by the moves to it. */
  const showBoard = calmly(async () => {
    const node = stepper?.node ?? "";
    if (!onGame || !node || leaving.signal.aborted) return;
    const moves = stepper?.moves ?? [];
    try {
      const seen = await ask("view", { game: onGame.game, start: onGame.position, moves }, { signal: leaving.signal });
      if (stepper?.node !== node) return;
      mount(corner, seen.svg);
      corner.append(h("p", { class: "step-moves" }, moves.length ? `after ${seen.played.map((/** @type {{text: string}} */ each) => each.text).join(" ")}` : "at the root"));
    } catch {
      corner.replaceChildren(); // the picture is optional: the step itself is shown
    }
  }, 120);

  return roomWith(lessons(), start, place, () => {
    leaving.abort();
    asking?.abort();
    stepper?.destroy();
  });
}

/** All of the address but the step. @param {State} state */
function wanted(state) {
  return ["on", "tree", "game", "start", "moves", "at", "eval", "depth", "procedure", "order", "cut", "seed", "simulations", "exploration"].map(key => state.get(key)).join("\n");
}

/**
 * How much Monte Carlo tree search plays and explores.
 * @param {State} state @param {Lessons} all @param {(values: Record<string, number | null>) => void} set
 */
function simulationFields(state, all, set) {
  const { first, most } = all.simulations;
  const exploration = h("input", { type: "number", min: 0, step: 0.1, placeholder: "1.4 × half the range", value: state.get("exploration") });
  exploration.addEventListener("change", () => set({ exploration: exploration.value === "" ? null : Number(exploration.value) }));
  return [
    field("Simulations", numberInput(state.number("simulations", first), 1, most, value => set({ simulations: value === first ? null : value }))),
    field("Exploration c", exploration),
    field("Seed", numberInput(state.number("seed", 0), 0, 2 ** 31 - 1, value => set({ seed: value || null }))),
  ];
}

/** @param {State} state @param {(values: Record<string, number | null>) => void} set */
function depthField(state, set) {
  const input = h("input", { type: "number", min: 0, max: 12, placeholder: "all", value: state.get("depth") });
  input.addEventListener("change", () => set({ depth: input.value === "" ? null : Number(input.value) }));
  return field("Plies", input);
}

/** The run's result. @param {Steps} run */
export function summaryOf(run) {
  const { statistics = {}, value, path = [] } = run;
  const said = Array.isArray(value) ? `⟨${value.join(", ")}⟩` : String(typeof value === "number" ? Number(value.toPrecision(6)) : value ?? "–").replace("-", "−");
  const best = path.join(" → ");
  const count = (/** @type {number} */ n, /** @type {string} */ word) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
  return [
    "Value ", h("b", {}, said), best ? " by " : "", h("b", {}, best.length > 60 ? `${best.slice(0, 58)}…` : best),
    h("span", { class: "soft" }, ` · ${count(statistics.nodes ?? 0, "node")} visited, ${count(statistics.leaves ?? 0, "leave").replace(/leave$/, "leaf")}, ${count(statistics.cutoffs ?? 0, "cutoff")}`),
  ];
}
