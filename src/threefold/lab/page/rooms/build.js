// @ts-check
/** Build: a tree, by hand or by its text, and a position of any game. */

import { h } from "../parts.js";
import { buildPosition } from "../positioneditor.js";
import { buildTree } from "../treeeditor.js";

/** @import { State } from "../state.js" */

/** @param {HTMLElement} main @param {State} state */
export function open(main, state) {
  /** @type {{close(): void, update?(): void} | undefined} */
  let editor;
  let edits = "";
  const place = h("div", { class: "build-place" });
  /** @type {[string, string][]} */
  const kinds = [["tree", "A tree"], ["position", "A position"]];
  const choices = kinds.map(([kind, text]) => h("button", {
    type: "button", class: "button small", onclick: () => {
      state.set({ edit: kind === "tree" ? null : kind });
      show();
    },
  }, text));
  main.replaceChildren(h("div", { class: "build" },
    h("header", { class: "row build-head" }, h("h1", {}, "Build"), h("div", { class: "joined", role: "group", "aria-label": "What to build" }, choices)),
    place));

  function show() {
    const wanted = state.get("edit") === "position" ? "position" : "tree";
    choices.forEach((choice, k) => choice.setAttribute("aria-pressed", String(kinds[k][0] === wanted)));
    if (wanted === edits) {
      editor?.update?.();
      return;
    }
    editor?.close();
    edits = wanted;
    editor = wanted === "tree" ? buildTree(place, state) : buildPosition(place, state);
  }
  show();

  return { update: show, close: () => editor?.close() };
}
