// @ts-check
/**
 * Turning a board around, as seen by a player on its other side.
 *
 * It knows no game. The places are turned by half a circle, but what is drawn stays upright: what
 * is on a place goes with the place, and letters along one edge of the board stay at that edge.
 */

import { announce, button, isTyping, press } from "./parts.js";
import { boxOf, middle } from "./places.js";

/** @typedef {import("./places.js").Places} Places */
/** @typedef {import("./places.js").Box} Box */

/** @typedef {"top" | "bottom" | "left" | "right"} Edge */

/** Differences due to rounding. */
const SLACK = 1.5;
/** @type {Record<Edge, Edge>} */
const ACROSS = { top: "bottom", bottom: "top", left: "right", right: "left" };

/**
 * Whether places look the same from the other side: as those of a chessboard do, but not columns
 * that pieces are dropped into, nor heaps.
 *
 * @param {Places} places
 */
export function isTurnable(places) {
  const boxes = [...places.boxes.values()];
  const rows = places.rows();
  const one = boxes[0];
  if (!one || rows.length < 2 || rows.every((row) => row.length < 2)) return false;
  if (boxes.some(({ width, height }) => Math.abs(width - one.width) > SLACK || Math.abs(height - one.height) > SLACK)) return false;
  const board = around(boxes);
  return boxes.map((box) => opposite(box, board)).every(({ x, y }) =>
    boxes.some((other) => Math.abs(x - middle(other).x) < SLACK && Math.abs(y - middle(other).y) < SLACK));
}

/**
 * Turn a picture around.
 *
 * @param {SVGSVGElement} picture in the page
 * @param {Places} places its own; they are out of date afterwards
 */
export function turnRound(picture, places) {
  const board = around([...places.boxes.values()]);
  const parts = partsOf(picture).map((part) => ({ part, box: boxOf(part) }));
  const edges = new Set(parts.map(({ box }) => edgeOf(box, board)));
  for (const { part, box } of parts) {
    if (box.width > board.width - SLACK && box.height > board.height - SLACK) continue;
    const from = holding(box, places) ?? box;
    const [here, there] = [middle(from), opposite(from, board)];
    const edge = edgeOf(box, board);
    const stays = edge !== "" && !edges.has(ACROSS[edge]);
    const x = stays && (edge === "left" || edge === "right") ? 0 : there.x - here.x;
    const y = stays && (edge === "top" || edge === "bottom") ? 0 : there.y - here.y;
    part.setAttribute("transform", `translate(${x} ${y}) ${part.getAttribute("transform") ?? ""}`);
  }
}

/**
 * The box around others.
 *
 * @param {Box[]} boxes
 * @returns {Box}
 */
function around(boxes) {
  const [x, y] = [Math.min(...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y))];
  return {
    x, y, width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
    height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
  };
}

/**
 * The middle of a box on a board that has been turned.
 *
 * @param {Box} box
 * @param {Box} board
 */
function opposite(box, board) {
  const [here, centre] = [middle(box), middle(board)];
  return { x: 2 * centre.x - here.x, y: 2 * centre.y - here.y };
}

/**
 * The edge of the board that something is next to; empty if it is on the board.
 *
 * @param {Box} box
 * @param {Box} board
 * @returns {Edge | ""}
 */
function edgeOf(box, board) {
  const { x, y } = middle(box);
  if (y < board.y) return "top";
  if (y > board.y + board.height) return "bottom";
  return x < board.x ? "left" : x > board.x + board.width ? "right" : "";
}

/**
 * The parts that a picture is made of; a group without its own transform counts as its parts.
 *
 * @param {Element} element
 * @returns {SVGGraphicsElement[]}
 */
function partsOf(element) {
  return [...element.children].flatMap((part) => {
    if (part instanceof SVGGElement && !part.hasAttribute("transform")) return partsOf(part);
    return part instanceof SVGGraphicsElement ? [part] : [];
  });
}

/**
 * The place that something lies on.
 *
 * @param {Box} box
 * @param {Places} places
 */
function holding(box, places) {
  const { x, y } = middle(box);
  return [...places.boxes.values()].find((place) =>
    box.width <= place.width + SLACK && box.height <= place.height + SLACK &&
    x > place.x && x < place.x + place.width && y > place.y && y < place.y + place.height);
}

/**
 * A button, and the key `f`, that turn a board around; the address records it if it is not the
 * default. Call `show` when the board shows another game.
 *
 * @param {import("./board.js").Board} board
 * @param {import("./state.js").State} state
 * @param {AbortSignal} signal of leaving the room
 * @param {() => boolean} [usual] whether the board is turned by default
 */
export function turner(board, state, signal, usual = () => false) {
  const element = button("Turn board", () => turn(), { icon: "turn", only: true, title: "Turn the board around (f)", pressed: false });

  function show() {
    board.turn(isTurned());
    press(element, isTurned());
    element.hidden = !board.isTurnable;
  }

  function isTurned() {
    return state.flag("turned", usual());
  }

  function turn() {
    const next = !isTurned();
    state.set({ turned: next === usual() ? null : next ? "1" : "0" });
    show();
    announce(next ? "Board turned around" : "Board turned back");
  }

  document.addEventListener("keydown", (event) => {
    if (event.key !== "f" || event.ctrlKey || event.metaKey || event.altKey || !board.isTurnable) return;
    const onBoard = event.target instanceof Node && board.element.contains(event.target);
    if (isTyping(event) && !onBoard) return;
    event.preventDefault();
    turn();
  }, { signal });

  return { element, show, isTurned };
}
