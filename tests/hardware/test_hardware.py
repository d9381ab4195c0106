import csv
import hashlib
import importlib.util
import io
import json
import re
import struct
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from device.panel import FORBIDDEN_PINS, PanelParams
from device.ring import RingParams, led_positions_mm
from device.settings import read_settings
from vision.optics import project
from vision.scene import CameraPose, DieLook, DiePose
from vision.synthetic import die_truth

HERE = Path(__file__).resolve().parents[2] / "hardware"


def load(name: str) -> Any:
    sys.path.insert(0, str(HERE))
    try:
        spec = importlib.util.spec_from_file_location(f"hardware_{name}", HERE / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(HERE))
    return module


build = load("build")
card = load("card")
optics = load("optics")


def digest(*names: str) -> str:
    together = hashlib.sha256()
    for name in names:
        together.update((HERE / name).read_bytes())
    return together.hexdigest()


@pytest.mark.parametrize("name", sorted(build.sources()))
def test_built_files_are_not_stale(name: str) -> None:
    built = json.loads((HERE / "built.json").read_text())
    cure = "run python hardware/build.py"
    assert built[name]["sources"].split()[0] == digest(*build.sources()[name]), (
        f"{name} is older than its source: {cure}"
    )
    assert built[name]["sources"] == build.fingerprint(name), f"{name} is looked at in another way now: {cure}"
    assert built[name]["file"] == digest(name), f"{name} was changed by hand: {cure}"


def test_table_and_card_are_what_their_sources_make() -> None:
    made = io.StringIO()
    optics.write_table(made)
    assert made.getvalue() == (HERE / "optics.csv").read_text()
    assert card.draw_card() == (HERE / "calibration-card.pdf").read_bytes()


def test_what_cannot_be_drawn_is_left_alone_and_said(tmp_path, monkeypatch, capsys) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("xvfb-run", "wireviz"):
        (tools / name).write_text("#!/bin/sh\nexit 127\n")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.setattr(build, "BUILT", tmp_path / "built.json")
    assert build.main() == 1
    told = capsys.readouterr().err
    assert "pictures/assembly.png left alone: openscad is missing" in told
    assert "wiring.svg, wiring.png left alone: dot is missing" in told
    assert set(json.loads(build.BUILT.read_text())) == {"optics.csv", "calibration-card.pdf"}


def triangles(name: str) -> Any:
    """Shape (n, 3, 3), millimetres."""
    stored = (HERE / f"parts/{name}.stl").read_bytes()
    (count,) = struct.unpack("<I", stored[80:84])
    assert len(stored) == 84 + 50 * count
    records = np.frombuffer(stored[84:], np.dtype([("f", "<f4", (4, 3)), ("a", "<u2")]))
    return records["f"][:, 1:].astype(np.float64)


@pytest.mark.parametrize("name", build.PARTS)
def test_parts_fit_the_bed_and_are_solid(name: str) -> None:
    faces = triangles(name)
    size_mm = faces.reshape(-1, 3).max(axis=0) - faces.reshape(-1, 3).min(axis=0)
    assert (size_mm <= 256.0).all()
    volume_mm3 = np.einsum("ni,ni->n", faces[:, 0], np.cross(faces[:, 1], faces[:, 2])).sum() / 6.0
    assert 5_000.0 < volume_mm3 < 400_000.0
    corners = [tuple(corner) for corner in np.round(faces, 3).reshape(-1, 3)]
    edges = Counter()
    for at in range(0, len(corners), 3):
        a, b, c = corners[at : at + 3]
        if len({a, b, c}) == 3:
            edges.update([(a, b), (b, c), (c, a)])
    open_edges = {edge for edge, count in edges.items() if edges[edge[::-1]] != count}
    assert not open_edges, "each edge belongs to one face on either side: the part is watertight"


