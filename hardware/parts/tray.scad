// The tray's printed parts, millimetres. Choose one with -D 'part="frame_corner"'; `assembly` shows all of them in place.
//
// The floor frame comes in four corners that fit a 256 mm bed and are joined by dowels. Its wall has a channel for the
// light ring: a ledge under a ceiling of 45 degrees. The strip sticks to the ceiling and shines down and inwards; the
// ledge's and the ceiling's edges keep it out of the camera's sight.

part = "assembly";  // frame_corner, frame_corner_mirrored, arm_foot, arm_elbow, camera_plate, pi_stand, ring_plate,
                    // button_box, button_lid, fit_test, assembly; and for the guide's pictures step_frame, step_ring, step_arm,
                    // step_box, step_boards, step_cables
cables = [];        // for step_cables: [colour, thickness, points] of each cable, from routes.py

/* [Floor] */
floor_w = 260;      // inside, between the walls
floor_d = 200;
panel_t = 4;        // floor panel with its felt
panel_lap = 6;      // how far the panel rests on the flange
panel_gap = 0.5;    // between panel and wall
flange_t = 2;

/* [Wall] */
wall_h = 30;        // above the floor's surface; dice hop up to 25 mm
wall_t = 14;
ring_low = 18;      // the channel's ledge above the floor; a die of 16 mm hits the plain wall below it
ring_depth = 8;     // 11 mm of slanted ceiling: a strip of 10 mm fits
ring_pocket_w = 7.5;  // how far the long walls' channels go on at the corners: 16 LEDs are 6.7 mm longer than the floor
ring_pocket_d = 3.5;  // and the side walls': two pieces of 6 LEDs with 5 mm between them are 5 mm longer
hole_d = 6;         // the strip's wires: two of 0.75 mm2, one of 0.25 mm2
dowel_d = 4.2;      // for dowels of 4 mm
dowel_l = 20;

/* [Arm] */
tube = 20;          // square aluminium tube, outside
slack = 0.3;
arm_wall = 4;
lens_h = 310;       // lens above the floor for Camera Module 3; the others stand in hardware/optics.csv
post_spare = 40;    // the post is so much longer: floor, foot, half of the boom, plate and camera, less the elbow's roof
boom_l = 100;       // the boom ends behind the camera's screws
plate_t = 4;
camera_gap = 3;     // spacers between plate and camera board: there is a connector on its back
ribbon_slot = 32;   // from the plate's sleeve to the slot for the ribbon

/* [Boards] */
screw_t = 6;        // plastic under a wood screw of 4 x 16 mm: 10 mm stay for the base board of 12 mm
pi_lift = 60;       // below the Pi's USB sockets, for plugs and their cables
pi_pillar = 6;
pi_wall = 4;
pi_csi_x = 12;      // middle of the camera connector from the edge with power and HDMI
pi_csi_up = 30;     // from the edge with USB: 37 and 30 on a Pi 5 (the lower one counts), 38 on a Pi 4
pi_csi_t = 5;       // how far the connector stands out of the board
ring_w = 112;
ring_d = 46;
ring_x = -118;      // middle of the ring's plate
ring_plinth = 16;   // under the ESP32: its pins hang beside the plinth, and sockets of 14 mm go onto them from below

/* [Box] */
button_d = 24.3;    // arcade buttons of 24 mm
led_d = 5.2;
lamps = ["White", "Gold", "Orange", "Lime", "Red"];  // in the order of the panel
box_w = 150;
box_d = 60;
box_h = 42;
box_t = 2.4;

$fn = 48;
outer_w = floor_w + 2 * wall_t;
outer_d = floor_d + 2 * wall_t;
floor_z = flange_t + panel_t;
side = tube + 2 * (slack + arm_wall);  // of a sleeve
post_l = lens_h + post_spare;
boom_z = arm_wall + post_l - tube / 2 - slack;  // the boom's axis, with the post pushed home into foot and elbow
post_y = outer_d / 2 + side / 2 + 1;
plate_z = boom_z - side / 2;             // the camera plate's lower side
stand_y = post_y + side / 2 + 2.4;       // the Pi stand's front, behind the arm's foot
pi_y = stand_y + pi_wall + pi_pillar + 1.6;  // the side of the Pi's board that carries its parts
ring_y = post_y + 18;
box_y = -outer_d / 2 - 25;               // the button box's back
base_w = 450;
base_d = 400;
base_t = 12;
base_front = outer_d / 2 + 90;           // from the floor's middle to the base board's front edge

