"""Draw the calibration card: a page to print at 100 % on A4 or US Letter, and to lay on the tray's floor.

It has a ruler to check the print's scale, a target to centre and level the camera, stars to focus on, grey steps for
exposure and white balance, and squares of a die's size. Only the standard library: a PDF is text.
"""

import math
import zlib
from pathlib import Path

PAGE_MM = (279.4, 210.0)
"""As wide as US Letter, as high as A4, landscape: it fits either."""

CUT_MM = (250.0, 190.0)
"""The card is cut to this, so that it lies flat on the floor."""

POINTS_PER_MM = 72.0 / 25.4


class Page:
    """One page in millimetres, origin at the lower left corner."""

    def __init__(self) -> None:
        self._words: list[str] = [f"{POINTS_PER_MM:.6f} 0 0 {POINTS_PER_MM:.6f} 0 0 cm"]

    def grey(self, level: float) -> None:
        """Use this grey from now on, 0 black, 1 white."""
        self._words.append(f"{level:.3f} g {level:.3f} G")

    def box(self, x: float, y: float, width: float, height: float) -> None:
        """Fill a rectangle."""
        self._words.append(f"{x:.3f} {y:.3f} {width:.3f} {height:.3f} re f")

    def line(self, x0: float, y0: float, x1: float, y1: float, width: float = 0.2) -> None:
        """Draw a line."""
        self._words.append(f"{width:.3f} w {x0:.3f} {y0:.3f} m {x1:.3f} {y1:.3f} l S")

    def polygon(self, points: list[tuple[float, float]], *, fill: bool, width: float = 0.2) -> None:
        """Fill or draw a closed polygon."""
        first, *rest = points
        way = f"{first[0]:.3f} {first[1]:.3f} m " + " ".join(f"{x:.3f} {y:.3f} l" for x, y in rest)
        self._words.append(f"{width:.3f} w {way} h {'f' if fill else 'S'}")

    def circle(self, x: float, y: float, radius: float) -> None:
        """Draw a circle."""
        corners = [(x + radius * math.cos(a), y + radius * math.sin(a)) for a in (math.tau * k / 96 for k in range(96))]
        self.polygon(corners, fill=False)

    def text(self, x: float, y: float, size: float, words: str) -> None:
        """Write plain ASCII."""
        escaped = words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        self._words.append(f"BT /F1 {size:.2f} Tf {x:.3f} {y:.3f} Td ({escaped}) Tj ET")

    def to_pdf(self) -> bytes:
        """Return the page as a PDF file; the same drawing gives the same bytes."""
        content = zlib.compress("\n".join(self._words).encode("ascii"), 9)
        width, height = (side * POINTS_PER_MM for side in PAGE_MM)
        parts = [
            b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.3f} {height:.3f}] /Contents 4 0 R "
            "/Resources << /Font << /F1 5 0 R >> >> >>".encode(),
            b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(content), content),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        ]
        made = b"%PDF-1.4\n"
        offsets = []
        for number, part in enumerate(parts, start=1):
            offsets.append(len(made))
            made += b"%d 0 obj\n%s\nendobj\n" % (number, part)
        start = len(made)
        made += b"xref\n0 %d\n0000000000 65535 f \n" % (len(parts) + 1)
        made += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
        made += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(parts) + 1, start)
        return made


def _ruler(page: Page, x: float, y: float, length: int) -> None:
    page.line(x, y, x + length, y, 0.25)
    for mm in range(length + 1):
        tall = 6.0 if mm % 10 == 0 else 4.0 if mm % 5 == 0 else 2.5
        page.line(x + mm, y, x + mm, y + tall, 0.25 if mm % 10 == 0 else 0.12)
        if mm % 10 == 0:
            page.text(x + mm - 1.5, y + 7.0, 3.0, str(mm))


def _star(page: Page, x: float, y: float, radius: float, spokes: int = 24) -> None:
    for spoke in range(spokes):
        begin, end = (math.tau * (2 * spoke + part) / (2 * spokes) for part in (0, 1))
        edge = [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in (begin, end)]
        page.polygon([(x, y), *edge], fill=True)


def draw_card() -> bytes:
    """Return the card as a PDF file."""
    page = Page()
    width, height = PAGE_MM
    middle_x, middle_y = width / 2.0, height / 2.0
    page.grey(0.0)
    edge_x, edge_y = (width - CUT_MM[0]) / 2.0, (height - CUT_MM[1]) / 2.0
    right_x, top_y = width - edge_x, height - edge_y
    page.polygon([(edge_x, edge_y), (right_x, edge_y), (right_x, top_y), (edge_x, top_y)], fill=False, width=0.15)
    page.text(edge_x, top_y + 2.0, 2.8, "cut along this line: 250 x 190 mm fits a floor of 260 x 200 mm")
    page.text(edge_x + 6, top_y - 9, 5.0, "PushTray calibration card")
    page.text(edge_x + 6, top_y - 15, 3.0, "Print at 100 % (no fitting to the page).")
    page.text(edge_x + 6, top_y - 19.5, 3.0, "The ruler below must measure 100 mm.")
    page.text(right_x - 62, top_y - 9, 3.0, "Lay it in the middle of the floor,")
    page.text(right_x - 62, top_y - 13.5, 3.0, "this edge towards the camera's post.")
    page.text(right_x - 62, top_y - 18.0, 3.0, "Take it out before step 2 of calibrating.")
    _ruler(page, middle_x - 50, edge_y + 8, 100)
    # The target: the camera is centred when the cross is in the picture's middle, level when circles look round.
    for radius in (10, 20, 30, 40, 50, 60):
        page.circle(middle_x, middle_y, radius)
    page.line(middle_x - 70, middle_y, middle_x + 70, middle_y)
    page.line(middle_x, middle_y - 70, middle_x, middle_y + 70)
    for x, y in (
        (edge_x + 20, edge_y + 20),
        (right_x - 20, edge_y + 20),
        (edge_x + 20, top_y - 38),
        (right_x - 20, top_y - 38),
        (middle_x, middle_y),
    ):
        _star(page, x, y, 12.0 if x != middle_x else 7.0)
    # Grey steps: with a good exposure all six differ, and none is coloured.
    steps_x = edge_x + 6
    for step in range(6):
        page.grey(step / 5.0)
        page.box(steps_x + step % 2 * 14, 72 + step // 2 * 14, 13, 13)
    page.grey(0.0)
    page.polygon([(steps_x, 72), (steps_x + 27, 72), (steps_x + 27, 113), (steps_x, 113)], fill=False)
    page.text(steps_x, 115, 3.0, "all six greys differ")
    # Squares of a die's size, to compare with dice and with the picture's millimetres.
    for row in range(3):
        x, y = right_x - 28, 66 + row * 19
        page.polygon([(x, y), (x + 16, y), (x + 16, y + 16), (x, y + 16)], fill=False, width=0.3)
    page.text(right_x - 28, 122, 3.0, "16 mm")
    return page.to_pdf()


def write_file(path: Path) -> None:
    """Write the card into a file."""
    path.write_bytes(draw_card())
