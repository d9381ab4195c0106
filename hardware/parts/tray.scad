// The tray's printed parts, millimetres. Choose one with -D 'part="frame_corner"'; `assembly` shows all of them in place.
//
// The floor frame comes in four corners that fit a 256 mm bed and are joined by dowels. Its wall has a channel for the
// light ring: a ledge under a ceiling of 45 degrees. The strip sticks to the ceiling and shines down and inwards; the
// ledge's and the ceiling's edges keep it out of the camera's sight.

part = "assembly";  // frame_corner, frame_corner_mirrored, arm_foot, arm_elbow, camera_plate, button_box, button_lid,
                    // assembly; and for the guide's pictures step_frame, step_ring, step_arm, step_box

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
dowel_d = 4.2;      // for dowels of 4 mm
dowel_l = 20;

/* [Arm] */
tube = 20;          // square aluminium tube, outside
slack = 0.3;
arm_wall = 4;
lens_h = 290;       // lens above the floor for Camera Module 3; the others stand in hardware/optics.csv
post_spare = 40;    // the post is so much longer: floor, foot, half of the boom, plate and camera, less the elbow's roof
boom_l = 100;       // the boom ends behind the camera's screws

/* [Box] */
button_d = 24.3;    // arcade buttons of 24 mm
led_d = 5.2;
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

// The wall's section: x from the inner face outwards, y up.
module wall_section() {
    difference() {
        union() {
            translate([0, 0]) square([wall_t, floor_z + wall_h]);
            translate([-panel_lap, 0]) square([panel_lap + 1, flange_t]);
        }
        // The channel.
        polygon([
            [-0.01, floor_z + ring_low],
            [ring_depth, floor_z + ring_low],
            [-0.01, floor_z + ring_low + ring_depth + 0.01],
        ]);
        // The outer edge, softened for hands.
        translate([wall_t, floor_z + wall_h]) rotate(45) square(3, center = true);
    }
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
        // Two dowels in each joint.
        for (z = [5, floor_z + 8]) {
            translate([0, floor_d / 2 + wall_t - 5, z]) rotate([0, 90, 0]) cylinder(d = dowel_d, h = dowel_l, center = true);
            translate([floor_w / 2 + wall_t - 5, 0, z]) rotate([90, 0, 0]) cylinder(d = dowel_d, h = dowel_l, center = true);
        }
        // The strip's wires leave at the joint of the side wall, under the channel's ceiling; behind the far wall
        // stands the arm.
        translate([floor_w / 2 - 1, 0, floor_z + ring_low + 3]) rotate([0, 90, 0]) cylinder(d = 6, h = wall_t + 2);
    }
}

module frame_corner_mirrored() { mirror([1, 0, 0]) frame_corner(); }

// A sleeve for the tube, open at the top, with a hole for a screw right through sleeve and tube.
module sleeve(l) {
    difference() {
        translate([-side / 2, -side / 2, 0]) cube([side, side, l]);
        translate([-tube / 2 - slack, -tube / 2 - slack, arm_wall]) cube([tube + 2 * slack, tube + 2 * slack, l]);
        translate([0, 0, l - 12]) rotate([90, 0, 0]) cylinder(d = 3.4, h = side + 2, center = true);
    }
}

// Stands behind the far wall and is screwed to the base board.
module arm_foot() {
    difference() {
        union() {
            sleeve(70);
            translate([-45, -side / 2, 0]) cube([90, side, 6]);
        }
        for (x = [-37, 37]) translate([x, 0, -1]) cylinder(d = 4.5, h = 20);
        for (x = [-37, 37]) translate([x, 0, 3]) cylinder(d1 = 4.5, d2 = 9.5, h = 3.2);
    }
}

// Turns the tube from upright to level: one sleeve down over the post, one to the front for the boom.
module arm_elbow() {
    // Printed lying on its side, so that the layers run along the load.
    rotate([0, 90, 0]) union() {
        sleeve(50);
        translate([0, 0, side / 2]) rotate([90, 0, 0]) translate([0, 0, side / 2 - arm_wall]) sleeve(50);
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
            translate([-17, -34, 0]) cube([34, 40, arm_wall]);
        }
        translate([0, -18, -1]) cylinder(d = 10, h = 10);
        for (x = [-10.5, 10.5], y = [-18, -5.5]) translate([x, y, -1]) cylinder(d = 2.2, h = 10);
        translate([0, 20, -1]) cylinder(d = 3.4, h = side + 2);
        // The ribbon cable passes here.
        translate([-9, -33, -1]) cube([18, 2, 10]);
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

// Five lamps in the order of the panel, a button on either side: push right, reset left, so that nobody mixes them up.
module button_lid() {
    difference() {
        cube([box_w, box_d, 3]);
        for (x = [6, box_w - 6], y = [6, box_d - 6]) translate([x, y, -1]) cylinder(d = 3.4, h = 6);
        translate([30, box_d / 2, -1]) cylinder(d = button_d, h = 6);
        translate([box_w - 30, box_d / 2, -1]) cylinder(d = button_d, h = 6);
        for (i = [0:4]) translate([box_w / 2 + (i - 2) * 10, box_d / 2, -1]) cylinder(d = led_d, h = 6);
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
    translate([-box_w / 2, -outer_d / 2 - box_d - 25, 0]) {
        color("DimGray") render() button_box();
        color("Gainsboro") translate([0, 0, box_h]) render() button_lid();
        color("Red") translate([box_w - 30, box_d / 2, box_h + 3]) cylinder(d = 22, h = 8);
        color("White") translate([30, box_d / 2, box_h + 3]) cylinder(d = 22, h = 8);
        for (i = [0:4]) color(["White", "Gold", "Orange", "Lime", "Red"][i])
            translate([box_w / 2 + (i - 2) * 10, box_d / 2, box_h + 3]) sphere(d = 5);
    }
    for (die = [["Gold", -60, 20, 15], ["Gold", 30, 50, 40], ["Green", 70, -40, 70], ["Black", -20, -50, 5]])
        color(die[0]) translate([die[1], die[2], floor_z + 8]) rotate(die[3]) cube(16, center = true);
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
    for (i = [0:4]) color(["White", "Gold", "Orange", "Lime", "Red"][i])
        translate([box_w / 2 + (i - 2) * 10, box_d / 2, box_h + 40]) { cylinder(d = 5, h = 7); translate([0, 0, 7]) sphere(d = 5); }
}

if (part == "frame_corner") frame_corner();
if (part == "frame_corner_mirrored") frame_corner_mirrored();
if (part == "arm_foot") arm_foot();
if (part == "arm_elbow") arm_elbow();
if (part == "camera_plate") camera_plate();
if (part == "button_box") button_box();
if (part == "button_lid") button_lid();
if (part == "assembly") assembly();
if (part == "step_frame") step_frame();
if (part == "step_ring") step_ring();
if (part == "step_arm") step_arm();
if (part == "step_box") step_box();