// The wall's section: x from the inner face outwards, y up.
module wall_section() {
    difference() {
        union() {
            translate([0, 0]) square([wall_t, floor_z + wall_h]);
            translate([-panel_lap, 0]) square([panel_lap + 1, flange_t]);
        }
        channel_section();
        // The outer edge, softened for hands.
        translate([wall_t, floor_z + wall_h]) rotate(45) square(3, center = true);
    }
}

// The channel's section.
module channel_section() {
    polygon([
        [-0.01, floor_z + ring_low],
        [ring_depth, floor_z + ring_low],
        [-0.01, floor_z + ring_low + ring_depth + 0.01],
    ]);
}

// A straight wall of length l, its inner face on the x axis, inside towards -y.
module wall(l) {
    rotate([90, 0, 90]) linear_extrude(l) wall_section();
}

// One corner: half of the far wall and half of the right wall, mitred, the floor's centre at the origin.
module frame_corner() {
    difference() {
        union() {
            intersection() {
                translate([0, floor_d / 2, 0]) wall(outer_w);
                linear_extrude(100) polygon([
                    [0, 0], [floor_w / 2 - floor_d / 2, 0],
                    [floor_w / 2 + 100, floor_d / 2 + 100], [0, floor_d / 2 + 100],
                ]);
            }
            intersection() {
                translate([floor_w / 2, 0, 0]) rotate(-90) translate([-outer_w, 0, 0]) wall(2 * outer_w);
                linear_extrude(100) polygon([
                    [floor_w / 2 - floor_d / 2, 0], [floor_w / 2 + 100, 0], [floor_w / 2 + 100, floor_d / 2 + 100],
                ]);
            }
        }
        // Pockets: a piece of strip is as long at its edge near the floor as at the other one, a mitred channel is not.
        translate([floor_w / 2 - 1, floor_d / 2, 0]) rotate([90, 0, 90]) linear_extrude(ring_pocket_w + 1) channel_section();
        translate([floor_w / 2, floor_d / 2 + ring_pocket_d, 0]) rotate(-90) rotate([90, 0, 90])
            linear_extrude(ring_pocket_d + 1) channel_section();
        // Two dowels in each joint.
        for (z = [5, floor_z + 8]) {
            translate([0, floor_d / 2 + wall_t - 5, z]) rotate([0, 90, 0]) cylinder(d = dowel_d, h = dowel_l, center = true);
            translate([floor_w / 2 + wall_t - 5, 0, z]) rotate([90, 0, 0]) cylinder(d = dowel_d, h = dowel_l, center = true);
        }
        // The strip's wires leave at the joint of the side wall, under the channel's ceiling; behind the far wall
        // stands the arm.
        translate([floor_w / 2 - 1, 0, floor_z + ring_low + 3]) rotate([0, 90, 0]) cylinder(d = hole_d, h = wall_t + 2);
    }
}

module frame_corner_mirrored() { mirror([1, 0, 0]) frame_corner(); }

// A sleeve for the tube, open at the top, with a hole for a screw right through sleeve and tube. On the boom the screw
// lies crosswise: the ribbon runs on its upper side.
module sleeve(l, crosswise = false) {
    difference() {
        translate([-side / 2, -side / 2, 0]) cube([side, side, l]);
        translate([-tube / 2 - slack, -tube / 2 - slack, arm_wall]) cube([tube + 2 * slack, tube + 2 * slack, l]);
        translate([0, 0, l - 12]) rotate([90, 0, crosswise ? 90 : 0]) cylinder(d = 3.4, h = side + 2, center = true);
    }
}

