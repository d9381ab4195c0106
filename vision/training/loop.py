"""The loop that teaches a net: it keeps its state on disk, so that a training that was stopped goes on."""

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn


@dataclass(frozen=True, slots=True)
class LoopParams:
    """How long and how fast a net learns.

    Attributes:
        steps: In all; the rate falls to nothing by then, along a cosine.
        rate: Of the new layers, at its highest.
        backbone_rate: Of the layers that begin from published weights, as a share of that.
        warmup: Steps until the rate is whole.
        decay: Of the weights (AdamW).
        averaged: Share of the averaged weights that each step keeps.
        save_every: Steps between two states on disk.
    """

    steps: int
    rate: float = 2e-3
    backbone_rate: float = 0.4
    warmup: int = 150
    decay: float = 0.02
    averaged: float = 0.998
    save_every: int = 200


def teach(
    net: nn.Module,
    loss_of: Callable[[nn.Module, np.random.Generator], dict[str, Tensor]],
    state: Path,
    params: LoopParams,
    seed: int,
) -> nn.Module:
    """Teach a net, from the state on disk on where there is one.

    Args:
        net: With a part `backbone`; changed.
        loss_of: One batch's losses by name, their sum is what falls.
        state: The file of the state.
        params: How long.
        seed: With the step it picks each batch.

    Returns:
        A net of the averaged weights, ready to be used.
    """
    device = next(net.parameters()).device
    slow = [p for name, p in net.named_parameters() if name.startswith("backbone.")]
    quick = [p for name, p in net.named_parameters() if not name.startswith("backbone.")]
    groups = [{"params": slow, "share": params.backbone_rate}, {"params": quick, "share": 1.0}]
    optimiser = torch.optim.AdamW(groups, lr=params.rate, weight_decay=params.decay)
    average = {name: part.detach().clone() for name, part in net.state_dict().items()}
    step = 0
    if state.exists():
        kept = torch.load(state, map_location=device, weights_only=True)
        net.load_state_dict(kept["net"])
        optimiser.load_state_dict(kept["optimiser"])
        average, step = kept["average"], kept["step"]
    means: dict[str, float] = {}
    began = time.monotonic()
    while step < params.steps:
        rng = np.random.default_rng([seed, step])
        share = min(1.0, (step + 1) / params.warmup) * 0.5 * (1 + math.cos(math.pi * step / params.steps))
        for group in optimiser.param_groups:
            group["lr"] = params.rate * group["share"] * share
        net.train()
        losses = loss_of(net, rng)
        total = torch.stack(list(losses.values())).sum()
        optimiser.zero_grad(set_to_none=True)
        total.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        step += 1
        keep = min(params.averaged, step / (step + 10))
        for name, part in net.state_dict().items():
            if part.is_floating_point():
                average[name].lerp_(part.detach(), 1 - keep)
            else:
                average[name].copy_(part)
        for name, loss in losses.items():
            means[name] = means.get(name, loss.item()) * 0.98 + 0.02 * loss.item()
        if step % params.save_every == 0 or step == params.steps:
            kept = {"net": net.state_dict(), "optimiser": optimiser.state_dict(), "average": average, "step": step}
            fresh = state.with_suffix(".new")
            torch.save(kept, fresh)
            fresh.replace(state)
            words = "  ".join(f"{name} {mean:.4f}" for name, mean in means.items())
            sys.stderr.write(f"{step} of {params.steps}  {time.monotonic() - began:.0f} s  {words}\n")
    net.load_state_dict(average)
    return net.eval()
