// @ts-check
/** The position editor: any game's board, the pieces to place, whose turn it is, and the text. */

import { Board } from "./board.js";
import { ask, games } from "./connection.js";
import { capital, resultText } from "./line.js";
import { announce, button, controlPanel, copyText, field, h, select } from "./parts.js";
import { parse } from "./svg.js";
import { turner } from "./turning.js";

/** @import { State } from "./state.js" */
/** @import { View } from "./line.js" */

/** @param {HTMLElement} place @param {State} state */
export function buildPosition(place, state) {
  const leaving = new AbortController();
  const { signal } = leaving;
  let game = state.get("game", "tic-tac-toe");
  let position = "";
  let piece = "";
  let player = 0;
  /** @type {string[]} */
  let sides = [];
  /** @type {View["signs"]} */
  let signs = {};
  let written = "";
  /** @type {string[]} */
  let past = [];
  /** What was done last: a hand is quicker than an answer, so one thing waits for another. @type {Promise<unknown>} */
  let last = Promise.resolve();

  const board = new Board({ onMove: at => put(at) });
  const turning = turner(board, state, signal);
  const error = h("p", { class: "bad", role: "alert" });
  const text = h("input", { class: "mono", spellcheck: "false", autocapitalize: "off" });
  text.addEventListener("change", () => {
    const typed = text.value.trim();
    inTurn(() => look(typed));
  });
  const palette = h("div", { class: "build-palette", role: "radiogroup", "aria-label": "Piece to put" });
  const turn = h("div", { class: "joined", role: "group", "aria-label": "To move" });
  const side = h("p", { class: "note" });
  const gamePlace = h("div", { class: "fields" });
  const boardHint = h("p", { class: "note" });
  const undo = button("Undo", () => inTurn(async () => {
    const before = past.pop();
    if (before !== undefined) await look(before, false);
  }), { icon: "undo", small: true, disabled: true });
  const use = (/** @type {string} */ room, /** @type {Record<string, string | null>} */ more = {}) => inTurn(() => {
    if (!signal.aborted) state.go(room, { game, start: position, moves: null, at: null, ...more });
  });
  const go = h("div", { class: "toolbar", role: "group", "aria-label": "Use this position" },
    button("Play from here", () => use("play"), { icon: "play", main: true }),
    button("Analyze", () => use("analyse"), { icon: "analyse" }),
    button("Step through", () => use("step", { on: "game", step: null }), { icon: "step" }));
  place.replaceChildren(h("div", { class: "room" },
    h("div", { class: "stage build-board" }, board.element, boardHint, error, field("The position as text: change it here, or paste one", text), h("div", { class: "row spread" }, go,
      button("Copy text", () => copyText(position, "Position copied"), { icon: "copy", small: true }))),
    h("div", { class: "side" },
      controlPanel("Game", gamePlace),
      controlPanel("Pieces", palette, turn, side,
        h("div", { class: "toolbar" }, undo, button("Start position", () => inTurn(() => look("")), { small: true }), turning.element)))));

  games().then(({ games: all }) => {
    if (signal.aborted) return;
    const name = game.replace(/\(.*/s, "");
    const listed = all.map(each => /** @type {const} */ ([each.game, each.title]));
    const spec = h("input", { class: "mono", value: game, spellcheck: "false", autocapitalize: "off" });
    const change = (/** @type {string} */ to) => {
      spec.value = to;
      inTurn(() => {
        game = to;
        past = [];
        return look("");
      });
    };
    spec.addEventListener("change", () => change(spec.value.trim()));
    gamePlace.replaceChildren(
      field("Game", select(listed, name, change)),
      ...(all.some(each => each.parameters.length) ? [field("With its parameters", spec)] : []));
  }).catch(complain);
  inTurn(() => look(state.get("start"), false, state.get("at") ? state.moves.slice(0, Number(state.get("at"))) : state.moves));

  /** Do something when what was done before is over. @param {() => void | Promise<void>} action */
  function inTurn(action) {
    last = last.then(action).catch(complain);
  }

  /** Show a position. @param {string} start @param {boolean} [remember] @param {string[]} [moves] */
  async function look(start, remember = true, moves = []) {
    try {
      /** @type {View} */
      const view = await ask("view", { game, start, moves }, { signal });
      if (remember && position && view.position !== position) past.push(position);
      show(view);
    } catch (problem) {
      complain(problem);
    }
  }

  /** @param {View} view */
  function show(view) {
    position = view.position;
    player = view.player;
    written = position;
    complain();
    if (document.activeElement !== text) text.value = position;
    const all = [...parse(view.svg).querySelectorAll("[data-place]")].map(each => each.getAttribute("data-place") ?? "");
    board.show({ ...view, played: [], moves: [...new Set(all)].map(each => ({ move: each, text: each, places: [each] })) }, { playable: view.pieces.length > 0 });
    turning.show();
    boardHint.textContent = view.pieces.length
      ? "Choose a piece, then click a place, or go there with the arrow keys and press Enter."
      : "This game's board cannot be set up by hand; enter the position as text.";
    undo.disabled = !past.length;
    showPalette(view);
    side.textContent = view.over ? `The game is over here. ${resultText(view)}` : `${view.moves.length} legal ${view.moves.length === 1 ? "move" : "moves"}.`;
    sides = view.sides;
    turn.replaceChildren(...sides.map((name, which) =>
      h("button", { type: "button", class: "button small", "aria-pressed": String(which === player), onclick: () => put("turn", String(which)) }, `${capital(name)} to move`)));
    turn.hidden = !view.pieces.length;
    state.set({ game, start: position, moves: null, at: null });
  }

  /** @param {View} view */
  function showPalette(view) {
    if (!view.pieces.includes(piece)) piece = view.pieces[0] ?? "";
    signs = view.signs;
    palette.replaceChildren(...view.pieces.map((each, k) => {
      const [sign, name] = signs[each];
      const input = h("input", { type: "radio", name: "piece", value: each, checked: each === piece, onchange: () => { piece = each; } });
      return h("label", { class: "build-piece", title: name }, input, h("span", { class: "build-letter", "aria-hidden": "true" }, sign),
        h("span", { class: name === sign ? "aloud" : "" }, name), k < 9 ? h("kbd", { "aria-hidden": "true" }, String(k + 1)) : null);
    }));
  }

  /** @param {string} at @param {string} [what] */
  function put(at, what = piece) {
    inTurn(async () => {
      try {
        const answer = await ask("put", { game, position, place: at, piece: what }, { signal });
        await look(answer.position);
        announce(at === "turn" ? `${capital(sides[Number(what)] ?? "")} to move` : `${signs[what]?.[1] ?? what} at ${at}`);
      } catch (problem) {
        complain(problem);
        await look(position, false);
        complain(problem);
      }
    });
  }

  /** @param {unknown} [problem] */
  function complain(problem) {
    if (problem instanceof DOMException && problem.name === "AbortError") return;
    error.textContent = problem === undefined ? "" : problem instanceof Error ? problem.message : String(problem);
    text.setAttribute("aria-invalid", String(problem !== undefined));
  }

  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey || /** @type {Element} */ (event.target).closest("input:not([type=radio]),textarea,select")) return;
    const chosen = /^[1-9]$/.test(event.key) ? palette.querySelectorAll("input")[Number(event.key) - 1] : undefined;
    if (!chosen) return;
    event.preventDefault();
    chosen.checked = true;
    piece = chosen.value;
    announce(signs[piece]?.[1] ?? piece);
  }, { signal });

  return {
    update() {
      const [other, wanted, { moves }] = [state.get("game", game), state.get("start"), state];
      if (other !== game || (wanted && wanted !== written))
        inTurn(() => {
          game = other;
          return look(wanted, false, moves);
        });
    },
    close: () => leaving.abort(),
  };
}
