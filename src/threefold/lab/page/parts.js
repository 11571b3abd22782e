// @ts-check
/**
 * The small parts that every room is built of: elements, buttons, fields, messages.
 *
 * Nothing here knows about games, rooms or the connection.
 */

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, unknown>} Attributes */

/**
 * Make an element. An attribute that is a function listens (`onclick: f`), `true` is an empty
 * attribute, `false`, `null` and `undefined` leave it out; `class`, `for`, `aria-…`, `data-…` are
 * written as in HTML. Texts are put in as texts, never as HTML.
 *
 *     h("p", {class: "note"}, "It is ", h("b", {}, "your"), " turn.")
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  dress(element, attributes);
  append(element, ...children);
  return element;
}

/**
 * Make an SVG element; otherwise like `h`.
 *
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  dress(element, attributes);
  append(element, ...children);
  return element;
}

/**
 * @param {Element} element
 * @param {Attributes} attributes
 */
function dress(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function")
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function append(element, ...children) {
  for (const child of children.flat())
    if (child !== null && child !== undefined && child !== false)
      element.append(child instanceof Node ? child : String(child));
}

/**
 * Replace the children of an element.
 *
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, ...children);
}

/** Our own icons, on a 24 × 24 grid, drawn as outlines (no fill). */
const ICONS = {
  play: "M7 4.5v15l12-7.5z",
  analyse: "M4 19.5h16M6 16l4-6 4 3 5-8",
  step: "M12 4v4M12 8l-6 5M12 8l6 5M4 13h4v5H4zM16 13h4v5h-4z",
  compare: "M5 20V10M10 20V4M15 20v-7M20 20V8",
  paths: "M5 17a2 2 0 1 0 0 4a2 2 0 0 0 0-4zM19 3a2 2 0 1 0 0 4a2 2 0 0 0 0-4zM7 19h8a4 4 0 0 0 0-8H9a4 4 0 0 1 0-8h8",
  learning: "M3.5 4v16h17M6.5 7c2 8 6 9 13.5 9.5",
  build: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  review: "M10.5 4a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13zM15.5 15.5L21 21",
  matches: "M7 4h10v5a5 5 0 0 1-10 0zM7 6H4a3 3 0 0 0 3.3 4M17 6h3a3 3 0 0 1-3.3 4M12 14v4M8.5 20h7",
  exercises: "M5 4h14v16H5zM8.5 9l1.5 1.5L13 7.5M8.5 15.5h7",
  games: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  first: "M6 5v14M18 5l-9 7 9 7z",
  back: "M15 5l-8 7 8 7",
  next: "M9 5l8 7-8 7",
  last: "M18 5v14M6 5l9 7-9 7z",
  turn: "M20 12a8 8 0 0 1-14 5.3M4 12a8 8 0 0 1 14-5.3M18.5 2.5v4.5h-4.5M5.5 21.5v-4.5h4.5",
  undo: "M9 7H4V2M4.5 7A8.5 8.5 0 1 1 4 14",
  copy: "M9 9h11v11H9zM15 5V4H4v11h1",
  stop: "M6 6h12v12H6z",
  hide: "M3 12c3-5 6-7 9-7s6 2 9 7c-3 5-6 7-9 7s-6-2-9-7zM4 20L20 4",
  show: "M3 12c3-5 6-7 9-7s6 2 9 7c-3 5-6 7-9 7s-6-2-9-7zM12 9a3 3 0 1 1 0 6a3 3 0 0 1 0-6z",
  export: "M12 4v11M7.5 10.5L12 15l4.5-4.5M4 19.5h16",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  sun: "M12 8a4 4 0 1 1 0 8a4 4 0 0 1 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4A8.5 8.5 0 1 0 20 14.5z",
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  cross: "M6 6l12 12M18 6L6 18",
  check: "M5 12.5l5 5L20 6.5",
  dice: "M5 5h14v14H5zM9 9v.2M15 15v.2M15 9v.2M9 15v.2M12 12v.2",
  human: "M12 4a4 4 0 1 1 0 8a4 4 0 0 1 0-8zM4.5 20.5c0-4 3.4-6 7.5-6s7.5 2 7.5 6",
  engine: "M7 7h10v10H7zM10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4",
  why: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.8v.2",
  more: "M5 12v.2M12 12v.2M19 12v.2",
};

/** @typedef {keyof typeof ICONS} IconName */

/**
 * An icon; screen readers skip it, so it needs text beside it.
 *
 * @param {IconName} name
 * @returns {SVGSVGElement}
 */
export function icon(name) {
  return s(
    "svg",
    { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" },
    s("path", { d: ICONS[name] }),
  );
}

/**
 * A button. Options: `icon`, `quiet` (no border), `main` (the primary one), `small`,
 * `title` (a longer description), `only` (show the icon only; the text is read aloud),
 * `pressed` (it stays down; change it with `press`), `disabled`, and any attribute in `more`.
 *
 * @param {string} text
 * @param {(event: MouseEvent) => void} action
 * @param {{icon?: IconName, quiet?: boolean, main?: boolean, small?: boolean, title?: string,
 *   only?: boolean, pressed?: boolean, disabled?: boolean, more?: Attributes}} [options]
 * @returns {HTMLButtonElement}
 */
export function button(text, action, options = {}) {
  const css = ["button"];
  if (options.main) css.push("main");
  if (options.quiet) css.push("quiet");
  if (options.small) css.push("small");
  if (options.only) css.push("only");
  return h(
    "button",
    {
      type: "button",
      class: css.join(" "),
      onclick: action,
      title: options.title ?? (options.only ? text : null),
      "aria-pressed": options.pressed === undefined ? null : String(options.pressed),
      disabled: options.disabled ?? false,
      ...options.more,
    },
    options.icon ? icon(options.icon) : null,
    h("span", { class: options.only ? "aloud" : "" }, text),
  );
}

/**
 * Set whether a button that stays down is down.
 *
 * @param {HTMLButtonElement} which
 * @param {boolean} down
 */
export function press(which, down) {
  which.setAttribute("aria-pressed", String(down));
}

/**
 * A link that looks like a button.
 *
 * @param {string} text
 * @param {string} href
 * @param {{icon?: IconName, main?: boolean, small?: boolean, title?: string}} [options]
 */
export function linkButton(text, href, options = {}) {
  const css = `button${options.main ? " main" : ""}${options.small ? " small" : ""}`;
  return h(
    "a",
    { class: css, href, title: options.title },
    options.icon ? icon(options.icon) : null,
    h("span", {}, text),
  );
}

let numbers = 0;

/**
 * A name that no other element has.
 *
 * @param {string} [stem]
 */
export const uniqueId = (stem = "part") => `${stem}-${++numbers}`;

/**
 * A label above a control, with an optional hint below it.
 *
 * @param {string} label
 * @param {HTMLElement} control an input, a select or a textarea
 * @param {{hint?: string, row?: boolean}} [options] `row`: the label is beside it
 */
export function field(label, control, options = {}) {
  control.id ||= uniqueId("field");
  const hint = options.hint ? h("small", { class: "hint", id: `${control.id}-hint` }, options.hint) : null;
  if (hint) control.setAttribute("aria-describedby", hint.id);
  return h(
    "div",
    { class: options.row ? "field row" : "field" },
    h("label", { for: control.id }, label),
    control,
    hint,
  );
}

/**
 * A choice. Options are texts or [value, text] pairs.
 *
 * @param {readonly (string | readonly [string, string])[]} options
 * @param {string} chosen
 * @param {(value: string) => void} [action]
 * @param {Attributes} [attributes]
 * @returns {HTMLSelectElement}
 */
export function select(options, chosen, action, attributes = {}) {
  const element = h(
    "select",
    attributes,
    options.map((option) => {
      const [value, text] = typeof option === "string" ? [option, option] : option;
      return h("option", { value, selected: value === chosen }, text);
    }),
  );
  if (action) element.addEventListener("change", () => action(element.value));
  return element;
}

/**
 * A box to tick, with its label.
 *
 * @param {string} label
 * @param {boolean} ticked
 * @param {(ticked: boolean) => void} action
 */
export function tick(label, ticked, action) {
  const input = h("input", { type: "checkbox", checked: ticked, onchange: () => action(input.checked) });
  return h("label", { class: "tick" }, input, h("span", {}, label));
}

/**
 * A whole number to type, kept between its limits.
 *
 * @param {number} value
 * @param {number} least
 * @param {number} most
 * @param {(value: number) => void} [action]
 * @returns {HTMLInputElement}
 */
export function numberInput(value, least, most, action) {
  const input = h("input", { type: "number", value, min: least, max: most, step: 1 });
  input.addEventListener("change", () => {
    const typed = Math.round(Number(input.value));
    input.value = String(Math.max(least, Math.min(most, Number.isFinite(typed) ? typed : value)));
    action?.(Number(input.value));
  });
  return input;
}

/**
 * A framed part of a room with its heading.
 *
 * @param {string} title
 * @param {...(Child | Child[])} children
 */
export function panel(title, ...children) {
  const heading = h("h2", { id: uniqueId("panel") }, title);
  return h("section", { class: "panel", "aria-labelledby": heading.id }, heading, ...children);
}

/**
 * A panel of controls, which is not printed.
 *
 * @param {string} title
 * @param {...(Child | Child[])} children
 */
export function controlPanel(title, ...children) {
  const made = panel(title, ...children);
  made.classList.add("no-print");
  return made;
}

/**
 * A part that opens when its summary is clicked.
 *
 * @param {string} summary
 * @param {boolean} open
 * @param {...(Child | Child[])} children
 */
export function fold(summary, open, ...children) {
  return h("details", { class: "fold", open }, h("summary", {}, summary), h("div", {}, ...children));
}

/**
 * A row of buttons that belong together.
 *
 * @param {string} label what they are for, read aloud
 * @param {...(Child | Child[])} children
 */
export function toolbar(label, ...children) {
  return h("div", { class: "toolbar", role: "group", "aria-label": label }, ...children);
}

/**
 * Tabs: the ARIA pattern, with arrow keys. `show` fills the page of the tab that was chosen.
 *
 * @param {string} label
 * @param {readonly (readonly [string, string])[]} pages [key, title] pairs
 * @param {string} chosen
 * @param {(key: string, page: HTMLElement) => void} show
 */
export function tabs(label, pages, chosen, show) {
  const page = h("div", { class: "tab-page", role: "tabpanel", id: uniqueId("page"), tabindex: 0 });
  /** @param {string} key @param {boolean} focus */
  const choose = (key, focus) => {
    for (const tab of list) {
      const is = tab.dataset.key === key;
      tab.setAttribute("aria-selected", String(is));
      tab.tabIndex = is ? 0 : -1;
      if (is) {
        page.setAttribute("aria-labelledby", tab.id);
        if (focus) tab.focus();
      }
    }
    page.replaceChildren();
    show(key, page);
  };
  const list = pages.map(([key, title]) =>
    h("button", {
      type: "button", role: "tab", class: "tab", id: uniqueId("tab"), "data-key": key,
      "aria-controls": page.id, onclick: () => choose(key, false),
    }, title),
  );
  const bar = h("div", {
    class: "tabs", role: "tablist", "aria-label": label,
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      const turn = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (turn === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      const at = list.findIndex((tab) => tab.tabIndex === 0);
      const next = list[(at + turn + list.length) % list.length];
      if (next?.dataset.key) choose(next.dataset.key, true);
    },
  }, list);
  choose(chosen, false);
  return h("div", { class: "tabbed" }, bar, page);
}

/**
 * Say something to a screen reader, through the page's live region.
 *
 * @param {string} text
 */
export function announce(text) {
  const news = document.getElementById("news");
  if (!news) return;
  // The same text twice is read only when the region changed in between.
  news.textContent = news.textContent === text ? `${text}\u00a0` : text;
}

/**
 * Show a message at the bottom of the page, which goes away after a while. An error
 * stays longer.
 *
 * @param {string} text
 * @param {"said" | "error"} [kind]
 */
export function toast(text, kind = "said") {
  const place = document.getElementById("toasts");
  if (!place) return;
  const message = h(
    "div",
    { class: `toast ${kind}`, role: kind === "error" ? "alert" : "status" },
    h("span", {}, text),
    button("Close", () => message.remove(), { icon: "cross", only: true, quiet: true, small: true }),
  );
  place.append(message);
  while (place.children.length > 3) place.firstElementChild?.remove();
  setTimeout(() => message.remove(), kind === "error" ? 12000 : 4000);
}

/**
 * Report an unexpected error; one that only says that the room was left is silent.
 *
 * @param {unknown} error
 */
export function complain(error) {
  if (error instanceof DOMException && error.name === "AbortError") return;
  toast(error instanceof Error ? error.message : String(error), "error");
}

/**
 * Ask the user to choose one of several, in a dialog; Escape answers null.
 *
 * @param {string} question
 * @param {readonly {value: string, text: string, picture?: Node}[]} choices
 * @param {string} [none] the text of the button for none of them
 * @returns {Promise<string | null>}
 */
export function choose(question, choices, none = "Cancel") {
  return new Promise((resolve) => {
    const heading = h("h2", { id: uniqueId("ask") }, question);
    const dialog = h(
      "dialog",
      { class: "ask", "aria-labelledby": heading.id },
      heading,
      h("div", { class: "choices" }, choices.map((choice) => {
        const one = button(choice.text, () => dialog.close(choice.value));
        if (choice.picture) one.prepend(choice.picture);
        return one;
      })),
      button(none, () => dialog.close(""), { quiet: true }),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue || null);
    });
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("button")?.focus();
  });
}

