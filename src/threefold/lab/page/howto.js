// @ts-check
/** What to click on a board to make a move, in words. */

import { capital, playerName } from "./line.js";

/** @typedef {import("./line.js").View} View */

/**
 * For a position whose moves are made in one go; empty if nobody needs to be told.
 *
 * @param {View} view
 * @returns {string}
 */
export function howToMove(view) {
  if (view.passes) return capital(`${playerName(view.player, view)} cannot move and has to pass.`);
  const places = new Set(view.moves.flatMap((move) => move.places));
  if (!places.size) return "";
  if (view.player === -1) return places.size === 1 ? `Click the ${[...places][0]} to choose what comes up.` : "";
  if (view.pairs) return `Click ${view.moves.map(asDecision).join(", or ")}.`;
  // Whoever has made a move knows how.
  if (view.played.some(({ player }) => player !== -1)) return "";
  return view.moves.some((move) => move.places.length > 1) ? "Click a piece, then where it goes." : view.open ? "Click an empty point." : "Click one of the dots.";
}

/** A move made without touching a piece: `the dice to roll`. @param {import("./line.js").Move} move */
const asDecision = ({ text, places }) => (places[0] ? `the ${places[0]} to ${text}` : `“${text}” below`);
