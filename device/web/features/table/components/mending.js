// @ts-check
// One button by which the simulated hand fixes a problem.

/** @import { Snapshot } from "../../../ui/lib/types.js" */

/**
 * @param {HTMLElement} field
 * @param {HTMLButtonElement} node
 * @param {() => Promise<unknown>} order
 */
export function mendButton(field, node, order) {
  let asked = false;

  node.addEventListener("click", async () => {
    if (node.disabled) return;
    asked = node.disabled = true;
    if (!(await order())) asked = node.disabled = false;
  });

  return {
    /** @param {Snapshot} snapshot */
    update(snapshot) {
      // The Throw button rethrows an exploding die.
      const mend = snapshot.mend?.kind === "throw_again" ? null : snapshot.mend;
      // While the hand is busy nothing is offered.
      if (!mend) asked = false;
      field.hidden = !mend;
      node.disabled = asked;
      if (mend && node.textContent !== mend.text) node.textContent = mend.text;
      if (mend) document.body.dataset.mend = mend.kind;
      else delete document.body.dataset.mend;
    },
  };
}