// For a countersunk wood screw of 4 mm through `screw_t` of plastic.
module wood_screw_hole() {
    translate([0, 0, -1]) cylinder(d = 4.5, h = screw_t + 2);
    translate([0, 0, screw_t - 3]) cylinder(d1 = 4.5, d2 = 9.5, h = 3.2);
}

// Stands behind the far wall and is screwed to the base board.
module arm_foot() {
    difference() {
        union() {
            sleeve(70);
            translate([-45, -side / 2, 0]) cube([90, side, screw_t]);
        }
        for (x = [-37, 37]) translate([x, 0, 0]) wood_screw_hole();
    }
}

// Turns the tube from upright to level: one sleeve down over the post, one to the front for the boom.
module arm_elbow() {
    // Printed lying on its side, so that the layers run along the load.
    rotate([0, 90, 0]) union() {
        sleeve(50);
        translate([0, 0, side / 2]) rotate([90, 0, 0]) translate([0, 0, side / 2 - arm_wall]) sleeve(50, crosswise = true);
    }
}

// Carries a camera module of 25 x 24 mm (holes 21 x 12.5 mm, M2) under the boom's end, lens down.
module camera_plate() {
    difference() {
        union() {
            difference() {
                translate([-side / 2, 0, 0]) cube([side, 40, side]);
                translate([-tube / 2 - slack, -1, arm_wall]) cube([tube + 2 * slack, 42, tube + 2 * slack]);
            }
            translate([-17, -34, 0]) cube([34, 40, plate_t]);
        }
        translate([0, -18, -1]) cylinder(d = 10, h = 10);
        for (x = [-10.5, 10.5], y = [-18, -5.5]) translate([x, y, -1]) cylinder(d = 2.2, h = 10);
        translate([0, 20, side / 2]) rotate([0, 90, 0]) cylinder(d = 3.4, h = side + 2, center = true);
        // The ribbon cable passes here.
        translate([-9, -ribbon_slot - 1, -1]) cube([18, 2, 10]);
    }
}

// Holds the Pi upright behind the arm, its USB sockets down, its parts to the back and its camera connector right under
// the boom, so that the ribbon comes straight down into it. Printed lying on its front.
module pi_stand() {
    w = 62;
    h = pi_lift + 81.5 + 5;
    translate([pi_csi_x - 56 / 2, 0, 0]) {
        difference() {
            union() {
                translate([-w / 2, 0, 0]) cube([w, pi_wall, h]);
                translate([-w / 2, 0, 0]) cube([w, 42, screw_t]);
                for (x = [-w / 2, w / 2 - 4]) translate([x, 0, 0]) rotate([90, 0, 90]) linear_extrude(4)
                    polygon([[0, 0], [42, 0], [42, screw_t], [pi_wall, 50], [0, 50]]);
                for (x = [-24.5, 24.5], z = [23.5, 81.5]) translate([x, pi_wall - 0.01, pi_lift + z])
                    rotate([-90, 0, 0]) cylinder(d = 7, h = pi_pillar);
            }
            // For screws of 2.5 mm, which cut their own thread.
            for (x = [-24.5, 24.5], z = [23.5, 81.5]) translate([x, 1, pi_lift + z]) rotate([-90, 0, 0])
                cylinder(d = 2.1, h = 20);
            for (x = [-16, 16]) translate([x, 28, 0]) wood_screw_hole();
            // Air for the board's back, and room for ties.
            translate([-18, -1, pi_lift + 30]) cube([36, pi_wall + 2, 45]);
            // The microSD card goes in from above, between board and wall.
            translate([-12, -1, pi_lift + 70]) cube([24, pi_wall + 2, 30]);
            translate([-18, -1, 20]) cube([36, pi_wall + 2, 42]);
        }
    }
}

