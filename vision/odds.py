"""Shares as odds: what is weighed by adding."""

import numpy as np

from vision.frame import FloatArray

_LEAST = 1e-5


def logit(share: FloatArray) -> FloatArray:
    """Logarithm of the odds of shares, kept within 11.5 either way."""
    kept = np.clip(share, _LEAST, 1 - _LEAST)
    odds: FloatArray = np.log(kept / (1 - kept))
    return odds
