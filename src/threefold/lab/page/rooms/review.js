// @ts-check
/** Review: a whole game, the value of every position, and where a better move was missed. */

import { Board } from "../board.js";
import { ask } from "../connection.js";
import { EvalBar } from "../evalbar.js";
import { exportMenu } from "../exporting.js";
import { Graph } from "../graph.js";
import { capital, Line, mayDiscard, playerName, resultText } from "../line.js";
import { MoveList, numbered } from "../movelist.js";
import { announce, button, complain, controlPanel, field, fill, h, linkButton, panel, select, toolbar } from "../parts.js";
import { gamePicker, usualGame } from "../picker.js";
import { turner } from "../turning.js";
import { longValue, scaleOf, shortValue } from "../values.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../line.js").View} View */

/**
 * @typedef {object} Ply what is known about the position after a number of moves
 * @property {number} ply
 * @property {number} value for the first player
 * @property {number} share
 * @property {boolean} simulated whether that is a mean of simulations
 * @property {number | null} win_in
 * @property {string | null} best
 * @property {string | null} best_text the same in readable form
 * @property {string[]} pv
 * @property {string[]} pv_text
 * @property {string | null} mark of the move that led here
 */

const SIGNS = new Map([["inaccuracy", "?!"], ["mistake", "?"], ["blunder", "??"]]);
const TIMES = /** @type {const} */ ([["0.1", "0.1 s"], ["0.3", "0.3 s"], ["1", "1 s"], ["3", "3 s"], ["10", "10 s"]]);
const USUAL_TIME = "0.3";
const LONGEST = 12;

/**
 * @param {HTMLElement} main
 * @param {State} state
 */