// Carries the ring's ESP32 and, beside it, the small board with level shifter and capacitor. Ties hold both.
module ring_plate() {
    difference() {
        union() {
            translate([-ring_w / 2, -ring_d / 2, 0]) cube([ring_w, ring_d, 3]);
            translate([-51, -9, 0]) cube([50, 18, ring_plinth]);
            for (x = [-1, 1]) translate([x * (ring_w / 2 - 6.5), x * (ring_d / 2 - 6.5), 0]) cylinder(d = 13, h = screw_t);
        }
        for (x = [-1, 1]) translate([x * (ring_w / 2 - 6.5), x * (ring_d / 2 - 6.5), 0]) wood_screw_hole();
        // Tunnels for ties through the plinth, and slots beside the small board.
        for (x = [-42, -13]) translate([x, -20, ring_plinth - 5]) cube([5, 40, 2.5]);
        for (x = [8, 36], y = [-17, 15]) translate([x, y, -1]) cube([5, 2, 6]);
    }
}

module button_box() {
    difference() {
        cube([box_w, box_d, box_h]);
        translate([box_t, box_t, box_t]) cube([box_w - 2 * box_t, box_d - 2 * box_t, box_h]);
        translate([box_w / 2, box_d + 1, 12]) rotate([90, 0, 0]) cylinder(d = 10, h = 10);
    }
    for (x = [6, box_w - 6], y = [6, box_d - 6]) translate([x, y, 0]) difference() {
        cylinder(d = 8, h = box_h);
        translate([0, 0, box_h - 18]) cylinder(d = 2.6, h = 20);
    }
}

// Lamps in the order of the panel, a button on either side: push right, reset left, so that nobody mixes them up.
module button_lid() {
    difference() {
        cube([box_w, box_d, 3]);
        for (x = [6, box_w - 6], y = [6, box_d - 6]) translate([x, y, -1]) cylinder(d = 3.4, h = 6);
        translate([30, box_d / 2, -1]) cylinder(d = button_d, h = 6);
        translate([box_w - 30, box_d / 2, -1]) cylinder(d = button_d, h = 6);
        for (i = [0:len(lamps) - 1]) translate([lamp_x(i), box_d / 2, -1]) cylinder(d = led_d, h = 6);
    }
}

// Where a lamp sits, from the box's left edge.
function lamp_x(i) = box_w / 2 + (i - (len(lamps) - 1) / 2) * 10;

// What has to fit, tried before the frame takes its seventeen hours: a corner with the channel and its pockets, holes for
// dowel, button, lamp and screw, a slice of the sleeve for the tube.
module fit_test() {
    translate([-floor_w / 2 + 22, -floor_d / 2 + 22, -floor_z - ring_low + 4]) intersection() {
        frame_corner();
        translate([floor_w / 2 - 22, floor_d / 2 - 22, floor_z + ring_low - 4]) cube(100);
    }
    translate([70, side / 2, 0]) difference() {
        translate([-side / 2, -side / 2, 0]) cube([side, side, 5]);
        translate([-tube / 2 - slack, -tube / 2 - slack, -1]) cube([tube + 2 * slack, tube + 2 * slack, 10]);
    }
    translate([0, -40, 0]) difference() {
        cube([56, 30, 2]);
        translate([16, 15, -1]) cylinder(d = button_d, h = 6);
        translate([38, 15, -1]) cylinder(d = led_d, h = 6);
        translate([49, 15, -1]) cylinder(d = 3.4, h = 6);
    }
    translate([64, -34, 0]) difference() {
        cube([14, 10, 10]);
        translate([5, 5, 2]) cylinder(d = dowel_d, h = 12);
        translate([11, 5, 2]) cylinder(d = 2.1, h = 12);
    }
}

// Floor panel with its felt, its lower side at z = 0.
module panel() {
    translate([-floor_w / 2 + panel_gap, -floor_d / 2 + panel_gap, 0])
        cube([floor_w - 2 * panel_gap, floor_d - 2 * panel_gap, panel_t]);
}

module tube_of(l) {
    difference() {
        translate([-tube / 2, -tube / 2, 0]) cube([tube, tube, l]);
        translate([-tube / 2 + 1.5, -tube / 2 + 1.5, -1]) cube([tube - 3, tube - 3, l + 2]);
    }
}

