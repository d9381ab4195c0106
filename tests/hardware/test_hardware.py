import csv
import hashlib
import io
import itertools
import json
import math
import re
import struct
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from device.camera.pi_camera import PiCameraParams
from device.camera.pi_modes import wanted_crop, whole_field_mode
from device.config.settings import read_settings
from device.game.lamps import LAMP_NAMES
from device.panel.panel import FORBIDDEN_PINS, PanelParams
from device.ring.plan import RingParams, led_positions_mm
from tests.scripts import load_script
from vision.rendering.optics import project
from vision.rendering.scene import CameraPose, DieLook, DiePose
from vision.rendering.synthetic import die_truth

HERE = Path(__file__).resolve().parents[2] / "hardware"


sys.path.insert(0, str(HERE))  # they import each other
names = ("build", "card", "optics", "power", "printing", "routes", "scad")
build, card, optics, power, printing, routes, scad = (load_script(HERE / f"{name}.py") for name in names)
sys.path.remove(str(HERE))

GUIDE = (HERE / "README.md").read_text()
ROWS = list(csv.DictReader((HERE / "bom.csv").read_text().splitlines()))
"""Everything to buy."""

SECTIONS = re.split(r"^## ", GUIDE, flags=re.MULTILINE)

SCAD = scad.tray()
"""The numbers of the printed parts, millimetres."""


def section(number: int) -> str:
    """Return one section of the guide, its lines joined."""
    return " ".join(SECTIONS[number].split())


def table(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((HERE / name).read_text().splitlines()))


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


def test_nothing_lies_there_that_is_no_longer_built() -> None:
    there = {path.relative_to(HERE).as_posix() for kind in ("parts/*.stl", "pictures/*") for path in HERE.glob(kind)}
    listed_files = set(json.loads((HERE / "built.json").read_text()))
    assert listed_files == set(build.sources()) >= there


def test_table_and_card_are_what_their_sources_make() -> None:
    made = io.StringIO()
    optics.write_table(made)
    assert made.getvalue() == (HERE / "optics.csv").read_text()
    made = io.StringIO()
    routes.write_table(made)
    assert made.getvalue() == (HERE / "cables.csv").read_text()
    assert card.draw_card() == (HERE / "calibration-card.pdf").read_bytes()


