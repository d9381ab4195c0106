import csv
import hashlib
import importlib.util
import io
import itertools
import json
import math
import re
import struct
import sys
import tomllib
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from device.camera.pi_camera import PiCameraParams
from device.camera.pi_modes import wanted_crop, whole_field_mode
from device.camera.usb_camera import UsbCameraParams
from device.config.settings import read_settings
from device.game.lamps import LAMP_NAMES, PatternParams
from device.panel.panel import FORBIDDEN_PINS, PanelParams
from device.ring.plan import RingParams, led_positions_mm
from device.web.core.guard import guard_for
from vision.rendering.optics import project
from vision.rendering.scene import CameraPose, DieLook, DiePose
from vision.rendering.synthetic import die_truth

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
power = load("power")
printing = load("printing")
routes = load("routes")
scad = load("scad")

GUIDE = (HERE / "README.md").read_text()
ROWS = list(csv.DictReader((HERE / "bom.csv").read_text().splitlines()))
"""Everything to buy."""

SECTIONS = re.split(r"^## ", GUIDE, flags=re.MULTILINE)

SCAD = scad.tray()
"""The numbers of the printed parts, millimetres."""


def section(number: int) -> str:
    """One section of the guide, its lines joined."""
    return " ".join(SECTIONS[number].split())


def table(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((HERE / name).read_text().splitlines()))


def cells(first: str) -> list[str]:
    """The cells of the one line of the guide's tables that begins with this one."""
    (line,) = re.findall(rf"^\| {re.escape(first)} \|.*$", GUIDE, re.MULTILINE)
    return [cell.strip() for cell in line.strip("|").split("|")]


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
    made = io.StringIO()
    routes.write_table(made)
    assert made.getvalue() == (HERE / "cables.csv").read_text()
    assert card.draw_card() == (HERE / "calibration-card.pdf").read_bytes()


def test_what_cannot_be_drawn_is_left_alone_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("xvfb-run", "wireviz"):
        (tools / name).write_text("#!/bin/sh\nexit 127\n")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.setattr(build, "BUILT", tmp_path / "built.json")
    assert build.main() == 1
    reported = capsys.readouterr().err
    assert "pictures/assembly.png left alone: openscad is missing" in reported
    assert "wiring.svg, wiring.png left alone: dot is missing" in reported
    assert "printing.csv left alone: prusa-slicer is missing" in reported
    assert set(json.loads(build.BUILT.read_text())) == {"optics.csv", "calibration-card.pdf", "cables.csv"}


@cache
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
    edges: Counter[tuple[tuple[float, ...], tuple[float, ...]]] = Counter()
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


def test_printing_is_what_the_parts_weigh_and_the_guide_says() -> None:
    rows = {row["part"]: row for row in table("printing.csv")}
    assert set(rows) == set(build.PARTS)
    hours = grams = 0.0
    for name, row in rows.items():
        pieces = int(row["pieces"])
        reported = cells(f"`{name}.stl`")
        assert reported[1:4] == [row["pieces"], row["hours_each"], row["grams_each"]], name
        hours += pieces * float(row["hours_each"])
        grams += pieces * float(row["grams_each"])
        # Another way to the weight: three walls of 0.45 mm, four layers of 0.2 mm below and above, 20 % of the rest.
        faces = triangles(name)
        normals = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
        areas_mm2 = np.linalg.norm(normals, axis=1) / 2.0
        level = np.abs(normals[:, 2]) > 1.4 * areas_mm2
        volume_mm3 = np.einsum("ni,ni->n", faces[:, 0], np.cross(faces[:, 1], faces[:, 2])).sum() / 6.0
        shell_mm3 = min(volume_mm3, 1.35 * areas_mm2[~level].sum() + 0.8 * areas_mm2[level].sum())
        assert (shell_mm3 + 0.2 * (volume_mm3 - shell_mm3)) * 1.27e-3 == pytest.approx(
            float(row["grams_each"]), rel=0.25
        ), name
    assert GUIDE.count(f"{hours:g} hours") == 2, "at the beginning and in section 1"
    assert f"{hours:g} hours and {grams:.0f} g together" in section(1)
    bought = 1000.0 * float(listed("PETG")["quantity"].removesuffix(" kg"))
    assert grams * 1.15 < bought, "a failed first layer or two, skirts and the wipe"


def test_times_of_the_slicer_are_read_in_all_their_units() -> None:
    gcode = "; estimated printing time (normal mode) = 1d 2h 3m 30s\n; total filament used [g] = 12.50\n"
    assert printing.read_gcode(gcode) == printing.Print(24 * 60 + 123.5, 12.5)
    with pytest.raises(ValueError, match="no time or no weight: use PrusaSlicer"):
        printing.read_gcode("; filament used [mm] = 3\n")


def test_numbers_of_a_drawing_are_worked_out_and_what_is_none_is_refused() -> None:
    source = 'part = "box";\nwide = 10; // mm\nhalf = -wide / 2 + 3 * (1 - 2);\nlist = [1, 2];\n  inner = 4;\n'
    assert scad.values_of(source) == {"wide": 10.0, "half": -8.0}
    with pytest.raises(ValueError, match="sin\\(1\\) is more than a sum of numbers"):
        scad.values_of("a = sin(1);\n")


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
    width, height = view.camera.picture_px
    k = np.array([[view.focal_px, 0.0, (width - 1) / 2], [0.0, view.focal_px, (height - 1) / 2], [0.0, 0.0, 1.0]])
    down = np.diag([1.0, -1.0, -1.0])
    return CameraPose(width, height, k, down, np.array([0.0, 0.0, view.lens_mm]))


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.camera.name)
def test_optics_agree_with_the_renderers_geometry(view: Any) -> None:
    camera = pose(view)
    truth = die_truth(DiePose(DieLook((0, 200, 255), (0, 0, 0)), np.array([0.0, 0.0, 8.0]), np.eye(3)), camera)
    quad = np.array(truth.top_quad_px)
    sides_px = np.linalg.norm(quad - np.roll(quad, 1, axis=0), axis=1)
    assert sides_px == pytest.approx([view.die_px] * 4, rel=0.01)
    floor = np.array([[x, y, 0.0] for x in (-130.0, 130.0) for y in (-100.0, 100.0)])
    seen_px = project(camera, floor)
    size_px = np.array(view.camera.picture_px)
    assert (seen_px > 0.04 * size_px).all(), "a tenth to spare, half of it on each side"
    assert (seen_px < 0.96 * size_px).all()
    spare_px = np.minimum(seen_px + 0.5, size_px - 0.5 - seen_px).min()
    assert spare_px / view.px_per_mm == pytest.approx(view.spare_mm, rel=0.01)
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
    assert (seen_px < np.array(view.camera.picture_px)).all(), (
        "the wall's lower part; its top is cut off where a lens hangs low"
    )
    assert (np.linalg.norm(seen_px[:, 1] - seen_px[:, 0], axis=1) > 10.0).all()


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.camera.name)
def test_dice_are_sharp_from_floor_to_top_face_and_large_enough(view: Any) -> None:
    near_mm, far_mm = view.sharp_mm
    assert near_mm < view.lens_mm - optics.DIE_MM < far_mm
    assert far_mm > view.lens_mm - 1.0, "down to the felt, where side faces end"
    assert view.die_px >= 45.0
    assert view.lens_mm - optics.DIE_MM >= view.camera.nearest_mm


