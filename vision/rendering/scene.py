"""A tray as geometry: poses and looks of the dice, the camera. `synthetic` draws it.

World frame in millimetres, right-handed: origin at the floor's centre, x to the right and y up in an upright picture, z
from the floor towards the camera. A die of edge s that lies flat has its centre at z = s/2.
"""

from dataclasses import dataclass, field

from vision.types.frame import FloatArray

Bgr = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class DieLook:
    """The look of one die.

    Attributes:
        body_bgr: Body colour, 0-255.
        pip_bgr: Pip colour, 0-255.
        size_mm: Edge length.
        rounding: Radius of edges and corners as a fraction of the edge, 0.05 (sharp) to 0.25 (ball-like).
        finish: Finish of the plastic: `matt`, `plastic`, `gloss`, `marbled`, `translucent`.
        left_handed: Whether 1, 2, 3 run the other way around their corner.
        seed: Seed that selects the marbling, the polish, how deep a ball is cut, and the orientation of the 2, 3 and 6.
        ball: Whether the corners are cut by a sphere about the centre, as on tumbled dice; edges have the radius of
            `rounding`.
        pip_radius: Radius of a pip as a fraction of the edge; 0.07 is small, 0.12 large.
        pip_spread: Distance from the face's centre to a corner pip along one side, as a fraction of the edge.
        one_scale: Radius of the single pip of a 1 over that of the others.
        dented: Whether pips are painted hollows, or flat paint.
        six_width: Distance of the 6's two rows over that of the 4's; many makers set them closer, down to 0.55.
        steps: Factor on `pip_spread` for each value; on many dice 5s and 3s are wider.
    """

    body_bgr: Bgr
    pip_bgr: Bgr
    size_mm: float = 16.0
    rounding: float = 0.12
    finish: str = "plastic"
    left_handed: bool = False
    seed: int = 0
    ball: bool = False
    pip_radius: float = 0.095
    pip_spread: float = 0.25
    one_scale: float = 1.15
    dented: bool = True
    six_width: float = 1.0
    steps: tuple[float, ...] = (1.0,) * 6


@dataclass(frozen=True, slots=True, eq=False)
class DiePose:
    """The pose of one die.

    In its own frame a die shows 1 at +z, 6 at -z, 2 at +y, 5 at -y, 3 at +x, 4 at -x (3 and 4 are swapped if
    `left_handed`).

    Attributes:
        look: The look of the die.
        center_mm: Shape (3,), centre of the die in the world.
        rotation: Shape (3, 3), whose columns are the die's axes in the world.
        travel_mm: Motion of the die in the world while the shutter is open, which blurs its picture.
    """

    look: DieLook
    center_mm: FloatArray
    rotation: FloatArray
    travel_mm: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def is_stacked(self) -> bool:
        """Whether it is so high that there must be another die below it."""
        return bool(self.center_mm[2] > 1.2 * self.look.size_mm)


@dataclass(frozen=True, slots=True, eq=False)
class CameraPose:
    """A pinhole camera in OpenCV's convention: x_cam = rotation @ x_world + translation_mm; z_cam forward.

    Attributes:
        width_px: Picture width.
        height_px: Picture height.
        k: Shape (3, 3), intrinsics in pixels.
        rotation: Shape (3, 3), rotation from world to camera.
        translation_mm: Shape (3,), translation from world to camera.
        distortion: Lens distortion k1, k2, p1, p2, k3 in OpenCV's order.
    """

    width_px: int
    height_px: int
    k: FloatArray
    rotation: FloatArray
    translation_mm: FloatArray
    distortion: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Light:
    """One soft light.

    Attributes:
        position_mm: Position of the light.
        strength: Strength of the light; a single light of strength 1 lights a tray well.
        softness_mm: Diameter of the light: the wider, the softer its shadows.
        colour_bgr: Relative strength of each channel, about 1.
        shape: How dice reflect the light. `glow`: a highlight that never hides a pip, as in a tray with carefully
            placed lamps. `disc`, `square` (a window, a panel) and `ring`: the light's own shape at its own brightness,
            possibly over all of a top face; dice then reflect the room and the floor as well.
    """

    position_mm: tuple[float, float, float]
    strength: float
    softness_mm: float = 60.0
    colour_bgr: tuple[float, float, float] = (1.0, 1.0, 1.0)
    shape: str = "glow"


@dataclass(frozen=True, slots=True)
class TrayLook:
    """The tray without its dice.

    Attributes:
        shape: Shape of the floor: `rectangle`, `round`, `hexagon`, `octagon`; `none` for dice on a bare table.
        floor_mm: Width and depth of the floor (across flats for other shapes, both equal).
        wall_mm: Height of the wall.
        wall_thickness_mm: Width of the rim seen from above.
        floor: Material of the floor, one of `vision.rendering.materials`: `felt`, `leather`, `neoprene`, `wood`,
            `plain`, `carpet`, `cloth`, `marble`.
        floor_bgr: Mean colour of the floor.
        wall_bgr: Mean colour of the walls.
        table_bgr: Mean colour of the table under the tray.
        seed: Seed that selects the grain of floor, wall and table.
        wall: Material of the wall.
        table: Material of the table.
        gloss: How much of the lamps the floor reflects, 0 to 1; a varnished floor has 0.5.
        table_gloss: How much of the lamps the table reflects, 0 to 1.
        contrast: Strength of the grain of floor and table; 1 is as sold.
    """

    shape: str = "rectangle"
    floor_mm: tuple[float, float] = (260.0, 200.0)
    wall_mm: float = 30.0
    wall_thickness_mm: float = 12.0
    floor: str = "felt"
    floor_bgr: Bgr = (120, 70, 40)
    wall_bgr: Bgr = (60, 90, 130)
    table_bgr: Bgr = (90, 110, 130)
    seed: int = 0
    wall: str = "wood"
    table: str = "wood"
    gloss: float = 0.03
    table_gloss: float = 0.1
    contrast: float = 1.0


@dataclass(frozen=True, slots=True)
class Capture:
    """The effects of lens, sensor and file on the light.

    Attributes:
        exposure: Factor from scene light to sensor; at 0.8 a white object in full light just clips.
        white_balance_bgr: Gain of each channel.
        noise: Standard deviation of the noise in grey levels, 0 to 10.
        defocus_px: Standard deviation of the blur, in pixels.
        vignette: Light lost in the corners, 0 to 0.6.
        haze: Light scattered over the whole picture, as a fraction of white, 0 to 0.1.
        jpeg_quality: JPEG quality, 1 to 100; 0 for none.
    """

    exposure: float = 0.8
    white_balance_bgr: tuple[float, float, float] = (1.0, 1.0, 1.0)
    noise: float = 1.5
    defocus_px: float = 0.0
    vignette: float = 0.1
    haze: float = 0.0
    jpeg_quality: int = 0


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything needed to draw one picture of a tray.

    Attributes:
        tray: Look of the tray.
        dice: The dice in the tray.
        camera: Pose of the camera.
        lights: Lights above the tray.
        ambient: Strength of the light from the whole room, in the unit of `Light.strength`.
        clutter: Objects on the floor that are not dice, by the names of `vision.rendering.clutter.KINDS`.
        seed: Seed that selects the places of the clutter.
        capture: The effects of camera and file format.
    """

    tray: TrayLook
    dice: tuple[DiePose, ...]
    camera: CameraPose
    lights: tuple[Light, ...]
    ambient: float = 0.35
    clutter: tuple[str, ...] = field(default=())
    seed: int = 0
    capture: Capture = field(default_factory=Capture)
