// @ts-check
/** Where the steps of a run are: at which node, and which of them change a value. */

/** @import { Steps } from "./stepper.js" */

/** By step: the node that is marked as the current one, or -1. @param {Steps} payload */
export function whereEachStepIs(payload) {
  const isHere = payload.looks.map(([css]) => css.split(" ").includes("here"));
  let at = -1;
  return payload.changes.map(change => {
    for (let i = 0; i < change.length; i += 2)
      if (isHere[change[i + 1]]) at = change[i];
      else if (at === change[i]) at = -1;
    return at;
  });
}

/** The steps at which the value of an inner node changes. @param {Steps} payload */
export function whereValuesChange(payload) {
  const inner = new Set(payload.parents);
  /** @type {string[]} */
  const values = [];
  return payload.changes.flatMap((change, s) => {
    let changed = false;
    for (let i = 0; i < change.length; i += 2) {
      const node = change[i], value = payload.looks[change[i + 1]][1];
      if (inner.has(node) && value && value !== (values[node] ?? "")) changed = true;
      values[node] = value;
    }
    return changed && s > 0 ? [s] : [];
  });
}

/** By node: the steps that are at it. @param {Steps} payload @param {readonly number[]} here */
export function stepsOfEachNode(payload, here) {
  /** @type {number[][]} */
  const steps = payload.nodes.map(() => []);
  here.forEach((node, s) => { if (node >= 0) steps[node].push(s); });
  return steps;
}
