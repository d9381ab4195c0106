"""QR codes as drawings: an address for a phone's camera."""

import cv2
import numpy as np
import numpy.typing as npt

QUIET = 4
"""White modules around a code (ISO/IEC 18004, 9.1)."""


def qr_modules(text: str) -> npt.NDArray[np.bool_]:
    """Return the code of a text, shape (N, N), true where dark, without the white border."""
    drawn = np.asarray(cv2.QRCodeEncoder.create().encode(text)) < 128
    rows, columns = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
    return np.asarray(drawn[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1], np.bool_)


def qr_svg(text: str) -> str:
    """Return the code of a text as SVG, dark on white in every theme."""
    modules = qr_modules(text)
    side = len(modules) + 2 * QUIET
    squares = "".join(f"M{x + QUIET} {y + QUIET}h1v1h-1z" for y, x in np.argwhere(modules).tolist())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" shape-rendering="crispEdges">'
        f'<path fill="#ffffff" d="M0 0h{side}v{side}h-{side}z"/><path fill="#000000" d="{squares}"/></svg>'
    )
