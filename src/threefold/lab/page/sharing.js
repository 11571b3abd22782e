// @ts-check
/**
 * Links to what the page shows, to share: as text, and as a QR code for phones.
 *
 * If the lab is open to a class, a link must contain the token that lets a browser in. The page
 * cannot see it, so the lab makes the link.
 */

import { button, complain, copyText, field, h, uniqueId } from "./parts.js";
import { parse } from "./svg.js";

/** @typedef {{link: string, query: string, local: boolean, code: string | null}} Shared */

/**
 * The lab's answer about a link.
 *
 * @param {string} shown the part of the address from # on
 * @returns {Promise<Shared>}
 */
async function shared(shown) {
  /** @type {Response | undefined} */
  const answer = await fetch(`share?shown=${encodeURIComponent(shown)}`, { cache: "no-store" }).catch(() => undefined);
  if (!answer) throw new Error("There is no link: the lab does not answer.");
  if (!answer.ok) throw new Error(`There is no link: ${(await answer.text()).trim()}.`);
  return answer.json();
}

/**
 * Keep the token in the address, where it can be copied from: it is what lets others in.
 */
export async function keepToken() {
  const { query } = await shared("");
  if (query && location.search !== query) history.replaceState(null, "", `${query}${location.hash}`);
}

/**
 * Copy the link to what the page shows, and show it.
 *
 * @param {string} what it leads to, in words
 * @param {string} [shown] the part of the address from # on
 */
export async function shareLink(what, shown = location.hash) {
  try {
    const found = await shared(shown);
    await copyText(found.link, "Link copied");
    showLink(what, found);
  } catch (error) {
    complain(error);
  }
}

/**
 * @param {string} what
 * @param {Shared} found
 */
function showLink(what, { link, local, code }) {
  const heading = h("h2", { id: uniqueId("share") }, `Copied the link to ${what}`);
  const text = h("input", { class: "mono", type: "text", readonly: true, value: link, onfocus: () => text.select() });
  const reach = local
    ? "It works on this machine only. To open the lab to your network, start it with “threefold lab --host 0.0.0.0”."
    : "It works for everyone in this network; anyone who has it can open the lab.";
  const picture = code === null ? h("p", { class: "note" }, "The link is too long for a QR code.") : h("div", { class: "share-code", role: "img", "aria-label": "The link as a QR code" }, parse(code));
  const dialog = h("dialog", { class: "ask share", "aria-labelledby": heading.id }, heading,
    h("p", {}, reach),
    local ? null : picture,
    field("Link", text),
    h("div", { class: "row" },
      button("Copy again", () => void copyText(link, "Link copied"), { icon: "copy" }),
      button("Close", () => dialog.close(), { main: true })));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
