// @ts-check
/** Analyse: what a position is worth, its best lines, and the same for the whole game. */

import { Board } from "../board.js";
import { ask } from "../connection.js";
import { Desk } from "../desk.js";
import { EvalBar } from "../evalbar.js";
import { exportMenu } from "../exporting.js";
import { Graph } from "../graph.js";
import { capital, lastMove, Line, mayDiscard, playerName, resultText } from "../line.js";
import { MoveList } from "../movelist.js";
import {
  announce, brief, button, complain, controlPanel, field, fill, grouped, h, linkButton, numberInput, panel, press, select, toolbar,
} from "../parts.js";
import { gamePicker, infoOf, usualGame } from "../picker.js";
import { turner } from "../turning.js";
import { longValue, scaleOf, shortValue, wordsOf } from "../values.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../line.js").View} View */

/**
 * What the server says of a search.
 *
 * @typedef {object} Found
 * @property {number} value
 * @property {boolean} exact
 * @property {number | null} win_in
 * @property {number} depth
 * @property {number} selective_depth
 * @property {number} nodes
 * @property {number} seconds
 * @property {number} rate
 * @property {{move: string, text: string, value: number, pv: string[], pv_text: string[], exact: boolean, win_in: number | null, share: number}[]} moves
 * @property {string | null} best
 * @property {number} share
 * @property {string[]} [all_best]
 * @property {string} [method]
 * @property {boolean} [complete]
 */

/** @typedef {{found: Found, solved: boolean, done: boolean}} Known */

const TIMES = /** @type {const} */ ([["10", "10 s"], ["60", "1 min"], ["600", "10 min"], ["3600", "1 hour"]]);
const USUAL_TIME = "60";
const USUAL_LINES = 3;
const SOLVE_SECONDS = 30;
const GLANCE_SECONDS = 0.1;
/** Moves of a line that are shown. */
const LONGEST = 24;

/**
 * @param {HTMLElement} main
 * @param {State} state
 */
