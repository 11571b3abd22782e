// @ts-check
/** The tree editor: a picture, an outline and the text, which always agree. */

import { ask } from "./connection.js";
import { announce, button, calmly, controlPanel, copyText, field, h, panel, select, tick } from "./parts.js";
import { shareLink } from "./sharing.js";
import { savePng, saveSvg } from "./svg.js";
import { Outline } from "./stepper/outline.js";
import { TreeView } from "./stepper/treeview.js";
import { FIRST_TREE, lessons, presetSelect, randomTree } from "./subject.js";
import { allNodes, evenWeights, headOf, newNode, readTree, takeHead, writeTree } from "./treetext.js";

/** @import { State } from "./state.js" */
/** @import { Drawing } from "./stepper/treeview.js" */
/** @import { Tree, TreeNode } from "./treetext.js" */
/** @typedef {{tree: string, picture: Drawing, nodes: {name: string, player: number, children: string[]}[]}} Answer */

const MOST_REMEMBERED = 200;

/** @param {HTMLElement} place @param {State} state */
export function buildTree(place, state) {
  const leaving = new AbortController();
  /** @type {Tree} */
  let tree = readTree(FIRST_TREE);
  let selected = tree.root;
  /** Whose move it is at each node, as the server says. @type {Map<TreeNode, number>} */
  let players = new Map();
  /** @type {string[]} */
  let past = [];
  /** @type {string[]} */
  let future = [];
  let accepted = "";
  let asked = 0;
  /** @type {TreeView | undefined} */
  let view;
  /** The nodes of the picture, in tree order. @type {TreeNode[]} */
  let pictured = [];

  // Parts of the page.
  const frame = h("div", { class: "tf-frame build-frame", tabindex: 0, role: "region", "aria-label": "Picture of the tree; arrow keys choose a node, typing changes it" });
  /** What is being typed is a layer above the picture, so redrawing the picture leaves it alone. */
  const over = h("div", { class: "build-over" });
  const zoom = h("div", { class: "tf-tools" }, h("div", { class: "tf-group" },
    ...[["−", "Zoom out", () => view?.zoom(0.8)], ["+", "Zoom in", () => view?.zoom(1.25)], ["Fit", "Show the whole tree", () => view?.fit()]]
      .map(([text, label, act]) => h("button", { type: "button", class: "tf-tool", "aria-label": text === "Fit" ? null : label, title: label, onclick: act }, /** @type {string} */ (text)))));
  const error = h("p", { class: "bad build-error", role: "alert" });
  const text = h("textarea", { class: "mono subject-text", rows: 2, spellcheck: "false", autocapitalize: "off" });
  const form = h("div", { class: "build-form" });
  const outlineBox = h("div", { class: "build-outline" });
  const undoButton = button("Undo", () => undo(), { icon: "undo", small: true, title: "Undo (Ctrl+Z)" });
  const redoButton = button("Redo", () => redo(), { small: true, title: "Redo (Ctrl+Y)" });
  const actions = h("div", { class: "toolbar", role: "toolbar", "aria-label": "Change the tree" },
    undoButton, redoButton,
    button("Add child", () => addChild(), { icon: "plus", small: true, title: "Add a child (Insert)" }),
    button("Add sibling", () => addSibling(), { icon: "plus", small: true, title: "Add a sibling (Shift+Insert)" }),
    button("Move left", () => move(-1), { icon: "back", only: true, small: true, title: "Move before its sibling (Alt+↑)" }),
    button("Move right", () => move(1), { icon: "next", only: true, small: true, title: "Move after its sibling (Alt+↓)" }),
    button("Duplicate", () => duplicate(), { small: true, icon: "copy", title: "Duplicate with all below (Ctrl+D)" }),
    button("Delete", () => remove(), { icon: "cross", small: true, title: "Delete with all below (Delete)" }));
  const presetPlace = h("div", {});
  const go = h("div", { class: "toolbar", role: "group", "aria-label": "Use this tree" },
    button("Step through", () => state.go("step", { tree: accepted, on: "tree", step: null }), { icon: "step", main: true }),
    button("Compare", () => state.go("compare", { tree: accepted, on: "tree", step: null }), { icon: "compare" }),
    button("Make an exercise", () => state.go("exercises", { tree: accepted, own: true, answers: null }), { icon: "exercises" }));
  place.replaceChildren(h("div", { class: "room" },
    h("div", { class: "stage" },
      actions,
      h("div", { class: "tf-picture tf-tree build-picture" }, frame, over, zoom),
      h("p", { class: "note" }, "Click a node and type its value. Double-click it to change its name too; Delete removes it."),
      error,
      field("The tree as text: change it here, or paste one", text),
      h("div", { class: "row spread" }, go, h("div", { class: "toolbar" },
        button("Copy text", () => copyText(accepted, "Tree copied"), { icon: "copy", small: true }),
        button("Copy link", () => shareLink("this tree"), { icon: "link", small: true }),
        button("SVG", () => { if (view) saveSvg(view.svg, "tree"); }, { icon: "export", small: true }),
        button("PNG", () => { if (view) void savePng(view.svg, "tree"); }, { icon: "export", small: true }))),
      h("p", { class: "note" }, "Write ( ) around the children of a node: ((3 12 8) (2 4 6)). Names: A(B:3 C:5). Chance: ~(0.5*3 0.5*9). Not quiet: B:6!(…). MIN begins: min (…).")),
    h("div", { class: "side" },
      controlPanel("Node", form),
      panel("Outline", outlineBox, h("p", { class: "note" }, keysHelp())),
      controlPanel("Begin with", presetPlace, randomTree(made => load(made, true), fail)))));

  const outline = new Outline(outlineBox, "The tree; keys change it", {
    root: () => tree.root,
    children: node => node.children,
    fill: fillRow,
    label: kindOf,
    onSelect: node => choose(node),
    onActivate: node => edit(node),
    onKey,
  }, allNodes(tree.root));

  /** @param {HTMLElement} row @param {TreeNode} node */
  function fillRow(row, node) {
    const kind = kindOf(node);
    row.replaceChildren(
      ...(node.weight ? [h("span", { class: "soft" }, `${node.weight} × `)] : []),
      h("b", { "data-kind": kind }, node.shown),
      h("span", { class: "tf-chip-value" }, ` ${node.value.replace("-", "−")}`),
      ...(node.loud ? [h("span", { class: "badge warn" }, " not quiet")] : []),
      ...(node.children.length || node.value ? [] : [h("span", { class: "soft" }, " no value")]));
  }

  /** @param {TreeNode} node */
  function kindOf(node) {
    if (!node.children.length) return "leaf";
    return node.chance ? "chance" : players.get(node) === 1 ? "MIN" : "MAX";
  }

  // Changes.

  /** Have the changed tree checked and drawn. @param {string} [said] */
  function changed(said) {
    void commit(writeTree(tree), said);
    outline.rebuild();
    showForm();
  }

  /** @param {string} written @param {string} [said] */
  async function commit(written, said) {
    const mine = ++asked;
    try {
      /** @type {Answer} */
      const answer = await ask("tree", { tree: written }, { signal: leaving.signal });
      if (mine !== asked) return;
      if (accepted && accepted !== written) {
        past = [...past.slice(1 - MOST_REMEMBERED), accepted];
        future = [];
      }
      accept(answer, written);
      if (said) announce(said);
    } catch (problem) {
      if (mine === asked) fail(problem);
    }
  }

  /** @param {Answer} answer @param {string} written */
  function accept(answer, written) {
    accepted = written;
    const nodes = allNodes(tree.root);
    players = new Map();
    answer.nodes.forEach((given, k) => {
      nodes[k].shown = given.name;
      players.set(nodes[k], given.player);
    });
    fail();
    if (document.activeElement !== text) text.value = written;
    draw(answer);
    const editing = outlineBox.querySelector("input") ?? over.querySelector("input");
    if (!editing) {
      outline.rebuild();
      choose(selected);
    }
    undoButton.disabled = !past.length;
    redoButton.disabled = !future.length;
    presets?.sync();
    state.set({ tree: written });
  }

  /** @param {Answer} answer */
  function draw(answer) {
    const before = view && { scale: view.scale, fitted: view.fitted, left: frame.scrollLeft, top: frame.scrollTop };
    view?.destroy();
    view = undefined;
    frame.replaceChildren();
    if (answer.picture.nodes.length < answer.nodes.length) {
      frame.append(h("p", { class: "note" }, "The tree is too large to be drawn in full; the outline has all of it."));
      return;
    }
    view = new TreeView(frame, answer.picture, {
      onPick: k => {
        choose(pictured[k]);
        outline.current = pictured[k];
        outline.rebuild();
      },
      onOpen: k => {
        frame.focus({ preventScroll: true });
        edit(pictured[k]);
      },
      onZoom: placeOver,
      onFold: placeOver,
    });
    pictured = allNodes(tree.root);
    view.follow = false;
    view.fit();
    if (before && !before.fitted) {
      view.zoom(before.scale / view.scale);
      frame.scrollLeft = before.left;
      frame.scrollTop = before.top;
    }
    view.pick(pictured.indexOf(selected));
    placeOver();
  }

  /** @param {unknown} [problem] */
  function fail(problem) {
    if (problem instanceof DOMException && problem.name === "AbortError") return;
    error.textContent = problem === undefined ? "" : problem instanceof Error ? problem.message : String(problem);
    text.setAttribute("aria-invalid", String(problem !== undefined));
  }

  /** Take a whole tree from its text. @param {string} written @param {boolean} [remember] @param {number[]} [path] */
  async function load(written, remember = false, path = []) {
    const mine = ++asked;
    try {
      /** @type {Answer} */
      const answer = await ask("tree", { tree: written }, { signal: leaving.signal });
      if (mine !== asked) return;
      if (remember && accepted && accepted !== written) {
        past = [...past.slice(1 - MOST_REMEMBERED), accepted];
        future = [];
      }
      tree = readTree(written);
      selected = at(path);
      outline.open = new Set(allNodes(tree.root).length > 150 ? [tree.root, ...tree.root.children] : allNodes(tree.root));
      outline.current = selected;
      accept(answer, written);
    } catch (problem) {
      if (mine === asked) fail(problem);
    }
  }

  function undo() {
    const before = past.pop();
    if (before === undefined) return;
    future.push(accepted);
    void load(before, false, pathOf(selected)).then(() => announce("Undone"));
  }
  function redo() {
    const after = future.pop();
    if (after === undefined) return;
    past.push(accepted);
    void load(after, false, pathOf(selected)).then(() => announce("Done again"));
  }

  /** @param {TreeNode} node @returns {TreeNode | undefined} */
  function parentOf(node) {
    return allNodes(tree.root).find(each => each.children.includes(node));
  }
  /** @param {TreeNode} node @returns {number[]} */
  function pathOf(node) {
    const parent = parentOf(node);
    return parent ? [...pathOf(parent), parent.children.indexOf(node)] : [];
  }
  /** The node at a path, or the last one on the way that exists. @param {number[]} path */
  function at(path) {
    let node = tree.root;
    for (const k of path) node = node.children[Math.min(k, node.children.length - 1)] ?? node;
    return node;
  }

  /** @param {TreeNode} parent @param {TreeNode} child @param {number} place */
  function insert(parent, child, place) {
    const wasLeaf = !parent.children.length;
    if (wasLeaf && parent.value && !parent.loud) {
      // The former leaf's value becomes that of its first child.
      child.value = parent.value;
      parent.value = "";
    }
    parent.children.splice(place, 0, child);
    if (parent.chance) evenWeights(parent);
    outline.open.add(parent);
    selected = outline.current = child;
  }
  function addChild() {
    insert(selected, newNode({ value: "0" }), selected.children.length);
    changed("Child added");
  }
  function addSibling() {
    const parent = parentOf(selected);
    if (!parent) {
      announce("The root has no siblings");
      return;
    }
    insert(parent, newNode({ value: "0" }), parent.children.indexOf(selected) + 1);
    changed("Sibling added");
  }
  function duplicate() {
    const parent = parentOf(selected);
    if (!parent) return;
    const copy = structuredClone(selected);
    for (const node of allNodes(copy)) {
      // Two nodes cannot have one name; where a name is needed, a new one is made of it.
      node.name = "";
      node.shown = "";
      if (!node.children.length && (!node.value || node.loud)) node.value ||= "0", node.loud = false;
      outline.open.add(node);
    }
    insert(parent, copy, parent.children.indexOf(selected) + 1);
    changed("Duplicated");
  }
  /** @param {number} by */
  function move(by) {
    const family = parentOf(selected)?.children;
    if (!family) return;
    const from = family.indexOf(selected), to = from + by;
    if (to < 0 || to >= family.length) return;
    // In a chance node the weight moves too: it belongs to the event.
    [family[from], family[to]] = [family[to], family[from]];
    changed(`Moved to place ${to + 1} of ${family.length}`);
  }
  function remove() {
    const parent = parentOf(selected);
    if (!parent) {
      announce("The root cannot be deleted");
      return;
    }
    const from = parent.children.indexOf(selected);
    parent.children.splice(from, 1);
    if (parent.chance && parent.children.length) evenWeights(parent);
    if (!parent.children.length) {
      parent.chance = false;
      parent.value ||= "0";
    }
    selected = outline.current = parent.children[Math.min(from, parent.children.length - 1)] ?? parent;
    changed("Deleted");
  }

  /** @param {KeyboardEvent} event @param {TreeNode} node */
  function onKey(event, node) {
    selected = node;
    const control = event.ctrlKey || event.metaKey;
    if (control && !event.altKey) {
      const act = { z: event.shiftKey ? redo : undo, Z: redo, y: redo, d: duplicate }[event.key];
      act?.();
      return act !== undefined;
    }
    if (event.altKey) {
      const by = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
      if (by) move(by);
      return by !== undefined;
    }
    if (event.key === "Insert" || event.key === "a") event.shiftKey ? addSibling() : addChild();
    else if (event.key === "s" || event.key === "A") addSibling();
    else if (event.key === "Delete" || event.key === "Backspace") remove();
    else if (event.key === "F2" || event.key === "Enter") edit(node);
    else if (event.key === "!") {
      node.loud = !node.loud;
      changed(node.loud ? "Not quiet" : "Quiet");
    } else if (event.key === "~") toggleChance();
    else if (/^[0-9.-]$/.test(event.key)) edit(node, event.key);
    else return false;
    return true;
  }

  /**
   * Edit a node in place: in the picture, or in its row of the outline.
   * @param {TreeNode} node @param {string} [typed] what was typed already: a value
   */
  function edit(node, typed) {
    const inPicture = view !== undefined && (document.activeElement === frame || over.contains(document.activeElement));
    const row = inPicture ? over : outline.items.get(node)?.querySelector(".tf-outline-row");
    if (!row) return;
    const keepsName = typed !== undefined && node.name !== "";
    const input = h("input", { class: "mono build-inline", "aria-label": `${node.shown}: name, colon, value`, spellcheck: "false", autocapitalize: "off" });
    input.value = typed === undefined ? headOf(node) : `${keepsName ? `${node.name}:` : ""}${typed}`;
    let open = true;
    /** @param {boolean} keep */
    const close = keep => {
      if (!open) return;
      const before = { ...node };
      if (keep && input.value.trim() !== headOf(node)) {
        const weight = node.weight;
        if (!takeHead(node, input.value)) {
          input.setAttribute("aria-invalid", "true");
          fail(new Error(`“${input.value}” cannot be read here; write a name, a value, or both: B:3`));
          return;
        }
        if (!parentOf(node)?.chance) node.weight = "";
        else node.weight ||= weight;
        if (node.chance && node.value) Object.assign(node, { value: "", loud: false });
      }
      open = false;
      const had = document.activeElement === input;
      input.remove();
      outline.rebuild();
      if (had && inPicture) frame.focus({ preventScroll: true });
      else if (had) outline.focus();
      if (JSON.stringify(before) !== JSON.stringify(node)) changed();
    };
    input.addEventListener("keydown", event => {
      event.stopPropagation();
      if (event.key === "Enter" || event.key === "Tab") {
        event.preventDefault();
        close(true);
        // On to the next, as in a spreadsheet.
        if (!open) step(event.key === "Tab" && event.shiftKey ? -1 : 1, event.key === "Tab");
      } else if (event.key === "Escape") {
        event.preventDefault();
        close(false);
      }
    });
    input.addEventListener("blur", () => close(true));
    row.replaceChildren(input);
    placeOver();
    input.focus();
    if (typed === undefined) input.select();
  }

  /** Put what is being typed into the picture at its node. */
  function placeOver() {
    const input = over.querySelector("input"), drawn = view?.drawn[pictured.indexOf(selected)];
    if (!input || !view || !drawn) return;
    const room = over.getBoundingClientRect(), drawing = view.svg.getBoundingClientRect();
    input.style.left = `${drawing.left - room.left + drawn.x * view.scale}px`;
    input.style.top = `${drawing.top - room.top + drawn.y * view.scale}px`;
  }

  /** Go to a neighbor of the selected node, by an arrow key. @param {string} key */
  function walk(key) {
    const family = parentOf(selected)?.children ?? [selected], place = family.indexOf(selected);
    const next = {
      ArrowUp: parentOf(selected), ArrowDown: selected.children[0], ArrowLeft: family[place - 1], ArrowRight: family[place + 1],
    }[key];
    if (!next) return false;
    choose(next);
    outline.current = next;
    outline.rebuild();
    view?.reveal(pictured.indexOf(next));
    announce(`${next.shown}, ${kindOf(next)} ${next.value}`);
    return true;
  }

  /** Go to the next leaf, and edit it too. @param {number} by @param {boolean} editing */
  function step(by, editing) {
    if (!editing) return;
    const leaves = allNodes(tree.root).filter(node => !node.children.length);
    const next = leaves[leaves.indexOf(selected) + by];
    if (!next) return;
    choose(next);
    outline.current = next;
    outline.rebuild();
    edit(next);
  }

  function toggleChance() {
    if (!selected.children.length) return;
    selected.chance = !selected.chance;
    if (selected.chance) Object.assign(selected, { value: "", loud: false });
    evenWeights(selected);
    changed(selected.chance ? "A chance node now" : "A player's node now");
  }

  /** @param {TreeNode} node */
  function choose(node) {
    selected = node;
    view?.pick(pictured.indexOf(node));
    showForm();
  }

  // The form of the selected node.

  function showForm() {
    if (form.contains(document.activeElement) && document.activeElement instanceof HTMLInputElement && document.activeElement.type === "text") {
      if (form.dataset.node === pathOf(selected).join()) return;
    }
    form.dataset.node = pathOf(selected).join();
    const node = selected, isRoot = node === tree.root, inner = node.children.length > 0;
    /** @param {string} label @param {"name" | "value" | "weight"} key @param {string} hint */
    const textField = (label, key, hint) => {
      const input = h("input", { type: "text", value: node[key], placeholder: key === "name" ? node.shown : hint, spellcheck: "false", autocapitalize: "off" });
      input.addEventListener("change", () => {
        node[key] = input.value.trim().replaceAll("−", "-");
        changed();
      });
      return field(label, input);
    };
    const inChance = parentOf(node)?.chance;
    form.replaceChildren(
      h("div", { class: "fields" },
        textField("Name", "name", ""),
        ...(node.chance ? [] : [textField(inner ? "Static value" : "Value", "value", inner ? "none" : "0")]),
        ...(inChance ? [textField("Weight", "weight", "1/2")] : []),
        ...(isRoot ? [field("To move", select([["max", "▲ MAX"], ["min", "▼ MIN"]], tree.first, value => {
          tree.first = value === "min" ? "min" : "max";
          changed();
        }))] : [])),
      h("div", { class: "row" },
        ...(inner ? [tick("Chance node", node.chance, toggleChance)] : []),
        ...(node.chance ? [button("Even weights", () => { evenWeights(node); changed("Weights are even"); }, { small: true })] : [tick("Not quiet (!)", node.loud, on => { node.loud = on; changed(); })])));
  }

  frame.addEventListener("keydown", event => {
    if (event.target !== frame || event.defaultPrevented) return;
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
    if (!(isPlain && walk(event.key)) && !onKey(event, selected)) return;
    event.preventDefault();
    event.stopPropagation();
  }, { signal: leaving.signal });
  frame.addEventListener("scroll", placeOver, { signal: leaving.signal });
  text.addEventListener("input", calmly(() => { if (text.value.trim() && text.value.trim() !== accepted) void load(text.value.trim(), true); }, 400));
  place.addEventListener("keydown", event => {
    const control = event.ctrlKey || event.metaKey;
    if (!control || event.defaultPrevented || /** @type {Element} */ (event.target).closest("input,textarea")) return;
    const act = { z: event.shiftKey ? redo : undo, y: redo }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }, { signal: leaving.signal });

  /** @type {ReturnType<typeof presetSelect> | undefined} */
  let presets;
  lessons().then(all => {
    presets = presetSelect(all, () => accepted, preset => void load(preset.tree, true));
    presetPlace.append(field("A worked example", presets));
    presets.sync();
  }).catch(fail);
  void load(state.get("tree", FIRST_TREE));

  return {
    update() {
      const wanted = state.get("tree", FIRST_TREE);
      if (wanted !== accepted) void load(wanted, true);
    },
    close() {
      leaving.abort();
      view?.destroy();
    },
  };
}

function keysHelp() {
  /** @type {[string, string][]} */
  const keys = [["0…9", "type a value"], ["Enter", "change name:value"], ["Insert", "child"], ["Shift+Insert", "sibling"], ["Delete", "delete"], ["Alt+↑↓", "reorder"], ["~", "chance"], ["!", "not quiet"], ["Ctrl+Z", "undo"]];
  return keys.flatMap(([key, word], k) => [h("kbd", {}, key), ` ${word}${k < keys.length - 1 ? " · " : ""}`]);
}
