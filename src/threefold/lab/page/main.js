// @ts-check
/** The page: its rooms, their doors, the theme, and the state of the connection. */

import { connection } from "./connection.js";
import { announce, button, h, icon } from "./parts.js";
import { keepToken } from "./sharing.js";
import { state } from "./state.js";

/** @typedef {{close(): void, update?(): void}} Room what a room's `open(main, state)` returns */

/** @type {readonly (readonly [string, string, import("./parts.js").IconName])[]} */
const ROOMS = [
  ["play", "Play", "play"],
  ["analyse", "Analyze", "analyse"],
  ["step", "Step through", "step"],
  ["compare", "Compare", "compare"],
  ["paths", "Paths", "paths"],
  ["learning", "Learning", "learning"],
  ["build", "Build", "build"],
  ["review", "Review", "review"],
  ["matches", "Matches", "matches"],
  ["exercises", "Exercises", "exercises"],
  ["games", "Games", "games"],
];

const main = /** @type {HTMLElement} */ (document.getElementById("rooms"));
const nav = /** @type {HTMLElement} */ (document.getElementById("nav"));

const doors = new Map(
  ROOMS.map(([name, title, picture]) => [name, h("a", { href: `#${name}/` }, icon(picture), title)]),
);
for (const door of doors.values()) nav.append(h("li", {}, door));

/** @type {Room | undefined} */
let room;
let openName = "";
let visits = 0;
/** How often a room's file could not be fetched: a browser may remember that it was missing. */
let missed = 0;

async function enter() {
  const name = doors.has(state.room) ? state.room : "play";
  markDoors(name);
  if (name === openName && room?.update) {
    room.update();
    return;
  }
  const visit = ++visits;
  room?.close();
  room = undefined;
  const isFirst = openName === "";
  openName = name;
  const title = ROOMS.find(([each]) => each === name)?.[1] ?? "";
  document.title = `${title} · Threefold lab`;
  try {
    const { open } = await import(`./rooms/${name}.js${missed ? `?try=${missed}` : ""}`);
    if (visit !== visits) return;
    main.replaceChildren();
    room = open(main, state);
  } catch (error) {
    if (visit !== visits) return;
    console.error(error);
    openName = "";
    if (await isServed()) showProblem(`The room “${title}” could not be opened: ${error instanceof Error ? error.message : error}`);
    else {
      missed++;
      showProblem(`“${title}” cannot be opened: the lab does not answer. It may have been closed; start it again with “threefold lab”, and this page reconnects automatically.`);
    }
    return;
  }
  if (!isFirst) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
    announce(`${title}: room opened`);
  }
}

/** Whether the lab answers. */
async function isServed() {
  try {
    return (await fetch("health", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

/** @param {string} sentence */
function showProblem(sentence) {
  main.replaceChildren(
    h("div", { class: "failed", role: "alert" },
      h("p", {}, sentence),
      button("Reload the page", () => location.reload(), { main: true })),
  );
}

/** @param {string} [current] */
function markDoors(current = openName) {
  for (const [name, door] of doors) {
    door.href = state.link(name);
    if (name === current) {
      door.setAttribute("aria-current", "page");
      door.scrollIntoView({ block: "nearest", inline: "center" });
    } else door.removeAttribute("aria-current");
  }
}

state.listen(() => void enter());
addEventListener("statechange", () => {
  for (const [name, door] of doors) door.href = state.link(name);
});

document.getElementById("skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

// The theme: the system's, light, or dark.

/** @type {readonly (readonly [string, string, import("./parts.js").IconName])[]} */
const THEMES = [
  ["", "Theme: system", "system"],
  ["light", "Theme: light", "sun"],
  ["dark", "Theme: dark", "moon"],
];
const themeButton = /** @type {HTMLButtonElement} */ (document.getElementById("theme"));

/** @param {string} theme */
function showTheme(theme) {
  const [, title, picture] = THEMES.find(([name]) => name === theme) ?? THEMES[0];
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  themeButton.replaceChildren(icon(picture), h("span", { class: "aloud" }, title));
  themeButton.title = title;
}

themeButton.addEventListener("click", () => {
  const now = document.documentElement.dataset.theme ?? "";
  const next = THEMES[(THEMES.findIndex(([name]) => name === now) + 1) % THEMES.length];
  if (!next) return;
  localStorage.setItem("threefold-theme", next[0]);
  showTheme(next[0]);
  announce(next[1]);
});
showTheme(document.documentElement.dataset.theme ?? "");

const standing = /** @type {HTMLElement} */ (document.getElementById("standing"));
let wasLost = false;
connection.watch((now) => {
  standing.replaceChildren();
  if (now === "lost") {
    wasLost = true;
    standing.append(h("span", { class: "busy" }, "The lab does not answer; trying again…"));
  } else if (now === "open" && wasLost) {
    wasLost = false;
    announce("Connected again");
    if (!openName) void enter();
  }
});

void enter();
keepToken().catch(() => {}); // a lab that does not answer is reported elsewhere
