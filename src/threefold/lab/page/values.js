// @ts-check
/**
 * What a position is worth, in words and in short form. Everything is from the first player's
 * point of view: plus is good for the first player, minus for the second.
 */

import { playerName } from "./line.js";
import { signed } from "./parts.js";

/**
 * @typedef {object} Valued
 * @property {number} value for the player to move
 * @property {number | null} [win_in] plies to the win, negative to the loss, of the player to move
 * @property {boolean} [exact]
 * @property {number} [share] the first player's share of the points, from 0 to 1
 */

/**
 * @typedef {object} Scale
 * @property {number} player to move
 * @property {boolean} estimates whether values are an evaluation's, and those of finished games a
 *   thousand times their utility
 * @property {string[]} [sides] what players call the first and the second of them
 * @property {boolean} [simulated] whether values are means of simulations: the first player's share of the points is shown
 * @property {number} unit by which an evaluation is shown: a pawn, or a point
 */

/** A finished game's utility of 1, a point, in the units of an evaluation; as in rules/contract.py. */
export const FINISHED = 1000;

/**
 * The evaluation that a request is to use: the one in the address, if the game has it.
 *
 * @param {import("./state.js").State} state
 * @param {{evaluations: string[]} | undefined} view
 * @returns {{eval?: string}}
 */
export function chosenEvaluation(state, view) {
  const name = state.get("eval");
  return name && view?.evaluations.includes(name) ? { eval: name } : {};
}

/**
 * How to read the values of a view's position.
 *
 * @param {import("./line.js").View} view
 * @param {{solved?: boolean, simulated?: boolean, evaluation?: string | null}} [options] a solver's values are utilities; an
 *   evaluation other than the first has a unit of its own
 * @returns {Scale}
 */
export const scaleOf = (view, options = {}) => ({
  player: view.player,
  estimates: view.evaluations.length > 0 && !options.solved,
  unit: view.units[options.evaluation || view.evaluations[0]] ?? 1,
  sides: view.sides,
  simulated: options.simulated,
});

/**
 * @param {Valued} valued
 * @param {Scale} scale
 */
function read(valued, scale) {
  const side = scale.player === 1 ? -1 : 1;
  const toMax = side * valued.value || 0;
  const isDecided = scale.estimates ? Math.abs(toMax) >= FINISHED : Math.abs(toMax) >= 1;
  const utility = scale.estimates ? toMax / FINISHED : toMax;
  // An estimate may be as large as that, in hundredths of a pawn; and so may the mean of what dice lead to.
  const proven = isDecided && Number.isInteger(utility) && (Boolean(valued.exact) || valued.win_in != null);
  return {
    toMax,
    proven,
    utility,
    estimate: scale.estimates ? toMax / scale.unit : toMax,
    plies: valued.win_in == null ? null : Math.abs(valued.win_in),
    won: scale.simulated && valued.share !== undefined ? `${Math.round(100 * valued.share)} %` : null,
  };
}

/**
 * In short: `+1.5`, `+#5` (the first player wins in 5 plies), `+win`, `=0` (exactly), `=+12`, `54 %` (of the points
 * go to the first player in simulations).
 *
 * @param {Valued} valued
 * @param {Scale} scale
 */
export function shortValue(valued, scale) {
  const { proven, utility, estimate, plies, won } = read(valued, scale);
  if (proven && Math.abs(utility) === 1) return (utility > 0 ? "+" : "\u2212") + (plies === null ? "win" : `#${plies}`);
  if (proven || valued.exact) return `=${exactly(utility)}`;
  if (won) return won;
  return signed(round(estimate));
}

/**
 * In a sentence's words.
 *
 * @param {Valued} valued
 * @param {Scale} scale
 */
export function longValue(valued, scale) {
  const { toMax, proven, utility, estimate, plies, won } = read(valued, scale);
  const inPoints = scale.estimates && scale.unit === FINISHED ? ` points for ${playerName(0, scale)}` : "";
  const winner = playerName(toMax > 0 ? 0 : 1, scale);
  const within = plies === null ? "" : ` in ${plies} ${plies === 1 ? "ply" : "plies"}`;
  if (proven && Math.abs(utility) === 1) return `${winner} wins${within}`;
  if (proven) return `${winner} wins by ${Math.abs(round(utility))}`;
  if (valued.exact && toMax === 0) return "a draw with best play";
  if (valued.exact) return `exactly ${exactly(utility)}${inPoints}`;
  if (won) return `${won} for ${playerName(0, scale)}, by simulation`;
  if (toMax === 0) return "even";
  return `${signed(round(estimate))}${inPoints || `, better for ${winner}`}`;
}

/**
 * The same without its number, to be shown beside the short value.
 *
 * @param {Valued} valued
 * @param {Scale} scale
 */
export const wordsOf = (valued, scale) => longValue(valued, scale).replace(/^(exactly )?[+\u2212]?[\d.,]+ ?(% )?/, "") || "exact";

/** @param {number} value */
const round = (value) => Math.round(value * 100) / 100;

/** What is known exactly, as the mean over dice may be, has a digit more. @param {number} value */
const exactly = (value) => signed(Math.round(value * 1000) / 1000, 3);
