// @ts-check
/** Compare: several procedures or orders on the same tree, their cost, and their runs in step. */

import { ask } from "../connection.js";
import { announce, button, calmly, download, grouped, h, isTyping, panel, select, tick } from "../parts.js";
import { roomWith } from "../runroom.js";
import { shareLink } from "../sharing.js";
import { mountStepper } from "../stepper/stepper.js";
import { Subject, firstSentence, lessons } from "../subject.js";
import { mount, saveSvg } from "../svg.js";

/** @import { State } from "../state.js" */
/** @import { Lessons } from "../subject.js" */
/** @import { Stepper, Steps } from "../stepper/stepper.js" */
/** @typedef {{procedure: string, order: string, value: unknown, path: string[], nodes: number, leaves: number, cutoffs: number}} Row */
/**
 * @typedef {object} Comparison
 * @property {boolean} agree
 * @property {Row[]} rows
 * @property {{branching: number, depth: number, all_leaves: number, fewest_leaves: number} | null} theory
 * @property {Steps[]} runs
 * @property {string | null} chart
 * @property {string} chart_of what trees the chart is made of
 */

const FIRST_PROCEDURES = ["minimax", "alphabeta"];
/** Runs that can be watched side by side. */
const MOST_SHOWN = 4;

/** @param {HTMLElement} main @param {State} state */
export function open(main, state) {
  const leaving = new AbortController();
  /** @type {AbortController | undefined} */
  let asking;
  /** @type {Stepper[]} */
  let steppers = [];
  /** The step that all runs are at, from 1; by default the last, which shows everything that was cut. */
  let at = state.number("step", Infinity);
  let shownKey = "";

  const chooser = h("div", { class: "panel" });
  const result = h("div", { class: "compare-result" }, h("p", { class: "busy" }, "One moment…"));
  const runs = h("div", { class: "compare-runs" });
  const controls = h("div", { class: "compare-controls panel no-print", hidden: true });
  main.replaceChildren(h("div", { class: "room wide" },
    h("header", {}, h("h1", {}, "Compare"),
      h("div", { class: "toolbar", role: "group", "aria-label": "This comparison" },
        button("Copy link", () => shareLink("this comparison"), { icon: "link", small: true }),
        button("Step through", () => state.go("step", { on: state.get("on"), step: null }), { icon: "step", small: true }))),
    chooser, controls, runs, result));

  /** @param {Lessons} all */
  function start(all) {
    const subject = new Subject(state, all, { onChange: () => void run() });
    const procedures = h("div", { class: "compare-ticks", role: "group", "aria-label": "Procedures" });
    const orders = h("div", { class: "compare-ticks", role: "group", "aria-label": "Orders of the children" });
    chooser.replaceChildren(subject.element, subject.error,
      h("div", { class: "compare-choice no-print" }, h("p", { "aria-hidden": "true" }, "Procedures"), procedures, h("p", { "aria-hidden": "true" }, "Orders"), orders),
      h("div", { class: "row spread step-more" }, h("p", { class: "note" }, subject.about), subject.random));

    function showTicks() {
      /** @param {string} key @param {string[]} options @param {string[]} usual @param {(name: string) => string} about */
      const ticks = (key, options, usual, about) => options.map(name => {
        const now = listed(state, key, usual);
        const box = tick(name, now.includes(name), on => {
          const chosen = options.filter(each => each === name ? on : listed(state, key, usual).includes(each));
          state.set({ [key]: chosen.join(",") || usual[0], step: null });
          showTicks();
          void run();
        });
        box.title = about(name);
        return box;
      });
      procedures.replaceChildren(...ticks("procedures", all.procedures.map(each => each.name), FIRST_PROCEDURES,
        name => firstSentence(all.procedures.find(each => each.name === name)?.about ?? "")));
      orders.replaceChildren(...ticks("orders", all.orders, ["given"], () => ""));
    }

    async function run() {
      asking?.abort();
      asking = new AbortController();
      const { signal } = asking;
      const waiting = setTimeout(() => result.classList.add("waiting"), 250);
      try {
        const key = wanted(state);
        const fields = await subject.fields(signal);
        /** @type {Comparison} */
        const answer = await ask("compare", {
          ...fields, procedures: listed(state, "procedures", FIRST_PROCEDURES), orders: listed(state, "orders", ["given"]),
        }, { signal });
        subject.complain();
        shownKey = key;
        at = state.number("step", Infinity);
        await showResult(answer, fields, signal);
      } catch (error) {
        if (signal.aborted) return;
        subject.complain(error);
        if (!result.querySelector("table")) result.replaceChildren();
      } finally {
        clearTimeout(waiting);
        if (!signal.aborted) result.classList.remove("waiting");
      }
    }

    showTicks();
    void run();
    return () => {
      if (wanted(state) === shownKey) {
        go(state.number("step", Infinity), true);
        return;
      }
      subject.update();
      showTicks();
      void run();
    };
  }

  /** @param {Comparison} answer @param {Record<string, unknown>} fields @param {AbortSignal} signal */
  async function showResult(answer, fields, signal) {
    const most = Math.max(1, ...answer.rows.map(row => row.nodes));
    const names = answer.rows.map(nameOf);
    let shown = state.get("show") ? state.get("show").split(",").filter(name => names.includes(name)) : [];
    if (!shown.length) shown = names.slice(0, 2);
    const table = h("table", { class: "table" },
      h("caption", { class: "aloud" }, "What each procedure costs"),
      h("thead", {}, h("tr", {},
        ["Watch", "Procedure", "Order", "Value", "Best line"].map(text => h("th", { scope: "col" }, text)),
        ["Nodes", "Leaves", "Cutoffs"].map(text => h("th", { scope: "col", class: "number" }, text)),
        h("th", { scope: "col", class: "compare-bar-cell" }, h("span", { class: "aloud" }, "Nodes as a bar")))),
      h("tbody", {}, answer.rows.map(row => {
        const name = nameOf(row);
        const watch = h("input", { type: "checkbox", checked: shown.includes(name), "aria-label": `Watch ${row.procedure}, ${row.order}` });
        watch.addEventListener("change", () => {
          const now = shown.filter(each => each !== name);
          if (watch.checked) now.push(name);
          shown = names.filter(each => now.includes(each)).slice(0, MOST_SHOWN);
          if (watch.checked && !shown.includes(name)) {
            watch.checked = false;
            announce(`At most ${MOST_SHOWN} runs are watched at once`);
          }
          state.set({ show: shown.join(",") });
          void showRuns();
        });
        const bar = h("div", { class: "compare-bar" });
        bar.style.width = `${Math.max(1, (100 * row.nodes) / most)}%`;
        const line = row.path.join(" ");
        return h("tr", {},
          h("td", {}, watch), h("th", { scope: "row" }, row.procedure), h("td", {}, row.order),
          h("td", {}, shownValue(row.value)), h("td", { class: "compare-line", title: line }, line),
          h("td", { class: "number" }, grouped(row.nodes)), h("td", { class: "number" }, grouped(row.leaves)), h("td", { class: "number" }, grouped(row.cutoffs)),
          h("td", { class: "compare-bar-cell" }, bar));
      })));
    const theory = answer.theory
      ? `A uniform tree of ${answer.theory.branching} children and ${answer.theory.depth} plies: minimax looks at all ${grouped(answer.theory.all_leaves)} leaves; no procedure can manage with fewer than ${grouped(answer.theory.fewest_leaves)} (Knuth and Moore).`
      : "";
    const cost = panel("Cost",
      h("p", { class: answer.agree ? "" : "bad" }, answer.agree
        ? `✓ All agree on the value ${shownValue(answer.rows[0]?.value)}.`
        : "✗ They do not agree on the value: one of them is not exact on this tree."),
      h("div", { class: "scroll" }, table), theory ? h("p", { class: "note" }, theory) : null,
      h("div", { class: "row" }, button("Save as CSV", () => saveTable(answer.rows), { icon: "export", small: true })));
    result.replaceChildren(cost);
    if (answer.chart) {
      const picture = h("div", { class: "compare-chart" });
      const drawing = mount(picture, answer.chart);
      result.append(panel("Nodes against depth", picture, h("p", { class: "note" }, `Of ${answer.chart_of}.`),
        h("div", { class: "row" }, button("Save as SVG", () => saveSvg(drawing, "nodes-against-depth"), { icon: "export", small: true }))));
    }

    async function showRuns() {
      const payloads = await Promise.all(shown.map(name => {
        const row = answer.rows[names.indexOf(name)];
        const have = answer.runs.find(each => each.procedure === row.procedure && (each.order ?? "given") === row.order);
        return have ?? ask("explain", { ...fields, procedure: row.procedure, ...(row.order === "given" ? {} : { order: row.order }) }, { signal });
      }));
      if (signal.aborted) return;
      for (const stepper of steppers) stepper.destroy();
      runs.replaceChildren();
      runs.style.setProperty("--runs", String(Math.min(payloads.length, 2)));
      steppers = payloads.map((payload, k) => {
        const row = answer.rows[names.indexOf(shown[k])];
        const place = h("div", {});
        const title = row.order === "given" ? row.procedure : `${row.procedure}, ${row.order}`;
        const count = h("output", { class: "soft compare-count" });
        runs.append(h("section", { class: "compare-run", "aria-label": title },
          h("div", { class: "row spread" }, h("h2", {}, title), count), place));
        const stepper = mountStepper(place, payload, { mode: "picture", live: false, label: title });
        return Object.assign(stepper, { count, cutoffs: payload.cutoffs, title });
      });
      showControls();
      go(at, true);
    }
    await showRuns();
  }

  /** @type {HTMLInputElement | undefined} */
  let slider;
  let position = h("output", { class: "soft" });

  const byShare = () => state.get("sync") === "share";
  /** How far the slider goes: to the longest run's end. */
  const last = () => Math.max(1, ...steppers.map(stepper => stepper.last));

  function showControls() {
    controls.hidden = !steppers.length;
    slider = h("input", { type: "range", min: 1, max: last(), value: at, "aria-label": "Step of all runs", oninput: () => go(Number(slider?.value)) });
    position = h("output", { class: "soft" });
    controls.replaceChildren(
      h("div", { class: "row compare-slide" },
        button("First", () => go(1), { icon: "first", only: true }),
        button("Back", () => go(at - 1), { icon: "back", only: true }),
        button("Next", () => go(at + 1), { icon: "next", only: true }),
        button("Last", () => go(last()), { icon: "last", only: true }),
        h("div", { class: "grow" }, slider), position,
        button("Next cutoff", nextCutoff, { title: "The next cutoff of any run (c)" }),
        select([["step", "Step by step"], ["share", "All end together"]], byShare() ? "share" : "step", value => {
          state.set({ sync: value === "share" ? value : null });
          go(at, true);
        }, { "aria-label": "How the runs stay in step", class: "compare-sync" })));
  }

  /** The step of one run when all are at a step. @param {Stepper} stepper @param {number} step */
  function stepOf(stepper, step) {
    if (!byShare()) return Math.min(step, stepper.last);
    const share = last() > 1 ? (step - 1) / (last() - 1) : 1;
    return 1 + Math.round(share * (stepper.last - 1));
  }

  /** @param {number} to @param {boolean} [quietly] */
  function go(to, quietly = false) {
    at = Math.max(1, Math.min(last(), Math.round(to)));
    for (const stepper of /** @type {(Stepper & {count: HTMLElement})[]} */ (steppers)) {
      stepper.go(stepOf(stepper, at));
      stepper.count.textContent = `Step ${stepper.step} of ${stepper.last}${stepper.step === stepper.last ? ": done" : ""}`;
    }
    if (slider) {
      slider.value = String(at);
      slider.setAttribute("aria-valuetext", `step ${at} of ${last()}`);
    }
    position.textContent = `${at} of ${last()}`;
    if (!quietly) {
      announce(/** @type {(Stepper & {title: string})[]} */ (steppers).map(stepper => `${stepper.title}: ${stepper.sentence}`).join(" "));
      write();
    }
  }
  const write = calmly(() => state.set({ step: at < last() ? at : null }), 200);

  function nextCutoff() {
    // From the end, where the room opens, it begins again at the start.
    for (let step = at < last() ? at + 1 : 2; step <= last(); step++)
      for (const stepper of /** @type {(Stepper & {cutoffs: number[]})[]} */ (steppers)) {
        const now = stepOf(stepper, step);
        if (now !== stepOf(stepper, step - 1) && stepper.cutoffs.includes(now - 1)) {
          go(step);
          return;
        }
      }
  }

  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event)) return;
    const act = {
      ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(1), End: () => go(last()), c: nextCutoff,
    }[event.key];
    if (!act || !steppers.length) return;
    event.preventDefault();
    act();
  }, { signal: leaving.signal });

  return roomWith(lessons(), start, result, () => {
    leaving.abort();
    asking?.abort();
    for (const stepper of steppers) stepper.destroy();
  });
}

/** A list of the address. @param {State} state @param {string} key @param {string[]} usual */
function listed(state, key, usual) {
  const text = state.get(key);
  return text ? text.split(",") : usual;
}

/** @param {Row} row */
function nameOf(row) {
  return row.order === "given" ? row.procedure : `${row.procedure}.${row.order}`;
}

/** @param {unknown} value */
function shownValue(value) {
  if (value === null || value === undefined) return "–";
  return Array.isArray(value) ? `⟨${value.join(", ")}⟩` : String(value).replace("-", "−");
}

/** @param {State} state */
function wanted(state) {
  return ["on", "tree", "game", "start", "moves", "at", "eval", "depth", "procedures", "orders"].map(key => state.get(key)).join("\n");
}

/** @param {Row[]} rows */
function saveTable(rows) {
  const lines = rows.map(row => [row.procedure, row.order, Array.isArray(row.value) ? `"${row.value.join(",")}"` : row.value, row.nodes, row.leaves, row.cutoffs].join(","));
  download("comparison.csv", ["procedure,order,value,nodes,leaves,cutoffs", ...lines, ""].join("\n"), "text/csv");
}
