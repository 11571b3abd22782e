// @ts-check
/** Play: any game, each side a human or the engine. */

import { ask, games } from "../connection.js";
import { exportMenu } from "../exporting.js";
import { GameRoom } from "../gameroom.js";
import { HiddenPlay, HUMAN, pause } from "../hiddenplay.js";
import { howToMove } from "../howto.js";
import { capital, playerName, PLAYERS, resultText } from "../line.js";
import { announce, brief, button, controlPanel, field, fill, fold, h, icon, linkButton, panel, select, toolbar } from "../parts.js";
import { evaluationField, infoOf, usualGame } from "../picker.js";
import { foundScale } from "../searcher.js";
import { Territory } from "../territory.js";
import { chosenEvaluation, shortValue } from "../values.js";
import { valuesOf, Verdict } from "../verdict.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../line.js").View} View */

/** Seconds that an engine may be given, as `5s`. */
const SECONDS = [1, 3, 10, 30];
/** How long nature's roll, or that a player cannot move, is shown before the game goes on. */
const ROLL_PAUSE = 700;
const PASS_PAUSE = 1500;
const USUAL = ["human", "3"];
/** Lines of the engine's thinking that are shown. */
const THOUGHTS = 5;

/** Whether a player is the engine with so many seconds a move. @param {string} who */
const isSeconds = (who) => /^[\d.]+s$/.test(who);

/**
 * @param {HTMLElement} main
 * @param {State} state
 */
export function open(main, state) {
  /** @type {{close(): void, update(): void} | undefined} */
  let table;
  /** Whether something is hidden at it, and from how many. */
  let kind = "";
  let visits = 0;

  /** Open the room that suits the game, or tell the one that is open. */
  const enter = async () => {
    const visit = ++visits;
    const info = await infoOf(state.get("game") || (await usualGame())).catch(() => undefined);
    if (visit !== visits) return;
    const found = info?.seats.length ? info.seats.join() : "open";
    if (table && found === kind) {
      table.update();
      return;
    }
    table?.close();
    main.replaceChildren();
    kind = found;
    table = info?.seats.length ? new HiddenPlay(main, state, info, choose) : new Play(main, state, choose).door;
  };

  /** Another game was chosen that is played otherwise. @param {string} game */
  const choose = (game) => {
    state.set({ game, start: null, moves: null, at: null, eval: null, weights: null });
    void enter();
  };

  void enter();
  return {
    close: () => {
      visits++;
      table?.close();
    },
    update: () => void enter(),
  };
}

class Play {
  /**
   * @param {HTMLElement} main
   * @param {State} state
   * @param {(game: string) => void} onHidden a game was chosen that hides something
   */
  constructor(main, state, onHidden) {
    this._state = state;
    this.door = { close: () => this.room.close(), update: () => this.room.update() };
    /** @type {import("../connection.js").Catalogue | undefined} */
    this._catalogue = undefined;
    /** The game whose players are offered. @type {string | undefined} */
    this._offeredFor = undefined;
    /** What the engine or nature is doing now. @type {AbortController | undefined} */
    this._working = undefined;
    /** @type {GameRoom} */
    this.room = new GameRoom(state, {
      prepare: async () => {
        this._catalogue = await games();
        this._offeredFor = undefined;
      },
      takesOver: async (spec) => {
        if (!(await infoOf(spec))?.seats.length) return false;
        onHidden(spec);
        return true;
      },
      isPlayable: (view) => !view.passes && this._isHuman(view.player),
      show: (view) => this._show(view),
      stop: () => {
        this._working?.abort();
        this._working = undefined;
        this._territory.stop();
      },
      // A human who plays against the engine sits at the bottom.
      isTurned: () => {
        const humans = [0, 1].filter((player) => this._isHuman(player));
        return humans.length === 1 && humans[0] === this.room.view?.above;
      },
    });
    this._territory = new Territory(this.room.board, this.room.line, state);
    /** What the engine has found while it thought about its last move. */
    this._verdict = new Verdict();
    this._thinking = this._thinkingPart();
    this._strips = [strip(0), strip(1)];
    this._banner = h("div", { class: "banner", hidden: true });
    /** A link to the search itself, for users who have not started to play. */
    this._welcome = h("p", { class: "welcome panel no-print" }, h("span", {}, "How does it think?"),
      linkButton("See a search prune a tree", state.link("step", { procedure: "alphabeta", tree: null, on: null, step: null }), { icon: "step", small: true }));
    this._players = h("div", { class: "fields" });
    this._evaluation = h("div", { class: "fields" });
    this._back = button("Take back", () => void this._takeBack(), { icon: "undo", title: "Take the last move back (Backspace)" });
    this._links = toolbar("This position");
    this._layOut(main);
    document.addEventListener("keydown", (event) => this._key(event), { signal: this.room.signal });
    void this.room.start();
  }

