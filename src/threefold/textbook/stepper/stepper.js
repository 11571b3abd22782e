// @ts-check
/**
 * Step through a run of a procedure: its tree, its lines, and a sentence for each step.
 *
 * It draws what it is given and sends no requests, so the lab, a notebook, a standalone page and
 * two of them side by side can use it. It never moves on its own except when it is playing.
 */

import { svgPart } from "./drawing.js";
import { Outline } from "./outline.js";
import { PictureView } from "./pictureview.js";
import { stepsOfEachNode, whereEachStepIs, whereValuesChange } from "./runsteps.js";
import { TreeView, shortName } from "./treeview.js";

/** @import { Canvas } from "./canvas.js" */
/** @import { Pictures } from "./pictureview.js" */
/** @import { Run } from "./treeview.js" */

/**
 * A run and everything that is said about it (threefold/textbook/stepping.py); or one that is drawn
 * anew at every step, which has no nodes and says the same in `texts` (threefold/textbook/slides.py).
 * @typedef {Run & Partial<Pictures> & {
 *   texts?: string[], legend?: string, phases?: string[], phase?: (number | null)[],
 *   sentences: string[], kinds: string[], cutoffs: number[],
 *   lines?: (number | null)[], listing?: string[], printed?: Record<string, string>,
 *   note?: string, procedure?: string, order?: string, value?: unknown, path?: string[],
 *   statistics?: Record<string, number>,
 * }} Steps
 */

/**
 * @typedef {object} StepperOptions
 * @property {number} [step] the step to start at, from 1
 * @property {"full" | "picture"} [mode] all of it, or only the tree and its sentence
 * @property {(step: number) => void} [onStep] called with every step that is shown
 * @property {EventTarget} [keys] where keys are listened to; the stepper's own element by default
 * @property {boolean} [live] whether the sentence is read out as it changes; true by default
 * @property {string} [label] what this run is called
 * @property {HTMLElement} [corner] something to show in the picture's corner, such as the board
 */

/**
 * @typedef {object} Stepper
 * @property {(step: number, quietly?: boolean) => void} go show a step, from 1
 * @property {() => void} destroy
 * @property {number} step the step that is shown, from 1
 * @property {number} last how many steps there are
 * @property {string} node the name of the node that the step is at; empty if it is not drawn
 * @property {string[]} moves in a game, the moves to that node
 * @property {string} sentence the sentence of the step that is shown
 * @property {SVGSVGElement} svg the picture
 * @property {() => void} togglePlay
 */

/** Milliseconds for a step at normal speed: time to read a sentence. */
const PACE = 1800;
/** Steps in one part of the list, so that the browser can leave out what is not seen. */
const PART = 100;
let made = 0;

/**
 * @param {string} tag @param {Record<string, unknown>} [attributes] @param {...(Node | string | null)} children
 * @returns {HTMLElement}
 */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name === "onclick") element.addEventListener("click", /** @type {EventListener} */ (value));
    else if (value !== false && value !== undefined && value !== null)
      element.setAttribute(name, value === true ? "" : String(value));
  element.append(.../** @type {(Node | string)[]} */ (children.filter(child => child !== null)));
  return element;
}

/** A button's text; on a phone there is no room for its middle. @param {string} sign @param {string} middle @param {string} word */
function words(sign, middle, word) {
  return make("span", {}, `${sign} `, make("span", { class: "tf-middle" }, `${middle} `), word);
}

/** A small icon. @param {string} d */
function icon(d) {
  const svg = svgPart("svg", { viewBox: "0 0 24 24", class: "tf-icon", "aria-hidden": "true" });
  svg.append(svgPart("path", { d }));
  return svg;
}

/** What a look shows, in words. @param {readonly string[]} look @param {string} kind */
function inWords([css, , , cut], kind) {
  const states = css.split(" "), said = [kind];
  if (states.includes("unknown")) said.push("not generated yet");
  else if (states.includes("implausible")) said.push("not generated: implausible");
  else if (states.includes("pruned")) said.push(cut && cut !== "–" ? `cut by ${cut}` : "cut");
  else if (states.includes("open")) said.push("being searched");
  else if (states.includes("unseen")) said.push("not visited yet");
  if (states.includes("best")) said.push("on the best line so far");
  if (states.includes("playout")) said.push("on the way of the playout");
  if (states.includes("here")) said.push("the current node");
  return said.join(", ");
}

