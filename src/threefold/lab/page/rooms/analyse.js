// @ts-check
/** Analyze: what a position is worth, its best lines, and the same for the whole game. */

import { EvalBar } from "../evalbar.js";
import { exportMenu } from "../exporting.js";
import { GameRoom } from "../gameroom.js";
import { Graph } from "../graph.js";
import { howToMove } from "../howto.js";
import { capital, playerName, resultText } from "../line.js";
import {
  announce, button, complain, controlPanel, field, fill, fold, h, linkButton, numberInput, panel, press, select, toolbar,
} from "../parts.js";
import { evaluationField, infoOf } from "../picker.js";
import { foundScale, Searcher } from "../searcher.js";
import { Territory } from "../territory.js";
import { longValue, shortValue } from "../values.js";
import { valuesOf, Verdict } from "../verdict.js";
import { Weighing } from "../weighing.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../line.js").View} View */
/** @typedef {import("../searcher.js").Found} Found */
/** @typedef {import("../searcher.js").Known} Known */

const TIMES = /** @type {const} */ ([["10", "10 s"], ["60", "1 min"], ["600", "10 min"], ["3600", "1 hour"]]);
const USUAL_TIME = "60";
const USUAL_LINES = 3;
/** Enough lines for the values of all moves. */
const ALL_LINES = 500;

/**
 * @param {HTMLElement} main
 * @param {State} state
 */
export function open(main, state) {
  const analysis = new Analysis(main, state);
  return { close: () => analysis.room.close(), update: () => analysis.update() };
}

class Analysis {
  /**
   * @param {HTMLElement} main
   * @param {State} state
   */
  constructor(main, state) {
    this._state = state;
    this._solvable = false;
    this.room = new GameRoom(state, { show: (view) => this._show(view), stop: () => this._stop() });
    this._searcher = new Searcher(this.room.line, state, {
      signal: this.room.signal,
      onFound: () => this._showFound(),
      onDone: (now, view) => this._announce(now, view),
      onChange: () => this._showRunning(),
      onStatus: (text, { busy = false } = {}) => fill(this._status, busy ? h("span", { class: "busy" }, text) : text),
    });
    this._bar = new EvalBar();
    this._graph = new Graph((at) => this.room.goTo(at));
    this._verdict = new Verdict((moves) => {
      if (!this.room.line.isSeen) return; // it is a line of the position before
      this.room.line.play(...moves);
      this.room.refresh({ animate: true }).catch((error) => this.room.fail(error));
    });
    this._status = h("p", { class: "note", role: "status" });
    this._result = h("p", { class: "banner", hidden: true });
    this._turn = h("p", { class: "strip" });
    this._choices = h("div", { class: "fields" });
    this._links = toolbar("This position");
    this._upwards = h("p", { class: "note" });
    this._runButton = button("Analyze", () => void this._toggle(), { icon: "play", main: true });
    this._solveButton = button("Solve", () => void this._solve(), { icon: "check", title: "Find the exact value of the position and of every move" });
    this._hideButton = button("Hide hints", () => {
      state.set({ hide: !state.flag("hide") });
      this._showFound();
    }, { icon: "hide", pressed: false });
    this._valuesButton = button("Values on the board", () => {
      state.set({ values: !state.flag("values") });
      press(this._valuesButton, state.flag("values"));
      this._search();
    }, { icon: "games", pressed: state.flag("values") });
    this._glanceButton = button("Value every move", () => void this._glance(), { small: true, icon: "analyse" });
    this._graphPart = h("div", { class: "graph-part" }, this._graph.element, h("div", { class: "row spread" }, this._upwards, this._glanceButton));
    this._weighing = new Weighing(this.room, state);
    this._territory = new Territory(this.room.board, this.room.line, state);
    this._layOut(main);
    void this.room.start();
  }

  /** @param {HTMLElement} main */
  _layOut(main) {
    const { line, board, desk, picker, moveList } = this.room;
    main.append(
      h("div", { class: "room" },
        h("h1", { class: "aloud" }, "Analyze"),
        h("div", { class: "stage" },
          h("div", { class: "board-column" }, h("div", { class: "with-bar" }, this._bar.element, board.element), this._turn, this._result),
          desk.below, h("div", { class: "row beside-board no-print" }, desk.others, this._territory.element), this._links, this._terms()),
        h("div", { class: "side" },
          panel("Engine", toolbar("Engine", this._runButton, this._solveButton, this._hideButton), this._verdict.element, this._status,
            toolbar("What is shown", this._valuesButton), this._choices),
          panel("The game's moves and values", this._graphPart, moveList.element),
          controlPanel("Game", picker.element, h("div", { class: "row" }, button("From the start", () => this.room.begin(line.game), { icon: "undo", small: true }),
            exportMenu({ picture: () => board.picture, line: () => line, data: () => ({ analysis: this._searcher.known?.found ?? null }) }))),
          desk.element)),
    );
  }

  /** The evaluation, term by term; it is asked for when it is opened. */
  _terms() {
    const folded = fold("The evaluation, term by term", this._state.flag("terms"), this._weighing.element);
    folded.addEventListener("toggle", () => {
      this._state.set({ terms: folded.open });
      this._showTerms();
    });
    return panel("Evaluation", folded);
  }

  _showTerms() {
    if (this.room.view && this._state.flag("terms")) void this._weighing.show(this.room.view);
  }

  /** The address has changed. */
  update() {
    press(this._valuesButton, this._state.flag("values"));
    this.room.update();
  }

  get _isOn() {
    return this._state.flag("engine", true);
  }

  get _lines() {
    return this._state.number("lines", USUAL_LINES);
  }