module assembly() {
    color("Peru") {
        render() frame_corner();
        render() frame_corner_mirrored();
        rotate(180) render() frame_corner();
        rotate(180) render() frame_corner_mirrored();
    }
    color("SteelBlue") translate([0, 0, flange_t]) panel();
    color("DimGray") translate([0, post_y, 0]) render() arm_foot();
    color("Silver") translate([0, post_y, arm_wall]) tube_of(post_l);
    color("DimGray") translate([0, post_y, boom_z + side / 2]) rotate([0, 180, 0]) rotate([0, -90, 0]) render() arm_elbow();
    color("Silver") translate([0, post_y - side / 2, boom_z]) rotate([90, 0, 0]) tube_of(boom_l);
    color("DimGray") translate([0, 18, boom_z - side / 2]) render() camera_plate();
    color("DarkGreen") translate([-12.5, -9.5, boom_z - side / 2 - 4.1]) cube([25, 24, 1.1]);
    color("Black") translate([0, 0, lens_h + floor_z]) cylinder(d = 8, h = boom_z - side / 2 - 4.1 - lens_h - floor_z);
    boards();
    translate([-box_w / 2, box_y - box_d, 0]) {
        color("DimGray") render() button_box();
        color("Gainsboro") translate([0, 0, box_h]) render() button_lid();
        color("Red") translate([box_w - 30, box_d / 2, box_h + 3]) cylinder(d = 22, h = 8);
        color("White") translate([30, box_d / 2, box_h + 3]) cylinder(d = 22, h = 8);
        for (i = [0:len(lamps) - 1]) color(lamps[i])
            translate([lamp_x(i), box_d / 2, box_h + 3]) sphere(d = 5);
    }
    for (die = [["Gold", -60, 20, 15], ["Gold", 30, 50, 40], ["Green", 70, -40, 70], ["Black", -20, -50, 5]])
        color(die[0]) translate([die[1], die[2], floor_z + 8]) rotate(die[3]) cube(16, center = true);
}

// The Pi as it is bought: board, header, sockets, cooler, camera connectors. Its USB end at z = 0, its back at y = 0.
module pi() {
    color("DarkGreen") cube([56, 1.6, 85]);
    color("Silver") for (x = [2.3, 20.5, 38.5]) translate([x, 1.6, -3]) cube([15, 14, 19]);
    color("Black") translate([50, 1.6, 28]) cube([5, 8.5, 51]);
    color("Ivory") for (z = [30, 37]) translate([pi_csi_x - 8, 1.6, z - 1.5]) cube([16, pi_csi_t, 3]);
    color("LightGray") translate([14, 1.6, 46]) cube([30, 12, 34]);
    color("Silver") for (z = [46, 59, 74]) translate([-1, 1.6, z - 4]) cube([7, 3.5, 8]);
}

// The boards behind the frame, each on its mount.
module boards() {
    color("SlateGray") translate([0, stand_y, 0]) render() pi_stand();
    // Seen from the back the edge with power and HDMI is on the left.
    translate([pi_csi_x, pi_y - 1.6, pi_lift]) mirror([1, 0, 0]) pi();
    translate([ring_x, ring_y, 0]) {
        color("SlateGray") render() ring_plate();
        color("Black") translate([-54, -14, ring_plinth]) cube([55, 28, 1.6]);
        color("Silver") translate([-17, -9, ring_plinth + 1.6]) cube([18, 18, 3]);
        color("Silver") translate([-55, -4, ring_plinth + 1.6]) cube([8, 8, 3]);
        color("Peru") translate([10, -13, 3]) cube([30, 26, 1.6]);
        color("Black") translate([15, -4, 4.6]) cube([18, 7, 4]);
        color("RoyalBlue") translate([35, 7, 4.6]) cylinder(d = 10, h = 16);
    }
}

// Four corners apart, dowels between them, the felted panel above.
module step_frame() {
    gap = 26;
    for (side = [0, 1]) rotate(180 * side) {
        color("Peru") translate([gap, gap, 0]) render() frame_corner();
        color("Tan") translate([-gap, gap, 0]) render() frame_corner_mirrored();
        color("BurlyWood") for (z = [5, floor_z + 8]) {
            translate([0, floor_d / 2 + wall_t - 5 + gap, z]) rotate([0, 90, 0]) cylinder(d = 4, h = dowel_l, center = true);
            translate([floor_w / 2 + wall_t - 5 + gap, 0, z]) rotate([90, 0, 0]) cylinder(d = 4, h = dowel_l, center = true);
        }
    }
    color("SteelBlue") translate([0, 0, 75]) panel();
}

