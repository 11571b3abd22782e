// @ts-check
/**
 * What a procedure is run on: a tree in the text notation, or a position of a game.
 *
 * The rooms Step through and Compare have the same part for it; Build and Exercises take the lists
 * of presets and the maker of random trees from here.
 */

import { ask, games } from "./connection.js";
import { button, calmly, field, fold, h, numberInput, select } from "./parts.js";
import { mount } from "./svg.js";
import { chosenEvaluation } from "./values.js";

/** @import { State } from "./state.js" */

/**
 * @typedef {object} Lessons
 * @property {{name: string, about: string, listing: string[], cut: boolean, simulations: boolean}[]} procedures
 * @property {string[]} orders
 * @property {{name: string, tree: string, procedure: string, about: string}[]} presets
 * @property {string[]} exercises
 * @property {{first: number, most: number}} simulations
 */

export const FIRST_TREE = "((3 12 8) (2 4 6) (14 5 2))";
/** Plies that a page looks ahead in a game by default. */
const FIRST_DEPTH = 2;
const MOST_DEPTH = 12;

/** @type {Promise<Lessons> | undefined} */
let known;

/** The procedures, orders and worked examples, asked for once. @returns {Promise<Lessons>} */
export function lessons() {
  known ??= ask("procedures").catch(error => {
    known = undefined;
    throw error;
  });
  return known;
}

/** The first sentence of a text. @param {string} text */
export function firstSentence(text) {
  return text.split(/(?<=\.)\s/)[0].replace(/\s+/g, " ").trim();
}

/**
 * A choice of the worked examples.
 * @param {Lessons} all @param {() => string} tree @param {(preset: Lessons["presets"][number]) => void} onPick
 */
export function presetSelect(all, tree, onPick) {
  const list = select(
    [["", "Your own tree"], ...all.presets.map((preset, k) => /** @type {const} */ ([String(k), preset.name]))], "",
    value => value !== "" && onPick(all.presets[Number(value)]));
  return Object.assign(list, {
    /** Show which example the tree is, if any. */
    sync() {
      const at = all.presets.findIndex(preset => preset.tree === tree().trim());
      list.value = at < 0 ? "" : String(at);
    },
  });
}

/**
 * A part that makes a random tree, the same for the same seed.
 * @param {(tree: string) => void} onTree @param {(error: unknown) => void} onError
 */
export function randomTree(onTree, onError) {
  const branching = numberInput(3, 1, 8), depth = numberInput(3, 1, 6);
  const least = numberInput(-9, -999, 999), most = numberInput(9, -999, 999);
  const seed = numberInput(1, 0, 2 ** 31 - 1);
  const draw = async () => {
    try {
      const made = await ask("random-tree", {
        branching: Number(branching.value), depth: Number(depth.value), seed: Number(seed.value),
        least: Number(least.value), most: Number(most.value),
      });
      onTree(made.tree);
    } catch (error) {
      onError(error);
    }
  };
  return fold("Random tree", false,
    h("div", { class: "fields" },
      field("Children", branching), field("Plies", depth), field("Least value", least), field("Largest", most), field("Seed", seed)),
    h("div", { class: "row" },
      button("Draw this tree", draw, { icon: "dice" }),
      button("Another seed", () => {
        seed.value = String(Math.floor(Math.random() * 100000));
        void draw();
      })));
}