  // What is shown.

  /** @param {View} view */
  async _show(view) {
    const { line, turning } = this.room;
    const state = this._state;
    this._searcher.note(view);
    this._upwards.textContent = `Up: good for ${playerName(0, view)}`;
    const how = view.over || view.pairs ? "" : view.hides && view.player !== -1 ? "judged by what is seen from there" : howToMove(view);
    fill(this._turn, view.over ? "" : `${capital(view.turn)} to move`, how ? h("span", { class: "strip-doing" }, how) : null);
    this._turn.classList.toggle("turn", !view.over);
    this._result.hidden = !view.over;
    this._result.textContent = resultText(view);
    fill(this._links,
      // A game that hides something is not played from its moves, which would tell what is hidden.
      linkButton("Play from here", view.hides ? state.link("play", { start: view.position, moves: null, at: null }) : state.link("play"), { icon: "play" }),
      view.over || view.hides ? null : linkButton("Why? Step through", state.link("step", { on: "game", step: null }), { icon: "step" }),
      line.moves.length ? linkButton("Review game", state.link("review", { run: true }), { icon: "review" }) : null,
      turning.element);
    this._showChoices(view);
    this._showTerms();
    this._territory.show(view);
    this._solvable = (await infoOf(line.game))?.solvable ?? false;
    if (this.room.view === view) this._search();
  }

  /** @param {View} view */
  _showChoices(view) {
    const state = this._state;
    const set = (/** @type {Record<string, string | number | null>} */ change) => {
      state.set(change);
      this._search();
      this._showTerms();
    };
    fill(this._choices,
      field("Lines", numberInput(this._lines, 1, 5, (n) => set({ lines: n === USUAL_LINES ? null : n }))),
      field("At most", select(TIMES, state.get("time", USUAL_TIME), (time) => set({ time: time === USUAL_TIME ? null : time }))),
      evaluationField(view, state, set));
  }

  /** Show what is known about the position, unless hints are hidden. */
  _showFound() {
    const { view, board, line } = this.room;
    if (!view) return;
    const hidden = this._state.flag("hide");
    press(this._hideButton, hidden);
    this._verdict.element.hidden = hidden;
    this._graphPart.hidden = hidden;
    this._bar.element.classList.toggle("covered", hidden);
    this._solveButton.hidden = !this._solvable;
    this._solveButton.disabled = view.over;
    this._runButton.disabled = view.over;
    const now = this._searcher.known;
    if (hidden || !now) {
      const end = view.over && view.result && !hidden ? this._searcher.value : undefined;
      this._bar.show(end?.share ?? null, "", hidden ? "hidden" : (end?.text ?? "unknown"));
      board.showArrows([]);
      board.showValues([]);
      this._verdict.clear(view.over || this._isOn ? "" : "The engine is off.");
    } else this._showKnown(view, now);
    this._graph.show(this._searcher.points, line.moves.length, line.at);
  }

  /**
   * @param {View} view
   * @param {Known} now
   */
  _showKnown(view, now) {
    const { found, solved } = now;
    const { board } = this.room;
    const scale = foundScale(view, now, this._state);
    this._bar.show(found.share, shortValue(found, scale), longValue(found, scale));
    this._verdict.show(now, scale, this._lines);
    const places = new Map(view.moves.map((move) => [move.move, move.places]));
    const marked = (/** @type {Found["moves"][number]} */ { move }) => places.get(move) ?? [];
    if (this._state.flag("values") || solved) {
      board.showValues(valuesOf(found, scale, marked));
      board.showArrows([]);
    } else {
      board.showValues([]);
      board.showArrows(found.moves.slice(0, this._lines).map((each) => ({ places: marked(each) })));
    }
  }

  /** The button says what it does now. */
  _showRunning() {
    const on = this._isOn && this._searcher.isRunning;
    const made = button(on ? "Stop" : "Analyze", () => {}, { icon: on ? "stop" : "play" });
    fill(this._runButton, [...made.childNodes]);
    this._runButton.classList.toggle("main", !on);
  }

  /**
   * @param {Known} now
   * @param {View} view
   */
  _announce(now, view) {
    if (this._state.flag("hide")) return;
    const { found, solved } = now;
    const best = found.moves[0] ? `; best is ${found.moves[0].text}` : "";
    announce(`${solved ? "Solved" : "Analyzed"}: ${longValue(found, foundScale(view, now, this._state))}${best}`);
  }

  // Searches.

  _stop() {
    this._searcher.stop();
    this._territory.stop();
  }

  async _toggle() {
    const wasRunning = this._searcher.isRunning;
    this._state.set({ engine: wasRunning ? "0" : null });
    // A position that came meanwhile has started it already.
    if ((await this.room.settled()) && this._searcher.isRunning === wasRunning) this._search({ again: !wasRunning });
  }

  /** Look for the best moves of the position on the board. */
  _search({ again = false } = {}) {
    this._searcher.stop();
    this._showFound();
    const { view, line } = this.room;
    // A position that is still fetched is searched when it is shown.
    if (!view || !line.isSeen || view.over || !this._isOn) return;
    const lines = this._state.flag("values") ? ALL_LINES : this._lines;
    this._searcher.analyze(view, { lines, time: this._state.number("time", Number(USUAL_TIME)), again });
  }

  async _solve() {
    const view = await this.room.settled();
    if (view && !view.over && this._solvable) this._searcher.solve(view);
  }

  async _glance() {
    this._glanceButton.disabled = true;
    const view = await this.room.settled();
    if (view) await this._searcher.glance(view).catch(complain);
    this._glanceButton.disabled = false;
  }
}