/** A node's name, value, window and remark. @param {string} name @param {string} kind @param {readonly string[]} look */
function nodeParts(name, kind, [, value, window, , remark]) {
  return [
    make("b", { "data-kind": kind }, name),
    value ? make("span", { class: "tf-chip-value" }, ` ${value}`) : null,
    window ? make("span", { class: "tf-chip-window" }, ` ${window}`) : null,
    remark ? make("span", { class: "tf-chip-window" }, ` ${remark}`) : null,
  ];
}

/**
 * Show a run in an element.
 * @param {HTMLElement} element @param {Steps} payload @param {StepperOptions} [options]
 * @returns {Stepper}
 */
export function mountStepper(element, payload, options = {}) {
  const full = options.mode !== "picture";
  /** Whether this is a tree, with nodes to fold and to ask about. */
  const isTree = !payload.frames;
  const of = isTree ? "the tree" : "the step";
  const last = payload.sentences.length - 1;
  const id = `tf${++made}`;
  const leaving = new AbortController(), { signal } = leaving;
  const here = whereEachStepIs(payload);
  const valueSteps = whereValuesChange(payload);
  const touched = full ? stepsOfEachNode(payload, here) : [];
  /** By node: the number of its look at the current step. @type {number[]} */
  const looks = [];
  let step = -1, picked = -1;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let playing;

  // The picture, its tools and its sentence.
  const frame = make("div", {
    class: "tf-frame", tabindex: 0, role: "region",
    "aria-label": options.label ? `Picture of ${of}: ${options.label}` : `Picture of ${of}`,
  });
  const percent = make("output", { class: "tf-percent", "aria-label": "Zoom" });
  const sentence = make("p", { class: "tf-sentence", ...(options.live === false ? {} : { "aria-live": "polite", "aria-atomic": "true" }) });
  const way = make("ol", { class: "tf-way", "aria-label": "From the root to the current node" });
  const onZoom = (/** @type {number} */ scale) => { percent.textContent = `${Math.round(scale * 100)} %`; };
  /** @type {Canvas} */
  const view = !isTree ? new PictureView(frame, /** @type {Pictures} */ (payload), onZoom) : new TreeView(frame, payload, {
    onPick: pick,
    onFold: () => {
      syncOutline();
      if (!card.hidden && step >= 0) describe();
    },
    onZoom,
  });
  const follow = /** @type {HTMLInputElement} */ (make("input", { type: "checkbox", checked: true }));
  follow.addEventListener("change", () => { view.follow = follow.checked; });
  const tools = make("div", { class: "tf-tools", role: "toolbar", "aria-label": "Picture" },
    make("div", { class: "tf-group" },
      tool("−", "Zoom out (−)", () => view.zoom(1 / 1.25)), percent,
      tool("+", "Zoom in (+)", () => view.zoom(1.25)),
      tool("Fit", "Show all of it (0)", () => view.fit())),
    full && view.children[0]?.some(k => view.children[k].length)
      ? make("div", { class: "tf-group" },
        tool("Fold", "Fold all but the current path", () => view.foldAll(true)),
        tool("Unfold", "Unfold all", () => view.foldAll(false)))
      : null,
    full && view.folded.size ? make("label", { class: "tf-check" }, follow, "Unfold the current path") : null);
  const phases = (payload.phases ?? []).map(name => make("li", {}, name));
  const note = [payload.note, view.note].filter(Boolean).join(" ");
  const stage = make("div", { class: "tf-stage" },
    make("div", { class: "tf-picture" }, phases.length ? make("ol", { class: "tf-phases", "aria-label": "Phases of a round" }, ...phases) : null, frame, options.corner ? make("div", { class: "tf-corner" }, options.corner) : null, tools),
    note ? make("p", { class: "tf-note" }, note) : null);
  const say = make("div", { class: "tf-say" }, sentence, full && isTree ? way : null);

  // The controls.
  const slider = /** @type {HTMLInputElement} */ (make("input", {
    type: "range", class: "tf-slider", min: 1, max: last + 1, value: 1, "aria-label": "Step",
  }));
  const number = /** @type {HTMLInputElement} */ (make("input", {
    type: "number", class: "tf-number", min: 1, max: last + 1, value: 1, inputmode: "numeric", "aria-label": "Go to step",
  }));
  const first = control(icon("M6 5v14M18 5l-9 7 9 7z"), "First step (Home)", () => go(0));
  const previous = control(icon("M16 5l-9 7 9 7z"), "Previous step (←)", () => go(step - 1));
  const next = control(icon("M8 5l9 7-9 7z"), "Next step (→)", () => go(step + 1));
  const end = control(icon("M18 5v14M6 5l9 7-9 7z"), "Last step (End)", () => go(last));
  const cutoff = control(words("✂", "Next", "cutoff"), "Next cutoff (c)", toNextCutoff, "tf-wide");
  const change = control(words("≠", "Next", "value"), "Next change of a value (v)", toNextValue, "tf-wide");
  const play = control("Play", "Play", togglePlay, "tf-wide");
  play.setAttribute("aria-pressed", "false");
  const speed = /** @type {HTMLSelectElement} */ (make("select", { class: "tf-speed", "aria-label": "Playback speed" },
    ...[["0.5", "½×"], ["1", "1×"], ["2", "2×"], ["4", "4×"], ["10", "10×"]].map(([value, text]) =>
      make("option", { value, selected: value === "1" }, text))));
  const controls = make("div", { class: "tf-controls", role: "group", "aria-label": "Steps" },
    make("div", { class: "tf-move" }, first, previous, next, end),
    make("div", { class: "tf-slide" }, slider,
      make("span", { class: "tf-count" }, number, ` of ${(last + 1).toLocaleString("en")}`)),
    make("div", { class: "tf-jumps" }, ...(isTree ? [cutoff, change] : []), make("span", { class: "tf-play" }, play, speed)));

  // The procedure, the list of all steps, and the tree in words.
  /** @type {HTMLElement[]} */
  const codeLines = (payload.listing ?? []).map((line, i) => make("li", {}, make("code", {}, line || " "),
    payload.printed?.[i] ? make("span", { class: "tf-printed" }, `as printed: ${payload.printed[i]}`) : null));
  const listing = codeLines.length
    ? make("section", { class: "tf-listing", "aria-label": `The procedure ${payload.procedure ?? ""}` },
      make("h2", { class: "tf-title" }, payload.procedure ?? "Procedure"),
      make("ol", { class: "tf-code", tabindex: 0, role: "list", "aria-label": `Lines of ${payload.procedure ?? "the procedure"}` }, ...codeLines))
    : null;
  /** @type {HTMLButtonElement[]} */
  const entries = [];
  const steps = make("div", { class: "tf-steps" });
  /** @type {Outline<number> | null} */
  let outline = null;
  const outlineBox = make("div", { class: "tf-outline-box" });
  const card = make("div", { class: "tf-card" });
  const legend = make("details", { class: "tf-legend" },
    make("summary", {}, "Symbols and keys"),
    make("p", {}, payload.legend ?? "▲ MAX, ▼ MIN, ● chance, ■ leaf, □ one of more than two players. ×4: stands for four symmetric moves. [α, β]: the window. ≥ and ≤: only a bound is known. Thick: the best line so far. Dashed with ‖: pruned, with the bound that caused it. Dotted: MOVEGEN left it out."),
    make("p", {}, ...keysHelp(isTree)));
  const inText = make("pre", { class: "tf-text", tabindex: 0 });

  const root = make("div", { class: `tf-stepper${full ? "" : " tf-small"}`, "data-kind": payload.procedure });
  if (full) {
    const side = make("div", { class: "tf-side" }, listing, tabs([
      ["Steps", steps, () => showEntry()],
      .../** @type {[string, HTMLElement, () => void][]} */ (isTree
        ? [["Outline", outlineBox, () => makeOutline()], ["Node", card, () => describe()]]
        : [["In text", inText, () => {}]]),
    ]));
    root.append(make("div", { class: "tf-main" }, stage, say, controls, legend), side);
    makeEntries();
  } else root.append(stage, say);
  element.replaceChildren(root);

  slider.addEventListener("input", () => go(Number(slider.value) - 1));
  number.addEventListener("change", () => go(Number(number.value) - 1));
  (options.keys ?? root).addEventListener("keydown", event => key(/** @type {KeyboardEvent} */ (event)), { signal });

  /** @param {number} to @param {boolean} [quietly] */
  function go(to, quietly = false) {
    to = Math.max(0, Math.min(last, Math.trunc(to) || 0));
    if (to === step) {
      number.value = String(step + 1);
      return;
    }
    let from = step + 1;
    if (to < step) looks.length = from = 0;
    for (let s = from; s <= to; s++) {
      const change = payload.changes[s];
      for (let i = 0; i < change.length; i += 2) looks[change[i]] = change[i + 1];
    }
    const before = step;
    step = to;
    const changed = view.dress(looks, here[step], step);
    if (outline) for (const node of changed) outline.refresh(node);
    sentence.textContent = unbroken(payload.sentences[step]);
    root.dataset.step = payload.kinds[step];
    phases.forEach((each, k) => each.toggleAttribute("data-current", k === payload.phase?.[step]));
    if (full) showFull(before);
    if (!quietly) options.onStep?.(step + 1);
  }

  /** @param {number} before */
  function showFull(before) {
    slider.value = number.value = String(step + 1);
    slider.setAttribute("aria-valuetext", `step ${step + 1} of ${last + 1}`);
    first.disabled = previous.disabled = step === 0;
    end.disabled = next.disabled = step === last;
    cutoff.disabled = after(payload.cutoffs) === undefined;
    change.disabled = after(valueSteps) === undefined;
    showLine();
    showWay();
    if (before >= 0) {
      entries[before].removeAttribute("aria-current");
      entries[before].tabIndex = -1;
    }
    entries[step].setAttribute("aria-current", "step");
    entries[step].tabIndex = 0;
    showEntry();
    if (payload.texts) inText.textContent = payload.texts[step];
    if (isTree && !card.hidden) describe();
    const item = outline?.items.get(here[step]);
    if (item && !outlineBox.hidden && !outlineBox.contains(document.activeElement)) scrollInside(outlineBox, item);
  }

  function showEntry() {
    if (!steps.hidden && entries[step]) scrollInside(steps, entries[step]);
  }

  function showLine() {
    const line = payload.lines?.[step];
    codeLines.forEach((each, k) => {
      if (k === line) {
        each.setAttribute("aria-current", "step");
        scrollInside(/** @type {HTMLElement} */ (each.parentElement), each);
      } else if (each.hasAttribute("aria-current")) each.removeAttribute("aria-current");
    });
  }

  /** The active calls: from the root down to the node of the step. */
  function showWay() {
    const nodes = [];
    for (let k = here[step]; k >= 0; k = view.parents[k]) nodes.unshift(k);
    way.replaceChildren(...nodes.map(k => {
      const look = payload.looks[looks[k]], { kind } = view.drawn[k];
      return make("li", {}, make("button", { type: "button", class: "tf-chip", onclick: () => pick(k) },
        ...nodeParts(shortName(view, k), kind, look), make("span", { class: "tf-aloud" }, ` ${inWords(look, kind)}`)));
    }));
  }

  function makeEntries() {
    for (let from = 0; from <= last; from += PART) {
      const part = make("ol", { class: last > PART ? "tf-part" : "", start: from + 1 });
      for (let s = from; s < Math.min(from + PART, last + 1); s++) {
        const mark = payload.kinds[s] === "cutoff" ? "✂" : valueSteps.includes(s) ? "≠" : "";
        const entry = /** @type {HTMLButtonElement} */ (make("button", { type: "button", tabindex: -1, class: `tf-entry${mark === "✂" ? " tf-cutoff" : ""}`, onclick: () => go(s) },
          make("span", { class: "tf-entry-number" }, String(s + 1)),
          make("span", { class: "tf-entry-mark", "aria-hidden": "true" }, mark),
          make("span", {}, unbroken(payload.sentences[s]))));
        entry.style.setProperty("--depth", String(Math.min(depthOf(here[s]), 8)));
        entries.push(entry);
        part.append(make("li", {}, entry));
      }
      steps.append(part);
    }
    steps.addEventListener("keydown", event => {
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!by || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      go(step + by);
      entries[step].focus({ preventScroll: true });
    });
  }

  /** @param {number} node */
  function depthOf(node) {
    let depth = 0;
    for (let k = node; k > 0; k = view.parents[k]) depth++;
    return depth;
  }

  function makeOutline() {
    if (outline) return;
    outline = new Outline(outlineBox, "The tree in words", {
      root: () => 0,
      children: k => view.children[k],
      fill: (row, k) => {
        const look = payload.looks[looks[k] ?? 0];
        row.dataset.state = look[0];
        row.replaceChildren(
          .../** @type {HTMLElement[]} */ (nodeParts(shortName(view, k), view.drawn[k].kind, look).filter(part => part !== null)),
          make("span", { class: "tf-state", "aria-hidden": "true" }, look[0].includes("here") ? "◀ here" : look[0].includes("implausible") ? "∅ not generated" : look[0].includes("pruned") ? `‖ cut${look[3] && look[3] !== "–" ? ` by ${look[3]}` : ""}` : ""));
      },
      label: k => inWords(payload.looks[looks[k] ?? 0], view.drawn[k].kind),
      onSelect: k => { choose(k); },
      onActivate: k => view.reveal(k),
    }, openInPicture());
    outlineBox.append(make("p", { class: "tf-hint" }, "Arrow keys move through the tree; → opens, ← closes. c, v, Page Up and Page Down go through the steps."));
  }

  /** What is unfolded in the picture is open in the outline. */
  function openInPicture() {
    return view.children.flatMap((below, k) => (below.length && !view.folded.has(k) ? [k] : []));
  }

  function syncOutline() {
    if (!outline || outlineBox.hidden) return;
    outline.open = new Set(openInPicture());
    outline.rebuild();
  }

  /** @param {number} node */
  function choose(node) {
    picked = node;
    view.pick(node);
    if (!card.hidden) describe();
  }

  /** A node was clicked: describe it. @param {number} node */
  function pick(node) {
    choose(node);
    if (!full) return;
    /** @type {HTMLElement | null} */ (root.querySelector(`#${id}-tab-2`))?.click();
    describe();
  }

  /** Describe the node that was picked, or the current one. */
  function describe() {
    const node = picked >= 0 ? picked : here[step];
    if (node < 0) {
      card.replaceChildren(make("p", {}, "Click a node of the picture to read about it."));
      return;
    }
    const kind = view.drawn[node].kind, look = payload.looks[looks[node] ?? 0];
    const list = touched[node] ?? [];
    const fold = view.children[node].length
      ? make("button", { type: "button", class: "tf-button", onclick: () => { view.fold(node); describe(); } },
        view.folded.has(node) ? `Unfold the ${view.below[node]} nodes below` : "Fold what is below")
      : null;
    card.replaceChildren(
      make("h2", { class: "tf-title tf-chip" }, ...nodeParts(view.names[node] === "." ? "root" : view.names[node], kind, look)),
      make("p", {}, `${capital(inWords(look, kind))}.`),
      list.length ? make("p", {}, "Steps at this node:") : make("p", {}, "The run never visits this node."),
      make("ul", { class: "tf-visits" }, ...list.map(s => make("li", {}, make("button", {
        type: "button", class: "tf-entry", "aria-current": s === step ? "step" : undefined, onclick: () => go(s),
      }, make("span", { class: "tf-entry-number" }, String(s + 1)), make("span", { class: "tf-entry-mark", "aria-hidden": "true" }, payload.kinds[s] === "cutoff" ? "✂" : ""), make("span", {}, unbroken(payload.sentences[s])))))),
      make("p", { class: "tf-row" }, fold, picked >= 0
        ? make("button", { type: "button", class: "tf-button", onclick: () => { choose(-1); describe(); } }, "Follow the current node")
        : null));
  }

  /** @param {readonly number[]} list */
  function after(list) {
    return list.find(s => s > step);
  }
  function toNextCutoff() {
    const found = after(payload.cutoffs);
    if (found !== undefined) go(found);
  }
  function toNextValue() {
    const found = after(valueSteps);
    if (found !== undefined) go(found);
  }

  function togglePlay() {
    if (playing !== undefined) {
      stop();
      return;
    }
    if (step === last) go(0);
    play.textContent = "Pause";
    play.setAttribute("aria-pressed", "true");
    // Too fast to be read aloud.
    if (Number(speed.value) > 1 && options.live !== false) sentence.setAttribute("aria-live", "off");
    tick();
  }
  function tick() {
    playing = setTimeout(() => {
      go(step + 1);
      if (step === last) stop();
      else tick();
    }, PACE / Number(speed.value));
  }
  function stop() {
    clearTimeout(playing);
    playing = undefined;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
    if (options.live !== false) sentence.setAttribute("aria-live", "polite");
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const writes = target.matches?.("textarea,select,[contenteditable=true],input:not([type=range]):not([type=checkbox]):not([type=radio])");
    if (writes || root.closest("[inert]") || (options.keys && target.closest?.("dialog"))) return;
    // A slider, a tree, a list of tabs use the arrows themselves.
    const ownArrows = target.matches?.("input[type=range],input[type=radio],[role=tab]");
    const use = {
      ArrowLeft: () => go(step - 1), ArrowRight: () => go(step + 1), Home: () => go(0), End: () => go(last),
    }[event.key];
    const always = {
      ...(isTree ? { c: toNextCutoff, v: toNextValue } : {}), PageUp: () => go(step - 1), PageDown: () => go(step + 1),
      "+": () => view.zoom(1.25), "=": () => view.zoom(1.25), "-": () => view.zoom(1 / 1.25), 0: () => view.fit(),
    }[event.key];
    const act = always ?? (ownArrows ? undefined : use);
    if (!act || (/^Page/.test(event.key) && !root.contains(target))) return;
    event.preventDefault();
    if (playing !== undefined) stop();
    act();
  }

  /**
   * @param {string} text @param {string} label @param {() => void} act
   * @returns {HTMLButtonElement}
   */
  function tool(text, label, act) {
    return /** @type {HTMLButtonElement} */ (make("button", { type: "button", class: "tf-tool", "aria-label": /^\w/.test(text) ? undefined : label, title: label, onclick: act }, text));
  }
  /**
   * @param {string | Node} text @param {string} label @param {() => void} act @param {string} [css]
   * @returns {HTMLButtonElement}
   */
  function control(text, label, act, css = "") {
    const wide = css !== "";
    return /** @type {HTMLButtonElement} */ (make("button", {
      type: "button", class: `tf-button ${css}`, title: label, "aria-label": wide ? undefined : label,
      onclick: () => { if (act !== togglePlay && playing !== undefined) stop(); act(); },
    }, text));
  }

  /** @param {[string, HTMLElement, () => void][]} pages */
  function tabs(pages) {
    const buttons = pages.map(([name, page], k) => {
      page.id = `${id}-page-${k}`;
      page.setAttribute("role", "tabpanel");
      page.setAttribute("aria-labelledby", `${id}-tab-${k}`);
      page.hidden = k > 0;
      page.classList.add("tf-page");
      return make("button", {
        type: "button", role: "tab", id: `${id}-tab-${k}`, class: "tf-tab", "aria-controls": page.id,
        "aria-selected": String(k === 0), tabindex: k === 0 ? 0 : -1, onclick: () => turn(k),
      }, name);
    });
    /** @param {number} to */
    function turn(to) {
      pages.forEach(([, page, opened], k) => {
        page.hidden = k !== to;
        buttons[k].setAttribute("aria-selected", String(k === to));
        buttons[k].tabIndex = k === to ? 0 : -1;
        if (k === to) opened();
      });
    }
    const bar = make("div", { class: "tf-tabs", role: "tablist", "aria-label": "The run in words" }, ...buttons);
    bar.addEventListener("keydown", event => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const to = (buttons.indexOf(/** @type {HTMLElement} */ (event.target)) + by + buttons.length) % buttons.length;
      turn(to);
      buttons[to].focus();
    });
    return make("div", { class: "tf-pages" }, bar, ...pages.map(([, page]) => page));
  }

  go((options.step ?? 1) - 1, true);

  return {
    go: (to, quietly) => go(to - 1, quietly),
    get step() { return step + 1; },
    last: last + 1,
    get node() { return here[step] >= 0 ? payload.nodes[here[step]] : ""; },
    get moves() {
      const moves = [];
      for (let k = here[step]; k > 0; k = view.parents[k]) moves.unshift(shortName(view, k));
      return moves;
    },
    get sentence() { return payload.sentences[step]; },
    svg: view.svg,
    togglePlay,
    destroy() {
      if (playing !== undefined) stop();
      leaving.abort();
      view.destroy();
      root.remove();
    },
  };
}

/** Scroll a box, and nothing around it, so that a part of it is visible. @param {HTMLElement} box @param {HTMLElement} part */
function scrollInside(box, part) {
  const room = box.getBoundingClientRect(), own = part.getBoundingClientRect();
  if (own.top < room.top) box.scrollTop += own.top - room.top - 4;
  else if (own.bottom > room.bottom) box.scrollTop += own.bottom - room.bottom + 4;
}

/** `α = 3` kept on one line. @param {string} text */
function unbroken(text) {
  return text.replaceAll(" = ", "\u00a0=\u00a0");
}

/** @param {string} text */
function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** @param {boolean} isTree */
function keysHelp(isTree) {
  const jumps = isTree ? [["c"], ["v"]] : [];
  const keys = [["←", "→"], ["Home", "End"], ...jumps, ["+", "−", "0"]];
  const words = [
    " a step · ", " first, last · ", ...(isTree ? [" next cutoff · ", " next value · "] : []),
    ` zoom, fit. Ctrl and the wheel zoom too; drag to move${isTree ? "; double-click a node to fold it" : ""}.`,
  ];
  return keys.flatMap((group, k) => [...group.flatMap(key => [make("kbd", {}, key), " "]), words[k]]);
}
