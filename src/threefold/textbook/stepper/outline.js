// @ts-check
/**
 * A tree as a list to walk through with the arrow keys: the ARIA tree pattern.
 *
 * It does not hold the tree. The caller says what is below a node, what to show of it and how to
 * describe it. The items are in one flat list, each with its level, so that an item's name is just
 * its own text. Only open branches are created.
 */

/**
 * @template Id
 * @typedef {object} OutlineSource
 * @property {() => Id} root
 * @property {(id: Id) => readonly Id[]} children
 * @property {(row: HTMLElement, id: Id) => void} fill show a node in its row
 * @property {(id: Id) => string} label what is read aloud about a node beyond what is shown
 * @property {(id: Id) => void} [onSelect] the node under the arrow keys changed
 * @property {(id: Id) => void} [onActivate] Enter, Space or a click
 * @property {(event: KeyboardEvent, id: Id) => boolean} [onKey] true if the key was used
 */

/** @template Id */
export class Outline {
  /** @param {HTMLElement} element @param {string} label @param {OutlineSource<Id>} source @param {Iterable<Id>} [open] */
  constructor(element, label, source, open = []) {
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

  /** Rebuild the list; what was open stays open, and the focus stays where it was. */
  rebuild() {
    const focused = this.list.contains(document.activeElement);
    this.items.clear();
    const root = this.source.root();
    /** @type {[Id, number, number, number][]} */
    const waiting = [[root, 1, 1, 1]];
    const made = [];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [id, level] = next;
      made.push(this.#item(...next));
      const children = this.open.has(id) ? this.source.children(id) : [];
      for (let k = children.length - 1; k >= 0; k--) waiting.push([children[k], level + 1, k + 1, children.length]);
    }
    this.list.replaceChildren(...made);
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
    if (this.source.children(id).length) item.setAttribute("aria-expanded", String(this.open.has(id)));
    item.tabIndex = -1;
    item.style.setProperty("--level", String(level - 1));
    const twist = document.createElement("span");
    twist.className = "tf-twist";
    const row = document.createElement("span");
    row.className = "tf-outline-row";
    item.append(twist, row);
    this.items.set(id, item);
    this.ids.set(item, id);
    this.refresh(id);
    return item;
  }

  /** Update a node's row and label. @param {Id} id */
  refresh(id) {
    const row = this.items.get(id)?.querySelector(".tf-outline-row");
    if (!row) return;
    this.source.fill(/** @type {HTMLElement} */ (row), id);
    const words = document.createElement("span");
    words.className = "tf-aloud";
    words.textContent = ` ${this.source.label(id)}`;
    row.append(words);
  }

  /** Open or close a node. @param {Id} id @param {boolean} [open] */
  toggle(id, open = !this.open.has(id)) {
    if (open === this.open.has(id) || !this.source.children(id).length) return;
    if (open) this.open.add(id);
    else this.open.delete(id);
    const before = this.current;
    if (!open) this.current = this.#isBelow(before, id) ? id : before;
    this.rebuild();
    if (this.current !== before) this.source.onSelect?.(this.current);
  }

  /** @param {Id} id @param {Id} above */
  #isBelow(id, above) {
    const waiting = [...this.source.children(above)];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next === id) return true;
      waiting.push(...this.source.children(next));
    }
    return false;
  }

  /** Make a node the current one for the arrow keys. @param {Id} id @param {boolean} [focus] */
  select(id, focus = this.list.contains(document.activeElement)) {
    if (!this.items.has(id)) return;
    this.#mark(id);
    if (focus) this.focus();
    this.source.onSelect?.(id);
  }

  /** Focus the current node. */
  focus() {
    const item = this.items.get(this.current);
    item?.focus({ preventScroll: true });
    item?.scrollIntoView({ block: "nearest" });
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
    switch (event.key) {
      case "ArrowDown": to(target.nextElementSibling); break;
      case "ArrowUp": to(target.previousElementSibling); break;
      case "Home": to(this.list.firstElementChild); break;
      case "End": to(this.list.lastElementChild); break;
      case "ArrowRight":
        if (!this.source.children(id).length) break;
        if (this.open.has(id)) to(target.nextElementSibling);
        else this.toggle(id, true);
        break;
      case "ArrowLeft":
        if (this.open.has(id) && this.source.children(id).length) this.toggle(id, false);
        else to(parentItem(target));
        break;
      case "*": {
        const parent = parentItem(target), above = parent ? this.ids.get(parent) : undefined;
        for (const sibling of above === undefined ? [id] : this.source.children(above)) this.open.add(sibling);
        this.rebuild();
        break;
      }
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

/** The item of the parent: the nearest before it that is a level higher. @param {Element} item */
function parentItem(item) {
  const level = Number(item.getAttribute("aria-level"));
  let before = item.previousElementSibling;
  while (before && Number(before.getAttribute("aria-level")) >= level) before = before.previousElementSibling;
  return before;
}
