// @ts-check
// The simulated hand's way out of a trouble: one button that does what the trouble's own words ask for.

/** @import { Snapshot } from "../lib/types.js" */

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
      // What is to be thrown once more goes by the Throw button.
      const mend = snapshot.mend?.kind === "throw_again" ? null : snapshot.mend;
      // While the hand is about nothing is offered: what it was asked for is under way.
      if (!mend) asked = false;
      field.hidden = !mend;
      node.disabled = asked;
      if (mend && node.textContent !== mend.text) node.textContent = mend.text;
      if (mend) document.body.dataset.mend = mend.kind;
      else delete document.body.dataset.mend;
    },
  };
}