/**
 * Copy a text to the clipboard, and say so.
 *
 * @param {string} text
 * @param {string} [what]
 */
export async function copyText(text, what = "Copied") {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without a secure origin (a class on the local network) there is only the old way.
    const area = h("textarea", { class: "aloud" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  toast(what);
}

/**
 * Let the browser save a file.
 *
 * @param {string} name
 * @param {string | Blob} content
 * @param {string} [type]
 */
export function download(name, content, type = "text/plain") {
  const blob = content instanceof Blob ? content : new Blob([content], { type: `${type};charset=utf-8` });
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/**
 * Whether a key goes to something that handles keys itself.
 *
 * @param {Event} event
 */
export function isTyping(event) {
  const target = event.target;
  return (
    target instanceof Element &&
    target.closest("input, textarea, select, dialog, [role=tablist], [role=grid], [contenteditable]") !== null
  );
}

/** Whether the user prefers reduced motion. */
export const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * A number with its thousands separated: 12,345.
 *
 * @param {number} n
 */
export const grouped = (n) => Math.round(n).toLocaleString("en-GB");

/**
 * A large number in short form: 12.3 M.
 *
 * @param {number} n
 */
export function brief(n) {
  for (const [size, letter] of /** @type {const} */ ([[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]))
    if (n >= size) return `${(n / size).toPrecision(3)} ${letter}`;
  return String(Math.round(n));
}

/**
 * A value with its sign and a true minus: +12, −3.
 *
 * @param {number} value
 * @param {number} [digits] after the point, at most
 */
export function signed(value, digits = 2) {
  const text = Math.abs(value).toLocaleString("en-GB", { maximumFractionDigits: digits });
  return value > 0 ? `+${text}` : value < 0 ? `\u2212${text}` : text;
}

/**
 * Run something at most once in a number of milliseconds, and always for the last call.
 *
 * @param {() => void} action
 * @param {number} [pause]
 */
export function calmly(action, pause = 120) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;
  return () => {
    clearTimeout(waiting);
    waiting = setTimeout(action, pause);
  };
}