/** The subject of a room: a tree or a game, kept in the state. */
export class Subject {
  /**
   * @param {State} state @param {Lessons} all
   * @param {{onChange: (what: "subject" | "preset") => void}} options
   */
  constructor(state, all, options) {
    this.state = state;
    this.options = options;
    /** Whether games are played to their end, so that there is no depth and no evaluation to choose. */
    this.toTheEnd = false;
    /** The position to look at, as the server wrote it. */
    this.position = "";
    this.text = h("textarea", { rows: 1, class: "mono subject-text", spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
    this.presets = presetSelect(all, () => this.text.value, preset => {
      this.state.set({ procedure: preset.procedure, depth: null, order: null });
      this.setTree(preset.tree, "preset");
    });
    this.error = h("p", { class: "bad subject-error", role: "alert" });
    this.about = h("p", { class: "note" });
    this.presetAbout = (/** @type {string} */ tree) => all.presets.find(preset => preset.tree === tree)?.about ?? "";
    this.isGame = h("button", { type: "button", class: "button small", onclick: () => this.#choose(true) }, "A game");
    this.isTree = h("button", { type: "button", class: "button small", onclick: () => this.#choose(false) }, "A tree");
    this.kind = h("div", { class: "joined", role: "group", "aria-label": "What to look at" }, this.isTree, this.isGame);
    this.treePart = h("div", { class: "subject-part" }, field("Example", this.presets), field("Tree", this.text));
    this.gamePart = h("div", { class: "subject-part" });
    /** The fields, in one line with those of the room. */
    this.element = h("div", { class: "subject" }, this.kind, this.treePart, this.gamePart);
    /** What is needed less often. */
    this.random = randomTree(tree => this.setTree(tree), error => this.complain(error));
    this.text.addEventListener("input", calmly(() => this.setTree(this.text.value), 500));
    this.text.addEventListener("keydown", event => {
      if (event.key !== "Enter" || event.shiftKey) return;
      event.preventDefault();
      this.setTree(this.text.value);
    });
    this.#show();
  }

  /** Whether the subject is a game: only if that was asked for, as a tree shows more at a glance. */
  get onGame() {
    return this.state.get("on") === "game";
  }

  /** The tree to look at. */
  get tree() {
    return this.state.get("tree", FIRST_TREE);
  }

  /** @param {string} tree @param {"subject" | "preset"} [what] */
  setTree(tree, what = "subject") {
    if (tree.trim() === this.tree.trim() && what === "subject") return;
    this.state.set({ tree: tree.trim(), on: "tree", step: null });
    this.#show(what === "preset");
    this.options.onChange(what);
  }

  /** @param {boolean} game */
  #choose(game) {
    if (game === this.onGame) return;
    this.state.set({ on: game ? "game" : "tree", game: game ? this.state.get("game", "tic-tac-toe") : this.state.get("game"), step: null });
    this.#show();
    this.options.onChange("subject");
  }

  /** Show what the state says. */
  #show(force = false) {
    const game = this.onGame;
    this.isGame.setAttribute("aria-pressed", String(game));
    this.isTree.setAttribute("aria-pressed", String(!game));
    this.treePart.hidden = game;
    this.gamePart.hidden = !game;
    this.random.hidden = game;
    if (force || document.activeElement !== this.text) this.text.value = this.tree;
    this.presets.sync();
    this.about.textContent = game ? "" : this.presetAbout(this.tree);
    if (game) void this.#showGame();
  }

  async #showGame() {
    const { state } = this;
    const catalogue = await games();
    const name = state.get("game", "tic-tac-toe").replace(/\(.*/s, "");
    const info = catalogue.games.find(each => each.game === name);
    const changed = () => {
      state.set({ step: null });
      this.options.onChange("subject");
    };
    const picture = h("div", { class: "subject-board" });
    const position = h("input", { class: "mono", spellcheck: "false", autocapitalize: "off", value: this.position });
    position.addEventListener("change", () => {
      state.set({ start: position.value.trim(), moves: null, at: null, on: "game" });
      changed();
    });
    this.showPosition = (/** @type {{position: string, svg: string}} */ seen) => {
      position.value = seen.position;
      mount(picture, seen.svg);
    };
    const chosen = state.get("game", "tic-tac-toe");
    const listed = catalogue.games.map(each => /** @type {const} */ ([each.game, each.title]));
    this.gamePart.replaceChildren(
      picture,
      field("Game", select(info && chosen !== name ? [[chosen, chosen], ...listed] : listed, chosen, value => {
        state.set({ game: value, start: null, moves: null, at: null, eval: null });
        this.#show();
        changed();
      })),
      field("Position", position),
      ...(this.toTheEnd ? [] : [field("Plies", numberInput(state.number("depth", FIRST_DEPTH), 1, MOST_DEPTH, value => {
        state.set({ depth: value });
        changed();
      }))]),
      ...(info?.evaluations.length && !this.toTheEnd
        ? [field("Evaluation", select(info.evaluations, state.get("eval", info.evaluations[0]), value => {
          state.set({ eval: value });
          changed();
        }))]
        : []));
    this.about.replaceChildren("Set the position up in ", h("a", { href: state.link("build", { edit: "position" }) }, "Build"),
      " or play up to it in ", h("a", { href: state.link("play") }, "Play"), ".");
    if (this.seen) this.showPosition(this.seen);
  }

  /** Whether games are played to their end. @param {boolean} toTheEnd */
  play(toTheEnd) {
    if (toTheEnd === this.toTheEnd) return;
    this.toTheEnd = toTheEnd;
    if (this.onGame) void this.#showGame();
  }

  /** The state changed from outside. */
  update() {
    this.#show(true);
  }

  /** What to send along with a request. @param {AbortSignal} signal @returns {Promise<Record<string, unknown>>} */
  async fields(signal) {
    const { state } = this;
    const depth = state.get("depth");
    if (!this.onGame) return { tree: this.tree, ...(depth ? { depth: Number(depth) } : {}) };
    const game = state.get("game", "tic-tac-toe");
    const at = state.get("at");
    const moves = at ? state.moves.slice(0, Number(at)) : state.moves;
    const seen = await ask("view", { game, start: state.get("start"), moves }, { signal });
    this.position = seen.position;
    this.seen = seen;
    this.showPosition?.(seen);
    return {
      game, position: seen.position, ...(this.toTheEnd ? {} : { depth: state.number("depth", FIRST_DEPTH) }),
      ...chosenEvaluation(state, seen),
    };
  }

  /** Say what is wrong, at the field; without an argument, clear that. @param {unknown} [error] */
  complain(error) {
    if (error instanceof DOMException && error.name === "AbortError") return;
    this.error.textContent = error === undefined ? "" : error instanceof Error ? error.message : String(error);
    this.text.setAttribute("aria-invalid", String(error !== undefined && !this.onGame));
  }
}