export function open(main, state) {
  const line = new Line(state);
  const leaving = new AbortController();
  /** @type {AbortController | undefined} */
  let running;
  /** @type {View | undefined} */
  let shown;
  /** @type {Ply[]} */
  let plies = [];
  let reviewed = "";

  const board = new Board();
  const bar = new EvalBar();
  const turning = turner(board, state, leaving.signal);
  const graph = new Graph((at) => goTo(at));
  const moveList = new MoveList(line, (at) => goTo(at));
  const picker = gamePicker(line.game, async (spec) => {
    const leaves = await mayDiscard(line);
    picker.show(leaves ? spec : line.game);
    if (!leaves) return;
    line.begin(spec);
    forget();
    refresh().catch(fail);
  });
  const remark = h("div", { class: "panel remark", "aria-live": "polite" });
  const runButton = button("Review the game", () => void run(), { icon: "review", main: true });
  const progress = h("div", { class: "progress", role: "progressbar", "aria-label": "Review", hidden: true }, h("div"));
  const status = h("p", { class: "note", role: "status" });
  const summary = h("div", {});
  const upwards = h("p", { class: "note" });
  const faults = h("ol", { class: "list faults" });
  const pasted = h("textarea", { class: "mono", rows: 3, spellcheck: "false", autocomplete: "off" });
  const start = h("input", { class: "mono", type: "text", spellcheck: "false", autocomplete: "off", placeholder: "the usual start" });
  const problem = h("p", { class: "bad note", role: "alert" });

  main.append(
    h("div", { class: "room" },
      h("h1", { class: "aloud" }, "Review"),
      h("div", { class: "stage" },
        h("div", { class: "board-column" }, h("div", { class: "with-bar" }, bar.element, board.element), remark),
        toolbar("This position", turning.element)),
      h("div", { class: "side" },
        panel("Review",
          field("Time for each position", select(TIMES, state.get("pace", USUAL_TIME), (pace) => state.set({ pace: pace === USUAL_TIME ? null : pace }))),
          toolbar("Review", runButton,
            exportMenu({ picture: () => board.picture, line: () => line, data: () => ({ plies }) })),
          progress, status,
          h("div", { class: "graph-part" }, graph.element, upwards),
          summary, faults),
        panel("Moves", moveList.element),
        controlPanel("The game", picker.element,
          h("form", { class: "side", onsubmit: take }, field("Start position", start), field("Moves", pasted, { hint: "In the game's own notation, with or without move numbers." }),
            h("button", { type: "submit", class: "button" }, "Load this game"), problem)))),
  );
  void begin();

  async function begin() {
    try {
      if (!line.game) line.begin(await usualGame());
      picker.show(line.game);
      start.value = line.start;
      await refresh();
      // A game that the user has pasted in the meantime stays.
      pasted.value ||= line.played.map(({ text }) => text).join(" ");
      if (state.flag("run") && line.moves.length && reviewed !== gameKey()) await run();
    } catch (error) {
      fail(error);
    }
  }

  const gameKey = () => [line.game, line.start, ...line.moves].join("\n");

  function forget() {
    running?.abort();
    plies = [];
    reviewed = "";
    state.set({ run: null });
  }

  // What is shown.

  async function refresh({ animate = false } = {}) {
    const view = await line.look();
    if (!view || leaving.signal.aborted) return;
    shown = view;
    pasted.placeholder = view.moves[0] ? `1. ${view.moves[0].text} …` : "";
    board.show(view, { playable: false, animate });
    turning.show();
    show();
  }

  function show() {
    const view = shown;
    if (!view) return;
    /** @param {Ply} ply */
    const scaled = (ply) => {
      // Values are for the first player here, wins for the player to move.
      const mover = line.played[ply.ply]?.player ?? (ply.ply === line.at ? view.player : 0);
      const win = ply.win_in === null ? null : mover === 1 ? -ply.win_in : ply.win_in;
      const ended = ply.best === null;
      return /** @type {const} */ ([{ value: ply.value, share: ply.share, win_in: win, exact: ended }, { ...scaleOf(view, ply), player: 0 }]);
    };
    /** @param {Ply} ply */
    const short = (ply) => shortValue(...scaled(ply));
    /** @param {Ply} ply */
    const long = (ply) => longValue(...scaled(ply));
    const now = plies[line.at];
    bar.show(now?.share ?? null, now ? short(now) : "", now ? long(now) : "unknown");
    graph.show(plies.filter(Boolean).map((ply) => ({ ply: ply.ply, share: ply.share, text: short(ply), mark: ply.mark })), line.moves.length, line.at);
    const remarks = new Map(plies.flatMap((ply) => {
      const sign = SIGNS.get(ply.mark ?? "");
      return sign ? [[ply.ply, { sign, text: ply.mark ?? "", css: ply.mark ?? "" }]] : [];
    }));
    moveList.show(line.played, line.at, remarks);
    upwards.textContent = `Up: good for ${playerName(0, view)}. ◆ inaccuracy, ▲ mistake, ■ blunder`;
    showBetter(now).catch(complain);
    runButton.disabled = line.moves.length === 0;
    showRemark(view, now, short, long);
    showFaults(short);
  }

  /** The position before the last move, if a better move was missed there. @param {Ply | undefined} now */
  const missed = (now) => (now?.mark ? plies[now.ply - 1] : undefined);

  /** Mark on the board what the text beside it says: the move that was missed, else the best one now. @param {Ply | undefined} now */
  async function showBetter(now) {
    const from = missed(now) ?? now;
    const places = from?.best ? await line.placesOf(from.best, from.ply) : [];
    if (now === plies[line.at]) board.showArrows(places.length ? [{ places }] : []);
  }

  /**
   * @param {View} view
   * @param {Ply | undefined} now
   * @param {(ply: Ply) => string} short
   * @param {(ply: Ply) => string} long
   */
  function showRemark(view, now, short, long) {
    const before = missed(now);
    const last = line.at ? line.played[line.at - 1] : undefined;
    const said = [];
    if (!line.moves.length) said.push(h("p", {}, "Paste a game on the right, or play one and come back."));
    else if (last) said.push(h("p", { class: "bigger" }, h("b", {}, numbered(line.played, line.at)),
      h("span", { class: "soft" }, now && !view.over ? ` ${long(now)}` : "")));
    else said.push(h("p", { class: "bigger" }, "The start", now ? h("span", { class: "soft" }, ` · ${long(now)}`) : null));
    if (last && now?.mark && before?.best) {
      said.push(
        h("p", {}, h("span", { class: `badge ${now.mark === "blunder" ? "bad" : "warn"}` }, `${SIGNS.get(now.mark)} ${now.mark}`),
          ` ${capital(playerName(last.player, view))} went from ${short(before)} to ${short(now)}. Better was `, h("b", {}, before.best_text), "."),
        better(before));
    } else if (now?.best) said.push(h("p", {}, "Best now is ", h("b", {}, now.best_text), "."));
    if (view.over) said.push(h("p", {}, h("b", {}, resultText(view))));
    fill(remark, said);
  }

  /** The line that was missed. @param {Ply} before */
  function better(before) {
    const pv = before.pv.slice(0, LONGEST);
    return h("div", { class: "row spread" },
      h("p", { class: "mono" }, before.pv_text.slice(0, LONGEST).join(" "), before.pv.length > LONGEST ? " …" : ""),
      toolbar("The better line",
        button("Show it", () => goTo(before.ply), { small: true, icon: "back" }),
        linkButton("Analyze it", state.link("analyse", { moves: [...line.moves.slice(0, before.ply), ...pv].join(";"), at: before.ply + 1 }), { small: true, icon: "analyse" })));
  }

  /** @param {(ply: Ply) => string} short */
  function showFaults(short) {
    const marked = plies.filter((ply) => ply.mark);
    if (!reviewed && !running) {
      fill(summary);
      fill(faults);
      return;
    }
    const count = (/** @type {number} */ player, /** @type {string} */ mark) =>
      marked.filter((ply) => ply.mark === mark && line.played[ply.ply - 1]?.player === player).length;
    fill(summary, h("div", { class: "scroll" }, h("table", { class: "table narrow" },
      h("thead", {}, h("tr", {}, h("td", {}), [...SIGNS].map(([mark, sign]) => h("th", { scope: "col", class: "number" }, `${mark} ${sign}`)))),
      h("tbody", {}, [0, 1].map((player) => h("tr", {}, h("th", { scope: "row" }, capital(shown?.sides[player] ?? "")),
        [...SIGNS.keys()].map((mark) => h("td", { class: "number" }, count(player, mark)))))))));
    fill(faults, marked.map((ply) => {
      const before = plies[ply.ply - 1];
      const at = ply.ply === line.at;
      return h("li", {}, h("button", { type: "button", "aria-current": at ? "step" : null, onclick: () => goTo(ply.ply) },
        h("b", {}, `${numbered(line.played, ply.ply)} ${SIGNS.get(ply.mark ?? "")}`),
        ` ${ply.mark}`, before ? h("span", { class: "soft" }, `, ${short(before)} → ${short(ply)}, better ${before.best_text}`) : null));
    }));
    if (reviewed && !marked.length) fill(faults, h("li", { class: "note" }, "No move gave anything away."));
  }

  // What happens.

  async function run() {
    if (!line.moves.length) return;
    running?.abort();
    const mine = new AbortController();
    running = mine;
    plies = [];
    reviewed = "";
    state.set({ run: true });
    progress.hidden = false;
    const all = line.moves.length + 1;
    const bit = /** @type {HTMLElement} */ (progress.firstElementChild);
    const went = () => {
      const percent = Math.round((plies.length / all) * 100);
      bit.style.width = `${percent}%`;
      progress.setAttribute("aria-valuenow", String(percent));
    };
    went();
    fill(status, h("span", { class: "busy" }, "Reviewing…"));
    const key = gameKey();
    try {
      const { game, start: from, moves } = line;
      const answer = await ask("review", { game, start: from, moves, time: state.number("pace", Number(USUAL_TIME)) }, {
        signal: AbortSignal.any([mine.signal, leaving.signal]),
        onNews: (news) => {
          if (news.compiling) fill(status, h("span", { class: "busy" }, `Compiling ${news.compiling} for the first time…`));
          else if (news.waiting) fill(status, h("span", { class: "busy" }, `${news.waiting}…`));
          if (!news.ply) return;
          // News may be skipped on a slow connection; then there is a gap until the answer, which is complete.
          plies[news.ply.ply] = news.ply;
          fill(status, h("span", { class: "busy" }, `Reviewing, ${plies.length} of ${all} positions…`));
          went();
          show();
        },
      });
      plies = answer.plies;
      reviewed = key;
      const marked = plies.filter(({ mark }) => mark).length;
      status.textContent = "";
      announce(`Reviewed: ${marked ? `${marked} moves marked` : "no move gave anything away"}`);
    } catch (error) {
      if (!(error instanceof DOMException)) status.textContent = error instanceof Error ? error.message : String(error);
    }
    if (running !== mine) return;
    running = undefined;
    progress.hidden = true;
    show();
  }

  /** @param {Event} event */
  async function take(event) {
    event.preventDefault();
    problem.textContent = "";
    const moves = movesOf(pasted.value);
    try {
      const view = await ask("view", { game: line.game, start: start.value.trim(), moves }, { signal: leaving.signal });
      forget();
      line.begin(line.game, start.value.trim());
      line.play(.../** @type {View} */ (view).played.map(({ move }) => move));
      await refresh();
      await run();
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  /** @param {number} at */
  function goTo(at) {
    line.go(at);
    refresh({ animate: true }).catch(fail);
  }

  /** @param {unknown} error */
  function fail(error) {
    if (shown || error instanceof DOMException) {
      complain(error);
      return;
    }
    fill(board.element, h("div", { class: "failed panel" }, h("p", {}, `This game cannot be shown: ${error instanceof Error ? error.message : error}`)));
  }

  return {
    close() {
      leaving.abort();
      moveList.close();
    },
    update() {
      const before = gameKey();
      line.read();
      if (gameKey() !== before) {
        running?.abort();
        plies = [];
        reviewed = "";
      }
      void begin();
    },
  };
}

/**
 * The moves in a pasted text: without numbers, comments, headers and the result.
 *
 * @param {string} text
 */
export function movesOf(text) {
  return text
    .replace(/\{[^}]*\}|^\s*\[[^\]]*\]\s*$/gm, " ")
    .split(/[\s,;]+/)
    .map((token) => token.replace(/^\d+\.+/, "").replace(/[?!]+$/, ""))
    .filter((token) => token && !/^(1-0|0-1|1\/2-1\/2|\*)$/.test(token));
}