PUBLISHED_DEG = {
    "Camera Module 3": (66.0, 41.0),
    "Camera Module 3 Wide": (102.0, 67.0),
    "Camera Module 2": (62.2, 48.8),
    "Logitech C920": (70.42, 43.3),
}
"""Fields of view of the whole sensor, by the makers; the C920's are 78 degrees across the diagonal of 16:9."""


def test_field_of_view_is_what_makers_say() -> None:
    for camera in optics.CAMERAS:
        for pixels, degrees in zip(camera.sensor_px, PUBLISHED_DEG[camera.name], strict=True):
            seen_deg = 2.0 * np.degrees(np.arctan(pixels * camera.pitch_um / 2000.0 / camera.focal_mm))
            assert seen_deg == pytest.approx(degrees, rel=0.06), "focal length and angle belong to one lens"
    diagonal = math.hypot(*(math.tan(math.radians(side / 2.0)) for side in PUBLISHED_DEG["Logitech C920"]))
    assert 2.0 * math.degrees(math.atan(diagonal)) == pytest.approx(78.0, abs=0.1)


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.camera.name)
def test_published_angles_see_the_floor_with_more_than_four_millimetres_to_spare(view: Any) -> None:
    camera = view.camera
    width, height = camera.picture_px
    # The picture is the largest of its shape in what the mode reads, and a lens that is focused near sees less.
    columns, rows = view.mode.field_px
    cut = min(columns, rows * width / height), min(rows, columns * height / width)
    focused_mm = view.lens_mm - 16.0
    breathing = focused_mm / (focused_mm - camera.focal_mm)
    for floor, part, whole, degrees in zip(
        optics.FLOOR_MM, cut, camera.sensor_px, PUBLISHED_DEG[camera.name], strict=True
    ):
        seen_mm = 2.0 * view.lens_mm * math.tan(math.radians(degrees / 2.0)) * part / whole / breathing
        aslant_mm = view.lens_mm * math.tan(math.radians(1.0))
        assert (seen_mm - floor) / 2.0 > 4.0 + aslant_mm, "and the camera may hang a degree aslant"


def test_modes_that_see_a_part_of_the_field_are_never_taken() -> None:
    assert {view.camera.name: view.mode.size_px for view in VIEWS} == {
        "Camera Module 3": (2304, 1296),
        "Camera Module 3 Wide": (2304, 1296),
        "Camera Module 2": (1640, 1232),
        "Logitech C920": (1600, 896),
    }
    module_3 = optics.CAMERAS[0]
    for name, modes in (("smaller", module_3.modes[:1]), ("none", ())):
        with pytest.raises(ValueError, match="sees its whole field"):
            optics.mode_of(replace(module_3, name=name, modes=modes))
    # Through the quick mode the same lens at the same height sees two thirds: less than the floor.
    quick = module_3.modes[0]
    seen = [
        side * part / whole for side, part, whole in zip(VIEWS[0].field_mm, quick.field_px, (4608, 2592), strict=True)
    ]
    assert seen[0] < optics.FLOOR_MM[0]
    assert seen[1] < optics.FLOOR_MM[1]
    assert "{}x{}".format(*quick.size_px) in section(3), "the guide names it"


