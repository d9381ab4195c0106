// The simulated hand's way out of a trouble: one button that does what the trouble's own words ask for.

export function mendButton(node, order) {
  let asked = false;

  node.addEventListener("click", async () => {
    if (node.disabled) return;
    asked = node.disabled = true;
    asked = await order();
    node.disabled = asked;
  });

  return {
    update(snapshot) {
      const { mend } = snapshot;
      // While the hand is about nothing is offered: what it was asked for is under way.
      if (!mend) asked = false;
      node.hidden = !mend;
      node.disabled = asked;
      if (mend && node.textContent !== mend.text) node.textContent = mend.text;
      if (mend) document.body.dataset.mend = mend.kind;
      else delete document.body.dataset.mend;
    },
  };
}
