"""Top faces to classify."""

from dataclasses import replace

import numpy as np

from vision.colour.top_faces import TopFace

GREEN = TopFace(
    center_xy=np.zeros(2),
    edge_px=16.0,
    contrast=60.0,
    body_bgr=np.array([66.0, 116.0, 60.0]),
    pip_bgr=np.array([110.0, 150.0, 112.0]),
    dark=False,
    rim_bgr=np.array([66.0, 116.0, 60.0]),
    lit_bgr=np.array([66.0, 116.0, 60.0]),
    dim_bgr=np.array([66.0, 116.0, 60.0]),
    darkest=1.0,
)
BLACK = replace(
    GREEN,
    body_bgr=np.full(3, 50.0),
    lit_bgr=np.full(3, 50.0),
    dim_bgr=np.full(3, 50.0),
    pip_bgr=np.array([125.0, 126.0, 127.0]),
)
