// @ts-check
/** Exercises: work through a procedure by hand on a tree, have it checked, hand it in. */

import { ask } from "../connection.js";
import { announce, button, calmly, complain, download, field, fold, h, numberInput, panel, select } from "../parts.js";
import { shareLink } from "../sharing.js";
import { lessons, presetSelect } from "../subject.js";
import { mount } from "../svg.js";
import { TreeView } from "../stepper/treeview.js";

/** @import { State } from "../state.js" */
/** @import { Drawing } from "../stepper/treeview.js" */
/** @import { Lessons } from "../subject.js" */
/**
 * @typedef {object} Exercise
 * @property {number | null} seed
 * @property {string} procedure
 * @property {string} tree
 * @property {string} sheet
 * @property {string} svg
 * @property {Record<string, string>} questions
 * @property {string[]} inner
 * @property {string[]} moves
 * @property {string[]} nodes
 * @property {string} page
 */
/** @typedef {{mark: "right" | "wrong" | "missing", answer: unknown, expected: unknown}} Mark */
/** @typedef {{field: "value" | "move" | "values" | "cut", node: string | null, text: string}} Problem what cannot be read */
/**
 * @typedef {object} Marks
 * @property {boolean} right
 * @property {number} points
 * @property {number} of
 * @property {Mark} value
 * @property {Mark} move
 * @property {Record<string, Mark>} values
 * @property {{mark: string, answer: string[] | null, expected: string[], missed: string[], extra: string[]}} cut
 * @property {string | null} first_error
 */

const KEYS = ["tree", "procedure", "seed", "value", "move", "values", "cut"];
const SIGNS = { right: "✓", wrong: "✗", missing: "…" };
const WORDS = { right: "right", wrong: "not right", missing: "missing" };

/** @param {HTMLElement} main @param {State} state */
export function open(main, state) {
  const leaving = new AbortController(), { signal } = leaving;
  let asked = 0;
  /** @type {Desk | undefined} */
  let desk;
  let shown = "";
  const chooser = h("div", { class: "panel no-print" });
  const place = h("div", {}, h("p", { class: "busy" }, "One moment…"));
  main.replaceChildren(h("div", { class: "room wide" },
    h("header", { class: "no-print" }, h("h1", {}, "Exercises")), chooser, place));

  /** @param {Lessons} all */
  function start(all) {
    const own = () => state.flag("own");
    const error = h("p", { class: "bad", role: "alert" });
    const fields = h("div", { class: "subject" });
    chooser.replaceChildren(fields, error);

    function showFields() {
      const set = (/** @type {Record<string, string | number | boolean | null>} */ values) => {
        state.set({ ...Desk.empty, ...values });
        showFields();
        void load();
      };
      const text = h("textarea", { class: "mono subject-text", rows: 1, spellcheck: "false", autocapitalize: "off" });
      text.value = state.get("tree", all.presets[0].tree);
      text.addEventListener("change", () => set({ tree: text.value.trim() }));
      const kinds = h("div", { class: "joined", role: "group", "aria-label": "Which tree" },
        [false, true].map(mine => h("button", { type: "button", class: "button small", "aria-pressed": String(own() === mine), onclick: () => set({ own: mine }) }, mine ? "My own tree" : "Seed")));
      const chosen = state.get("procedure", "alphabeta");
      const procedure = all.exercises.includes(chosen) ? chosen : "alphabeta";
      const load_ = loader(sheet => set({ ...sheet, own: true }), problem => { error.textContent = problem; });
      const presets = presetSelect(all, () => text.value, preset => set({ tree: preset.tree }));
      presets.sync();
      fields.replaceChildren(kinds, field("Procedure", select(all.exercises, procedure, value => set({ procedure: value }))),
        ...(own()
          ? [field("Example", presets), field("Tree", text)]
          : [
            field("Seed", numberInput(state.number("seed", 1), 0, 2 ** 31 - 1, value => set({ seed: value }))),
            field("Children", numberInput(state.number("branching", 3), 1, 5, value => set({ branching: value }))),
            field("Plies", numberInput(state.number("plies", 2), 1, 5, value => set({ plies: value }))),
            button("New exercise", () => set({ seed: 1 + Math.floor(Math.random() * 99999) }), { icon: "dice", main: true }),
          ]),
        load_);
    }

    async function load() {
      const mine = ++asked;
      const chosen = state.get("procedure", "alphabeta");
      const procedure = all.exercises.includes(chosen) ? chosen : "alphabeta";
      const key = wanted(state);
      try {
        /** @type {Exercise} */
        const exercise = await ask("exercise", own()
          ? { procedure, tree: state.get("tree", all.presets[0].tree) }
          : { procedure, seed: state.number("seed", 1), branching: state.number("branching", 3), depth: state.number("plies", 2) }, { signal });
        const { picture } = await ask("tree", { tree: exercise.tree }, { signal });
        if (mine !== asked) return;
        error.textContent = "";
        desk?.close();
        desk = new Desk(place, state, exercise, picture);
        shown = key;
      } catch (problem) {
        if (signal.aborted || mine !== asked) return;
        error.textContent = problem instanceof Error ? problem.message : String(problem);
        if (!desk) place.replaceChildren();
      }
    }
    showFields();
    void load();
    refresh = () => {
      if (wanted(state) === shown) return;
      showFields();
      void load();
    };
  }
  let refresh = () => {};

  lessons().then(all => { if (!signal.aborted) start(all); }).catch(complain);
  return {
    update: () => refresh(),
    close() {
      leaving.abort();
      desk?.close();
    },
  };
}