@pytest.mark.parametrize("name", build.PARTS)
def test_parts_are_written_in_one_order_whatever_order_they_are_built_in(name: str) -> None:
    stored = (HERE / f"parts/{name}.stl").read_bytes()
    assert build.in_order(stored) == stored
    records = [stored[at : at + 50] for at in range(84, len(stored), 50)]
    turned = [record[:12] + record[24:48] + record[12:24] + record[48:] for record in reversed(records)]
    assert build.in_order(stored[:84] + b"".join(turned)) == stored


def test_filament_is_enough_for_every_piece() -> None:
    guide = (HERE / "README.md").read_text()
    grams = 0.0
    for name in build.PARTS:
        (pieces,) = re.findall(rf"`{name}\.stl`.*?\| (\d)", guide)
        faces = triangles(name)
        normals = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
        areas_mm2 = np.linalg.norm(normals, axis=1) / 2.0
        level = np.abs(normals[:, 2]) > 1.4 * areas_mm2
        volume_mm3 = np.einsum("ni,ni->n", faces[:, 0], np.cross(faces[:, 1], faces[:, 2])).sum() / 6.0
        # Three walls of 0.45 mm, four layers of 0.2 mm below and above, 20 % of the rest.
        shell_mm3 = min(volume_mm3, 1.35 * areas_mm2[~level].sum() + 0.8 * areas_mm2[level].sum())
        grams += int(pieces) * (shell_mm3 + 0.2 * (volume_mm3 - shell_mm3)) * 1.27e-3
    assert 0.8 < grams / 1000.0 / float(listed("PETG")["quantity"].removesuffix(" kg")) < 1.0


def test_four_corners_close_round_the_floor() -> None:
    corner = triangles("frame_corner").reshape(-1, 3)
    mirrored = triangles("frame_corner_mirrored").reshape(-1, 3)
    # A corner spans from the floor's middle lines to the frame's outside: 260 / 2 + 14 by 200 / 2 + 14.
    assert corner.max(axis=0) == pytest.approx([144.0, 114.0, 36.0])
    assert corner[:, 0].min() == pytest.approx(0.0)
    assert corner[:, 1].min() == pytest.approx(0.0)
    places = {tuple(place) for place in np.round(corner, 2) + 0.0}
    assert {tuple(place) for place in np.round(mirrored * [-1.0, 1.0, 1.0], 2) + 0.0} == places


VIEWS = [optics.view_of(camera) for camera in optics.CAMERAS]


def pose(view: Any) -> CameraPose:
    """The camera of the table as the renderer takes it: straight down, picture upright."""
    k = np.array([[view.focal_px, 0.0, 639.5], [0.0, view.focal_px, 479.5], [0.0, 0.0, 1.0]])
    down = np.diag([1.0, -1.0, -1.0])
    return CameraPose(1280, 960, k, down, np.array([0.0, 0.0, view.lens_mm]))


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.camera.name)
def test_optics_agree_with_the_renderers_geometry(view: Any) -> None:
    camera = pose(view)
    truth = die_truth(DiePose(DieLook((0, 200, 255), (0, 0, 0)), np.array([0.0, 0.0, 8.0]), np.eye(3)), camera)
    quad = np.array(truth.top_quad_px)
    sides_px = np.linalg.norm(quad - np.roll(quad, 1, axis=0), axis=1)
    assert sides_px == pytest.approx([view.die_px] * 4, rel=0.01)
    floor = np.array([[x, y, 0.0] for x in (-130.0, 130.0) for y in (-100.0, 100.0)])
    seen_px = project(camera, floor)
    assert (seen_px > 0.04 * np.array([1280, 960])).all(), "a tenth to spare, half of it on each side"
    assert (seen_px < 0.96 * np.array([1280, 960])).all()
    top_corner, bottom_corner = project(camera, np.array([[130.0, 100.0, 16.0], [130.0, 100.0, 0.0]]))
    assert np.linalg.norm(top_corner - bottom_corner) == pytest.approx(view.lean_px, rel=0.001)
    one_mm = project(camera, np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
    assert np.linalg.norm(one_mm[1] - one_mm[0]) == pytest.approx(view.px_per_mm, rel=0.001)


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.camera.name)
def test_some_wall_shows_on_each_side(view: Any) -> None:
    middles = ((130.0, 0.0), (-130.0, 0.0), (0.0, 100.0), (0.0, -100.0))
    places = np.array([[x, y, z] for x, y in middles for z in (0.0, 9.0)])
    seen_px = project(pose(view), places).reshape(4, 2, 2)
    assert (seen_px > 0.0).all()
    assert (seen_px < np.array([1280, 960])).all(), "the wall's lower part; its top is cut off where a lens hangs low"
    assert (np.linalg.norm(seen_px[:, 1] - seen_px[:, 0], axis=1) > 10.0).all()


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.camera.name)
def test_dice_are_sharp_from_floor_to_top_face_and_large_enough(view: Any) -> None:
    near_mm, far_mm = view.sharp_mm
    assert near_mm < view.lens_mm - optics.DIE_MM < far_mm
    assert far_mm > view.lens_mm - 1.0, "down to the felt, where side faces end"
    assert view.die_px >= 45.0
    assert view.lens_mm - optics.DIE_MM >= view.camera.nearest_mm


