// @ts-check
/**
 * A tree to be edited, and its text.
 *
 * Only the server decides whether a text is a tree and what its nodes are called. What is read here
 * has passed there, so the reader trusts it. It keeps what an editor must not lose: which names
 * were given, and values and weights as they were written.
 */

/**
 * @typedef {object} TreeNode
 * @property {string} name as given; empty if the server chooses
 * @property {string} shown the name that is displayed
 * @property {string} value as written; empty if there is none
 * @property {boolean} loud marked as not quiet
 * @property {boolean} chance
 * @property {string} weight of a child of a chance node
 * @property {TreeNode[]} children
 */

/** @typedef {{root: TreeNode, first: "max" | "min"}} Tree */

const NUMBER = String.raw`[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:/\d+)?`;
const TOKEN = new RegExp(String.raw`\s+|~\(|\(|\)|(?:\d+(?:\.\d+)?|\.\d+)(?:/\d+)?\*|<[^<>()]*>|${NUMBER}|[\p{L}_][\p{L}\p{N}_]*'*|:|!`, "gu");
const VALUE = new RegExp(`^(?:${NUMBER}|<.*>)$`);
const NAME = /^[\p{L}_][\p{L}\p{N}_]*'*$/u;
const HEAD = new RegExp(String.raw`^(?:((?:\d+(?:\.\d+)?|\.\d+)(?:/\d+)?)\s*\*)?\s*([\p{L}_][\p{L}\p{N}_]*'*)?\s*:?\s*(${NUMBER}|<[^<>()]*>)?\s*(!)?$`, "u");

/** @param {Partial<TreeNode>} [parts] @returns {TreeNode} */
export function newNode(parts = {}) {
  return { name: "", shown: "", value: "", loud: false, chance: false, weight: "", children: [], ...parts };
}

/** Read a text that the server accepted. @param {string} text @returns {Tree} */
export function readTree(text) {
  const tokens = [...text.matchAll(TOKEN)].map(match => match[0]);
  let at = 0;
  const skip = () => { while (/^\s/.test(tokens[at] ?? "")) at++; };
  /** @type {Tree["first"]} */
  let first = "max";
  skip();
  const follows = tokens.slice(at + 1).find(token => /\S/.test(token));
  if (/^(min|max)$/.test(tokens[at] ?? "") && follows !== undefined && !/^[:!]/.test(follows)) {
    first = /** @type {Tree["first"]} */ (tokens[at++]);
    skip();
  }
  /** @returns {TreeNode} */
  function node() {
    const made = newNode();
    if (/\*$/.test(tokens[at] ?? "")) made.weight = tokens[at++].slice(0, -1);
    skip();
    const before = at;
    if (VALUE.test(tokens[at] ?? "")) {
      made.value = tokens[at++];
      return made;
    }
    if (NAME.test(tokens[at] ?? "")) made.name = tokens[at++];
    if (tokens[at] === ":") {
      at++;
      skip();
      made.value = tokens[at++];
    }
    if (tokens[at] === "!") {
      made.loud = true;
      at++;
    }
    if (at === before) skip();
    if (tokens[at] === "(" || tokens[at] === "~(") {
      made.chance = tokens[at++] === "~(";
      for (skip(); at < tokens.length && tokens[at] !== ")"; skip()) made.children.push(node());
      at++;
    }
    return made;
  }
  return { root: node(), first };
}

/** The text of a tree. @param {Tree} tree */
export function writeTree({ root, first }) {
  return (first === "min" ? "min " : "") + writeNode(root);
}

/** @param {TreeNode} node @returns {string} */
function writeNode(node) {
  const weight = node.weight ? `${node.weight}*` : "";
  if (node.children.length) {
    const inside = node.children.map(writeNode).join(" ");
    if (node.chance) return `${weight}${node.name}~(${inside})`;
    return `${weight}${node.name}${node.value ? `:${node.value}` : ""}${node.loud ? "!" : ""}(${inside})`;
  }
  // A leaf without a value, or one that is not quiet, needs its name.
  const name = node.name || (node.value && !node.loud ? "" : node.shown);
  if (!name) return weight + (node.value || "0");
  return `${weight}${name}${node.value ? `:${node.value}` : ""}${node.loud ? "!" : ""}`;
}

/** What is written before a node's children, to be changed in one field. @param {TreeNode} node */
export function headOf(node) {
  const weight = node.weight ? `${node.weight}*` : "";
  return weight + (node.name ? node.name + (node.value ? `:${node.value}` : "") : node.value) + (node.loud ? "!" : "");
}

/** Change a node to what was typed; false if that cannot be read. @param {TreeNode} node @param {string} text */
export function takeHead(node, text) {
  const match = HEAD.exec(text.trim().replaceAll("−", "-"));
  if (!match) return false;
  const [, weight, name, value, loud] = match;
  if (weight) node.weight = weight;
  node.name = name ?? "";
  node.value = value ?? "";
  node.loud = Boolean(loud);
  return true;
}

/** Every node in tree order. @param {TreeNode} root @returns {TreeNode[]} */
export function allNodes(root) {
  const found = [], waiting = [root];
  while (waiting.length) {
    const node = /** @type {TreeNode} */ (waiting.pop());
    found.push(node);
    for (let k = node.children.length - 1; k >= 0; k--) waiting.push(node.children[k]);
  }
  return found;
}

/** Give the children of a chance node the same weight each. @param {TreeNode} node */
export function evenWeights(node) {
  for (const child of node.children) child.weight = node.chance ? (node.children.length === 1 ? "1" : `1/${node.children.length}`) : "";
}