def test_what_cannot_be_drawn_is_left_alone_and_reported(
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
    assert (size_mm[:2] <= 170.0).all(), "on a bed of 180 mm, with a brim"
    assert size_mm[2] <= 170.0
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
    """Return the camera of the table for the renderer: straight down, picture upright."""
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
    # In the quick mode the same lens at the same height sees two thirds: less than the floor.
    quick = module_3.modes[0]
    seen = [
        side * part / whole for side, part, whole in zip(VIEWS[0].field_mm, quick.field_px, (4608, 2592), strict=True)
    ]
    assert seen[0] < optics.FLOOR_MM[0]
    assert seen[1] < optics.FLOOR_MM[1]


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


def listed(part: str) -> dict[str, str]:
    """Return the only line of the list whose part begins so."""
    (row,) = (row for row in ROWS if row["part"].startswith(part))
    return row


def test_arm_holds_the_lens_where_the_table_says() -> None:
    assert SCAD["lens_h"] == VIEWS[0].lens_mm
    plate_to_lens = SCAD["plate_z"] - SCAD["lens_h"] - SCAD["floor_z"]
    # A spacer of 3 mm, a board of 1 mm and a lens that is 7 to 9 mm higher; the focus adjusts the rest.
    assert 11.0 <= plate_to_lens <= 15.0
    boom_ends = SCAD["post_y"] - SCAD["side"] / 2 - SCAD["boom_l"]
    assert 12.5 + 2.3 < boom_ends < 18.0, "behind the nuts of the camera's screws, yet all through the plate's sleeve"


def drawn(field: str = "") -> str:
    """Return both wirings, or one field of them."""
    text = "".join((HERE / f"{name}.yml").read_text() for name in routes.WIRINGS)
    return "\n".join(re.findall(rf"{field}: .*", text)) if field else text


ROUTES = routes.routes()


def test_every_drawn_cable_is_as_long_as_its_way() -> None:
    bought = routes.bought_mm()
    assert {route.name for route in ROUTES} == set(bought)
    for route in ROUTES:
        assert route.needed_mm <= bought[route.name], route.name
        assert route.ends_mm >= 20.0, "some of it goes into plugs and bends"
    ribbon = bought["CameraRibbon"]
    assert f"Camera ribbon {ribbon:.0f} mm" in listed("Camera ribbon")["part"]
    assert (
        float(re.findall(r"([\d.]+) m$", listed("USB cable A to the ESP32")["part"])[0]) * 1000.0 == bought["RingUSB"]
    )


def test_ribbon_is_long_enough_for_every_camera_of_the_table() -> None:
    reach_mm = routes.ribbon_reaches_mm(routes.bought_mm()["CameraRibbon"])
    assert all(view.lens_mm <= reach_mm for view in VIEWS if view.camera.name.startswith("Camera Module"))


def turn(degrees: float, axis: int) -> Any:
    """Return a rotation about an axis, like OpenSCAD's `rotate`."""
    a, b = (axis + 1) % 3, (axis + 2) % 3
    made = np.eye(3)
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    made[a, a], made[a, b], made[b, a], made[b, b] = c, -s, s, c
    return made


@cache
def solids() -> dict[str, Any]:
    """Return every printed part in its place, as in `assembly` of the drawing, shape (n, 3, 3)."""
    placed = {}
    for name, place, turns in scad.table("parts"):
        printed = turn(turns[2], 2) @ turn(turns[1], 1) @ turn(turns[0], 0)
        placed[name] = triangles(name) @ printed + np.array(place)  # turned back from how it is printed
    for name in ("frame_corner", "frame_corner_mirrored"):
        placed[f"{name}, turned"] = triangles(name) @ turn(180, 2).T
    return placed


def is_inside(points: Any, faces: Any) -> Any:
    """Return which points, shape (p, 3), are in a closed mesh: their rays meet its faces an odd number of times."""
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


def tubes() -> list[tuple[Any, Any]]:
    """Return the arm's post and boom: least corner and size of each."""
    tube = SCAD["tube"]
    boom = np.array([-tube / 2, SCAD["post_y"] - SCAD["side"] / 2 - SCAD["boom_l"], SCAD["boom_z"] - tube / 2])
    post = np.array([-tube / 2, SCAD["post_y"] - tube / 2, SCAD["arm_wall"]])
    return [(boom, np.array([tube, SCAD["boom_l"], tube])), (post, np.array([tube, tube, SCAD["post_l"]]))]


def along(route: Any, step_mm: float = 2.0) -> Any:
    """Return points on a path, shape (p, 3); for a ribbon also on both of its edges."""
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
    for least, size in tubes():
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
    glued = {name for name in solids() if name.startswith("frame_corner")}
    for (one, mesh), (other, others) in itertools.combinations(solids().items(), 2):
        if not {one, other} <= glued and {one, other} != {"button_box", "button_lid"}:  # these touch
            assert not is_inside(mesh.mean(axis=1), others).any(), f"{one} and {other} want the same place"


@dataclass(frozen=True)
class Screw:
    """One screw of the drawing: its row of `screws`, one of the places, and its row of `kinds`."""

    kind: str
    head: str
    thread: str
    way: Any
    grip_mm: float
    at: Any
    across_mm: float
    length_mm: float
    head_mm: tuple[float, float]
    pilot_mm: float
    nut_mm: tuple[float, float]

    def rod(self, begin_mm: float, end_mm: float, radius_mm: float, inner_mm: float = 0.0) -> Any:
        """Return points all through a round rod or ring on its axis, measured from its head on; negative is outside."""
        return rod(self.at + self.way * begin_mm, self.way * (end_mm - begin_mm), radius_mm, inner_mm)


def screws() -> list[Screw]:
    kinds = {kind[0]: kind[1:] for kind in scad.table("kinds")}
    made = []
    for kind, head, thread, way, grip, places in scad.table("screws"):
        across, length, head_w, head_h, _, pilot, nut_w, nut_h = kinds[kind]
        for at in places:
            sizes = across, length, (head_w, head_h), pilot, (nut_w, nut_h)
            made.append(Screw(kind, head, thread, np.array(way), grip, np.array(at), *sizes))
    return made


SCREWS = screws()
"""Every screw that the drawing gives a part a hole for."""

each_screw = pytest.mark.parametrize("screw", SCREWS, ids=lambda one: f"{one.kind} of {one.head or one.thread}")


def rod(begin: Any, along_mm: Any, radius_mm: float, inner_mm: float = 0.0) -> Any:
    """Return points all through a round rod or ring."""
    length_mm = float(np.linalg.norm(along_mm))
    way = along_mm / length_mm
    one = np.array([way[1], way[2], way[0]])
    sides = np.stack([one, np.cross(way, one)])
    steps = np.linspace(0.0, length_mm, max(4, int(length_mm / 2.0) + 1))
    rims = [
        begin + radius * np.array([math.cos(angle), math.sin(angle)]) @ sides
        for radius in (inner_mm, (inner_mm + radius_mm) / 2, radius_mm)
        for angle in np.arange(12) * math.tau / 12
    ]
    return np.concatenate([rim + steps[:, None] * way for rim in rims])


def solids_in(points: Any) -> set[str]:
    """Return what some of the points are in: printed parts, tubes, what is bought, the base board."""
    found = {name for name, faces in solids().items() if is_inside(points, faces).any()}
    boxes: dict[str, list[tuple[Any, Any]]] = {"tube": tubes()}
    for what, _, corner, size in scad.table("bought"):
        width, height = size[0], size[-1]
        if len(size) == 3:
            box = np.array(corner), np.array(size)
        else:  # a round one stands on its middle
            box = np.array(corner) - [width / 2, width / 2, 0.0], np.array([width, width, height])
        boxes.setdefault(what, []).append(box)
    for what, them in boxes.items():
        if any(((points > least) & (points < least + size)).all(axis=1).any() for least, size in them):
            found.add(what)
    return found | ({"base board"} if (points[:, 2] < 0.0).any() else set())


def what_is_in(points: Any) -> set[str]:
    """Return what some of the points are in, cables included: a tool pushes those aside, a screw does not."""
    found = solids_in(points)
    low, high = points.min(axis=0) - 9.0, points.max(axis=0) + 9.0
    for route in ROUTES:
        way = along(route, 1.0)
        way = way[((way > low) & (way < high)).all(axis=1)]
        near_mm = 0.6 if route.thick_mm > 8.0 else route.thick_mm / 2
        if len(way) and (np.linalg.norm(points[:, None] - way[None], axis=2) < near_mm).any():
            found.add(route.name)
    return found


@each_screw
def test_every_screw_its_nut_and_its_tools_find_room(screw: Screw) -> None:
    width, height = screw.head_mm
    driver_mm = screw.across_mm + 2.5
    assert what_is_in(screw.rod(-max(height, 0.2), -0.1, width / 2)) == set(), "its head"
    assert solids_in(screw.rod(-screw.length_mm - height, -0.1, width / 2)) == set(), "its way in"
    assert solids_in(screw.rod(-100.0, -height - 0.1, driver_mm / 2)) == set(), "a screwdriver or hex key of 100 mm"
    assert solids_in(screw.rod(-200.0, -100.0, 12.5)) == set(), "its handle"
    nut_w, nut_h = screw.nut_mm
    if nut_h == 0.0:
        return
    nut_ends = screw.grip_mm + nut_h
    assert nut_ends <= screw.length_mm <= nut_ends + 4.1, "the nut is full, and little of the thread stands out of it"
    tail = screw.rod(screw.grip_mm + 0.1, screw.length_mm, nut_w / 2 + 0.2)
    assert what_is_in(tail) == set(), "its nut and the thread behind it"
    one = np.array([screw.way[1], screw.way[2], screw.way[0]])
    free = []
    for angle in np.arange(12) * math.tau / 12:
        aside = math.cos(angle) * one + math.sin(angle) * np.cross(screw.way, one)
        free.append(not solids_in(rod(screw.at + screw.way * nut_ends, aside * 80.0, nut_h)))
    assert any(here and there for here, there in zip(free, free[1:] + free[:1], strict=True)), (
        "a spanner reaches the nut and turns it by the 30 degrees that the next flat needs"
    )


@each_screw
def test_every_screw_has_its_hole_a_seat_and_something_to_hold_on_to(screw: Screw) -> None:
    assert {name for name in (screw.head, screw.thread) if name} <= set(build.PARTS)
    through = screw.rod(0.0, screw.length_mm, 0.45 * (screw.pilot_mm or screw.across_mm))
    assert not any(is_inside(through, faces).any() for faces in solids().values()), "a hole as long as the screw"
    if screw.head:
        depth, inner_mm = (3.5, 0.0) if screw.head_mm[1] == 0.0 else (0.1, screw.across_mm / 2 + 0.6)
        seat = screw.rod(depth, depth + 0.1, screw.head_mm[0] / 2, inner_mm)
        assert is_inside(seat, solids()[screw.head]).mean() > 0.3, "its head lies on plastic"
    if screw.thread:
        bite = screw.rod(screw.length_mm - 4.0, screw.length_mm - 1.0, screw.across_mm / 2, 0.48 * screw.across_mm)
        assert is_inside(bite, solids()[screw.thread]).all(), "it cuts its thread 3 mm deep at least"
    if not screw.thread and screw.nut_mm[1] == 0.0:
        depth = screw.length_mm - screw.at[2]
        assert 9.0 < depth < SCAD["base_t"], "into the board, not through it"


def test_as_many_screws_are_bought_as_there_are_holes() -> None:
    counted = Counter(screw.kind for screw in SCREWS)
    bought = {name: row for row in ROWS for name in counted if re.search(rf"[Ss]crew {re.escape(name)}\b", row["part"])}
    assert {name: int(row["quantity"]) for name, row in bought.items()} == counted


def test_a_screw_without_room_is_noticed() -> None:
    (foot,) = (screw for screw in SCREWS if screw.head == "arm_foot" and screw.thread == "" and screw.nut_mm[1] > 0)
    front = np.array([0.0, SCAD["post_y"] - SCAD["side"] / 2, foot.at[2]])
    lengthwise = replace(foot, at=front, way=np.array([0.0, 1.0, 0.0]))
    with pytest.raises(AssertionError, match="its nut"):
        test_every_screw_its_nut_and_its_tools_find_room(lengthwise)


@pytest.mark.parametrize("piece", scad.table("bought"), ids=lambda piece: piece[0])
def test_what_is_bought_finds_room_among_the_parts(piece: list[Any]) -> None:
    what, _, corner, size = piece
    low = np.array(corner) - ([size[0] / 2, size[0] / 2, 0.0] if len(size) == 2 else 0.0)
    sides = np.array(size if len(size) == 3 else [size[0], size[0], size[1]])
    shares = np.array(list(itertools.product(np.linspace(0.0, 1.0, 9), repeat=3)))
    inside = low + 0.2 + shares * (sides - 0.4)
    joined = {"pi", "cooler"} if what in {"pi", "cooler"} else {what}
    assert solids_in(inside) - joined == set()


def test_sockets_and_the_wires_bends_find_room_under_each_pin_of_the_ring_controller() -> None:
    pins = [corner for what, _, corner, size in scad.table("bought") if what == "esp32" and size[1] == 2.54]
    assert len(pins) == 2
    for x, y, bottom in pins:
        places = itertools.product(np.arange(x, x + 48.1), np.arange(y, y + 2.6, 0.5), np.arange(bottom - 18.0, bottom))
        room = np.array(list(places))  # 14 mm of socket and 4 mm of bent wire
        assert not is_inside(room, solids()["ring_plate"]).any()
        assert room[:, 2].min() > 3.0


def test_dowels_have_room_for_glue_at_their_ends() -> None:
    (length,) = re.findall(r"Dowel 4 x (\d+) mm", listed("Dowel")["part"])
    ends = np.array([float(length) / 2 + 0.9, float(length) / 2 + 1.5])
    for z in (5.0, SCAD["floor_z"] + 8.0):
        for axis, other in ((0, SCAD["outer_d"]), (1, SCAD["outer_w"])):
            places = np.full((2, 3), z)
            places[:, axis], places[:, 1 - axis] = ends, other / 2 - 5.0
            assert list(is_inside(places, solids()["frame_corner"])) == [False, True], (
                "a hole 1 mm longer than half of it"
            )


def test_ribbon_slot_is_framed_by_four_millimetres_of_plate() -> None:
    front = SCAD["plate_y"] - SCAD["ribbon_slot"] - 1.0
    lip = np.array([[x, front - depth, SCAD["plate_z"] + 2.0] for x in (-8.0, 0.0, 8.0) for depth in (0.1, 2.0, 3.9)])
    assert is_inside(lip, solids()["camera_plate"]).all()


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


STRIP_MM, STRIP_T_MM, LED_T_MM = 10.0, 0.5, 1.9
PITCH_MM = 1000.0 / 60.0


def strip_pieces() -> dict[str, tuple[Any, Any, float]]:
    """Return each piece of strip as it is drawn: start, direction along the data, and length."""
    pieces = {}
    for name, ((x, y), degrees, leds) in zip(
        ("left, far", "far", "right", "near", "left, near"), scad.table("strips"), strict=True
    ):
        way = np.array([math.cos(math.radians(degrees)), math.sin(math.radians(degrees))]).round(9)
        pieces[name] = np.array([x, y]), way, leds * PITCH_MM
    return pieces


def strip_points(begin: Any, way: Any, length_mm: float) -> Any:
    """Return points all through a piece of strip on the channel's ceiling, its LEDs included, shape (n, 3)."""
    out = np.array([-way[1], way[0]])  # from the floor into the wall
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
    ring_a = power.ring_a(read_settings(tomllib.loads(block)).ring.shape.brightness)
    (fuse_a,) = map(float, re.findall(r"with (\d+) A slow fuse", listed("Fuse holder")["part"]))
    (supply_a,) = map(float, re.findall(r"5 V (\d+) A", listed("Power supply")["part"]))
    (limit_ma,) = map(float, re.findall(r"maximum current (\d+) mA", section(8)))
    assert ring_a < limit_ma / 1000.0 <= power.FUSE_USE * fuse_a < fuse_a < supply_a


def test_the_pis_own_supply_feeds_screen_ring_controller_and_usb_camera() -> None:
    together = sum(power.USB_A.values())
    assert power.PI_USB_A["any other"] < power.USB_A["screen"] < together < power.PI_USB_A["27 W supply"]
    for amperes in (*power.USB_A.values(), *power.PI_USB_A.values()):
        assert f"{amperes:g} A" in section(7)


AT_A_COMPUTER = {(8, 1), (8, 5), (8, 9)}
"""Steps of the guide without a picture of their own: flashing, lighting, settings."""


def test_each_step_of_the_build_has_its_minutes_and_a_picture() -> None:
    shown = set()
    rows = re.findall(r"^\| (\d+) [^|]+\| (\d+)", SECTIONS[0], re.MULTILINE)
    for number, total in rows:
        if int(number) >= 9:  # software: its steps are those of /start
            continue
        body = SECTIONS[int(number)].partition("\n")[2]
        steps = re.split(r"^(\d)\. ", body, flags=re.MULTILINE)[1:]
        minutes = 0
        for step, text in zip(steps[::2], steps[1::2], strict=True):
            (taken,) = re.findall(r"^\*\*(\d+) min\.\*\*", text)
            minutes += int(taken)
            pictures = re.findall(r"!\[[^\]]+\]\(pictures/(\w+)\.png\)", text)
            assert bool(pictures) != ((int(number), int(step)) in AT_A_COMPUTER), (number, step)
            shown |= set(pictures)
        assert minutes == int(total), f"section {number}"
    assert shown == set(build.PICTURES) - {"assembly"}


@pytest.mark.parametrize(("name", "kept"), [("cables.csv", ("needed_mm", "bought_mm")), ("printing.csv", ())])
def test_tables_of_the_guide_have_the_numbers_of_their_files(name: str, kept: tuple[str, ...]) -> None:
    for row in table(name):
        label = row.get("cable") or f"`{row['part']}.stl`"
        (line,) = re.findall(rf"^\| {re.escape(label)} \|.*$", GUIDE, re.MULTILINE)
        numbers = [float(word) for word in re.findall(r"\| ([\d.]+)(?: mm)?(?= \|)", line)]
        wanted = [float(row[column]) for column in kept or list(row)[1:]]
        assert numbers == wanted, label


def test_sums_of_the_guide_are_those_of_the_lists() -> None:
    hours = sum(int(row["pieces"]) * float(row["hours_each"]) for row in table("printing.csv"))
    assert GUIDE.count(f"{hours:.2f} hours") == 2
    grams = sum(int(row["pieces"]) * float(row["grams_each"]) for row in table("printing.csv"))
    assert f"{grams:.0f} g together" in section(1)

    def cost(*without: str) -> str:
        return f"{sum(float(row['rough_price_eur']) for row in ROWS if row['needed_for'] not in without):.0f}"

    begin = " ".join(SECTIONS[0].split())
    assert f"about {cost()} euros; without ring, screen and dice {cost('light ring', 'own screen', 'play')} " in begin
    panel = ("panel", "panel and ring")
    assert f"{cost('light ring', 'own screen', 'play', *panel)} euros without screen and dice" in begin


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
    """Return what is joined by wires, both drawings together: sets of `Part.pin`."""
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
    grounded = {int(pin) for pin in re.findall(r"\d+", re.findall(r"pins ([\d, and]+) are GND", section(8))[0])}
    drawn_too = {int(pin) for pin in re.findall(r"\d+", re.findall(r"pins ([\d, ]+) to GND", drawn())[0])}
    assert grounded == drawn_too | {7} == set(range(1, 15)) - {2, 3, 6, 8, 11, 14}, "enables and idle inputs; no output"


def test_card_is_a_whole_pdf_of_one_page_for_a4_and_letter() -> None:
    stored = card.draw_card()
    assert stored.startswith(b"%PDF-1.4")
    (box,) = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", stored)
    for paper_mm in ((297.0, 210.0), (279.4, 215.9)):
        for side, paper, cut in zip(box, paper_mm, card.CUT_MM, strict=True):
            assert cut + 2 * 9.0 < float(side) / 72.0 * 25.4 < paper + 0.01, "whole, and clear of the printer's margins"
    start = int(re.findall(rb"startxref\n(\d+)", stored)[0])
    assert stored[start : start + 4] == b"xref"
    for number, offset in enumerate(re.findall(rb"(\d{10}) 00000 n", stored), start=1):
        assert stored[int(offset) :].startswith(b"%d 0 obj" % number)
    assert card.CUT_MM[0] < optics.FLOOR_MM[0]
    assert card.CUT_MM[1] < optics.FLOOR_MM[1]