/** @param {State} state */
function wanted(state) {
  return ["own", "procedure", "seed", "branching", "plies", ...(state.flag("own") ? ["tree"] : [])].map(key => state.get(key)).join("\n");
}

/** A button that reads a sheet again. @param {(values: Record<string, string>) => void} onSheet @param {(problem: string) => void} onProblem */
function loader(onSheet, onProblem) {
  const input = h("input", { type: "file", accept: ".txt,text/plain", hidden: true });
  input.addEventListener("change", async () => {
    const text = await input.files?.[0]?.text();
    if (text === undefined) return;
    const lines = readSheet(text);
    if (!lines.tree || !lines.procedure) {
      onProblem("That file is not an answer sheet: it lacks the lines 'tree: …' and 'procedure: …'.");
      return;
    }
    onSheet({
      tree: lines.tree, procedure: lines.procedure, set: lines.seed ?? "",
      a: lines.value ?? "", m: lines.move ?? "", b: lines.values ?? "", c: lines.cut ?? "",
    });
  });
  return h("div", {}, button("Load a sheet", () => input.click(), { title: "Load a saved sheet, to continue or to check it" }), input);
}

/** The text after each key of a sheet. @param {string} text @returns {Record<string, string>} */
function readSheet(text) {
  /** @type {Record<string, string>} */
  const found = {};
  let last = "";
  for (const raw of text.replace(/^\ufeff/, "").split(/\r?\n/)) {
    const line = raw.replace(/#.*/, "").trimEnd();
    const match = new RegExp(`^\\s*(${KEYS.join("|")})\\s*:(.*)$`, "i").exec(line);
    if (match) found[(last = match[1].toLowerCase())] = match[2].trim();
    else if (last && /^\s+\S/.test(line)) found[last] += ` ${line.trim()}`;
  }
  return found;
}

/** A value in one word, as in a list of them: `<= -9`, `2,5`. @param {string} text */
const oneWord = text => text.trim().replace(/([-−–+<>=≤≥])\s+/g, "$1").replace(/,/g, ".").replace(/\s+/g, "_");

/** One exercise on the desk: the tree with places for the answers. */
class Desk {
  /** The answers' keys in the address, cleared. */
  static empty = { a: null, m: null, b: null, c: null, set: null };
  /** @type {TreeView | undefined} */
  #picture;

  /** The tree on the desk. */
  get view() {
    if (!this.#picture) throw new Error("there is no tree on the desk yet");
    return this.#picture;
  }

  /**
   * @param {HTMLElement} place @param {State} state @param {Exercise} exercise
   * @param {Drawing} picture
   */
  constructor(place, state, exercise, picture) {
    this.state = state;
    this.exercise = exercise;
    this.picture = picture;
    this.names = picture.nodes;
    this.asksCuts = "cut" in exercise.questions;
    const index = new Map(this.names.map((name, k) => [name, k]));
    this.parents = picture.parents;
    this.value = state.get("a");
    this.move = state.get("m");
    /** The values given, by node. @type {Map<string, string>} */
    this.values = new Map(state.get("b").split(/[\s,;]+/).filter(Boolean).map(pair => /** @type {[string, string]} */ (pair.split("=", 2))));
    const cut = state.get("c");
    /** The nodes marked as cut, and whether the answer was that there are none. */
    this.cut = new Set(cut.split(/[\s,;]+/).filter(name => index.has(name)));
    this.noCut = /^(none|-|–|—)$/i.test(cut);
    /** @type {Marks | undefined} */
    this.marks = undefined;
    /** Whether an answer could not be read. */
    this.problem = false;
    /** Fields that show the value of a node. @type {Map<string, HTMLInputElement[]>} */
    this.inputs = new Map();
    /** @type {Map<string, HTMLElement[]>} */
    this.signs = new Map();
    this.write = calmly(() => this.state.set({
      a: this.value, m: this.move, b: this.#valuesText(), c: this.#cutText(),
    }), 200);
    this.leaving = new AbortController();
    /** @type {HTMLInputElement[]} */
    this.rootInputs = [];
    this.layer = h("div", { class: "exercise-layer" });
    this.#make(place);
  }

  /** @param {HTMLElement} place */
  #make(place) {
    const { exercise } = this;
    const root = this.names[0];
    this.frame = h("div", { class: "tf-frame exercise-frame", tabindex: 0, role: "region", "aria-label": "The tree, with fields for the values" });
    this.layer.replaceChildren();
    this.result = h("div", { class: "exercise-result", role: "status" });
    const zoom = h("div", { class: "tf-tools" }, h("div", { class: "tf-group" },
      ...[["−", "Zoom out", () => this.view.zoom(0.8)], ["+", "Zoom in", () => this.view.zoom(1.25)], ["Fit", "Show the whole tree", () => this.view.fit()]]
        .map(([text, label, act]) => h("button", { type: "button", class: "tf-tool", "aria-label": text === "Fit" ? null : label, title: label, onclick: act }, /** @type {string} */ (text)))));
    this.rootInputs = [];
    this.moveSelect = select([["", "…"], ...exercise.moves.map(name => /** @type {const} */ ([name, name])), ...(exercise.moves.length ? [] : [/** @type {const} */ (["none", "none"])])], this.move, value => {
      this.move = value;
      this.#changed();
    });
    this.cutInput = h("input", { class: "mono", autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: "G H, or none", value: this.#cutText() });
    this.cutInput.addEventListener("change", () => this.#typeCuts());
    const name = h("input", { autocomplete: "name", value: "" });
    const list = fold("All nodes as a list", false, h("p", { class: "note" }, "The same fields as a list, for anyone who does not use the picture."), this.#list());
    const check = button("Check", () => void this.check(), { icon: "check", main: true });
    place.replaceChildren(
      h("div", { class: "exercise no-print" },
        h("div", { class: "stage" },
          h("div", { class: "tf-picture tf-tree" }, this.frame, zoom),
          h("p", { class: "note" }, this.asksCuts
            ? "Write each inner node's value beside it; leave out those that are never visited. Click a node that is cut off: it is marked with ‖."
            : "Write each inner node's value beside it."),
          list),
        h("div", { class: "side" },
          panel(exercise.seed === null ? `Work ${exercise.procedure} by hand` : `Exercise ${exercise.seed}: ${exercise.procedure}`,
            h("div", { class: "exercise-question" }, field(`1. ${exercise.questions.value}`, this.#rootInput()), this.#sign("value")),
            h("div", { class: "exercise-question" }, field(`2. ${exercise.questions.move}`, this.moveSelect), this.#sign("move")),
            h("div", { class: "exercise-question" }, h("p", {}, `3. ${exercise.questions.values}`), this.#sign("values")),
            ...(this.asksCuts ? [h("div", { class: "exercise-question" }, field(`4. ${exercise.questions.cut}`, this.cutInput), this.#sign("cut"))] : []),
            h("div", { class: "toolbar" }, check, button("Start over", () => this.#clear(), { icon: "undo" })),
            this.result),
          panel("Hand in, print, share",
            field("Your name", name),
            h("div", { class: "toolbar" },
              button("Save my sheet", () => download(`exercise-${exercise.procedure}${exercise.seed === null ? "" : `-${exercise.seed}`}.txt`, this.sheet(name.value)), { icon: "export", title: "A text file with your answers, to hand in; your teacher checks it with: threefold exercise check FILE" }),
              button("Print", () => print(), {}),
              button("Save to print", () => download("exercise.html", exercise.page, "text/html"), { title: "A page with the tree and room to write" }),
              button("Copy link", () => shareLink("this exercise, without your answers,", this.state.link("exercises", Desk.empty)), { icon: "link" }))))),
      this.#paper(name));
    this.#picture = new TreeView(this.frame, this.picture, {
      room: 82, onPick: node => this.#toggleCut(this.names[node]), onZoom: () => this.#placeFields(), onFold: () => this.#placeFields(),
    });
    this.view.follow = false;
    this.frame.append(this.layer);
    for (const each of [root, ...exercise.inner]) this.#fieldInPicture(each);
    this.view.fit();
    this.watching = new ResizeObserver(() => this.#placeFields());
    this.watching.observe(this.frame);
    this.#placeFields();
    this.#showCuts();
  }

  /** @param {string} node */
  #fieldInPicture(node) {
    const box = h("div", { class: "exercise-field", "data-node": this.names.indexOf(node) });
    if (node === this.names[0]) box.append(this.#rootInput(`Value of the root ${node}`), this.#sign("value"));
    else box.append(this.#valueInput(node), this.#sign(`=${node}`));
    this.layer.append(box);
  }

  /** A field for the root's value; there are two. @param {string} [label] */
  #rootInput(label) {
    const input = h("input", { "aria-label": label, autocomplete: "off", size: 6, value: this.value });
    input.addEventListener("input", () => {
      this.value = input.value.trim();
      for (const other of this.rootInputs) if (other !== input) other.value = input.value;
      this.#changed();
    });
    this.rootInputs.push(input);
    return input;
  }

  /** A place for a mark. @param {string} key */
  #sign(key) {
    const made = h("span", { class: "exercise-sign" });
    this.signs.set(key, [...(this.signs.get(key) ?? []), made]);
    return made;
  }

  /** A field for a node's value; all fields of a node stay in sync. @param {string} node */
  #valueInput(node) {
    const input = h("input", { "aria-label": `Value of ${node}`, autocomplete: "off", size: 4, value: this.values.get(node) ?? "" });
    input.addEventListener("input", () => {
      const value = input.value.trim();
      if (value) this.values.set(node, value);
      else this.values.delete(node);
      for (const other of this.inputs.get(node) ?? []) if (other !== input) other.value = input.value;
      this.#changed();
    });
    this.inputs.set(node, [...(this.inputs.get(node) ?? []), input]);
    return input;
  }

  /** The tree as a list of fields, nested as the tree is. */
  #list() {
    const inner = new Set(this.exercise.inner);
    /** @type {Map<string, HTMLInputElement>} */
    this.boxes = new Map();
    /** @type {HTMLUListElement[]} */
    const lists = [];
    const top = h("ul", { class: "exercise-list" });
    this.names.forEach((name, k) => {
      const family = h("ul", {});
      lists[k] = family;
      const parts = [];
      if (inner.has(name)) parts.push(this.#valueInput(name), this.#sign(`=${name}`));
      if (k > 0 && this.asksCuts) {
        const box = h("input", { type: "checkbox", checked: this.cut.has(name) });
        box.addEventListener("change", () => this.#toggleCut(name, box.checked));
        this.boxes?.set(name, box);
        parts.push(h("label", { class: "tick" }, box, h("span", {}, "cut", h("span", { class: "aloud" }, ` ${name}`))));
      }
      (k > 0 ? lists[this.parents[k]] : top).append(h("li", {}, h("div", { class: "row" }, h("b", {}, name), parts), family));
    });
    for (const family of lists) if (!family.children.length) family.remove();
    return top;
  }

  /** Put the fields beside their nodes. */
  #placeFields() {
    if (!this.#picture || !this.frame) return;
    const room = this.frame.getBoundingClientRect(), drawing = this.view.svg.getBoundingClientRect();
    const left = drawing.left - room.left + this.frame.scrollLeft, top = drawing.top - room.top + this.frame.scrollTop;
    for (const box of /** @type {NodeListOf<HTMLElement>} */ (this.layer.querySelectorAll(".exercise-field"))) {
      const k = Number(box.dataset.node), node = this.view.drawn[k], { scale } = this.view;
      box.hidden = !this.view.isVisible(k);
      box.style.transform = `translate(${left + (node.x + 25) * scale}px, ${top + (node.y - 14) * scale}px) scale(${scale})`;
    }
  }

  /** @param {string} name @param {boolean} [on] */
  #toggleCut(name, on = !this.cut.has(name)) {
    if (!this.asksCuts || name === this.names[0]) return;
    if (on) this.cut.add(name);
    else this.cut.delete(name);
    this.noCut = false;
    this.#showCuts();
    this.#changed();
    announce(on ? `${name} is cut` : `${name} is not cut`);
  }

  #typeCuts() {
    const words = (this.cutInput?.value ?? "").split(/[\s,;]+/).filter(Boolean).map(word => this.#meant(word));
    const unknown = words.filter(word => !this.names.includes(word));
    this.noCut = words.length === 1 && /^(none|-|–|—)$/i.test(words[0]) && !this.names.includes(words[0]);
    this.cutInput?.setAttribute("aria-invalid", String(unknown.length > 0 && !this.noCut));
    this.cut = new Set(words.filter(word => this.names.includes(word)));
    this.#showCuts(unknown.length > 0 && !this.noCut);
    this.#changed();
  }

  /** @param {boolean} [keepText] */
  #showCuts(keepText = false) {
    const under = new Uint8Array(this.names.length);
    this.names.forEach((name, k) => {
      const isCut = this.cut.has(name);
      under[k] = isCut || (k > 0 && under[this.parents[k]]) ? 1 : 0;
      const node = this.view.drawn[k];
      node.edge?.classList.toggle("cut", isCut);
      node.edge?.classList.toggle("pruned", under[k] === 1);
      node.shape.classList.toggle("pruned", under[k] === 1);
      const box = this.boxes?.get(name);
      if (box) box.checked = isCut;
    });
    if (this.cutInput && !keepText) this.cutInput.value = this.#cutText();
  }

  /** A name as the tree has it, if it was written in a different case. @param {string} word */
  #meant(word) {
    if (this.names.includes(word)) return word;
    const alike = this.names.filter(name => name.toLowerCase() === word.toLowerCase());
    return alike.length === 1 ? alike[0] : word;
  }

  #valuesText() {
    return this.names.flatMap(name => (this.values.has(name) ? [`${name}=${oneWord(this.values.get(name) ?? "")}`] : [])).join(" ");
  }
  #cutText() {
    return this.names.filter(name => this.cut.has(name)).join(" ") || (this.noCut ? "none" : "");
  }

  /** The sheet as it is now. @param {string} [name] of the student */
  sheet(name = "") {
    const seed = this.state.get("set");
    /** @type {Record<string, string>} */
    const answers = { value: this.value, move: this.move, values: this.#valuesText(), cut: this.#cutText() };
    if (seed) answers.seed = seed;
    const lines = this.exercise.sheet.split("\n").map(line => {
      const key = /^(\w+):/.exec(line)?.[1] ?? "";
      return answers[key] ? `${key}: ${answers[key]}` : line;
    });
    const who = name.trim().replace(/[\r\n]+/g, " ");
    return (who ? `# Name: ${who}\n` : "") + lines.join("\n");
  }

  /** Have the sheet marked. */
  async check() {
    try {
      const { tree, procedure } = this.exercise;
      const cut = this.cutInput && this.asksCuts ? this.cutInput.value : "";
      /** @type {Marks & {problem?: Problem}} */
      const marks = await ask("check", { tree, procedure, value: this.value, move: this.move, values: this.#valuesText(), cut });
      this.#clearMarks();
      if (marks.problem) this.#showProblem(marks.problem);
      else {
        this.marks = marks;
        this.#showMarks(marks);
      }
    } catch (problem) {
      this.result?.replaceChildren(h("p", { class: "bad" }, problem instanceof Error ? problem.message : String(problem)));
    }
  }

  /** Say at its field what cannot be read, and go there. @param {Problem} problem */
  #showProblem({ field: which, node, text }) {
    this.problem = true;
    const inputs = { value: this.rootInputs, move: [], cut: this.cutInput ? [this.cutInput] : [], values: this.inputs.get(node ?? "") ?? [] }[which];
    for (const input of inputs) input.setAttribute("aria-invalid", "true");
    for (const sign of this.signs.get(which === "values" ? `=${node}` : which) ?? []) {
      sign.className = "exercise-sign unreadable";
      sign.replaceChildren(h("span", { "aria-hidden": "true" }, "?"), h("span", { class: "exercise-word", role: "alert" }, text));
    }
    this.result?.replaceChildren(h("p", { class: "bad" }, `${node ? `At ${node}: ` : ""}${text}. Nothing is marked yet.`));
    inputs.find(input => !input.closest("details:not([open])"))?.focus();
  }

  /** @param {Marks} marks */
  #showMarks(marks) {
    this.#sayMark("value", marks.value.mark);
    this.#sayMark("move", marks.move.mark);
    const given = Object.entries(marks.values);
    for (const [node, mark] of given) this.#sayMark(`=${node}`, mark.answer === null && mark.expected === null ? "" : mark.mark);
    const right = given.filter(([, mark]) => mark.mark === "right").length;
    this.#sayMark("values", given.every(([, mark]) => mark.mark === "right") ? "right" : given.some(([, mark]) => mark.mark === "wrong") ? "wrong" : "missing", `${right} of ${given.length}`);
    const { cut } = marks;
    if (this.asksCuts) {
      const found = cut.expected.length - cut.missed.length;
      this.#sayMark("cut", /** @type {keyof typeof SIGNS} */ (cut.mark), [`${found} of ${cut.expected.length} found`, cut.extra.length ? `${cut.extra.length} too many` : ""].filter(Boolean).join(", "));
    }
    this.names.forEach((name, k) => this.view.drawn[k].edge?.classList.toggle("wrong-cut", cut.extra.includes(name)));
    const solution = button("Show the answers", () => {
      solution.remove();
      this.result?.append(h("div", { class: "exercise-solution" },
        h("p", {}, "Value ", h("b", {}, String(marks.value.expected)), ", move ", h("b", {}, String(marks.move.expected)), "."),
        h("p", {}, "Values: ", h("b", {}, given.filter(([, mark]) => mark.expected !== null).map(([node, mark]) => `${node} = ${mark.expected}`).join(", ") || "none"), "."),
        this.asksCuts ? h("p", {}, "Cut: ", h("b", {}, cut.expected.join(", ") || "none"), ".") : null));
    }, { quiet: true, small: true });
    const steps = button("Step through it", () => this.state.go("step", { tree: this.exercise.tree, procedure: this.exercise.procedure, on: "tree", step: null, order: null, cut: null, depth: null }), { icon: "step", small: true });
    this.result?.replaceChildren(
      h("p", { class: "bigger" }, h("b", {}, marks.right ? "✓ All right! " : ""), `${marks.points} of ${marks.of} points.`),
      ...(marks.first_error ? [h("div", { class: "exercise-why" }, h("b", {}, "Look here first: "), marks.first_error)] : []),
      h("div", { class: "toolbar" }, steps, ...(marks.right ? [] : [solution])));
  }

  /** @param {string} key @param {keyof typeof SIGNS | ""} mark @param {string} [more] */
  #sayMark(key, mark, more = "") {
    for (const sign of this.signs.get(key) ?? []) {
      sign.className = `exercise-sign ${mark}`;
      sign.replaceChildren(...(mark ? [h("span", { "aria-hidden": "true" }, SIGNS[mark]), h("span", { class: sign.closest(".exercise-field, .exercise-list") ? "aloud" : "exercise-word" }, more ? `${WORDS[mark]}: ${more}` : WORDS[mark])] : []));
    }
    if (key.startsWith("="))
      for (const input of this.inputs.get(key.slice(1)) ?? []) {
        input.classList.toggle("right", mark === "right");
        input.setAttribute("aria-invalid", String(mark === "wrong"));
      }
  }

  /** An answer was changed: the marks are out of date. */
  #changed() {
    this.write();
    if (!this.marks && !this.problem) return;
    this.#clearMarks();
    this.result?.replaceChildren(h("p", { class: "note" }, "Changed; check again."));
  }

  #clearMarks() {
    this.marks = undefined;
    this.problem = false;
    for (const key of this.signs.keys()) this.#sayMark(key, "");
    for (const input of [...this.rootInputs, ...(this.cutInput ? [this.cutInput] : [])]) input.removeAttribute("aria-invalid");
    for (const node of this.view.drawn) node.edge?.classList.remove("wrong-cut");
  }

  #clear() {
    this.state.set(Desk.empty);
    const place = /** @type {HTMLElement} */ (this.frame?.closest(".exercise")?.parentElement);
    this.value = this.move = "";
    this.values.clear();
    this.cut.clear();
    this.noCut = false;
    this.marks = undefined;
    this.inputs.clear();
    this.signs.clear();
    this.watching?.disconnect();
    this.view.destroy();
    this.#make(place);
  }

  /** What is printed: the tree and room to write. @param {HTMLInputElement} name */
  #paper(name) {
    const { exercise } = this;
    const picture = h("div", {});
    mount(picture, exercise.svg);
    const who = h("span", {});
    addEventListener("beforeprint", () => { who.textContent = name.value; }, { signal: this.leaving.signal });
    return h("div", { class: "print-only exercise-paper" },
      h("p", { class: "exercise-name" }, "Name: ", who),
      h("h1", {}, `Exercise${exercise.seed === null ? "" : ` ${exercise.seed}`}: ${exercise.procedure}`),
      picture, h("p", { class: "mono" }, exercise.tree),
      h("ol", {}, Object.values(exercise.questions).map(question => h("li", {}, question, h("div", { class: "exercise-rule" })))));
  }

  close() {
    this.leaving.abort();
    this.watching?.disconnect();
    this.view.destroy();
  }
}