// The wall cut through: the strip on its ceiling, a die beside it, the panel on its flange.
module step_ring() {
    color("Peru") render() wall(70);
    color("SteelBlue") translate([0, -60, flange_t]) cube([70, 60, panel_t]);
    color("White") translate([2, 0.6, floor_z + ring_low + 6.2]) rotate([-45, 0, 0]) cube([66, 10, 0.6], center = false);
    color("Gold") for (x = [10:16.7:60]) translate([x, 3.2, floor_z + ring_low + 3]) rotate([-45, 0, 0]) cube([5, 5, 1.6]);
    color("Gold") translate([26, -26, floor_z]) cube(16);
}

// The arm from the foot to the lens, pulled apart.
module step_arm() {
    color("DimGray") render() arm_foot();
    color("Silver") translate([0, 0, 85]) tube_of(150);
    color("DimGray") translate([0, 0, 275]) rotate([0, 180, 0]) rotate([0, -90, 0]) render() arm_elbow();
    color("Silver") translate([0, -80, 275 - side / 2]) rotate([90, 0, 0]) tube_of(90);
    color("DimGray") translate([0, -225, 275 - side]) render() camera_plate();
    color("DarkGreen") translate([-12.5, -255, 275 - side - 30]) cube([25, 24, 1.5]);
    color("Black") translate([0, -243, 275 - side - 40]) cylinder(d = 8, h = 10);
}

// The box open: buttons and lamps in the lid, in the order of the pin table.
module step_box() {
    color("DimGray") render() button_box();
    color("Gainsboro") translate([0, 0, box_h + 60]) render() button_lid();
    for (x = [30, box_w - 30]) {
        color(x > 100 ? "Red" : "White") translate([x, box_d / 2, box_h + 85]) cylinder(d = 28, h = 8);
        color("Black") translate([x, box_d / 2, box_h + 20]) cylinder(d = 22, h = 25);
    }
    for (i = [0:len(lamps) - 1]) color(lamps[i])
        translate([lamp_x(i), box_d / 2, box_h + 40]) { cylinder(d = 5, h = 7); translate([0, 0, 7]) sphere(d = 5); }
}

// Pi and ring electronics from behind, left of the arm as you sit at the tray.
module step_boards() {
    color("DimGray") translate([0, post_y, 0]) render() arm_foot();
    color("Silver") translate([0, post_y, arm_wall]) tube_of(150);
    boards();
}

// All of it on its base board, with every cable on its way.
module step_cables() {
    color("BurlyWood") translate([-base_w / 2, -base_front, -base_t]) cube([base_w, base_d, base_t - 0.1]);
    assembly();
    for (cable = cables) color(cable[0])
        for (at = [1:len(cable[2]) - 1]) hull() for (point = [cable[2][at - 1], cable[2][at]])
            translate(point) { if (cable[1] > 8) cube([cable[1], 0.8, 0.8], center = true); else sphere(d = cable[1], $fn = 8); }
}

if (part == "frame_corner") frame_corner();
if (part == "frame_corner_mirrored") frame_corner_mirrored();
if (part == "arm_foot") arm_foot();
if (part == "arm_elbow") arm_elbow();
if (part == "camera_plate") camera_plate();
if (part == "pi_stand") rotate([90, 0, 0]) pi_stand();
if (part == "ring_plate") ring_plate();
if (part == "button_box") button_box();
if (part == "button_lid") button_lid();
if (part == "fit_test") fit_test();
if (part == "assembly") assembly();
if (part == "step_frame") step_frame();
if (part == "step_ring") step_ring();
if (part == "step_arm") step_arm();
if (part == "step_box") step_box();
if (part == "step_boards") step_boards();
if (part == "step_cables") step_cables();