def test_field_of_view_is_what_makers_say() -> None:
    said_deg = {"Camera Module 3": (66.0, 41.0), "Camera Module 3 Wide": (102.0, 67.0), "Camera Module 2": (62.2, 48.8)}
    for camera in optics.CAMERAS:
        if camera.name in said_deg:
            for pixels, degrees in zip(camera.sensor_px, said_deg[camera.name], strict=True):
                seen_deg = 2.0 * np.degrees(np.arctan(pixels * camera.pitch_um / 2000.0 / camera.focal_mm))
                assert seen_deg == pytest.approx(degrees, rel=0.05)


SCAD = {
    name: float(value)
    for name, value in re.findall(r"^(\w+) = ([\d.]+);", (HERE / "parts/tray.scad").read_text(), re.MULTILINE)
}
"""The parameters of the printed parts, millimetres."""


def listed(part: str) -> dict[str, str]:
    """The one line of the list whose part begins so."""
    (row,) = (
        row for row in csv.DictReader((HERE / "bom.csv").read_text().splitlines()) if row["part"].startswith(part)
    )
    return row


def test_arm_holds_the_lens_where_the_table_says() -> None:
    assert SCAD["lens_h"] == VIEWS[0].lens_mm
    boom_z = SCAD["arm_wall"] + SCAD["lens_h"] + SCAD["post_spare"] - SCAD["tube"] / 2 - SCAD["slack"]
    sleeve = SCAD["tube"] + 2 * (SCAD["slack"] + SCAD["arm_wall"])
    plate_to_lens = boom_z - sleeve / 2 - SCAD["lens_h"] - SCAD["flange_t"] - SCAD["panel_t"]
    # A spacer of 3 mm, a board of 1 mm and a lens that stands 7 to 9 mm out of it; the focus takes up the rest.
    assert 11.0 <= plate_to_lens <= 15.0
    boom_ends = SCAD["floor_d"] / 2 + SCAD["wall_t"] + 1.0 - SCAD["boom_l"]
    assert 12.5 + 2.3 < boom_ends < 18.0, "behind the nuts of the camera's screws, yet all through the plate's sleeve"


def test_tube_and_panel_are_cut_as_the_parts_need_them() -> None:
    guide = (HERE / "README.md").read_text()
    post_mm, boom_mm = SCAD["lens_h"] + SCAD["post_spare"], SCAD["boom_l"]
    assert f"plus {SCAD['post_spare']:.0f} mm, the boom {boom_mm:.0f} mm" in guide
    assert f"{post_mm:.0f} mm and\n   {boom_mm:.0f} mm for Camera Module 3" in guide
    (bought,) = re.findall(r"(\d+) mm are enough: (\d+) mm post and (\d+) mm boom", listed("Square")["alternatives"])
    assert [float(part) for part in bought[1:]] == [post_mm, boom_mm]
    assert float(bought[0]) >= post_mm + boom_mm
    panel = [SCAD[side] - 2 * SCAD["panel_gap"] for side in ("floor_w", "floor_d")]
    size = " x ".join(f"{side:.0f}" for side in panel)
    assert f"floor panel to {size} mm" in guide
    for part in ("Floor panel", "Self-adhesive felt"):
        assert listed(part)["part"].startswith(f"{part} {size} x ")
    for side, name in zip(panel, ("floor_w", "floor_d"), strict=True):
        assert SCAD[name] - 2 * SCAD["panel_lap"] + 6.0 < side < SCAD[name], "between the walls, well onto the flange"
    thick = [float(re.findall(r"x ([\d.]+) mm", listed(part)["part"])[0]) for part in ("Floor panel", "Self-adhesive")]
    assert sum(thick) == SCAD["panel_t"]