  /** @param {HTMLElement} main */
  _layOut(main) {
    const { line, board, desk, picker, moveList } = this.room;
    main.append(
      h("div", { class: "room" },
        h("h1", { class: "aloud" }, "Play"),
        h("div", { class: "stage" },
          h("div", { class: "board-column" }, this._strips[1].element, board.element, this._strips[0].element), desk.below, h("div", { class: "row beside-board no-print" }, desk.others, this._territory.element), this._links),
        h("div", { class: "side" },
          this._banner, this._welcome,
          controlPanel("Game and players", picker.element, this._players, this._evaluation,
            toolbar("Game", button("New game", () => this.room.begin(line.game), { icon: "plus", main: true }), this._back,
              exportMenu({ picture: () => board.picture, line: () => line, data: () => ({}) }))),
          panel("Moves", moveList.element), this._thinking,
          desk.element)),
    );
  }

  /** The engine's thinking, to be unfolded by those who want to see it. */
  _thinkingPart() {
    const folded = fold("What the engine thinks", this._state.flag("thinking"), this._verdict.element);
    folded.addEventListener("toggle", () => {
      this._state.set({ thinking: folded.open });
      if (!folded.open) this.room.board.showValues([]);
    });
    return panel("Thinking", folded);
  }

  // Who plays.

  /** Programs of the past that play the game on the board. */
  _historic() {
    const [name] = this.room.line.game.split("(");
    return this._catalogue?.historic.filter(({ game }) => game === name) ?? [];
  }

  /** Offer the players that there are for the game on the board, and the engine's evaluations. @param {View} view */
  _offerPlayers(view) {
    const { game } = this.room.line;
    if (this._offeredFor === game) return;
    this._offeredFor = game;
    fill(this._evaluation, evaluationField(view, this._state, (change) => this._state.set(change)));
    const levels = this._catalogue?.levels ?? [];
    const historic = this._historic();
    /** @type {[string, string][]} */
    const options = [
      [HUMAN, "Human"],
      ...levels.map(({ level, name }) => /** @type {[string, string]} */ ([String(level), `Level ${level}${name ? ` · ${name}` : ""}`])),
      ...SECONDS.map((s) => /** @type {[string, string]} */ ([`${s}s`, `Engine, ${s} s`])),
      ...historic.map(({ level, name }) => /** @type {[string, string]} */ ([level, name])),
    ];
    fill(this._players, ["first", "second"].map((key, player) => {
      const control = select(options, this._side(player), (value) => {
        this._state.set({ [key]: value === USUAL[player] ? null : value });
        about(control, value);
        void this.room.refresh();
      });
      /** @param {HTMLElement} element @param {string} value */
      const about = (element, value) => {
        const numbered = levels.find(({ level }) => String(level) === value)?.about[view.search];
        element.title = numbered ?? historic.find(({ level }) => level === value)?.about ?? "";
      };
      about(control, this._side(player));
      return field(capital(PLAYERS[player] ?? ""), control);
    }));
  }

