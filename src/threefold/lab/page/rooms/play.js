// @ts-check
/** Play: any game, each side a human or the engine. */

import { Board } from "../board.js";
import { ask, games } from "../connection.js";
import { Desk } from "../desk.js";
import { exportMenu } from "../exporting.js";
import { capital, lastMove, Line, mayDiscard, playerName, PLAYERS, resultText } from "../line.js";
import { MoveList } from "../movelist.js";
import {
  announce, button, complain, controlPanel, field, fill, h, icon, linkButton, panel, select, toolbar,
} from "../parts.js";
import { gamePicker, usualGame } from "../picker.js";
import { turner } from "../turning.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../line.js").View} View */

const HUMAN = "human";
/** Seconds that an engine may be given, as `5s`. */
const SECONDS = [1, 3, 10, 30];
/** How long nature's roll is shown before the game goes on. */
const ROLL_PAUSE = 700;
const USUAL = ["human", "3"];

/**
 * @param {HTMLElement} main
 * @param {State} state
 */
export function open(main, state) {
  const line = new Line(state);
  const leaving = new AbortController();
  /** What the engine or nature is doing now. @type {AbortController | undefined} */
  let working;
  /** @type {View | undefined} */
  let shown;

  const board = new Board({ onMove: make });
  const strips = [strip(0), strip(1)];
  const banner = h("div", { class: "banner", hidden: true });
  const moveList = new MoveList((at) => goTo(at));
  /** The way to the search itself, for those who have not begun to play. */
  const welcome = h("p", { class: "welcome panel no-print" }, h("span", {}, "How does it think?"),
    linkButton("See a search cut a tree", state.link("step", { procedure: "alphabeta", tree: null, on: null, step: null }), { icon: "step", small: true }));
  const desk = new Desk(line, { refresh, onMove: make, onHover: (move) => board.preview(move), signal: leaving.signal });
  const picker = gamePicker(line.game, (spec) => begin(spec));
  const players = h("div", { class: "fields" });
  const back = button("Take back", takeBack, { icon: "undo", title: "Take the last move back (Backspace)" });
  const links = toolbar("This position");
  // A person who plays against the engine sits below.
  const turning = turner(board, state, leaving.signal, () => {
    const humans = [0, 1].filter(isHuman);
    return humans.length === 1 && humans[0] === shown?.above;
  });
  const stage = h("div", { class: "board-column" }, strips[1]?.element, board.element, strips[0]?.element);

  main.append(
    h("div", { class: "room" },
      h("h1", { class: "aloud" }, "Play"),
      h("div", { class: "stage" }, stage, desk.below, links),
      h("div", { class: "side" },
        banner, welcome,
        controlPanel("Game and players", picker.element, players,
          toolbar("Game", button("New game", () => begin(line.game), { icon: "plus", main: true }), back,
            exportMenu({ picture: () => board.picture, line: () => line, data: () => ({}) }))),
        panel("Moves", moveList.element),
        desk.element)),
  );
  document.addEventListener("keydown", key);
  void start();

  async function start() {
    try {
      const { levels } = await games();
      fillSides(levels);
      if (!line.game) line.begin(await usualGame());
      picker.show(line.game);
      await refresh();
    } catch (error) {
      fail(error);
    }
  }

  /** @param {{level: number, name: string, about: string}[]} levels */
  function fillSides(levels) {
    /** @type {[string, string][]} */
    const options = [
      [HUMAN, "Human"],
      ...levels.map(({ level, name }) => /** @type {[string, string]} */ ([String(level), `Level ${level}${name ? ` · ${name}` : ""}`])),
      ...SECONDS.map((s) => /** @type {[string, string]} */ ([`${s}s`, `Engine, ${s} s`])),
    ];
    fill(players, ["first", "second"].map((key, player) => {
      const control = select(options, side(player), (value) => {
        state.set({ [key]: value === USUAL[player] ? null : value });
        about(control, value);
        void refresh();
      });
      /** @param {HTMLElement} element @param {string} value */
      const about = (element, value) => {
        element.title = levels.find(({ level }) => String(level) === value)?.about ?? "";
      };
      about(control, side(player));
      return field(capital(PLAYERS[player] ?? ""), control);
    }));
  }

  /** Who plays a side. @param {number} player */
  function side(player) {
    return state.get(player ? "second" : "first", USUAL[player]);
  }

  /** @param {number} player */
  const isHuman = (player) => player !== -1 && side(player) === HUMAN;

  // What is shown.

  async function refresh({ animate = false } = {}) {
    working?.abort();
    working = undefined;
    const view = await line.look();
    if (!view || leaving.signal.aborted) return;
    shown = view;
    const playable = !view.over && isHuman(view.player);
    board.show(view, { playable, animate });
    turning.show();
    desk.show(view, { playable, hasPlaces: board.hasPlaces });
    for (const [player, label] of players.querySelectorAll("label").entries()) label.textContent = capital(view.sides[player] ?? "");
    moveList.show(line.played, line.at);
    welcome.hidden = line.moves.length > 0;
    back.disabled = takenBackTo() === undefined;
    showStrips(view);
    showBanner(view);
    showLinks(view);
    if (line.isAtEnd && !view.over && !playable) void work(view).catch(fail);
  }

  /**
   * @param {View} view
   * @param {string} [thinking]
   */
  function showStrips(view, thinking = "") {
    for (const [player, each] of strips.entries())
      each.show(nameOf(player, view), isHuman(player), !view.over && view.player === player, view.player === player ? thinking : "",
        view.result?.winner === player);
  }

  /**
   * @param {number} player
   * @param {View} view
   */
  function nameOf(player, view) {
    const who = side(player);
    const engine = who.endsWith("s") ? `engine, ${who.slice(0, -1)} s` : `engine, level ${who}`;
    return `${capital(view.sides[player])} · ${who === HUMAN ? "human" : engine}`;
  }

  /** @param {View} view */
  function showBanner(view) {
    banner.hidden = !view.over;
    fill(banner);
    if (!view.over) return;
    fill(banner,
      h("p", { class: "bigger" }, h("b", {}, resultText(view))),
      toolbar("After the game",
        button("New game", () => begin(line.game), { icon: "plus", main: true }),
        linkButton("Where was it lost?", state.link("review", { run: true }), { icon: "review" })));
  }

  /** @param {View} view */
  function showLinks(view) {
    fill(links,
      linkButton("Analyse position", state.link("analyse", { turned: turning.isTurned() }), { icon: "analyse" }),
      view.over ? null : linkButton("Why? Step through", state.link("step", { on: "game", step: null }), { icon: "step" }),
      line.moves.length ? linkButton("Review game", state.link("review", { run: true }), { icon: "review" }) : null,
      linkButton("Set up", state.link("build", { edit: "position" }), { icon: "build" }),
      turning.element);
  }

  // What happens.

  /** Let the engine or nature move. @param {View} view */
  async function work(view) {
    const mine = new AbortController();
    working = mine;
    leaving.signal.addEventListener("abort", () => mine.abort(), { once: true });
    try {
      if (view.player === -1) {
        const { move, text } = await ask("roll", line.here, { signal: mine.signal });
        announce(`Nature: ${text}`);
        rolled(text);
        await pause(ROLL_PAUSE, mine.signal);
        line.play(move);
      } else {
        showStrips(view, "thinking…");
        const who = side(view.player);
        const strength = who.endsWith("s") ? { time: Number(who.slice(0, -1)) } : { level: Number(who) };
        const { move, text } = await ask("reply", { ...line.here, ...strength }, {
          signal: mine.signal,
          onNews: (news) => {
            if (news.compiling) showStrips(view, `compiling ${news.compiling} for the first time…`);
            else if (news.waiting) showStrips(view, `${news.waiting}…`);
            else if (news.depth) showStrips(view, `thinking, ${news.depth} plies deep…`);
          },
        });
        line.play(move);
        announce(capital(`${playerName(view.player, view)} plays ${text}`));
      }
      if (working === mine) await refresh({ animate: true }).then(tell);
    } catch (error) {
      if (working === mine && shown) showStrips(shown);
      throw error;
    }
  }

  /** @param {string} text */
  function rolled(text) {
    strips[0]?.say(h("span", { class: "row rolled" }, icon("dice"), ` Nature: ${text}`));
  }

  /** Say how the game ended. */
  function tell() {
    if (shown?.over) announce(resultText(shown));
  }

  /** A human's move, by hand or as text. @param {string} move */
  async function make(move) {
    if (!shown) return;
    const { player } = shown;
    const made = await line.make(move, leaving.signal).catch((error) => desk.complain(error));
    if (!made) return;
    try {
      await refresh({ animate: true });
      if (shown.over) tell();
      else announce(capital(`${playerName(player, shown)} plays ${lastMove(shown)}; ${playerName(shown.player, shown)} to move`));
    } catch (error) {
      fail(error);
    }
  }

  /** How many moves stay when a human takes the last back; undefined where nothing can be. */
  function takenBackTo() {
    for (let ply = line.moves.length - 1; ply >= 0; ply--)
      if (isHuman(line.played[ply]?.player ?? -1)) return ply;
    return undefined;
  }

  function takeBack() {
    const to = takenBackTo();
    if (to === undefined) return;
    line.takeBack(to);
    announce("Taken back");
    refresh().catch(fail);
  }

  /** @param {number} at */
  function goTo(at) {
    line.go(at);
    refresh({ animate: true }).then(() => {
      announce(line.at ? `After ${line.at} moves: ${lastMove(shown)}` : "The start");
    }).catch(fail);
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
    refresh().then(() => announce(`New game of ${shown?.title}`)).catch(fail);
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    if (event.key !== "Backspace" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select, dialog")) return;
    event.preventDefault();
    takeBack();
  }

  /** @param {unknown} error */
  function fail(error) {
    if (shown || error instanceof DOMException) {
      complain(error);
      return;
    }
    fill(board.element, h("div", { class: "failed panel" },
      h("p", {}, `This game cannot be shown: ${error instanceof Error ? error.message : error}`),
      button("Start another", async () => {
        state.set({ game: null, start: null, moves: null, at: null });
        location.reload();
      }, { main: true })));
  }

  return {
    close() {
      leaving.abort();
      working?.abort();
      moveList.close();
      document.removeEventListener("keydown", key);
    },
    update() {
      line.read();
      picker.show(line.game);
      void start();
    },
  };
}

/**
 * A player's strip beside the board: who it is, whether it is their turn, and what they do.
 *
 * @param {number} player
 */
function strip(player) {
  const picture = h("span", { class: "strip-icon" });
  const name = h("span", { class: "strip-name" });
  const doing = h("span", { class: "strip-doing" });
  const element = h("div", { class: `strip player-${player}` }, picture, name, doing);
  return {
    element,
    /** @param {Node} words */
    say(words) {
      fill(doing, words);
    },
    /**
     * @param {string} text
     * @param {boolean} human
     * @param {boolean} turn
     * @param {string} thinking
     * @param {boolean} won
     */
    show(text, human, turn, thinking, won) {
      fill(picture, icon(human ? "human" : "engine"));
      name.textContent = text;
      element.classList.toggle("turn", turn);
      fill(doing, thinking ? h("span", { class: "busy" }, thinking) : turn ? "to move" : won ? h("span", { class: "badge good" }, "won") : "");
    },
  };
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("no longer wanted", "AbortError"));
    }, { once: true });
  });
}