def test_screws_of_the_guide_are_on_the_list_and_no_others() -> None:
    guide = (HERE / "README.md").read_text()
    rows = list(csv.DictReader((HERE / "bom.csv").read_text().splitlines()))
    bought = {size for row in rows if "crew" in row["part"] for size in re.findall(r"M\d x \d+", row["part"])}
    assert bought == set(re.findall(r"M\d x \d+", guide))
    assert {listed(f"Screw {size}")["quantity"] for size in bought} == {"4"}


def test_cable_is_bought_as_long_as_it_is_drawn() -> None:
    drawn: Counter[str] = Counter()
    for count, gauge, length in re.findall(
        r"wirecount: (\d), gauge: ([\d.]+) mm2, length: ([\d.]+)", (HERE / "wiring.yml").read_text()
    ):
        drawn[f"Cable {count} x {gauge} mm2"] += round(float(length) * 100)
    bought: Counter[str] = Counter()
    for row in csv.DictReader((HERE / "bom.csv").read_text().splitlines()):
        if row["part"].startswith("Cable ") and row["part"].endswith("mm2"):
            bought[row["part"]] += round(float(row["quantity"].removesuffix(" m")) * 100)
    assert bought == drawn


def test_each_drawn_lamp_has_its_resistor_on_the_list() -> None:
    drawn = Counter(re.findall(r"subtype: [\w ]+, (\w+), (\d+) ohm", (HERE / "wiring.yml").read_text()))
    assert sum(drawn.values()) == 5
    ohms: Counter[str] = Counter()
    for (colour, ohm), count in drawn.items():
        assert listed(f"LED 5 mm diffused {colour}")["quantity"] == str(count)
        ohms[ohm] += count
    for ohm, count in ohms.items():
        assert listed(f"Resistor {ohm} ohm")["quantity"] == str(count)


def test_strip_is_cut_to_the_walls() -> None:
    guide = (HERE / "README.md").read_text()
    (pieces,) = re.findall(r"into (\d+), (\d+), (\d+) and (\d+) LEDs, (\d+) in all", guide)
    *sides, together = map(int, pieces)
    assert sum(sides) == together == int(re.findall(r"^leds = (\d+)", guide, re.MULTILINE)[0])
    assert f"{together} LEDs at 60 a metre" in (HERE / "wiring.yml").read_text()
    assert f"WS281x, {together} LEDs" in guide
    for leds, floor in zip(sides, ("floor_w", "floor_d") * 2, strict=True):
        assert leds * 1000 / 60 < SCAD[floor] + 2 * SCAD["ring_depth"], "each piece finds room in its channel"


def test_guide_repeats_the_optics_table() -> None:
    guide = (HERE / "README.md").read_text()
    for row in csv.DictReader((HERE / "optics.csv").read_text().splitlines()):
        (line,) = re.findall(rf"^\| {row['camera']} \|.*$", guide, re.MULTILINE)
        for column in (
            "lens_above_floor_mm",
            "field_width_mm",
            "field_depth_mm",
            "die_px",
            "sharp_from_mm",
            "sharp_to_mm",
        ):
            assert row[column] in line, (row["camera"], column)


HEADER_PIN = {17: 11, 27: 13, 22: 15, 23: 16, 24: 18, 25: 22, 5: 29}
"""Raspberry Pi's own table of GPIO number and place on the 40-pin header, as far as it is used."""