  /** Who plays a side; someone who does not play this game gives way to the usual player. @param {number} player */
  _side(player) {
    const who = this._state.get(player ? "second" : "first", USUAL[player]);
    const playsAnother = this._catalogue?.historic.some(({ level }) => level === who) && !this._historic().some(({ level }) => level === who);
    return playsAnother ? USUAL[player] : who;
  }

  /** @param {number} player */
  _isHuman(player) {
    return player !== -1 && this._side(player) === HUMAN;
  }

  // What is shown.

  /** @param {View} view */
  _show(view) {
    const { line } = this.room;
    this._offerPlayers(view);
    for (const [player, label] of this._players.querySelectorAll("label").entries()) label.textContent = capital(view.sides[player] ?? "");
    const hasEngine = !this._isHuman(0) || !this._isHuman(1);
    this._evaluation.hidden = !hasEngine || !this._evaluation.hasChildNodes();
    this._thinking.hidden = !hasEngine;
    if (!line.moves.length) this._verdict.clear("Nothing yet.");
    this._territory.show(view);
    this._welcome.hidden = line.moves.length > 0;
    this._back.disabled = this._takenBackTo() === undefined;
    this._showStrips(view);
    this._showBanner(view);
    this._showLinks(view);
    if (line.isAtEnd && !view.over && (view.passes || !this._isHuman(view.player))) void this._work(view).catch((error) => this.room.fail(error));
  }

  /**
   * @param {View} view
   * @param {string} [thinking]
   */
  _showStrips(view, thinking = "") {
    for (const [player, each] of this._strips.entries()) {
      const turn = !view.over && view.player === player;
      const human = this._isHuman(player);
      each.show(this._nameOf(player, view), human, turn, view.player === player ? thinking : "", view.result?.winner === player);
      const last = view.played.at(-1);
      // What leaves no mark on the board.
      if (last && !turn && !view.over && last.player === player && !last.places.length && !thinking) each.say(h("span", { class: "rolled" }, `played “${last.text}”`));
      // Where moves are made piece by piece, the board says it.
      const how = turn && human && !view.pairs ? howToMove(view) : "";
      if (how) each.say(h("span", {}, how));
    }
  }

  /**
   * @param {number} player
   * @param {View} view
   */
  _nameOf(player, view) {
    const who = this._side(player);
    const program = this._historic().find(({ level }) => level === who)?.name;
    const engine = isSeconds(who) ? `engine, ${who.slice(0, -1)} s` : `engine, level ${who}`;
    return `${capital(view.sides[player])} · ${who === HUMAN ? "human" : program ?? engine}`;
  }

  /** @param {View} view */
  _showBanner(view) {
    this._banner.hidden = !view.over;
    fill(this._banner);
    if (!view.over) return;
    fill(this._banner,
      h("p", { class: "bigger" }, h("b", {}, resultText(view))),
      toolbar("After the game",
        button("New game", () => this.room.begin(this.room.line.game), { icon: "plus", main: true }),
        linkButton("Where was it lost?", this._state.link("review", { run: true }), { icon: "review" })));
  }

  /** @param {View} view */
  _showLinks(view) {
    const { line, turning } = this.room;
    const state = this._state;
    fill(this._links,
      linkButton("Analyze position", state.link("analyse", { turned: turning.isTurned() }), { icon: "analyse" }),
      view.over ? null : linkButton("Why? Step through", state.link("step", { on: "game", step: null }), { icon: "step" }),
      line.moves.length ? linkButton("Review game", state.link("review", { run: true }), { icon: "review" }) : null,
      linkButton("Set up", state.link("build", { edit: "position" }), { icon: "build" }),
      turning.element);
  }

  // What happens.

  /** Let the engine or nature move, or a player pass who has to. @param {View} view */
  async _work(view) {
    const mine = new AbortController();
    this._working = mine;
    const signal = AbortSignal.any([mine.signal, this.room.signal]);
    try {
      await (view.player === -1 ? this._roll(signal) : view.passes ? this._pass(view, signal) : this._reply(view, signal));
      if (this._working !== mine) return;
      await this.room.refresh({ animate: true });
      if (this.room.view?.over) announce(resultText(this.room.view));
    } catch (error) {
      if (this._working === mine && this.room.view) this._showStrips(this.room.view);
      throw error;
    }
  }

