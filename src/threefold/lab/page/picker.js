// @ts-check
/** Choosing a game and its parameters. */

import { ask, games } from "./connection.js";
import { field, fill, h, select, uniqueId } from "./parts.js";

/** @typedef {import("./connection.js").GameInfo} GameInfo */
/** @typedef {import("./connection.js").Parameter} Parameter */

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
 * A spec of a game with its parameters; those with default values are left out. A parameter that a
 * page has no control for stays as it is.
 *
 * @param {GameInfo} info
 * @param {ReadonlyMap<string, string>} values
 */
export function putTogether(info, values) {
  const usual = new Map(info.parameters.map((parameter) => [parameter.name, parameter.default]));
  const given = [...new Set([...usual.keys(), ...values.keys()])].flatMap((name) => {
    const value = values.get(name)?.trim();
    return value && value !== usual.get(name) ? [`${name}=${value}`] : [];
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
  const { games: all, usual } = await games();
  const preferred = all.find(({ game }) => game === "connect-four") ?? all[0];
  return usual ?? preferred?.game ?? "tic-tac-toe";
}

/**
 * A choice of the game's evaluation, which is kept in the address; none if there is nothing to choose.
 *
 * @param {import("./line.js").View} view
 * @param {import("./state.js").State} state
 * @param {(change: {eval: string | null}) => void} onChoose
 */
export function evaluationField({ evaluations }, state, onChoose) {
  const usual = evaluations[0];
  if (usual === undefined || evaluations.length < 2) return null;
  return field("Evaluation", select(evaluations, state.get("eval", usual), (name) => onChoose({ eval: name === usual ? null : name })));
}

/**
 * A control for a parameter, with its fields, and what to read its value with.
 *
 * @param {Parameter} parameter
 * @param {string[]} sides
 * @param {string} value
 * @param {() => void} take
 * @returns {{fields: HTMLElement[], read: () => string}}
 */
function controlOf({ name, kind, choices }, sides, value, take) {
  const label = name.replaceAll("_", " ");
  const input = (/** @type {string} */ now, /** @type {string} */ type) =>
    h("input", { type, value: now, min: kind === "pair" ? 0 : null, id: uniqueId("parameter"), autocomplete: "off", onchange: take });
  if (kind === "pair") {
    const parts = value.split("-");
    const inputs = sides.map((_, player) => input(parts[player] ?? "0", "number"));
    return { fields: inputs.map((each, player) => field(`${label} of ${sides[player]}`, each)), read: () => inputs.map((each) => each.value || "0").join("-") };
  }
  const control =
    kind === "flag" ? select([["false", "no"], ["true", "yes"]], value, take)
    : kind === "choice" ? select(choices.includes(value) ? choices : [value, ...choices], value, take)
    : input(value, kind === "number" ? "number" : "text");
  return { fields: [field(label, control)], read: () => control.value };
}

/**
 * A choice of the game, with fields for its parameters. `onChoose` gets the spec: immediately when
 * another game is chosen, and when a parameter was changed, if the game can be played so.
 *
 * @param {string} spec the game that is chosen now
 * @param {(spec: string) => void} onChoose
 * @returns {{element: HTMLElement, show(spec: string): void}}
 */
export function gamePicker(spec, onChoose) {
  const parameters = h("form", { class: "fields parameters" });
  const problem = h("p", { class: "bad note", role: "alert" });
  const chooser = select([], "", () => {
    const info = all.find(({ game }) => game === chooser.value);
    if (info) onChoose(info.game);
  });
  const element = h("div", { class: "picker" }, field("Game", chooser), parameters, problem);
  /** @type {GameInfo[]} */
  let all = [];

  /** @param {string} now */
  const show = (now) => {
    const { name, values } = takeApart(now);
    const info = all.find(({ game }) => game === now) ?? all.find(({ game }) => game === name);
    if (!info) return;
    chooser.value = info.game;
    problem.textContent = "";
    const controls = info.parameters.map((parameter) =>
      ({ ...controlOf(parameter, info.sides, values.get(parameter.name) ?? parameter.default, () => void take()), name: parameter.name }));
    fill(parameters, controls.flatMap(({ fields }) => fields));
    const take = async () => {
      const next = putTogether(info, new Map([...values, ...controls.map(({ name: each, read }) => /** @type {const} */ ([each, read()]))]));
      problem.textContent = "";
      if (next === now) return;
      try {
        await ask("view", { game: next, start: "", moves: [] });
      } catch (error) {
        // What was chosen stays: another field may make it right.
        problem.textContent = error instanceof Error ? error.message : String(error);
        return;
      }
      onChoose(next);
    };
    parameters.hidden = info.parameters.length === 0;
    parameters.onsubmit = (event) => {
      event.preventDefault();
      void take();
    };
  };

  games().then(({ games: listed }) => {
    all = listed;
    fill(chooser, listed.map((info) => h("option", { value: info.game }, info.own ? `${info.title} (your own)` : info.title)));
    show(spec);
  }).catch(() => {});
  return { element, show };
}

