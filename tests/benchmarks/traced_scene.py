"""A tray of dice drawn by Blender's path tracer, which shares no code with the project's own drawing.

Needs Blender as a Python module (`bpy`, for Python 3.11), which nothing else here does. Lengths are centimetres in
Blender, millimetres outside.
"""

import math
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Matrix, Vector

from tests.benchmarks.traced_die import OwnFaces, die_mesh
from tests.benchmarks.traced_solids import solid_mesh
from vision.rendering.optics import camera_center_mm
from vision.rendering.scene import CameraPose, DieLook, DiePose
from vision.types.frame import FloatArray

Rgb = tuple[float, float, float]
Images = npt.NDArray[np.float32]

CM = 0.1
STRIP_MM = 5.0
"""Width of the LEDs of a strip."""


@dataclass(frozen=True, slots=True)
class Stuff:
    """The material of a surface.

    Attributes:
        kind: `felt`, `leather`, `neoprene`, `velvet`, `cork`, `wood`, `plain`.
        rgb: Its colour, linear, 0 to 1.
        seed: Selects the part of the pattern.
    """

    kind: str
    rgb: Rgb
    seed: float


@dataclass(frozen=True, slots=True)
class Lamp:
    """A light that is visible in reflections.

    Attributes:
        kind: `disc`, `window`, `ring`, or `strip`: LEDs along a wall.
        at_mm: Its centre; it faces the floor's.
        size_mm: Its diameter, width or length.
        rgb: Its radiance, linear.
        heading: Where a strip shines to, 45 degrees down: angle from x, radians.
    """

    kind: str
    at_mm: tuple[float, float, float]
    size_mm: float
    rgb: Rgb
    heading: float = 0.0


@dataclass(frozen=True, slots=True)
class Thing:
    """An object in the tray that is not a die: `coin`, `pencil`, `chip` or `card`."""

    kind: str
    at_mm: tuple[float, float]
    turn: float
    rgb: Rgb


@dataclass(frozen=True, slots=True, eq=False)
class TracedTray:
    """All that is drawn.

    Attributes:
        inner_mm: The floor's corners, counter-clockwise.
        wall_mm: The walls' height.
        rim_mm: Their thickness.
        floor: Material of the floor.
        wall: Material of the walls.
        table: Material of the table.
        dice: Poses of the dice.
        deep_pips: Whether pips are hollows.
        gloss: Of the dice, 0 (matt) to 1 (polished).
        things: Other objects in it.
        lamps: The lights.
        room: The light from all around, linear.
        camera: The camera; its distortion is not drawn.
        own: What the dice of a look show, unless pips.
    """

    inner_mm: tuple[tuple[float, float], ...]
    wall_mm: float
    rim_mm: float
    floor: Stuff
    wall: Stuff
    table: Stuff
    dice: tuple[DiePose, ...]
    deep_pips: bool
    gloss: float
    things: tuple[Thing, ...]
    lamps: tuple[Lamp, ...]
    room: Rgb
    camera: CameraPose
    own: Mapping[DieLook, OwnFaces] = field(default_factory=dict)