export function open(main, state) {
  const line = new Line(state);
  const leaving = new AbortController();
  /** @type {AbortController | undefined} */
  let searching;
  /** @type {View | undefined} */
  let shown;
  /** What is known of positions, by their moves. @type {Map<string, Known>} */
  const known = new Map();
  /** Values for the graph, by the same. @type {Map<string, {share: number, text: string}>} */
  const values = new Map();
  let solvable = false;
  /** The lines that are shown. @type {string[][]} */
  let current = [];

  const board = new Board({ onMove: make });
  const bar = new EvalBar();
  const graph = new Graph((at) => goTo(at));
  const moveList = new MoveList((at) => goTo(at));
  const desk = new Desk(line, { refresh, onMove: make, onHover: (move) => board.preview(move), signal: leaving.signal });
  const picker = gamePicker(line.game, (spec) => begin(spec));
  const verdict = h("div", { class: "verdict" });
  const figures = h("div", { class: "figures" });
  const lines = h("div", { class: "lines" });
  const status = h("p", { class: "note", role: "status" });
  const result = h("p", { class: "banner", hidden: true });
  const onOff = button("Analyse", toggleEngine, { icon: "play", main: true });
  const solveButton = button("Solve", solve, { icon: "check", title: "Find the exact value of the position and of every move" });
  const hideButton = button("Hide hints", () => {
    state.set({ hide: !state.flag("hide") });
    show();
  }, { icon: "hide", pressed: false });
  const valuesButton = button("Values on the board", () => {
    state.set({ values: !state.flag("values") });
    press(valuesButton, state.flag("values"));
    search();
  }, { icon: "games", pressed: state.flag("values") });
  const glanceButton = button("Value every move", glance, { small: true, icon: "analyse" });
  const evaluation = h("div", { class: "fields" });
  const turn = h("p", { class: "strip" });
  const secret = h("div", { class: "engine-output" }, verdict, figures, lines);
  const upwards = h("p", { class: "note" });
  const graphPart = h("div", { class: "graph-part" }, graph.element, h("div", { class: "row spread" }, upwards, glanceButton));
  const links = toolbar("This position");
  const turning = turner(board, state, leaving.signal);

  main.append(
    h("div", { class: "room" },
      h("h1", { class: "aloud" }, "Analyse"),
      h("div", { class: "stage" },
        h("div", { class: "board-column" }, h("div", { class: "with-bar" }, bar.element, board.element), turn, result),
        desk.below, links),
      h("div", { class: "side" },
        panel("Engine", toolbar("Engine", onOff, solveButton, hideButton), secret, status,
          toolbar("What is shown", valuesButton), evaluation),
        panel("The game's moves and values", graphPart, moveList.element),
        controlPanel("Game", picker.element, h("div", { class: "row" }, button("From the start", () => begin(line.game), { icon: "undo", small: true }),
          exportMenu({ picture: () => board.picture, line: () => line, data: () => ({ analysis: known.get(keyOf(line.made))?.found ?? null }) }))),
        desk.element)),
  );
  void start();

  async function start() {
    try {
      if (!line.game) line.begin(await usualGame());
      picker.show(line.game);
      await refresh();
    } catch (error) {
      fail(error);
    }
  }

  /** @param {readonly string[]} moves */
  function keyOf(moves) {
    return [line.game, state.get("eval"), line.start, ...moves].join("\n");
  }

  const isOn = () => state.flag("engine", true);

  // What is shown.

  async function refresh({ animate = false } = {}) {
    searching?.abort();
    const view = await line.look();
    if (!view || leaving.signal.aborted) return;
    shown = view;
    solvable = (await infoOf(line.game))?.solvable ?? false;
    board.show(view, { playable: !view.over, animate });
    turning.show();
    desk.show(view, { playable: !view.over, hasPlaces: board.hasPlaces });
    moveList.show(line.played, line.at);
    upwards.textContent = `Up: good for ${playerName(0, view)}`;
    turn.textContent = view.over ? "" : `${capital(view.turn)} to move`;
    turn.classList.toggle("turn", !view.over);
    result.hidden = !view.over;
    result.textContent = resultText(view);
    if (view.over && view.result && typeof view.result.utility === "number") {
      const { winner } = view.result;
      values.set(keyOf(line.made), { share: winner === 0 ? 1 : winner === 1 ? 0 : 0.5, text: resultText(view) });
    }
    fill(links,
      linkButton("Play from here", state.link("play"), { icon: "play" }),
      view.over ? null : linkButton("Why? Step through", state.link("step", { on: "game", step: null }), { icon: "step" }),
      line.moves.length ? linkButton("Review game", state.link("review", { run: true }), { icon: "review" }) : null,
      turning.element);
    showChoices(view);
    show();
    search();
  }

  /** @param {View} view */
  function showChoices(view) {
    const set = (/** @type {Record<string, string | number | null>} */ change) => {
      state.set(change);
      search();
    };
    fill(evaluation,
      field("Lines", numberInput(state.number("lines", USUAL_LINES), 1, 5, (n) => set({ lines: n === USUAL_LINES ? null : n }))),
      field("At most", select(TIMES, state.get("time", USUAL_TIME), (time) => set({ time: time === USUAL_TIME ? null : time }))),
      view.evaluations.length > 1
        ? field("Evaluation", select(view.evaluations, state.get("eval", view.evaluations[0]), (name) => set({ eval: name === view.evaluations[0] ? null : name })))
        : null);
  }

  /** Show what is known of the position, unless hints are hidden. */
  function show() {
    const view = shown;
    if (!view) return;
    const hidden = state.flag("hide");
    press(hideButton, hidden);
    secret.hidden = hidden;
    graphPart.hidden = hidden;
    bar.element.classList.toggle("covered", hidden);
    solveButton.hidden = !solvable;
    solveButton.disabled = view.over;
    onOff.disabled = view.over;
    const now = known.get(keyOf(line.made));
    if (hidden || !now) {
      const end = view.over && view.result && !hidden ? values.get(keyOf(line.made)) : undefined;
      bar.show(end?.share ?? null, "", hidden ? "hidden" : (end?.text ?? "unknown"));
      board.showArrows([]);
      board.showValues([]);
      fill(verdict);
      fill(figures);
      fill(lines, view.over || isOn() ? null : h("p", { class: "note" }, "The engine is off."));
    } else showFound(view, now);
    const points = [];
    for (let ply = 0; ply <= line.moves.length; ply++) {
      const value = values.get(keyOf(line.moves.slice(0, ply)));
      if (value) points.push({ ply, ...value });
    }
    graph.show(points, line.moves.length, line.at);
  }

  /**
   * @param {View} view
   * @param {Known} now
   */
  function showFound(view, { found, solved, done }) {
    const scale = scaleOf(view, { solved });
    const count = state.number("lines", USUAL_LINES);
    bar.show(found.share, shortValue(found, scale), longValue(found, scale));
    fill(verdict, h("span", { class: "value" }, shortValue(found, scale)), h("span", { class: "soft" }, wordsOf(found, scale)));
    fill(figures,
      solved
        ? h("span", {}, h("b", {}, found.complete === false ? "not solved in time" : "solved"), found.method ? ` by ${found.method}` : "")
        : h("span", {}, "depth ", h("b", {}, found.depth), found.selective_depth > found.depth ? `/${found.selective_depth}` : ""),
      h("span", { title: `${grouped(found.nodes)} positions` }, h("b", {}, brief(found.nodes)), " nodes"),
      h("span", {}, h("b", {}, brief(found.rate)), "/s"),
      h("span", {}, `${found.seconds.toFixed(1)} s`),
      done && !solved ? h("span", {}, found.exact ? "proven" : "finished") : null);
    showLines(found.moves.slice(0, solved ? 12 : count), scale);
    const places = new Map(view.moves.map((move) => [move.move, move.places]));
    const showValues = state.flag("values") || solved;
    if (showValues) board.showValues(found.moves.map((each) => ({ places: places.get(each.move) ?? [], text: shortValue(each, scale), good: goodness(each, found) })));
    else board.showValues([]);
    board.showArrows(showValues ? [] : found.moves.slice(0, count).map((each) => ({ places: places.get(each.move) ?? [] })));
  }

  /**
   * The lines, in the elements that are there already: news come five times a second, and a button
   * must not go away under the mouse or the keyboard's focus.
   *
   * @param {Found["moves"]} moves
   * @param {import("../values.js").Scale} scale
   */
  function showLines(moves, scale) {
    current = moves.map((each) => each.pv.slice(0, LONGEST));
    const rows = [...lines.querySelectorAll(".pv")];
    if (rows.length !== lines.children.length) lines.replaceChildren();
    for (const [k, each] of moves.entries()) {
      let row = lines.children[k];
      if (!row) {
        row = h("div", { class: "pv" }, h("span", { class: "value" }), h("span", { class: "pv-moves", role: "group" }));
        lines.append(row);
      }
      const [value, group] = /** @type {HTMLElement[]} */ ([...row.children]);
      if (!value || !group) continue;
      value.textContent = shortValue(each, scale);
      value.title = longValue(each, scale);
      group.setAttribute("aria-label", `Line of ${each.text}`);
      const pv = each.pv_text.slice(0, LONGEST);
      for (const [i, move] of pv.entries()) {
        let one = group.children[i];
        if (!one) {
          one = h("button", { type: "button", class: "move", onclick: () => playUpTo(k, i) });
          group.append(one);
        }
        if (one.textContent !== move) one.textContent = move;
      }
      while (group.children.length > pv.length) group.lastElementChild?.remove();
    }
    while (lines.children.length > moves.length) lines.lastElementChild?.remove();
  }

  /**
   * @param {number} k the line
   * @param {number} i the move in it
   */
  function playUpTo(k, i) {
    const pv = current[k];
    if (!pv || i >= pv.length) return;
    line.play(...pv.slice(0, i + 1));
    refresh({ animate: true }).catch(fail);
  }

  // Searches.

  function toggleEngine() {
    const isSearching = searching !== undefined && !searching.signal.aborted;
    state.set({ engine: isSearching ? "0" : null });
    if (!isSearching) search({ again: true });
    else {
      searching?.abort();
      status.textContent = "";
      showOnOff();
      show();
    }
  }

  function showOnOff() {
    const on = isOn() && searching !== undefined && !searching.signal.aborted;
    fill(onOff);
    const made = button(on ? "Stop" : "Analyse", () => {}, { icon: on ? "stop" : "play" });
    onOff.append(...made.childNodes);
    onOff.classList.toggle("main", !on);
  }

  /** Look for the best moves of the position on the board. */
  function search({ again = false } = {}) {
    searching?.abort();
    searching = undefined;
    status.textContent = "";
    const view = shown;
    show();
    showOnOff();
    if (!view || view.over || !isOn()) return;
    const key = keyOf(line.made);
    const wanted = Math.min(view.moves.length, state.flag("values") ? 500 : state.number("lines", USUAL_LINES));
    const before = known.get(key);
    if (before?.done && !again && (before.solved || before.found.moves.length >= wanted)) return;
    const eval_ = state.get("eval");
    void run("analyse", {
      ...line.here, time: state.number("time", Number(USUAL_TIME)), multipv: Math.max(1, wanted),
      ...(eval_ && view.evaluations.includes(eval_) ? { eval: eval_ } : {}),
    }, key, view, false);
  }

  function solve() {
    if (!shown || shown.over) return;
    searching?.abort();
    status.textContent = "";
    void run("solve", { ...line.here, time: SOLVE_SECONDS }, keyOf(line.made), shown, true);
    fill(status, h("span", { class: "busy" }, "Solving…"));
  }

  /**
   * @param {"analyse" | "solve"} what
   * @param {Record<string, unknown>} fields
   * @param {string} key
   * @param {View} view
   * @param {boolean} solved
   */
  async function run(what, fields, key, view, solved) {
    const mine = new AbortController();
    searching = mine;
    showOnOff();
    const take = (/** @type {Found} */ found, /** @type {boolean} */ done) => {
      known.set(key, { found, solved, done });
      values.set(key, { share: found.share, text: shortValue(found, scaleOf(view, { solved })) });
      if (!leaving.signal.aborted) show();
    };
    try {
      const found = await ask(what, fields, {
        signal: AbortSignal.any([mine.signal, leaving.signal]),
        onNews: (news) => {
          if (news.compiling) fill(status, h("span", { class: "busy" }, `Compiling ${news.compiling} for the first time…`));
          else if (news.waiting) fill(status, h("span", { class: "busy" }, `${news.waiting}…`));
          else if (news.moves) {
            status.textContent = "";
            take(news, false);
          }
        },
      });
      if (searching === mine) {
        status.textContent = "";
        searching = undefined;
      }
      take(found, true);
      showOnOff();
      if (!state.flag("hide")) announce(`${solved ? "Solved" : "Analysed"}: ${longValue(found, scaleOf(view, { solved }))}${found.moves[0] ? `; best is ${found.moves[0].text}` : ""}`);
    } catch (error) {
      if (searching !== mine) return;
      searching = undefined;
      showOnOff();
      if (error instanceof DOMException) return;
      status.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  /** A short look at every position of the game, for the graph. */
  async function glance() {
    const { game, start, moves } = line;
    glanceButton.disabled = true;
    const scale = shown ? scaleOf(shown) : { player: 0, estimates: true, unit: 1 };
    try {
      await ask("review", { game, start, moves, time: GLANCE_SECONDS }, {
        signal: leaving.signal,
        onNews: (news) => {
          if (!news.ply || line.game !== game || line.start !== start) return;
          const { ply, share, value } = news.ply;
          const key = keyOf(moves.slice(0, ply));
          if (!known.has(key)) values.set(key, { share, text: shortValue({ value }, { ...scale, player: 0 }) });
          show();
        },
      });
    } catch (error) {
      complain(error);
    }
    glanceButton.disabled = false;
  }

  // What happens.

  /** @param {string} move */
  async function make(move) {
    if (!shown) return;
    const { player } = shown;
    const made = await line.make(move, leaving.signal).catch((error) => desk.complain(error));
    if (!made) return;
    try {
      await refresh({ animate: true });
      announce(capital(`${playerName(player, shown)} plays ${lastMove(shown)}. ${resultText(shown)}`));
    } catch (error) {
      fail(error);
    }
  }

  /** @param {number} at */
  function goTo(at) {
    line.go(at);
    refresh({ animate: true }).then(() => announce(`After ${line.at} moves: ${lastMove(shown) || "the start"}`)).catch(fail);
  }

  /** @param {string} spec */
  async function begin(spec) {
    if (!(await mayDiscard(line))) {
      picker.show(line.game);
      return;
    }
    line.begin(spec);
    state.set({ eval: null });
    picker.show(spec);
    refresh().catch(fail);
  }

  /** @param {unknown} error */
  function fail(error) {
    if (shown || error instanceof DOMException) {
      complain(error);
      return;
    }
    fill(board.element, h("div", { class: "failed panel" },
      h("p", {}, `This game cannot be shown: ${error instanceof Error ? error.message : error}`),
      linkButton("Start another", "#analyse/", { main: true })));
  }

  return {
    close() {
      leaving.abort();
      searching?.abort();
      moveList.close();
    },
    update() {
      line.read();
      press(valuesButton, state.flag("values"));
      void start();
    },
  };
}

/**
 * How good a move is beside the best, from 0 to 1.
 *
 * @param {Found["moves"][number]} each
 * @param {Found} found
 */
function goodness(each, found) {
  const best = found.moves[0];
  if (!best || each.value >= best.value) return 1;
  return Math.max(0, 1 - Math.abs(best.share - each.share) * 2.5);
}

