// @ts-check
/**
 * A tree as a list to walk through with the arrow keys: the ARIA tree pattern.
 *
 * It holds no tree of its own. Whoever uses it says what is below a node, what to show of it and
 * what to say of it; only branches that are open are made.
 */

/**
 * @template Id
 * @typedef {object} OutlineSource
 * @property {() => Id} root
 * @property {(id: Id) => readonly Id[]} children
 * @property {(row: HTMLElement, id: Id) => void} fill show a node in its row
 * @property {(id: Id) => string} label what is said of a node beyond what is shown
 * @property {(id: Id) => void} [onSelect] the node under the arrow keys changed
 * @property {(id: Id) => void} [onActivate] Enter, Space or a click
 * @property {(event: KeyboardEvent, id: Id) => boolean} [onKey] true where the key was used
 */

let rows = 0;

/** @template Id */
export class Outline {
  /** @param {HTMLElement} element @param {string} label @param {OutlineSource<Id>} source @param {Iterable<Id>} [open] */
  constructor(element, label, source, open = []) {
    this.element = element;
    this.source = source;
    this.open = new Set(open);
    /** @type {Map<Id, HTMLLIElement>} */
    this.items = new Map();
    /** @type {WeakMap<Element, Id>} */
    this.ids = new WeakMap();
    /** @type {Id} */
    this.current = source.root();
    this.list = document.createElement("ul");
    this.list.className = "tf-outline";
    this.list.setAttribute("role", "tree");
    this.list.setAttribute("aria-label", label);
    element.append(this.list);
    this.list.addEventListener("keydown", event => this.#key(event));
    this.list.addEventListener("click", event => this.#click(event));
    this.rebuild();
  }

  /** Make the list anew; what was open stays open, and the keyboard where it was. */
  rebuild() {
    const focused = this.list.contains(document.activeElement);
    this.items.clear();
    const root = this.source.root();
    this.list.replaceChildren(this.#item(root, 1, 1, 1));
    if (!this.items.has(this.current)) this.current = root;
    this.#mark(this.current);
    if (focused) this.focus();
  }

  /** @param {Id} id @param {number} level @param {number} place @param {number} of @returns {HTMLLIElement} */
  #item(id, level, place, of) {
    const item = document.createElement("li");
    item.setAttribute("role", "treeitem");
    item.setAttribute("aria-level", String(level));
    item.setAttribute("aria-posinset", String(place));
    item.setAttribute("aria-setsize", String(of));
    item.setAttribute("aria-selected", "false");
    item.tabIndex = -1;
    const line = document.createElement("div");
    line.className = "tf-outline-line";
    const twist = document.createElement("span");
    twist.className = "tf-twist";
    twist.setAttribute("aria-hidden", "true");
    const row = document.createElement("span");
    row.className = "tf-outline-row";
    row.id = `tf-row-${++rows}`;
    item.setAttribute("aria-labelledby", row.id);
    line.append(twist, row);
    item.append(line);
    this.items.set(id, item);
    this.ids.set(item, id);
    this.refresh(id);
    this.#branch(id, item);
    return item;
  }

  /** Show or take away what is below a node. @param {Id} id @param {HTMLLIElement} item */
  #branch(id, item) {
    const children = this.source.children(id);
    item.querySelector(":scope > [role=group]")?.remove();
    if (!children.length) {
      item.removeAttribute("aria-expanded");
      return;
    }
    const open = this.open.has(id);
    item.setAttribute("aria-expanded", String(open));
    if (!open) return;
    const group = document.createElement("ul");
    group.setAttribute("role", "group");
    const level = Number(item.getAttribute("aria-level")) + 1;
    children.forEach((child, i) => group.append(this.#item(child, level, i + 1, children.length)));
    item.append(group);
  }

  /** Show and say a node anew. @param {Id} id */
  refresh(id) {
    const item = this.items.get(id);
    const row = item?.querySelector(":scope > .tf-outline-line > .tf-outline-row");
    if (!item || !row) return;
    this.source.fill(/** @type {HTMLElement} */ (row), id);
    const words = document.createElement("span");
    words.className = "tf-aloud";
    words.textContent = this.source.label(id);
    row.append(words);
  }

  /** Open or close a node. @param {Id} id @param {boolean} [open] */
  toggle(id, open = !this.open.has(id)) {
    if (open === this.open.has(id) || !this.source.children(id).length) return;
    if (open) this.open.add(id);
    else this.open.delete(id);
    const item = this.items.get(id);
    if (!item) return;
    if (!open) this.#forget(id);
    this.#branch(id, item);
    if (!this.items.has(this.current)) this.select(id);
  }

  /** @param {Id} id */
  #forget(id) {
    for (const child of this.source.children(id)) {
      if (!this.items.delete(child)) continue;
      this.#forget(child);
    }
  }

  /** Put the arrow keys on a node. @param {Id} id @param {boolean} [focus] */
  select(id, focus = this.list.contains(document.activeElement)) {
    if (!this.items.has(id)) return;
    this.#mark(id);
    if (focus) this.focus();
    this.source.onSelect?.(id);
  }

  /** Put the keyboard on the current node. */
  focus() {
    const item = this.items.get(this.current);
    item?.focus({ preventScroll: true });
    item?.querySelector(".tf-outline-line")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {Id} id */
  #mark(id) {
    const before = this.items.get(this.current);
    if (before) {
      before.tabIndex = -1;
      before.setAttribute("aria-selected", "false");
    }
    this.current = id;
    const item = this.items.get(id);
    if (item) {
      item.tabIndex = 0;
      item.setAttribute("aria-selected", "true");
    }
  }

  /** The nodes as they stand below each other. @returns {HTMLLIElement[]} */
  #shown() {
    return [...this.list.querySelectorAll("li")];
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.getAttribute("role") !== "treeitem") return;
    const id = this.current;
    if (this.source.onKey?.(event, id)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    /** @param {Element | null | undefined} item */
    const to = item => {
      const found = item ? this.ids.get(item) : undefined;
      if (found !== undefined) this.select(found, true);
    };
    const items = this.#shown(), at = items.indexOf(/** @type {HTMLLIElement} */ (target));
    switch (event.key) {
      case "ArrowDown": to(items[at + 1]); break;
      case "ArrowUp": to(items[at - 1]); break;
      case "Home": to(items[0]); break;
      case "End": to(items[items.length - 1]); break;
      case "ArrowRight":
        if (!this.source.children(id).length) break;
        if (this.open.has(id)) to(items[at + 1]);
        else this.toggle(id, true);
        break;
      case "ArrowLeft":
        if (this.open.has(id) && this.source.children(id).length) this.toggle(id, false);
        else to(target.parentElement?.closest("li"));
        break;
      case "*":
        for (const sibling of target.parentElement?.children ?? []) {
          const found = this.ids.get(sibling);
          if (found !== undefined) this.toggle(found, true);
        }
        break;
      case "Enter": case " ": this.source.onActivate?.(id); break;
      default: return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const target = /** @type {Element} */ (event.target);
    if (target.closest("input,button,select")) return;
    const item = target.closest("li"), id = item ? this.ids.get(item) : undefined;
    if (id === undefined) return;
    if (target.closest(".tf-twist")) this.toggle(id);
    else {
      this.select(id, true);
      this.source.onActivate?.(id);
    }
  }
}
