// @ts-check
/** Choosing a game and its parameters. */

import { games } from "./connection.js";
import { field, fill, h, select, uniqueId } from "./parts.js";

/** @typedef {import("./connection.js").GameInfo} GameInfo */

/**
 * Split a spec, such as `nim(heaps=3-4-5)`, into a game's name and parameters.
 *
 * @param {string} spec
 * @returns {{name: string, values: Map<string, string>}}
 */
export function takeApart(spec) {
  const [, name = spec, inside = ""] = /^([^(]*)\((.*)\)$/.exec(spec) ?? [];
  const values = new Map();
  for (const pair of inside.split(",")) {
    const at = pair.indexOf("=");
    if (at > 0) values.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim());
  }
  return { name, values };
}

/**
 * A spec of a game with its parameters; those with default values are left out.
 *
 * @param {GameInfo} info
 * @param {ReadonlyMap<string, string>} values
 */
export function putTogether(info, values) {
  const given = info.parameters.flatMap(({ name, default: usual }) => {
    const value = values.get(name)?.trim();
    return value && value !== usual ? [`${name}=${value}`] : [];
  });
  return given.length ? `${info.game}(${given.join(",")})` : info.game;
}

/**
 * What is known about the game that a spec names.
 *
 * @param {string} spec
 * @returns {Promise<GameInfo | undefined>}
 */
export async function infoOf(spec) {
  const { games: all } = await games();
  return all.find((info) => info.game === spec) ?? all.find((info) => info.game === takeApart(spec).name);
}

/** The game to begin with if the address names none. */
export async function usualGame() {
  const { games: all } = await games();
  const preferred = all.find(({ own }) => own) ?? all.find(({ game }) => game === "connect-four") ?? all[0];
  return preferred?.game ?? "tic-tac-toe";
}

/**
 * A choice of the game, with fields for its parameters and a button to apply them. `onChoose` gets
 * the spec: immediately when another game is chosen, by the button when parameters were changed.
 *
 * @param {string} spec the game that is chosen now
 * @param {(spec: string) => void} onChoose
 * @returns {{element: HTMLElement, show(spec: string): void}}
 */
export function gamePicker(spec, onChoose) {
  const parameters = h("form", { class: "fields parameters" });
  const chooser = select([], "", () => {
    const info = all.find(({ game }) => game === chooser.value);
    if (info) onChoose(info.game);
  });
  const element = h("div", { class: "picker" }, field("Game", chooser), parameters);
  /** @type {GameInfo[]} */
  let all = [];

  /** @param {string} now */
  const show = (now) => {
    const { name, values } = takeApart(now);
    const info = all.find(({ game }) => game === now) ?? all.find(({ game }) => game === name);
    if (!info) return;
    chooser.value = info.game;
    /** @type {Map<string, () => string>} */
    const read = new Map();
    fill(
      parameters,
      info.parameters.map(({ name: parameter, default: usual, kind }) => {
        const value = values.get(parameter) ?? usual;
        const control =
          kind === "flag"
            ? select([["false", "no"], ["true", "yes"]], value, () => take())
            : h("input", { type: kind === "number" ? "number" : "text", value, id: uniqueId("parameter"), autocomplete: "off", onchange: () => take() });
        read.set(parameter, () => control.value);
        return field(parameter.replaceAll("_", " "), control);
      }),
    );
    const take = () => {
      const given = new Map([...read].map(([parameter, get]) => [parameter, get()]));
      const next = putTogether(info, given);
      if (next !== now) onChoose(next);
    };
    parameters.hidden = info.parameters.length === 0;
    parameters.onsubmit = (event) => {
      event.preventDefault();
      take();
    };
  };

  games().then(({ games: listed }) => {
    all = listed;
    fill(chooser, listed.map((info) => h("option", { value: info.game }, info.own ? `${info.title} (your own)` : info.title)));
    show(spec);
  }).catch(() => {});
  return { element, show };
}

