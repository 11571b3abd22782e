// @ts-check
/** The menu to export a position or a game: as a picture, data, a printout, notation or a link. */

import { ask } from "./connection.js";
import { button, complain, download, h, icon } from "./parts.js";
import { shareLink } from "./sharing.js";
import { savePng, saveSvg } from "./svg.js";

/**
 * @param {object} from
 * @param {() => SVGSVGElement | undefined} from.picture
 * @param {() => {game: string, start: string, moves: string[], at: number, view?: {position?: string, record: string | null}}} from.line
 * @param {() => Record<string, unknown>} from.data what goes into the JSON besides the game
 */
export function exportMenu({ picture, line, data }) {
  const name = () => line().game.replace(/[^a-z0-9-]+/gi, "-").replace(/-+$/, "");
  const record = button("Game record", saveRecord, { small: true, quiet: true });
  const menu = h(
    "details",
    { class: "menu no-print" },
    h("summary", { class: "button" }, icon("export"), "Export"),
    h("div", { class: "menu-list" },
      item("Picture, SVG", () => withPicture((svg) => saveSvg(svg, name()))),
      item("Picture, PNG", () => withPicture((svg) => savePng(svg, name()))),
      item("Data, JSON", () => download(`${name()}.json`, `${JSON.stringify(whole(), null, 2)}\n`, "application/json")),
      record,
      item("Print, or save as PDF", () => print()),
      item("Copy a link to this", () => shareLink("this position"))),
  );
  menu.addEventListener("toggle", () => {
    const { view } = line();
    record.hidden = !view?.record;
    const label = record.querySelector("span");
    if (label) label.textContent = `The game, ${view?.record}`;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
  menu.addEventListener("focusout", (event) => {
    if (event.relatedTarget instanceof Node && !menu.contains(event.relatedTarget)) menu.open = false;
  });
  record.addEventListener("click", () => (menu.open = false));

  /**
   * @param {string} text
   * @param {() => unknown} action
   */
  function item(text, action) {
    return button(text, async () => {
      menu.open = false;
      try {
        await action();
      } catch (error) {
        complain(error);
      }
    }, { small: true, quiet: true });
  }

  /** @param {(svg: SVGSVGElement) => unknown} action */
  function withPicture(action) {
    const svg = picture();
    return svg ? action(svg) : undefined;
  }

  function whole() {
    const { game, start, moves, at, view } = line();
    return { game, start, moves, at, position: view?.position, ...data() };
  }

  async function saveRecord() {
    try {
      const { game, start, moves, view } = line();
      const { text } = await ask("record", { game, start, moves });
      download(`${name()}.${view?.record?.toLowerCase()}`, text);
    } catch (error) {
      complain(error);
    }
  }

  return menu;
}
