"""The training loop of a net: its state is stored on disk, so that a stopped training can be resumed."""

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import cv2
import torch
from torch import Tensor, nn
from torch.optim.swa_utils import get_ema_multi_avg_fn


@dataclass(frozen=True, slots=True)
class LoopParams:
    """Duration and rate of a training."""

    steps: int  # total number of steps; the rate falls to zero by then, along a cosine
    # longest time in minutes, if that ends before `steps`: for a machine with limited time
    minutes: float = math.inf
    rate: float = 2e-3
    backbone_rate: float = 0.4  # learning rate of the pretrained layers, as a share of `rate`
    warmup: int = 150
    decay: float = 0.02
    averaged: float = 0.998  # share of the averaged weights that each step keeps
    save_every: int = 200


def learning_device() -> torch.device:
    """Return a GPU if there is one, else one core."""
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


Learner: TypeAlias = Callable[[Tensor], Tensor]
"""A net in training: maps pictures, as laid out on its device, to its outputs."""


def teach(
    net: nn.Module, loss_of: Callable[[Learner, int], dict[str, Tensor]], state: Path, params: LoopParams
) -> nn.Module:
    """Train a net, resuming from the state on disk if there is one.

    Args:
        net: With a part `backbone`; changed.
        loss_of: Returns the losses of a step's batch by name; their sum is minimised.

    Returns:
        A net of the averaged weights, ready for use.
    """
    device = next(net.parameters()).device
    slow = [p for name, p in net.named_parameters() if name.startswith("backbone.")]
    quick = [p for name, p in net.named_parameters() if not name.startswith("backbone.")]
    groups = [{"params": slow, "share": params.backbone_rate}, {"params": quick, "share": 1.0}]
    optimiser = torch.optim.AdamW(groups, lr=params.rate, weight_decay=params.decay)
    average = {name: part.detach().clone() for name, part in net.state_dict().items()}
    step, spent_s = 0, 0.0
    if state.exists():
        kept = torch.load(state, map_location=device, weights_only=True)
        net.load_state_dict(kept["net"])
        optimiser.load_state_dict(kept["optimiser"])
        average, step = kept["average"], kept["step"]
        spent_s = kept.get("spent_s", 0.0)
    # Both refer to the layers' own tensors: changes in place show here.
    names = [name for name, part in net.state_dict().items() if part.is_floating_point()]
    averages, now = [average[name] for name in names], [net.state_dict()[name] for name in names]
    means: dict[str, Tensor] = {}
    began = time.monotonic() - spent_s

    def answers(pictures: Tensor) -> Tensor:
        # Half as many bits are enough for the layers' outputs, and a GPU multiplies them faster.
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            raw: Tensor = net(pictures)
        return raw.float()

    done = step / params.steps
    while done < 1:
        share = min(1.0, (step + 1) / params.warmup) * 0.5 * (1 + math.cos(math.pi * done))
        for group in optimiser.param_groups:
            group["lr"] = params.rate * group["share"] * share
        net.train()
        losses = loss_of(answers, step)
        total = torch.stack(list(losses.values())).sum()
        optimiser.zero_grad(set_to_none=True)
        total.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        step += 1
        keep = min(params.averaged, step / (step + 10))
        get_ema_multi_avg_fn(keep)(averages, now, step)  # type: ignore[no-untyped-call]
        for name, loss in losses.items():
            seen = loss.detach()
            means[name] = torch.lerp(means.get(name, seen), seen, 0.02)
        spent_s = time.monotonic() - began
        done = max(step / params.steps, spent_s / (60 * params.minutes))
        if step % params.save_every == 0 or done >= 1:
            average.update((name, part) for name, part in net.state_dict().items() if name not in names)
            kept = {
                "net": net.state_dict(), "optimiser": optimiser.state_dict(), "average": average, "step": step,
                "spent_s": spent_s,
            }  # fmt: skip
            fresh = state.with_suffix(".new")
            torch.save(kept, fresh)
            fresh.replace(state)
            words = "  ".join(f"{name} {mean.item():.4f}" for name, mean in means.items())
            sys.stderr.write(f"{step} of {params.steps}  {spent_s:.0f} s  {words}\n")
    net.load_state_dict(average)
    return net.eval()