def test_guide_and_drawing_have_the_pins_of_the_settings() -> None:
    guide = (HERE / "README.md").read_text()
    wiring = (HERE / "wiring.yml").read_text()
    wired: dict[int, int] = {}
    labels = re.search(r"pinlabels: \[(GPIO17[^\]]+)\]\n\s+pins: \[([^\]]+)\]", wiring)
    assert labels is not None
    for label, pin in zip(labels[1].split(", "), labels[2].split(", "), strict=True):
        if label.startswith("GPIO"):
            wired[int(label.removeprefix("GPIO"))] = int(pin)
    used = {pin for _, pin in PanelParams().pins()}
    assert wired == HEADER_PIN
    assert used == set(HEADER_PIN)
    for pin, place in HEADER_PIN.items():
        assert re.search(rf"^\|[^|]+\| {pin} \| {place} \|", guide, re.MULTILINE), pin
        assert pin not in FORBIDDEN_PINS


def test_ring_of_the_guide_fits_the_frame_and_the_settings() -> None:
    guide = (HERE / "README.md").read_text()
    (leds,) = re.findall(r"^leds = (\d+)", guide, re.MULTILINE)
    ((width, depth),) = re.findall(r"^size_mm = \[([\d.]+), ([\d.]+)\]", guide, re.MULTILINE)
    (block,) = re.findall(r"```toml\n(.*?)```", guide, re.DOTALL)
    ring = read_settings(tomllib.loads(block)).ring.shape
    assert ring == RingParams(leds=int(leds), size_mm=(float(width), float(depth)))
    run_mm = 2 * (float(width) + float(depth))
    assert run_mm / int(leds) == pytest.approx(1000 / 60, rel=0.025), "a strip of 60 LEDs a metre goes round once"
    positions = np.array(led_positions_mm(ring))
    assert (np.abs(positions) <= [144.0, 114.0]).all()
    assert (np.abs(positions) >= [130.0, 100.0]).any(axis=1).all(), "in the wall, not over the floor"
    full_a = int(leds) * 0.06
    assert full_a * 160 / 255 < 0.8 * 4.0, "the guide's supply has a fifth to spare at the standard brightness"


def test_everything_on_the_list_has_a_quantity_a_use_and_a_price() -> None:
    rows = list(csv.DictReader((HERE / "bom.csv").read_text().splitlines()))
    assert len(rows) > 25
    for row in rows:
        assert None not in row, row["part"]
        assert re.match(r"\d", row["quantity"]), row
        assert row["needed_for"], row
        assert 0.0 < float(row["rough_price_eur"]) < 100.0
    total = sum(float(row["rough_price_eur"]) for row in rows)
    assert 100.0 < total < 400.0


def test_every_file_that_the_guide_names_exists() -> None:
    guide = (HERE / "README.md").read_text()
    for name in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", guide):
        assert (HERE / name).exists(), name
    for name in re.findall(r"`([\w/-]+\.(?:csv|yml|svg|png|scad|pdf|stl|py|md))`", guide):
        places = (HERE / name, HERE / "parts" / name, HERE.parent / name)
        assert any(place.exists() for place in places), name


def test_card_is_a_whole_pdf_of_one_a4_page() -> None:
    stored = card.draw_card()
    assert stored.startswith(b"%PDF-1.4")
    (box,) = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", stored)
    assert [float(side) / 72.0 * 25.4 for side in box] == pytest.approx([297.0, 210.0], abs=0.01)
    start = int(re.findall(rb"startxref\n(\d+)", stored)[0])
    assert stored[start : start + 4] == b"xref"
    for number, offset in enumerate(re.findall(rb"(\d{10}) 00000 n", stored), start=1):
        assert stored[int(offset) :].startswith(b"%d 0 obj" % number)
    assert card.CUT_MM[0] < optics.FLOOR_MM[0]
    assert card.CUT_MM[1] < optics.FLOOR_MM[1]