@pytest.mark.parametrize("view", VIEWS[:3], ids=lambda view: view.camera.name)
def test_table_and_program_read_a_pi_cameras_sensor_alike(view: Any) -> None:
    camera = view.camera
    assert camera.picture_px == PiCameraParams().main_px
    listed_modes = [
        {"size": mode.size_px, "bit_depth": 10, "crop_limits": (*corner, *mode.field_px)}
        for mode in camera.modes
        for corner in [[(side - seen) // 2 for side, seen in zip(camera.sensor_px, mode.field_px, strict=True)]]
    ]
    taken = whole_field_mode(listed_modes, camera.picture_px)
    assert taken.size_px == view.mode.size_px
    assert wanted_crop(taken, camera.picture_px)[2:] == pytest.approx(optics.cut_px(camera))


def test_what_the_guide_says_of_the_c920_is_computed() -> None:
    c920 = optics.CAMERAS[3]
    assert (1280, 960) not in {mode.size_px for mode in c920.modes}
    # The driver gives the size that differs from the one asked for in the fewest pixels (uvcvideo's own rule).
    given = min(
        (mode.size_px for mode in c920.modes),
        key=lambda size: size[0] * size[1] + 1280 * 960 - 2 * min(size[0], 1280) * min(size[1], 960),
    )
    views = {size: optics.view_of(replace(c920, picture_px=size)) for size in (given, (1600, 896), (1920, 1080))}
    said = section(3)
    assert "its driver gives {}x{}, which makes dice of {:.0f} px".format(*given, views[given].die_px) in said
    assert f"1600x896 instead (section 9): {views[1600, 896].die_px:.0f} px for a sixth more pixels" in said
    assert pytest.approx(7 / 6, rel=0.01) == 1600 * 896 / (1280 * 960)
    assert f"1920x1080 makes {views[1920, 1080].die_px:.0f} px, but has two thirds more" in said
    assert pytest.approx(5 / 3, rel=0.02) == 1920 * 1080 / (1280 * 960)
    (block,) = re.findall(r"```toml\n(\[usb\]\n.*?)```", GUIDE, re.DOTALL)
    usb = read_settings(tomllib.loads(block)).usb
    assert usb == UsbCameraParams(width_px=1600, height_px=896)
    assert (usb.width_px, usb.height_px) == c920.picture_px


def listed(part: str) -> dict[str, str]:
    """The one line of the list whose part begins so."""
    (row,) = (row for row in ROWS if row["part"].startswith(part))
    return row


def test_arm_holds_the_lens_where_the_table_says() -> None:
    assert SCAD["lens_h"] == VIEWS[0].lens_mm
    plate_to_lens = SCAD["plate_z"] - SCAD["lens_h"] - SCAD["floor_z"]
    # A spacer of 3 mm, a board of 1 mm and a lens that stands 7 to 9 mm out of it; the focus takes up the rest.
    assert 11.0 <= plate_to_lens <= 15.0
    boom_ends = SCAD["post_y"] - SCAD["side"] / 2 - SCAD["boom_l"]
    assert 12.5 + 2.3 < boom_ends < 18.0, "behind the nuts of the camera's screws, yet all through the plate's sleeve"


def test_tube_and_panel_are_cut_as_the_parts_need_them() -> None:
    post_mm, boom_mm = SCAD["lens_h"] + SCAD["post_spare"], SCAD["boom_l"]
    assert f"plus {SCAD['post_spare']:.0f} mm, the boom {boom_mm:.0f} mm" in GUIDE
    assert f"{post_mm:.0f} mm and\n   {boom_mm:.0f} mm for Camera Module 3" in GUIDE
    (bought,) = re.findall(r"(\d+) mm are enough: (\d+) mm post and (\d+) mm boom", listed("Square")["alternatives"])
    assert [float(part) for part in bought[1:]] == [post_mm, boom_mm]
    assert float(bought[0]) >= post_mm + boom_mm
    panel = [SCAD[side] - 2 * SCAD["panel_gap"] for side in ("floor_w", "floor_d")]
    size = " x ".join(f"{side:.0f}" for side in panel)
    assert f"floor panel to {size} mm" in GUIDE
    for part in ("Floor panel", "Self-adhesive felt"):
        assert listed(part)["part"].startswith(f"{part} {size} x ")
    for side, name in zip(panel, ("floor_w", "floor_d"), strict=True):
        assert SCAD[name] - 2 * SCAD["panel_lap"] + 6.0 < side < SCAD[name], "between the walls, well onto the flange"
    thick = [
        float(re.findall(r"x ([\d.]+) mm", listed(part)["part"])[0]) for part in ("Floor panel", "Self-adhesive felt")
    ]
    assert sum(thick) == SCAD["panel_t"]


def test_screws_of_the_guide_are_on_the_list_and_no_others() -> None:
    size = r"M[\d.]+ x \d+"
    bought = {found for row in ROWS if "crew" in row["part"] for found in re.findall(size, row["part"])}
    assert bought == set(re.findall(size, GUIDE))
    assert {listed(f"Screw {found}")["quantity"] for found in bought} == {"4"}
    assert int(listed("Wood screw")["quantity"]) == 2 * len(re.findall(r"two wood screws", " ".join(GUIDE.split())))
    long_mm = float(re.findall(r"Wood screw 4 x (\d+)", listed("Wood screw")["part"])[0])
    (board_mm,) = re.findall(r"x (\d+) mm$", listed("Base board")["part"])
    assert float(board_mm) == SCAD["base_t"]
    assert long_mm - SCAD["screw_t"] <= SCAD["base_t"] - 2.0, "no point comes out below"
    assert long_mm - SCAD["screw_t"] >= 8.0, "and it holds"


def drawn(field: str = "") -> str:
    """Both wirings, or one field of them."""
    text = "".join((HERE / f"{name}.yml").read_text() for name in routes.WIRINGS)
    return "\n".join(re.findall(rf"{field}: .*", text)) if field else text


def test_cable_is_bought_as_long_as_it_is_drawn() -> None:
    wanted: Counter[str] = Counter()
    for count, gauge, length in re.findall(r"wirecount: (\d), gauge: ([\d.]+) mm2, length: ([\d.]+)", drawn()):
        wanted[f"Cable {count} x {gauge} mm2"] += round(float(length) * 100)
    bought: Counter[str] = Counter()
    for row in ROWS:
        if row["part"].startswith("Cable ") and row["part"].endswith("mm2"):
            bought[row["part"]] += round(float(row["quantity"].removesuffix(" m")) * 100)
    assert bought == wanted


ROUTES = routes.routes()


COLOURS = {
    "crimson": "Crimson",
    "grey": "Gray",
    "dark grey": "DimGray",
    "gold": "Goldenrod",
    "red": "Red",
    "green": "Green",
    "blue": "RoyalBlue",
}
"""The guide's names of the drawing's colours."""


def test_every_drawn_cable_is_as_long_as_its_way() -> None:
    bought = routes.bought_mm()
    assert {route.name for route in ROUTES} == set(bought)
    reported = {row["cable"]: row for row in table("cables.csv")}
    for route in ROUTES:
        assert route.needed_mm <= bought[route.name], route.name
        assert route.ends_mm >= 20.0, "some of it goes into plugs and bends"
        row = reported[route.name]
        said = cells(route.name)
        assert said[3:] == [f"{row['needed_mm']} mm", f"{row['bought_mm']} mm"], route.name
        assert COLOURS[said[1]] == route.colour, route.name
    ribbon = bought["CameraRibbon"]
    assert f"Camera ribbon {ribbon:.0f} mm" in listed("Camera ribbon")["part"]
    reach_mm = routes.ribbon_reaches_mm(ribbon)
    assert f"the ribbon reaches: {ribbon:.0f} mm are enough up to {reach_mm:.0f} mm" in section(3)
    assert float(re.findall(r"([\d.]+) m$", listed("USB cable")["part"])[0]) * 1000.0 == bought["RingUSB"]


def test_ribbon_is_long_enough_for_every_camera_of_the_table() -> None:
    reach_mm = routes.ribbon_reaches_mm(routes.bought_mm()["CameraRibbon"])
    assert all(view.lens_mm <= reach_mm for view in VIEWS if view.camera.name.startswith("Camera Module"))


def turn(degrees: float, axis: int) -> Any:
    """Rotation about an axis, as OpenSCAD's `rotate`."""
    a, b = (axis + 1) % 3, (axis + 2) % 3
    made = np.eye(3)
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    made[a, a], made[a, b], made[b, a], made[b, b] = c, -s, s, c
    return made


@cache
def solids() -> dict[str, Any]:
    """Every printed part in its place, as `assembly` of the drawing puts them, shape (n, 3, 3)."""
    v = SCAD
    shifts = {
        "arm_foot": [0.0, v["post_y"], 0.0],
        "arm_elbow": [0.0, v["post_y"], v["boom_z"] + v["side"] / 2],
        "camera_plate": [0.0, 18.0, v["plate_z"]],
        "pi_stand": [0.0, v["stand_y"], 0.0],
        "ring_plate": [v["ring_x"], v["ring_y"], 0.0],
        "button_box": [-v["box_w"] / 2, v["box_y"] - v["box_d"], 0.0],
        "button_lid": [-v["box_w"] / 2, v["box_y"] - v["box_d"], v["box_h"]],
    }
    turns = {"arm_elbow": turn(180, 1) @ turn(-90, 1), "pi_stand": turn(-90, 0)}  # back from how they are printed
    placed = {name: triangles(name) @ turns.get(name, np.eye(3)).T + np.array(at) for name, at in shifts.items()}
    for name in ("frame_corner", "frame_corner_mirrored"):
        placed[name] = triangles(name)
        placed[f"{name}, turned"] = triangles(name) @ turn(180, 2).T
    return placed


def is_inside(points: Any, faces: Any) -> Any:
    """Which points, shape (p, 3), lie in a closed mesh: a ray from them meets its faces an odd number of times."""
    corners = faces.reshape(-1, 3)
    near = ((points >= corners.min(axis=0)) & (points <= corners.max(axis=0))).all(axis=1)
    found = np.zeros(len(points), dtype=bool)
    if not near.any():
        return found
    ray = np.array([0.2113, 0.4717, 0.8561])
    first, second = faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0]
    across = np.cross(ray, second)
    det = np.einsum("ni,ni->n", first, across)
    keep = np.abs(det) > 1e-9
    first, second, across, det, corner = first[keep], second[keep], across[keep], det[keep], faces[keep, 0]
    away = points[near][:, None] - corner
    u = np.einsum("pni,ni->pn", away, across) / det
    over = np.cross(away, first)
    v = over @ ray / det
    far = np.einsum("pni,ni->pn", over, second) / det
    found[near] = ((u >= 0) & (v >= 0) & (u + v <= 1) & (far > 0)).sum(axis=1) % 2 == 1
    return found


def along(route: Any, step_mm: float = 2.0) -> Any:
    """Points on a way, shape (p, 3); of a ribbon on both of its edges, too."""
    asides = (0.0,) if route.thick_mm < 8.0 else (-route.thick_mm / 2, 0.0, route.thick_mm / 2)
    made = []
    for here, there in itertools.pairwise(np.array(route.points)):
        share = np.linspace(0.0, 1.0, max(2, int(np.linalg.norm(there - here) / step_mm)))[:, None]
        made += [here + (there - here) * share + [aside, 0.0, 0.0] for aside in asides]
    return np.concatenate(made)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_no_cable_goes_through_a_part(route: Any) -> None:
    points = along(route)
    for name, faces in solids().items():
        assert not is_inside(points, faces).any(), f"{route.name} goes through {name}"
    half = SCAD["tube"] / 2
    boom = np.array([[-half, SCAD["post_y"] - SCAD["side"] / 2 - SCAD["boom_l"], SCAD["boom_z"] - half]])
    post = np.array([[-half, SCAD["post_y"] - half, SCAD["arm_wall"]]])
    for least, size in ((boom, [2 * half, SCAD["boom_l"], 2 * half]), (post, [2 * half, 2 * half, SCAD["post_l"]])):
        assert not ((points > least) & (points < least + size)).all(axis=1).any(), "nor through the tube"
    assert (points[:, 2] > 0.0).all(), "nor through the base board"


def test_a_way_through_a_wall_is_noticed() -> None:
    (ribbon,) = (route for route in ROUTES if route.name == "CameraRibbon")
    straight = replace(ribbon, points=(ribbon.points[0], ribbon.points[-1]))
    assert any(is_inside(along(straight), faces).any() for faces in solids().values())


def test_everything_stands_on_the_base_board() -> None:
    (size,) = re.findall(r"Base board (\d+) x (\d+) x", listed("Base board")["part"])
    assert [float(side) for side in size] == [SCAD["base_w"], SCAD["base_d"]]
    front, back = -SCAD["base_front"], SCAD["base_d"] - SCAD["base_front"]
    for name, faces in solids().items():
        places = faces.reshape(-1, 3)
        assert places[:, 2].min() >= -1e-3, name
        assert (np.abs(places[:, 0]) < SCAD["base_w"] / 2).all(), name
        assert (places[:, 1] > front + 3.0).all(), name
        assert (places[:, 1] < back - 3.0).all(), name
    before, behind = -front - SCAD["outer_d"] / 2, back - SCAD["outer_d"] / 2
    free = f"{before:.0f} mm free in front of it for the button box, {behind:.0f} mm"
    assert free in section(2)
    glued = {name for name in solids() if name.startswith("frame_corner")}
    for (one, mesh), (other, others) in itertools.combinations(solids().items(), 2):
        if not {one, other} <= glued and {one, other} != {"button_box", "button_lid"}:  # these touch
            assert not is_inside(mesh.mean(axis=1), others).any(), f"{one} and {other} want the same place"


def test_places_of_the_mounts_are_those_of_the_drawing() -> None:
    said = section(4)
    assert f"{SCAD['stand_y'] - SCAD['post_y'] - SCAD['side'] / 2:.0f} mm behind the arm's foot" in said
    right = solids()["pi_stand"][:, :, 0].max()
    assert f"its right edge {right:.0f} mm right of the post's middle" in said
    plate_gap = solids()["ring_plate"][:, :, 1].min() - SCAD["outer_d"] / 2
    assert f"{plate_gap:.0f} mm behind the left half of the far wall" in said
    foot_gap = SCAD["post_y"] - SCAD["side"] / 2 - SCAD["outer_d"] / 2
    assert f"{foot_gap:.0f} mm behind the middle of the far wall" in section(3)
    assert f"{-SCAD['outer_d'] / 2 - SCAD['box_y']:.0f} mm from the frame" in section(5)


def test_each_drawn_lamp_has_its_resistor_on_the_list() -> None:
    lamps = Counter(re.findall(r"subtype: [\w ]+, (\w+), (\d+) ohm", drawn()))
    assert sum(lamps.values()) == len(LAMP_NAMES)
    ohms: Counter[str] = Counter()
    for (colour, ohm), count in lamps.items():
        volts = {"white": 3.0, "green": 2.1}.get(colour, 2.0)
        assert (3.3 - volts) / int(ohm) * 1000.0 == pytest.approx(6.0, abs=0.7), "as section 7 says"
        assert (3.3 - volts + 0.4) / int(ohm) * 1000.0 < 16.0, "a GPIO bears it, with a lamp of a lower voltage, too"
        assert listed(f"LED 5 mm diffused {colour}")["quantity"] == str(count)
        ohms[ohm] += count
    for ohm, count in ohms.items():
        assert listed(f"Resistor {ohm} ohm")["quantity"] == str(count)


def test_the_lid_has_a_hole_for_each_lamp() -> None:
    middle = SCAD["box_d"] / 2
    corners = triangles("button_lid").reshape(-1, 3)
    in_row = corners[np.abs(corners[:, 1] - middle) < SCAD["led_d"]]
    between_buttons = in_row[
        np.abs(in_row[:, 0] - SCAD["box_w"] / 2) < SCAD["box_w"] / 2 - 30 - SCAD["button_d"] / 2 - 1, 0
    ]
    places = np.unique(between_buttons.round(1))
    holes = np.split(places, np.flatnonzero(np.diff(places) > 3.0) + 1)
    assert [hole.max() - hole.min() for hole in holes] == [pytest.approx(SCAD["led_d"], abs=0.3)] * len(LAMP_NAMES)


def test_strip_is_cut_to_the_walls() -> None:
    (pieces,) = re.findall(r"into (\d+), (\d+), (\d+), (\d+) and (\d+) LEDs, (\d+) in all", section(2))
    *sides, together = map(int, pieces)
    assert sum(sides) == together == power.LEDS
    assert f"leds = {together}\n" in GUIDE
    assert f"{together} LEDs at 60 a metre" in drawn("notes")
    assert f"WS281x, {together} LEDs" in GUIDE
    assert sides[0] == sides[4], "both halves of the left wall: the hole is in its middle"
    walls = (sides[1], sides[2], sides[3], sides[0] + sides[4])
    for leds, floor, gap in zip(walls, ("floor_w", "floor_d") * 2, (0.0, 0.0, 0.0, 5.0), strict=True):
        assert leds * 1000 / 60 + gap < SCAD[floor] + 2 * SCAD["ring_depth"], "each piece finds room in its channel"
    assert f"16 LEDs are {16000 / 60:.1f} mm, the floor {SCAD['floor_w']:.0f}" in section(2)
    assert f"reach {16000 / 60 - SCAD['floor_w']:.1f} mm into the pockets of the right" in section(2)
    assert f"each reaches {6000 / 60 + 2.5 - SCAD['floor_d'] / 2:.1f} mm into its corner" in section(2)
    ceiling_mm = SCAD["ring_depth"] * math.sqrt(2.0)
    assert float(re.findall(r"(\d+) mm wide", listed("WS2812B")["part"])[0]) < ceiling_mm


STRIP_MM, STRIP_T_MM, LED_T_MM = 10.0, 0.5, 1.9
PITCH_MM = 1000.0 / 60.0


def strip_pieces() -> dict[str, tuple[Any, Any, float]]:
    """Each piece of strip as the guide lays it: where it begins, along which way, and its length."""
    wide, deep = SCAD["floor_w"] / 2, SCAD["floor_d"] / 2
    far, right, half = 16 * PITCH_MM, 12 * PITCH_MM, 6 * PITCH_MM
    return {
        "far": (np.array([-wide, deep]), np.array([1.0, 0.0]), far),
        "near": (np.array([-wide, -deep]), np.array([1.0, 0.0]), far),
        "right": (np.array([wide, -right / 2]), np.array([0.0, 1.0]), right),
        "left, far": (np.array([-wide, 2.5]), np.array([0.0, 1.0]), half),
        "left, near": (np.array([-wide, -2.5 - half]), np.array([0.0, 1.0]), half),
    }


def strip_points(begin: Any, way: Any, length_mm: float) -> Any:
    """Points all through a piece of strip on the channel's ceiling, its LEDs too, shape (n, 3)."""
    out = np.sign(begin) * (1.0 - np.abs(way))  # from the floor into the wall
    spare = (SCAD["ring_depth"] * math.sqrt(2.0) - STRIP_MM) / 2.0
    across, along_mm = np.linspace(spare, spare + STRIP_MM, 12), np.linspace(0.0, length_mm, 161)
    leds = np.abs((along_mm / PITCH_MM) % 1.0 - 0.5) < 2.5 / PITCH_MM
    made = []
    for below in (0.15, STRIP_T_MM, LED_T_MM):
        for u in across:
            is_led = below > STRIP_T_MM
            if is_led and abs(u - across.mean()) > 2.5:
                continue
            depth = (u - below) / math.sqrt(2.0)
            height = SCAD["floor_z"] + SCAD["ring_low"] + SCAD["ring_depth"] - (u + below) / math.sqrt(2.0)
            steps = along_mm[leds] if is_led else along_mm
            flat = begin + out * depth + way * steps[:, None]
            made.append(np.column_stack([flat, np.full(len(flat), height)]))
    return np.concatenate(made)


@pytest.mark.parametrize("piece", strip_pieces())
def test_every_piece_of_the_strip_finds_room_in_its_channel_and_pockets(piece: str) -> None:
    points = strip_points(*strip_pieces()[piece])
    frame = [faces for name, faces in solids().items() if name.startswith("frame_corner")]
    for faces in frame:
        inside = points[is_inside(points, faces)]
        assert len(inside) == 0, f"{len(inside)} points of it lie in plastic, as {inside[:3]}"
    if piece == "far":
        begin, way, length = strip_pieces()[piece]
        centred = strip_points(begin + way * (SCAD["floor_w"] - length) / 2, way, length + 10.0)
        assert any(is_inside(centred, faces).any() for faces in frame), "five millimetres more do not fit"


def test_pieces_of_the_strip_do_not_meet_in_the_corners() -> None:
    boxes = {}
    for name, piece in strip_pieces().items():
        points = strip_points(*piece)
        boxes[name] = points.min(axis=0), points.max(axis=0)
    for (one, (low, high)), (other, (lower, higher)) in itertools.combinations(boxes.items(), 2):
        assert ((high < lower) | (higher < low)).any(), f"{one} and {other} want the same place"


def test_plastic_is_left_behind_the_pockets() -> None:
    assert SCAD["wall_t"] - max(SCAD["ring_pocket_w"], SCAD["ring_pocket_d"]) >= 6.0


def test_a_first_weekend_costs_and_prints_as_the_guide_says() -> None:
    later = {"light ring", "own screen", "play", "panel", "panel and ring"}
    cost = sum(float(row["rough_price_eur"]) for row in ROWS if row["needed_for"] not in later)
    hours = sum(
        int(row["pieces"]) * float(row["hours_each"])
        for row in table("printing.csv")
        if row["part"] not in ("button_box", "button_lid", "ring_plate")
    )
    said = section(0)
    assert f"{cost:.0f} euros without screen and dice, and {hours:g} hours of printing" in said


def test_each_plug_has_its_own_power_supply() -> None:
    codes = listed("Raspberry Pi 27 W")["part_number"]
    assert re.findall(r"SC\d+ (\w+)", codes) == ["Europe", "United", "United", "Australia", "India"]
    assert len(set(re.findall(r"SC\d+", codes))) == 5


def test_what_does_not_fit_the_channel_stands_elsewhere() -> None:
    bore_mm = power.channel_bore_mm(SCAD["ring_depth"], 2.2)
    assert f"nothing thicker than {math.floor(bore_mm * 10) / 10:.1f} mm fits" in section(4)
    # The same from the section: the largest circle under a line parallel to the ceiling, 2.2 mm from it.
    leg = SCAD["ring_depth"] - 2.2 * math.sqrt(2.0)
    radius = leg * leg / 2.0 / ((2.0 + math.sqrt(2.0)) * leg / 2.0)
    assert bore_mm == pytest.approx(2.0 * radius)
    capacitor = listed("Capacitor 1000 uF")
    assert float(re.findall(r"(\d+) mm wide", capacitor["part"])[0]) > bore_mm
    assert capacitor["step"] == "4", "where the small board is built"
    # Through the hole: two wires of 2.4 mm, skin and all, and one of 1.4 mm, which lies in the gap between them.
    thick, thin, hole = 2.4, 1.4, SCAD["hole_d"] / 2.0
    assert 2.0 * thick <= 2.0 * hole
    assert math.hypot(thick / 2.0, hole - thin / 2.0) >= (thick + thin) / 2.0


def test_guide_repeats_the_optics_table() -> None:
    for row in table("optics.csv"):
        said = cells(row["camera"])
        assert said[1:7] == [
            row["sensor_mode_px"],
            row["picture_px"],
            f"{row['lens_above_floor_mm']} mm",
            f"{row['field_width_mm']} x {row['field_depth_mm']} mm",
            f"{row['spare_mm']} mm",
            f"{row['die_px']} px",
        ]
        assert said[7].startswith(f"{row['sharp_from_mm']}-{row['sharp_to_mm']} mm")
        assert row["focus"] == "by hand" or said[8].startswith("motor")
        assert "dioptres" not in said[8] or f"{row['focus_dioptres']} dioptres" in said[8]
    aslant_mm = math.tan(math.radians(1.0)) * VIEWS[0].lens_mm
    assert f"1 degree aslant moves the picture by {aslant_mm:.0f} mm" in section(3)
    assert f"({VIEWS[1].lean_px:.0f} px against {VIEWS[0].lean_px:.0f} px at a corner)" in section(3)


# fmt: off
HEADER_PIN = {
    2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32, 13: 33, 14: 8, 15: 10, 16: 36, 17: 11,
    18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18, 25: 22, 26: 37, 27: 13,
}
# fmt: on
"""Raspberry Pi's own table of GPIO number and place on the 40-pin header."""


def test_guide_and_drawing_have_the_pins_of_the_settings() -> None:
    wiring = drawn()
    wired: dict[int, int] = {}
    labels = re.search(r"pinlabels: \[(GPIO17[^\]]+)\]\n\s+pins: \[([^\]]+)\]", wiring)
    assert labels is not None
    for label, pin in zip(labels[1].split(", "), labels[2].split(", "), strict=True):
        if label.startswith("GPIO"):
            wired[int(label.removeprefix("GPIO"))] = int(pin)
    used = {pin: HEADER_PIN[pin] for _, pin in PanelParams().pins()}
    assert wired == used
    for pin, place in used.items():
        assert re.search(rf"^\|[^|]+\| {pin} \| {place} \|", GUIDE, re.MULTILINE), pin
        assert pin not in FORBIDDEN_PINS


def test_ring_of_the_guide_fits_the_frame_and_the_settings() -> None:
    (block,) = re.findall(r"```toml\n(\[ring\]\n.*?)```", GUIDE, re.DOTALL)
    ring = read_settings(tomllib.loads(block)).ring.shape
    width, depth = ring.size_mm
    assert ring == RingParams(leds=power.LEDS, size_mm=(width, depth), start_mm=ring.start_mm, brightness=160)
    assert [width, depth] == [SCAD["floor_w"] + SCAD["ring_depth"], SCAD["floor_d"] + SCAD["ring_depth"]]
    assert 2 * (width + depth) / ring.leds == pytest.approx(1000 / 60, rel=0.025), "60 LEDs a metre go round once"
    positions = np.array(led_positions_mm(ring))
    assert (np.abs(positions) <= [SCAD["outer_w"] / 2, SCAD["outer_d"] / 2]).all()
    assert (np.abs(positions) >= [SCAD["floor_w"] / 2, SCAD["floor_d"] / 2]).any(axis=1).all(), "not over the floor"
    # The first piece begins at the hole in the left wall and goes to the far corner; the last one ends there.
    hole = np.array([-width / 2, 0.0])
    assert np.linalg.norm(positions[0] - hole) < 10.0
    assert np.linalg.norm(positions[-1] - hole) < 20.0
    assert positions[1, 1] > positions[0, 1] > positions[-1, 1]


def test_fuse_supply_and_settings_agree() -> None:
    (block,) = re.findall(r"```toml\n(\[ring\]\n.*?)```", GUIDE, re.DOTALL)
    asked_a = power.ring_a(read_settings(tomllib.loads(block)).ring.shape.brightness)
    (fuse_a,) = map(float, re.findall(r"with (\d+) A slow fuse", listed("Fuse holder")["part"]))
    (supply_a,) = map(float, re.findall(r"5 V (\d+) A", listed("Power supply")["part"]))
    (limit_ma,) = map(float, re.findall(r"maximum current (\d+) mA", section(8)))
    assert asked_a < limit_ma / 1000.0 <= power.FUSE_USE * fuse_a < fuse_a < supply_a
    assert f"5 V {supply_a:.0f} A supply with a {fuse_a:.0f} A fuse" in section(7)
    assert f"{supply_a:.0f} A supply, {fuse_a:.0f} A fuse" in drawn("type")
    assert f"three quarters of that, {power.FUSE_USE * fuse_a:.2f} A" in section(7)
    assert f"WLED is set to {limit_ma:.0f} mA" in section(7)
    lengths = [length for name, length in routes.bought_mm().items() if name in ("SupplyPower", "RingPower")]
    full_a = power.ring_a(255)
    for first, values in (
        (f"current, {power.LEDS} LEDs of {1000 * power.LED_A:.0f} mA", [f"{asked_a:.1f} A", f"{full_a:.1f} A"]),
        (
            "lost in the strip, fed at one end",
            [f"{power.strip_drop_v(a, both_ends=False):.2f} V" for a in (asked_a, full_a)],
        ),
        (
            "lost in the strip, fed at both ends",
            [f"{power.strip_drop_v(a, both_ends=True):.2f} V" for a in (asked_a, full_a)],
        ),
        (
            f"lost in {sum(lengths) / 1000.0:.1f} m of 2 x 0.75 mm2",
            [f"{power.wire_drop_v(a, sum(lengths) / 1000.0, 0.75):.2f} V" for a in (asked_a, full_a)],
        ),
    ):
        assert cells(first)[1:] == values


@pytest.mark.parametrize("both_ends", [False, True])
def test_voltage_lost_in_the_strip_is_that_of_a_ladder(both_ends: bool) -> None:
    # Two rails of resistors between LEDs that each draw the same; Kirchhoff's rule at each LED, both rails alike.
    amperes = 2.0
    each, ohms = amperes / power.LEDS, power.RAIL_OHM_M / power.LEDS_PER_M
    nodes = power.LEDS
    laplace = 2.0 * np.eye(nodes) - np.eye(nodes, k=1) - np.eye(nodes, k=-1)
    if not both_ends:
        laplace[-1, -1] = 1.0
    lost = np.linalg.solve(laplace, np.full(nodes, each * ohms))
    assert 2.0 * lost.max() == pytest.approx(power.strip_drop_v(amperes, both_ends=both_ends), rel=0.05)


def nets() -> list[set[str]]:
    """What is joined by wires, both drawings together: sets of `Part.pin`."""
    joined: list[set[str]] = []

    def pins(words: str) -> list[str]:
        numbers = words.strip("[] ")
        ((first, last),) = re.findall(r"^(\d+)-(\d+)$", numbers) or [("", "")]
        return [str(pin) for pin in range(int(first), int(last) + 1)] if first else re.split(r",\s*", numbers)

    for line in re.findall(r"^  - \[(.*)\]$", drawn(), re.MULTILINE):
        (one, one_pins), _, (other, other_pins) = re.findall(r"(\w+): (\[[^\]]*\]|\d+)", line)
        for here, there in zip(pins(one_pins), pins(other_pins), strict=True):
            pair = {f"{one}.{here}", f"{other}.{there}"}
            touched = [net for net in joined if net & pair]
            joined = [net for net in joined if not net & pair] + [pair.union(*touched)]
    return joined


def test_the_two_pluses_never_meet_and_grounds_are_common() -> None:
    made = nets()

    def net_of(pin: str) -> set[str]:
        (net,) = (net for net in made if pin in net)
        return net

    strip_plus = net_of("Supply.1")
    assert strip_plus == {"Supply.1", "Shifter.14", "Strip.2", "StripEnd.2"}, "fed at both ends, joined to nothing else"
    assert net_of("PiUSB.1") == {"PiUSB.1", "WledUSB.1"}
    assert net_of("Supply.2") == {"Supply.2", "Shifter.7", "Strip.3", "StripEnd.3", "WledOut.2"}
    assert net_of("WledOut.1") == {"WledOut.1", "Shifter.2"}, "data goes through the level shifter"
    assert net_of("Strip.1") == {"Strip.1", "Shifter.3"}
    for name in LAMP_NAMES:
        lamp = "".join(word.capitalize() for word in name.split("_"))
        assert len(net_of(f"{lamp}.1")) == 2
        assert "Pi.20" in net_of(f"{lamp}.2")
    assert net_of("Push.2") == net_of("Reset.2") == {"Pi.14", "Push.2", "Reset.2"}
    said = section(4)
    assert "pin 2 is the ESP32's data, pin 3" in said
    grounded = {int(pin) for pin in re.findall(r"\d+", re.findall(r"pins ([\d, and]+) are GND", said)[0])}
    drawn_too = {int(pin) for pin in re.findall(r"\d+", re.findall(r"pins ([\d, ]+) to GND", drawn())[0])}
    assert grounded == drawn_too | {7} == set(range(1, 15)) - {2, 3, 6, 8, 11, 14}, "enables and idle inputs; no output"


def parts_of(number: int) -> list[tuple[str, str]]:
    """The line of a section that says what it takes from the list."""
    found = re.findall(r"\*From the list:\* (.*?)\n\n", SECTIONS[number], re.DOTALL)
    words = found[0].replace("\n", " ") if found else ""
    return re.findall(r"([^;]+?) \(([^()]+)\)(?:; |$)", words)


def test_sections_and_list_name_the_same_parts() -> None:
    for number in range(1, 13):
        assert section(number).startswith(f"{number}. ")
        assert parts_of(number) == [(row["part"], row["quantity"]) for row in ROWS if row["step"] == str(number)]
    assert {row["step"] for row in ROWS} <= {str(number) for number in range(1, 13)}


USED = {
    "PETG or PLA": "0.2 mm layers",
    "Base board": "on the base board",
    "Dowel": "two dowels",
    "Glue": "then glue",
    "Floor panel": "Saw the floor panel",
    "Self-adhesive felt": "stick felt on it",
    "Two-sided tape": "two-sided tape",
    "WS2812B": "cut the strip",
    "Hook-up wire": "three short wires",
    "Camera Module 3": "Screw the camera under",
    "Camera ribbon": "ribbon's wide end",
    "Square aluminium tube": "Saw the tube",
    "Screw M3 x 40": "an M3 x 40 and its nut",
    "Screw M2 x 12": "four M2 x 12",
    "Spacer sleeve 3 mm": "a spacer of 3 mm",
    "Wood screw": "two wood screws",
    "Raspberry Pi 5": "Screw the Pi onto",
    "Active Cooler": "Press the cooler",
    "Screw M2.5 x 8": "the M2.5 x 8",
    "ESP32 board": "Tie the ESP32",
    "Level shifter": "level shifter's pin 2",
    "Perfboard": "Solder the small board",
    "Capacitor 1000 uF": "the 1000 uF across",
    "Capacitor 100 nF": "The 100 nF close",
    "Resistor 330 ohm": "the 330 ohm",
    "Cable 2 x 0.25 mm2, 2": "thin pair",
    "Cable 1 x 0.25 mm2": "the single wire",
    "Cable 2 x 0.75 mm2": "the 0.75 mm2 cable",
    "Arcade button": "Buttons into",
    "LED 5 mm": "Lamps from below",
    "Resistor 47 ohm": "Solder its resistor",
    "Resistor 220 ohm": "Solder its resistor",
    "Screw M3 x 12": "four M3 x 12",
    "Heat-shrink tube": "heat-shrink over both",
    "Cable 2 x 0.25 mm2, 5": "two-wire cable in half",
    "Cable 6 x 0.14 mm2": "lamp cable",
    "Jumper wire": "a jumper wire's socket",
    "Cable tie": "loose tie",
    "Self-adhesive cable clip": "Clips hold",
    "Power supply 5 V": "Only then plug the supply in",
    "Fuse holder": "the fuse into the plus wire",
    "DC socket": "the DC socket",
    "USB cable": "the USB cable from",
    "Raspberry Pi 27 W": "power from the right",
    "microSD card": "Card in",
    "Display 7 inch": "screen in if there is one",
    "Cable micro HDMI": "screen in if there is one",
    "Dice 16 mm": "asks for dice, a few of each colour",
    "Power strip": "switch the power strip off",
}
"""The words by which a section uses each part of the list; two of the same name carry their section."""


def test_every_part_of_the_list_is_used_in_its_section() -> None:
    for row in ROWS:
        named = [
            name
            for name in USED
            if f"{row['part']}, {row['step']}".startswith(name) or f"{row['part']}, {row['step']}" == name
        ]
        assert named, f"{row['part']}: no step takes it in hand"
        (taken,) = re.findall(
            r"^(.*?)(?:\*From the list:\*.*?\n\n)(.*)$",
            SECTIONS[int(row["step"])],
            re.DOTALL,
        )
        steps = " ".join("".join(taken).split())
        assert all(USED[name] in steps for name in named), (row["part"], row["step"])


def test_every_size_that_a_step_names_is_on_the_list() -> None:
    steps = re.sub(r"\*From the list:\*.*?\n\n", "", GUIDE, flags=re.DOTALL)
    bought = " ".join(row["part"] for row in ROWS)
    for size in set(re.findall(r"\d[\d.]* (?:ohm|uF|nF|mm2)\b|\d+ A (?:supply|fuse)", steps)):
        number, unit = size.split(" ", 1)
        wanted = {"A supply": f"5 V {number} A", "A fuse": f"{number} A slow fuse"}.get(unit, size)
        assert wanted in bought, size


def test_holds_blinks_and_addresses_are_those_of_the_program() -> None:
    panel = PanelParams()
    words = {2.0: "two", 8.0: "eight"}
    calibrate, off = words[panel.calibrate_hold_s], words[panel.shutdown_hold_s]
    held = f"held {calibrate} seconds it calibrates again (all lamps blink slowly), held {off} it"
    assert held in section(11)
    assert f"hold reset for {off} seconds" in section(11)
    assert f"blink {PatternParams().fast_hz:g} times a second" in section(7)
    assert "http://NAME.local:8000/" in section(9)
    assert "name.local" in guard_for("0.0.0.0", "Name").names


def test_everything_on_the_list_has_a_quantity_a_use_and_a_price() -> None:
    for row in ROWS:
        assert None not in row, row["part"]
        assert re.match(r"\d", row["quantity"]), row
        assert row["needed_for"], row
        assert 0.0 < float(row["rough_price_eur"]) < 100.0
    total = sum(float(row["rough_price_eur"]) for row in ROWS)
    extra = sum(
        float(row["rough_price_eur"]) for row in ROWS if row["needed_for"] in ("light ring", "own screen", "play")
    )
    assert f"costs about {total:.0f} euros; without ring, screen and dice {total - extra:.0f}" in GUIDE


def test_every_file_that_the_guide_names_exists() -> None:
    for name in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", GUIDE):
        assert (HERE / name).exists(), name
    for name in re.findall(r"`([\w/-]+\.(?:csv|yml|svg|png|scad|pdf|stl|py|md))`", GUIDE):
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