  /** Nature moves. @param {AbortSignal} signal */
  async _roll(signal) {
    const { line } = this.room;
    const { move, text } = await ask("roll", line.here, { signal });
    announce(`Nature: ${text}`);
    this._strips[0].say(h("span", { class: "row rolled" }, icon("dice"), ` Nature: ${text}`));
    await pause(ROLL_PAUSE, signal);
    line.play(move);
  }

  /**
   * A player passes who has no other move.
   *
   * @param {View} view
   * @param {AbortSignal} signal
   */
  async _pass(view, signal) {
    announce(capital(`${playerName(view.player, view)} cannot move and passes`));
    this._strips[view.player]?.say(h("span", { class: "rolled" }, "cannot move and passes"));
    await pause(PASS_PAUSE, signal);
    this.room.line.play(view.moves[0]?.move ?? "");
  }

  /**
   * The engine moves.
   *
   * @param {View} view
   * @param {AbortSignal} signal
   */
  async _reply(view, signal) {
    const { line } = this.room;
    this._showStrips(view, "thinking…");
    const who = this._side(view.player);
    const strength = isSeconds(who) ? { time: Number(who.slice(0, -1)) } : { level: Number(who) || who };
    const { move, text, result } = await ask("reply", { ...line.here, ...strength, ...chosenEvaluation(this._state, view) }, {
      signal,
      onNews: (news) => {
        if (news.compiling) this._showStrips(view, `compiling ${news.compiling} for the first time…`);
        else if (news.waiting) this._showStrips(view, `${news.waiting}…`);
        else if (news.depth) this._showThinking(view, { found: news, solved: false, done: false });
      },
    });
    if (result) this._verdict.show({ found: result, solved: false, done: true }, foundScale(view, { found: result, solved: false, done: true }, this._state), THOUGHTS);
    line.play(move);
    announce(capital(`${playerName(view.player, view)} plays ${text}`));
  }

  /**
   * What the engine has found so far; of a tree search, also on the board.
   *
   * @param {View} view
   * @param {import("../searcher.js").Known} now
   */
  _showThinking(view, now) {
    const { found } = now;
    const scale = foundScale(view, now, this._state);
    const best = found.moves[0];
    this._showStrips(view, found.simulated && best
      ? `thinking: ${brief(found.nodes)} simulations, ${best.text} ${shortValue(best, scale)}…`
      : `thinking, ${found.depth} plies deep…`);
    if (!this._state.flag("thinking")) return;
    this._verdict.show(now, scale, THOUGHTS);
    if (!found.simulated) return;
    const places = new Map(view.moves.map((move) => [move.move, move.places]));
    this.room.board.showValues(valuesOf(found, scale, ({ move }) => places.get(move) ?? []));
  }

  /** How many moves stay when a human takes back the last; undefined if nothing can be taken back. */
  _takenBackTo() {
    const { line } = this.room;
    for (let ply = line.moves.length - 1; ply >= 0; ply--)
      if (this._isHuman(line.played[ply]?.player ?? -1) && !line.played[ply]?.passed) return ply;
    return undefined;
  }

  async _takeBack() {
    if (this.room.board.undo() || !(await this.room.settled())) return;
    const to = this._takenBackTo();
    if (to === undefined) return;
    this.room.line.takeBack(to);
    announce("Taken back");
    this.room.refresh().catch((error) => this.room.fail(error));
  }

  /** @param {KeyboardEvent} event */
  _key(event) {
    if (event.key !== "Backspace" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select, dialog")) return;
    event.preventDefault();
    void this._takeBack();
  }
}

/**
 * A player's strip beside the board: who it is, whether it is their turn, and what they are doing.
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
