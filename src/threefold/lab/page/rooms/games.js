// @ts-check
/** Games: every available game, with its picture and its kind; the user's own first. */

import { games } from "../connection.js";
import { complain, fill, h, linkButton, toolbar } from "../parts.js";
import { still } from "../svg.js";

/** @typedef {import("../connection.js").GameInfo} GameInfo */

/**
 * @param {HTMLElement} main
 * @param {import("../state.js").State} state
 */
export function open(main, state) {
  const cards = h("ul", { class: "cards" }, h("li", { class: "note busy" }, "Fetching the games…"));
  main.append(
    h("div", { class: "room wide" },
      h("header", {}, h("h1", {}, "Games")),
      h("p", { class: "note" }, "You can add your own game: write its rules in a Python file and start ", h("code", { class: "mono" }, "threefold lab mygame.py"), "."),
      cards),
  );
  let open_ = true;
  games().then(({ games: all }) => {
    if (open_) fill(cards, all.map((info) => card(info, state)));
  }).catch(complain);
  return {
    close() {
      open_ = false;
    },
    update() {},
  };
}

/**
 * @param {GameInfo} info
 * @param {import("../state.js").State} state
 */
function card(info, state) {
  const fresh = { game: info.game, start: null, moves: null, at: null, eval: null };
  const parameters = info.parameters.map(({ name, default: usual }) => `${name.replaceAll("_", " ")} ${usual}`).join(", ");
  return h("li", { class: "card" },
    h("div", { class: "card-picture" }, still(info.picture, `${info.title}: the start`)),
    h("div", { class: "card-body" },
      h("h2", {}, info.title, info.own ? h("span", { class: "badge good" }, "your own") : null),
      info.about ? h("p", {}, info.about.split("`").map((text, i) => (i % 2 ? h("code", { class: "mono" }, text) : text))) : null,
      h("p", { class: "facts" }, info.facts.split(", ").map((fact) => h("span", { class: "badge" }, fact))),
      parameters ? h("p", { class: "note" }, "Parameters: ", parameters, ".") : null,
      info.evaluations.length ? h("p", { class: "note" }, "Evaluations: ", info.evaluations.join(", "), ".") : null,
      toolbar(info.title,
        linkButton("Play", state.link("play", fresh), { icon: "play", main: true, small: true }),
        linkButton("Analyze", state.link("analyse", fresh), { small: true }),
        // Where something is hidden there is no tree of positions to step through.
        info.seats.length ? null : linkButton("Step through", state.link("step", { ...fresh, on: "game", step: null, depth: null }), { small: true }))));
}