def trace(tray: TracedTray, samples: int) -> Images:
    """Return the light that reaches the camera, shape (H, W, 3), linear RGB without an upper bound."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    _world(tray.room)
    _walls_and_floor(tray)
    _dice(tray)
    for thing in tray.things:
        _thing(thing)
    for lamp in tray.lamps:
        _lamp(lamp)
    _camera(tray.camera)
    return _rendered(tray.camera, samples)


def _mesh(name: str, points: list[tuple[float, float, float]], faces: list[tuple[int, ...]], stuff: Any) -> Any:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    mesh.materials.append(stuff)
    return _placed(name, mesh)


def _placed(name: str, mesh: Any) -> Any:
    body = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(body)
    return body


def _put(body: Any, rotation: FloatArray, at_mm: FloatArray) -> None:
    """Place a body: its axes in the world as columns, shape (3, 3), and its origin, shape (3,)."""
    place = Matrix(rotation.tolist()).to_4x4()
    place.translation = Vector((at_mm * CM).tolist())
    body.matrix_world = place


def _world(room: Rgb) -> None:
    world = bpy.data.worlds.new("room")
    bpy.context.scene.world = world
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (*room, 1)


def _material(name: str) -> tuple[Any, Any, Callable[..., Any], Callable[..., Any]]:
    """Return a new material, its surface, and functions that make and link its nodes."""
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    tree = made.node_tree
    surface = tree.nodes["Principled BSDF"]

    def node(kind: str, **settings: object) -> Any:
        new = tree.nodes.new(kind)
        for key, value in settings.items():
            if key in new.inputs:
                new.inputs[key].default_value = value
            else:
                setattr(new, key, value)
        return new

    def join(a: Any, out: str, b: Any, into: str) -> None:
        tree.links.new(a.outputs[out], b.inputs[into])

    return made, surface, node, join


def _stuff(stuff: Stuff) -> Any:
    """Add colour that varies with the grain, and a relief."""
    made, surface, node, join = _material(stuff.kind)
    place = node("ShaderNodeTexCoord")
    shift = node("ShaderNodeMapping")
    shift.inputs["Location"].default_value = (stuff.seed, 1.7 * stuff.seed, 0)
    shift.inputs["Rotation"].default_value = (0, 0, stuff.seed)
    join(place, "Object", shift, "Vector")
    fine, coarse, contrast, relief, rough = {
        "felt": (28.0, 0.7, 0.25, 0.35, 0.95),
        "velvet": (40.0, 0.4, 0.2, 0.2, 0.9),
        "leather": (9.0, 0.5, 0.22, 0.5, 0.5),
        "neoprene": (60.0, 0.5, 0.15, 0.15, 0.75),
        "cork": (8.0, 2.0, 0.5, 0.2, 0.85),
        "wood": (3.0, 0.35, 0.45, 0.06, 0.42),
        "plain": (5.0, 0.3, 0.03, 0.02, 0.45),
    }[stuff.kind]
    if stuff.kind == "wood":
        shift.inputs["Scale"].default_value = (0.35, 4.0, 4.0)
    if stuff.kind == "leather":
        grain = node("ShaderNodeTexVoronoi", Scale=fine)
        out = "Distance"
    else:
        grain = node("ShaderNodeTexNoise", Scale=fine, Detail=6.0)
        out = "Fac"
    join(shift, "Vector", grain, "Vector")
    broad = node("ShaderNodeTexNoise", Scale=coarse, Detail=3.0)
    join(shift, "Vector", broad, "Vector")
    both = node("ShaderNodeMath", operation="MULTIPLY")
    join(grain, out, both, "Value")
    made.node_tree.links.new(broad.outputs["Fac"], both.inputs[1])
    ramp = node("ShaderNodeMapRange")
    for key, value in (("From Min", 0.05), ("From Max", 0.45), ("To Min", 1 - contrast), ("To Max", 1 + contrast)):
        ramp.inputs[key].default_value = value
    join(both, "Value", ramp, "Value")
    tint = node("ShaderNodeVectorMath", operation="SCALE")
    tint.inputs[0].default_value = stuff.rgb
    join(ramp, "Result", tint, "Scale")
    join(tint, "Vector", surface, "Base Color")
    bump = node("ShaderNodeBump", Strength=relief, Distance=0.05)
    join(grain, out, bump, "Height")
    join(bump, "Normal", surface, "Normal")
    surface.inputs["Roughness"].default_value = rough
    surface.inputs["Sheen Weight"].default_value = {"felt": 0.25, "velvet": 0.6}.get(stuff.kind, 0.0)
    surface.inputs["Specular IOR Level"].default_value = 0.2 if rough > 0.8 else 0.5
    return made


def _walls_and_floor(tray: TracedTray) -> None:
    inner = np.asarray(tray.inner_mm) * CM
    grown = _grown(inner, tray.rim_mm * CM)
    high, n = tray.wall_mm * CM, len(inner)
    floor = _stuff(tray.floor)
    _mesh("floor", [(x, y, 0) for x, y in grown], [tuple(range(n))], floor)
    points = [(x, y, z) for z in (-0.6, high) for ring in (inner, grown) for x, y in ring]
    faces: list[tuple[int, ...]] = []
    for a in range(n):
        b = (a + 1) % n
        faces += [(a + 2 * n, b + 2 * n, b + 3 * n, a + 3 * n), (b, a, a + 2 * n, b + 2 * n)]
        faces.append((a + n, b + n, b + 3 * n, a + 3 * n))
    wall = _mesh("wall", points, faces, _stuff(tray.wall))
    if n <= 8:
        bevel = wall.modifiers.new("edge", "BEVEL")
        bevel.width, bevel.segments = 0.12, 2
    far = 120.0
    table = [(x, y, -0.6) for x, y in ((-far, -far), (far, -far), (far, far), (-far, far))]
    _mesh("table", table, [(0, 1, 2, 3)], _stuff(tray.table))


def _grown(corners: npt.NDArray[np.float64], by: float) -> npt.NDArray[np.float64]:
    """Return a convex outline moved outwards, its sides parallel."""
    before, after = corners - np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0) - corners
    normals = [np.stack([w[:, 1], -w[:, 0]], axis=1) / np.hypot(*w.T)[:, None] for w in (before, after)]
    middle = normals[0] + normals[1]
    return np.asarray(corners + 2 * by * middle / np.sum(middle * middle, axis=1, keepdims=True))


def _dice(tray: TracedTray) -> None:
    meshes: dict[DieLook, Any] = {}
    for pose in tray.dice:
        if pose.look not in meshes:
            own = tray.own.get(pose.look)
            made = solid_mesh(own) if own and len(own.glyphs) > 6 else die_mesh(pose.look, tray.deep_pips, own)
            mesh = bpy.data.meshes.new("die")
            mesh.from_pydata((made.points * pose.look.size_mm * CM).tolist(), [], made.quads.tolist())
            mesh.shade_smooth()
            mesh.attributes.new("pip", "FLOAT", "POINT").data.foreach_set("value", made.pip.astype(np.float32))
            mesh.materials.append(_plastic(pose.look, tray.gloss, own.wear if own else 0.0))
            meshes[pose.look] = mesh
        _put(_placed("die", meshes[pose.look]), pose.rotation, pose.center_mm)


def _linear(bgr: tuple[int, int, int]) -> Rgb:
    r, g, b = (((v / 255 + 0.055) / 1.055) ** 2.4 if v > 10 else v / 255 / 12.92 for v in reversed(bgr))
    return r, g, b


def _plastic(look: DieLook, gloss: float, wear: float) -> Any:
    made, surface, node, join = _material("die")
    links = made.node_tree.links

    def mixed(share: Any, colour: Any, rgb: Rgb) -> Any:
        """Mix two colours by a share, 0 to 1; the sockets of such a node have numbers only."""
        mix = node("ShaderNodeMix", data_type="RGBA")
        links.new(share, mix.inputs[0])
        links.new(colour, mix.inputs[6])
        mix.inputs[7].default_value = (*rgb, 1)
        return mix.outputs[2]

    body = node("ShaderNodeRGB")
    body.outputs["Color"].default_value = (*_linear(look.body_bgr), 1)
    colour = body.outputs["Color"]
    if look.finish == "marbled":
        place = node("ShaderNodeTexCoord")
        shift = node("ShaderNodeMapping")
        shift.inputs["Location"].default_value = (look.seed % 97, 0, 0)
        join(place, "Object", shift, "Vector")
        swirl = node("ShaderNodeTexNoise", Scale=1.6, Detail=4.0, Distortion=2.5)
        join(shift, "Vector", swirl, "Vector")
        vein = node("ShaderNodeMapRange")
        for key, value in (("From Min", 0.42), ("From Max", 0.62), ("To Min", 0.0), ("To Max", 0.7)):
            vein.inputs[key].default_value = value
        join(swirl, "Fac", vein, "Value")
        # Veins are darker twice as often as paler.
        r, g, b = (0.4 * v if look.seed % 3 else 0.7 * v + 0.25 for v in _linear(look.body_bgr))
        colour = mixed(vein.outputs["Result"], colour, (r, g, b))
    pip = node("ShaderNodeAttribute", attribute_name="pip")
    share = pip.outputs["Fac"]
    if wear:
        # Each die is worn in other places.
        which = node("ShaderNodeObjectInfo")
        seed = node("ShaderNodeMath", operation="MULTIPLY")
        links.new(which.outputs["Random"], seed.inputs[0])
        seed.inputs[1].default_value = 90.0
        rubbed = node("ShaderNodeTexNoise", noise_dimensions="4D", Scale=4.0, Detail=5.0)
        join(node("ShaderNodeTexCoord"), "Object", rubbed, "Vector")
        join(seed, "Value", rubbed, "W")
        kept = node("ShaderNodeMapRange")
        for key, value in (("From Min", 0.35), ("From Max", 0.43), ("To Min", 1 - wear), ("To Max", 1.0)):
            kept.inputs[key].default_value = value
        join(rubbed, "Fac", kept, "Value")
        ink = node("ShaderNodeMath", operation="MULTIPLY")
        links.new(share, ink.inputs[0])
        links.new(kept.outputs["Result"], ink.inputs[1])
        share = ink.outputs["Value"]
    links.new(mixed(share, colour, _linear(look.pip_bgr)), surface.inputs["Base Color"])
    surface.inputs["Roughness"].default_value = 0.5 - 0.42 * gloss
    if look.finish == "translucent":
        clear = node("ShaderNodeMapRange")
        clear.inputs["To Min"].default_value, clear.inputs["To Max"].default_value = 0.75, 0.0
        join(pip, "Fac", clear, "Value")
        join(clear, "Result", surface, "Transmission Weight")
        surface.inputs["IOR"].default_value = 1.49
    return made


def _thing(thing: Thing) -> None:
    made, surface, _, _ = _material(thing.kind)
    surface.inputs["Base Color"].default_value = (*thing.rgb, 1)
    x, y = thing.at_mm[0] * CM, thing.at_mm[1] * CM
    if thing.kind in ("coin", "chip"):
        surface.inputs["Metallic"].default_value = 1.0 if thing.kind == "coin" else 0.0
        surface.inputs["Roughness"].default_value = 0.35
        radius, thick = (1.15, 0.2) if thing.kind == "coin" else (1.9, 0.33)
        bpy.ops.mesh.primitive_cylinder_add(vertices=96, radius=radius, depth=thick, location=(x, y, thick / 2))
        body = bpy.context.object
        bpy.ops.mesh.primitive_torus_add(
            major_radius=0.9 * radius, minor_radius=0.05, major_segments=96, location=(x, y, thick)
        )
        bpy.context.object.data.materials.append(made)
        bpy.ops.mesh.primitive_uv_sphere_add(radius=0.6 * radius, location=(x, y, thick))
        bpy.context.object.scale = (1, 0.75, 0.06)
        bpy.context.object.data.materials.append(made)
    elif thing.kind == "pencil":
        turn = (math.pi / 2, 0, thing.turn)
        bpy.ops.mesh.primitive_cylinder_add(vertices=6, radius=0.36, depth=9.5, location=(x, y, 0.33), rotation=turn)
        body = bpy.context.object
        way = Vector((math.sin(thing.turn), -math.cos(thing.turn), 0))
        tip = Vector((x, y, 0.33)) + way * 5.6
        bpy.ops.mesh.primitive_cone_add(vertices=24, radius1=0.34, radius2=0.03, depth=1.7, location=tip, rotation=turn)
        wood, inside, _, _ = _material("tip")
        inside.inputs["Base Color"].default_value = (0.55, 0.36, 0.19, 1)
        bpy.context.object.data.materials.append(wood)
    else:
        surface.inputs["Roughness"].default_value = 0.4
        bpy.ops.mesh.primitive_cube_add(size=1, location=(x, y, 0.03), rotation=(0, 0, thing.turn))
        body = bpy.context.object
        body.scale = (4.4, 6.3, 0.04)
    body.data.materials.append(made)


def _strip(lamp: Lamp) -> None:
    light = bpy.data.lights.new("strip", "AREA")
    light.shape, light.size, light.size_y = "RECTANGLE", lamp.size_mm * CM, STRIP_MM * CM
    # An area light's radiance is its power over pi times its area.
    light.energy, light.color = math.pi * light.size * light.size_y, lamp.rgb
    c, s, half = math.cos(lamp.heading), math.sin(lamp.heading), math.sqrt(0.5)
    # It shines along -z, its length is along x.
    back, along = np.array([-c * half, -s * half, half]), np.array([-s, c, 0.0])
    _put(_placed("strip", light), np.stack([along, np.cross(back, along), back], axis=1), np.array(lamp.at_mm))


def _lamp(lamp: Lamp) -> None:
    if lamp.kind == "strip":
        _strip(lamp)
        return
    made, surface, _, _ = _material("lamp")
    surface.inputs["Base Color"].default_value = (0, 0, 0, 1)
    surface.inputs["Emission Color"].default_value = (*lamp.rgb, 1)
    surface.inputs["Emission Strength"].default_value = 1.0
    at = Vector(lamp.at_mm) * CM
    size = lamp.size_mm * CM
    if lamp.kind == "ring":
        bpy.ops.mesh.primitive_torus_add(major_radius=size / 2, minor_radius=0.35, major_segments=48)
    elif lamp.kind == "disc":
        bpy.ops.mesh.primitive_circle_add(vertices=32, radius=size / 2, fill_type="NGON")
    else:
        bpy.ops.mesh.primitive_plane_add(size=size)
    body = bpy.context.object
    body.location = at
    body.rotation_euler = (-at).to_track_quat("Z", "Y").to_euler()
    body.data.materials.append(made)
    # The tray's camera looks through its ring, and no picture shows the lamp itself.
    body.visible_camera = False


def _camera(camera: CameraPose) -> None:
    lens = bpy.data.cameras.new("camera")
    width, height = camera.width_px, camera.height_px
    f = float(camera.k[0, 0])
    lens.sensor_fit, lens.sensor_width = "HORIZONTAL", 36.0
    lens.lens = 36.0 * f / width
    lens.shift_x = (width / 2 - float(camera.k[0, 2])) / width
    lens.shift_y = (float(camera.k[1, 2]) - height / 2) / width
    lens.clip_end = 1000
    body = _placed("camera", lens)
    bpy.context.scene.camera = body
    # Blender's cameras look along -z with y up; OpenCV's along +z with y down.
    _put(body, camera.rotation.T @ np.diag([1.0, -1.0, -1.0]), camera_center_mm(camera))


def _rendered(camera: CameraPose, samples: int) -> Images:
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = samples, True
    scene.cycles.denoising_quality = "FAST"
    scene.cycles.max_bounces, scene.cycles.sample_clamp_indirect = 4, 8.0
    scene.render.resolution_x, scene.render.resolution_y = camera.width_px, camera.height_px
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_depth = "32"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "light.exr"
        scene.render.filepath = str(path)
        bpy.ops.render.render(write_still=True)
        drawn = bpy.data.images.load(str(path))
        light = np.empty(camera.width_px * camera.height_px * 4, np.float32)
        drawn.pixels.foreach_get(light)
    return np.ascontiguousarray(light.reshape(camera.height_px, camera.width_px, 4)[::-1, :, :3])
