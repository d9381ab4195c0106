// The tray's printed parts, millimetres. Choose one with -D 'part="frame_corner"'; `assembly` shows all of them in place.
//
// The floor frame comes in four corners that fit a 180 mm bed and are joined by dowels. Its wall has a channel for the
// light ring: a ledge under a ceiling of 45 degrees. The strip sticks to the ceiling and shines down and inwards; the
// ledge's and the ceiling's edges keep it out of the camera's sight.

part = "assembly";  // a name from `parts`, fit_test, assembly, or a picture of the guide, below
cables = [];        // for pictures: [colour, thickness, points] of each cable, from routes.py

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
led_pitch = 1000 / 60;
hole_d = 6;         // the strip's wires: two of 0.75 mm2, one of 0.25 mm2
dowel_d = 4.2;      // for dowels of 4 mm
dowel_l = 20;
dowel_hole = 22;    // both halves together: room for glue at the ends

/* [Arm] */
tube = 20;          // square aluminium tube, outside
slack = 0.3;
arm_wall = 4;
lens_h = 310;       // lens above the floor for Camera Module 3; the others stand in hardware/optics.csv
post_spare = 40;    // the post is so much longer: floor, foot, half of the boom, plate and camera, less the elbow's roof
boom_l = 100;       // the boom ends behind the camera's screws
plate_y = 18;       // the camera plate's sleeve begins here
plate_t = 4;
camera_gap = 3;     // spacers between plate and camera board: there is a connector on its back
ribbon_slot = 32;   // from the plate's sleeve to the slot for the ribbon

/* [Boards] */
screw_t = 6;        // plastic under a wood screw of 4 x 16 mm: 10 mm stay for the base board of 12 mm
pi_lift = 60;       // below the Pi's USB sockets, for plugs and their cables
pi_pillar = 6;
pi_wall = 4;
stand_d = 44;       // how far the stand's base goes back
pi_csi_x = 12;      // middle of the camera connector from the edge with power and HDMI
pi_csi_up = 30;     // from the edge with USB: 37 and 30 on a Pi 5 (the lower one counts), 38 on a Pi 4
pi_csi_t = 5;       // how far the connector stands out of the board
ring_w = 112;
ring_d = 48;
ring_x = -118;      // middle of the ring's plate
ring_plinth = 27;   // under the ESP32, whose pins hang next to it: header 2.5, sockets 14, 4 for the wires' bend, screws 6

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
ring_y = post_y + 19;
box_y = -outer_d / 2 - 25;               // the button box's back
base_w = 450;
base_d = 400;
base_t = 12;
base_front = outer_d / 2 + 90;           // from the floor's middle to the base board's front edge
pi_x = pi_csi_x - 28;                    // the Pi's middle
header_z = pi_lift + 27.1;               // lower end of its header

// Each printed part: its place in the tray, and its turn for printing.
parts = [
    ["frame_corner", [0, 0, 0], [0, 0, 0]],
    ["frame_corner_mirrored", [0, 0, 0], [0, 0, 0]],
    ["arm_foot", [0, post_y, 0], [0, 0, 0]],
    ["arm_elbow", [0, post_y, boom_z + side / 2], [0, -90, 0]],
    ["camera_plate", [0, plate_y, plate_z], [0, 0, 0]],
    ["pi_stand", [pi_x, stand_y, 0], [90, 0, 0]],
    ["ring_plate", [ring_x, ring_y, 0], [0, 0, 0]],
    ["button_box", [-box_w / 2, box_y - box_d, 0], [0, 0, 0]],
    ["button_lid", [-box_w / 2, box_y - box_d, box_h], [0, 0, 0]],
];

// Each kind of screw: thread, length, head's width and height, hole it goes through, hole it cuts its thread into, nut's
// width and height.
kinds = [
    ["M3 x 35", 3, 35, 6, 3, 3.4, 0, 6.4, 2.4],
    ["M2 x 12", 2, 12, 4, 2, 2.2, 0, 4.6, 1.6],
    ["M2.5 x 8", 2.5, 8, 5, 2.5, 2.7, 2.1, 0, 0],
    ["M3 x 12", 3, 12, 6, 3, 3.4, 2.6, 0, 0],
    ["4 x 16", 4, 16, 9, 0, 4.5, 0, 0, 0],  // countersunk, into the base board
];

// Each screw: its kind, the part under its head, the part it cuts its thread into, its direction, how far its nut is from
// its head, and where in the tray its head lies. Parts get their holes from here, and a test tries each screw and its tools.
screws = [
    ["M3 x 35", "arm_foot", "", [1, 0, 0], side, [[-side / 2, post_y, 58]]],
    ["M3 x 35", "arm_elbow", "", [1, 0, 0], side, [
        [-side / 2, post_y, boom_z + side / 2 - 38],
        [-side / 2, post_y - side / 2 + arm_wall - 38, boom_z],
    ]],
    ["M3 x 35", "camera_plate", "", [1, 0, 0], side, [[-side / 2, plate_y + 20, boom_z]]],
    ["M2 x 12", "camera_plate", "", [0, 0, -1], plate_t + camera_gap + 1.1, [
        [-10.5, plate_y - 18, plate_z + plate_t], [10.5, plate_y - 18, plate_z + plate_t],
        [-10.5, plate_y - 5.5, plate_z + plate_t], [10.5, plate_y - 5.5, plate_z + plate_t],
    ]],
    ["4 x 16", "arm_foot", "", [0, 0, -1], 0, [[-37, post_y, screw_t], [37, post_y, screw_t]]],
    ["4 x 16", "pi_stand", "", [0, 0, -1], 0, [
        [pi_x - 16, stand_y + stand_d - 7.5, screw_t], [pi_x + 16, stand_y + stand_d - 7.5, screw_t],
    ]],
    ["4 x 16", "ring_plate", "", [0, 0, -1], 0, [
        [ring_x - ring_w / 2 + 6.5, ring_y - ring_d / 2 + 6.5, screw_t],
        [ring_x + ring_w / 2 - 6.5, ring_y + ring_d / 2 - 6.5, screw_t],
    ]],
    ["M2.5 x 8", "", "pi_stand", [0, -1, 0], 0, [
        [pi_x - 24.5, pi_y, pi_lift + 23.5], [pi_x + 24.5, pi_y, pi_lift + 23.5],
        [pi_x - 24.5, pi_y, pi_lift + 81.5], [pi_x + 24.5, pi_y, pi_lift + 81.5],
    ]],
    ["M3 x 12", "button_lid", "button_box", [0, 0, -1], 0, [
        [6 - box_w / 2, box_y - box_d + 6, box_h + 3], [box_w / 2 - 6, box_y - box_d + 6, box_h + 3],
        [6 - box_w / 2, box_y - 6, box_h + 3], [box_w / 2 - 6, box_y - 6, box_h + 3],
    ]],
];

// What is bought and stays in the way: what it belongs to, colour, corner, size (of a round one: diameter, height).
bought = [
    ["pi", "DarkGreen", [pi_x - 28, pi_y - 1.6, pi_lift], [56, 1.6, 85]],
    ["pi", "Silver", [pi_x + 9.8, pi_y, pi_lift - 3], [16, 13.5, 21]],      // network
    ["pi", "Silver", [pi_x - 7.7, pi_y, pi_lift - 3], [13.2, 16, 17]],      // USB
    ["pi", "Silver", [pi_x - 25.6, pi_y, pi_lift - 3], [13.2, 16, 17]],
    ["pi", "Black", [pi_x - 27, pi_y, header_z], [5, 8.5, 50.8]],
    ["pi", "Ivory", [-8, pi_y, pi_lift + pi_csi_up - 1.5], [16, pi_csi_t, 3]],
    ["pi", "Ivory", [-8, pi_y, pi_lift + pi_csi_up + 5.5], [16, pi_csi_t, 3]],
    ["pi", "Silver", [pi_x + 22, pi_y, pi_lift + 42], [7, 3.5, 8]],         // HDMI 1, HDMI 0, power
    ["pi", "Silver", [pi_x + 22, pi_y, pi_lift + 55], [7, 3.5, 8]],
    ["pi", "Silver", [pi_x + 22, pi_y, pi_lift + 70], [7, 3.5, 8]],
    ["cooler", "LightGray", [pi_x - 16, pi_y, pi_lift + 46], [30, 12, 34]],
    ["camera", "DarkGreen", [-12.5, plate_y - 27.5, plate_z - camera_gap - 1.1], [25, 24, 1.1]],
    ["camera", "Black", [0, 0, lens_h + floor_z], [8, plate_z - camera_gap - 1.1 - lens_h - floor_z]],
    ["esp32", "Black", [ring_x - 54, ring_y - 14, ring_plinth], [55, 28, 1.6]],
    ["esp32", "Silver", [ring_x - 17, ring_y - 9, ring_plinth + 1.6], [18, 18, 3]],
    ["esp32", "Silver", [ring_x - 55, ring_y - 4, ring_plinth + 1.6], [8, 8, 3]],
    ["esp32", "Black", [ring_x - 49, ring_y - 14, ring_plinth - 2.5], [48, 2.54, 2.5]],
    ["esp32", "Black", [ring_x - 49, ring_y + 11.46, ring_plinth - 2.5], [48, 2.54, 2.5]],
    ["sockets", "DimGray", [ring_x - 28.7, ring_y - 14, ring_plinth - 16.5], [2.54, 2.54, 14]],  // GPIO16
    ["sockets", "DimGray", [ring_x - 46.5, ring_y - 14, ring_plinth - 16.5], [2.54, 2.54, 14]],  // GND
    ["small board", "Peru", [ring_x + 10, ring_y - 13, 3], [30, 26, 1.6]],
    ["small board", "Black", [ring_x + 14, ring_y - 6, 4.6], [18, 7, 4]],
    ["small board", "RoyalBlue", [ring_x + 35, ring_y + 7, 4.6], [10, 16]],
];

// Each piece of strip: where it begins, seen along the data, its direction, its LEDs.
strips = [
    [[-floor_w / 2, 2.5], 90, 6],
    [[-floor_w / 2, floor_d / 2], 0, 16],
    [[floor_w / 2, floor_d / 2], -90, 12],
    [[16 * led_pitch - floor_w / 2, -floor_d / 2], 180, 16],
    [[-floor_w / 2, -2.5 - 6 * led_pitch], 90, 6],
];

function place(name) = [for (p = parts) if (p[0] == name) p[1]][0];
function kind_of(screw) = [for (k = kinds) if (k[0] == screw[0]) k][0];

// Turns what points up into a direction.
module turned(way) rotate([0, acos(way[2]), atan2(way[1], way[0])]) children();

// The holes of a part's screws, in the part's own frame.
module screw_holes(name) {
    translate(-place(name)) for (s = screws, at = s[5]) translate(at) turned(s[3]) {
        kind = kind_of(s);
        if (s[1] == name) {
            translate([0, 0, -1]) cylinder(d = kind[5], h = max(s[4], screw_t) + 2);
            if (kind[4] == 0) translate([0, 0, -0.2]) cylinder(d1 = kind[3] + 0.5, d2 = kind[5], h = 3.2);
        }
        if (s[2] == name) cylinder(d = kind[6], h = kind[2] + 1);
    }
}

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
            translate([0, floor_d / 2 + wall_t - 5, z]) rotate([0, 90, 0]) cylinder(d = dowel_d, h = dowel_hole, center = true);
            translate([floor_w / 2 + wall_t - 5, 0, z]) rotate([90, 0, 0]) cylinder(d = dowel_d, h = dowel_hole, center = true);
        }
        // The strip's wires leave at the joint of the side wall, under the channel's ceiling; behind the far wall
        // stands the arm.
        translate([floor_w / 2 - 1, 0, floor_z + ring_low + 3]) rotate([0, 90, 0]) cylinder(d = hole_d, h = wall_t + 2);
    }
}

module frame_corner_mirrored() { mirror([1, 0, 0]) frame_corner(); }

// A sleeve for the tube, open at the top. Its screw lies crosswise: in front is the wall, behind the Pi, above the ribbon.
module sleeve(l) {
    difference() {
        translate([-side / 2, -side / 2, 0]) cube([side, side, l]);
        translate([-tube / 2 - slack, -tube / 2 - slack, arm_wall]) cube([tube + 2 * slack, tube + 2 * slack, l]);
    }
}

// Stands behind the far wall and is screwed to the base board.
module arm_foot() {
    difference() {
        union() {
            sleeve(70);
            translate([-45, -side / 2, 0]) cube([90, side, screw_t]);
        }
        screw_holes("arm_foot");
    }
}

// Turns the tube from upright to level: one sleeve down over the post, one to the front for the boom. Printed lying on its
// side, so that the layers run along the load.
module arm_elbow() {
    difference() {
        rotate([0, 180, 0]) {
            sleeve(50);
            translate([0, arm_wall - side / 2, side / 2]) rotate([90, 0, 0]) sleeve(50);
        }
        screw_holes("arm_elbow");
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
            translate([-17, -37, 0]) cube([34, 43, plate_t]);
        }
        translate([0, -18, -1]) cylinder(d = 10, h = 10);
        screw_holes("camera_plate");
        // The ribbon cable passes here.
        translate([-9, -ribbon_slot - 1, -1]) cube([18, 2, 10]);
    }
}

// Holds the Pi upright behind the arm, its USB sockets down, its parts to the back and its camera connector right under
// the boom, so that the ribbon comes straight down into it. Printed lying on its front.
module pi_stand() {
    w = 62;
    h = pi_lift + 81.5 + 5;
    difference() {
        union() {
            translate([-w / 2, 0, 0]) cube([w, pi_wall, h]);
            translate([-w / 2, 0, 0]) cube([w, stand_d, screw_t]);
            for (x = [-w / 2, w / 2 - 4]) translate([x, 0, 0]) rotate([90, 0, 90]) linear_extrude(4)
                polygon([[0, 0], [stand_d, 0], [stand_d, screw_t], [pi_wall, 50], [0, 50]]);
            for (x = [-24.5, 24.5], z = [23.5, 81.5]) translate([x, pi_wall - 0.01, pi_lift + z])
                rotate([-90, 0, 0]) cylinder(d = 7, h = pi_pillar);
        }
        screw_holes("pi_stand");
        // Air for the board's back, and room for ties.
        translate([-18, -1, pi_lift + 30]) cube([36, pi_wall + 2, 45]);
        // The microSD card goes in from above, between board and wall.
        translate([-12, -1, pi_lift + 70]) cube([24, pi_wall + 2, 30]);
        translate([-18, -1, 20]) cube([36, pi_wall + 2, 42]);
    }
}

// Carries the ring's ESP32 and, next to it, the small board with level shifter and capacitor. Ties hold both.
module ring_plate() {
    difference() {
        union() {
            translate([-ring_w / 2, -ring_d / 2, 0]) cube([ring_w, ring_d, 3]);
            translate([-51, -9, 0]) cube([50, 18, ring_plinth]);
            for (x = [-1, 1]) translate([x * (ring_w / 2 - 6.5), x * (ring_d / 2 - 6.5), 0]) cylinder(d = 13, h = screw_t);
        }
        screw_holes("ring_plate");
        // Tunnels for ties through the plinth, and slots next to the small board.
        for (x = [-42, -13]) translate([x, -20, ring_plinth - 5]) cube([5, 40, 2.5]);
        for (x = [8, 36], y = [-17, 15]) translate([x, y, -1]) cube([5, 2, 6]);
    }
}

module button_box() {
    difference() {
        union() {
            difference() {
                cube([box_w, box_d, box_h]);
                translate([box_t, box_t, box_t]) cube([box_w - 2 * box_t, box_d - 2 * box_t, box_h]);
                translate([box_w / 2, box_d + 1, 12]) rotate([90, 0, 0]) cylinder(d = 10, h = 10);
            }
            for (x = [6, box_w - 6], y = [6, box_d - 6]) translate([x, y, 0]) cylinder(d = 8, h = box_h);
        }
        screw_holes("button_box");
    }
}

// Lamps in the order of the panel, a button on either side: push right, reset left, so that they are not mixed up.
module button_lid() {
    difference() {
        cube([box_w, box_d, 3]);
        screw_holes("button_lid");
        for (x = [30, box_w - 30]) translate([x, box_d / 2, -1]) cylinder(d = button_d, h = 6);
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

// A part as it is built.
module one(name) {
    if (name == "frame_corner") frame_corner();
    if (name == "frame_corner_mirrored") frame_corner_mirrored();
    if (name == "arm_foot") arm_foot();
    if (name == "arm_elbow") arm_elbow();
    if (name == "camera_plate") camera_plate();
    if (name == "pi_stand") pi_stand();
    if (name == "ring_plate") ring_plate();
    if (name == "button_box") button_box();
    if (name == "button_lid") button_lid();
}

// For the pictures: a part, what is bought, and screws in their places, or pulled away from them.
module put(name, away = [0, 0, 0]) translate(place(name) + away) render() one(name);

module buy(what, away = [0, 0, 0])
    for (b = bought) if (b[0] == what) color(b[1]) translate(b[2] + away)
        if (len(b[3]) == 2) cylinder(d = b[3][0], h = b[3][1]); else cube(b[3]);

module drive(kind, part, out, away = [0, 0, 0])
    for (s = screws, at = s[5]) if (s[0] == kind && (s[1] == part || s[2] == part)) translate(at + away) turned(s[3]) {
        k = kind_of(s);
        color("Gold") translate([0, 0, -out]) {
            cylinder(d = k[1], h = k[2]);
            if (k[4] > 0) translate([0, 0, -k[4]]) cylinder(d = k[3], h = k[4]);
            else cylinder(d1 = k[3], d2 = k[1], h = 2.5);
        }
        if (k[7] > 0) color("Gold") translate([0, 0, s[4] + out * 1.3]) difference() {
            cylinder(d = k[7], h = k[8], $fn = 6);
            translate([0, 0, -1]) cylinder(d = k[1], h = k[8] + 2);
        }
    }

module wire(colour, d, points) color(colour)
    for (at = [1:len(points) - 1]) hull() for (point = [points[at - 1], points[at]])
        translate(point) { if (d > 8) cube([d, 0.8, 0.8], center = true); else sphere(d = d, $fn = 8); }

module routes() for (cable = cables) wire(cable[0], cable[1], cable[2]);

module base() color("BurlyWood") translate([-base_w / 2, -base_front, -base_t]) cube([base_w, base_d, base_t - 0.1]);

module frame() color("Peru") for (turn = [0, 180]) rotate(turn) {
    put("frame_corner");
    put("frame_corner_mirrored");
}

module post(l = post_l, up = 0) color("Silver") translate([0, post_y, arm_wall + up]) tube_of(l);

module boom(out = 0) color("Silver") translate([0, post_y - side / 2 - out, boom_z]) rotate([90, 0, 0]) tube_of(boom_l);

module arm() {
    color("DimGray") for (name = ["arm_foot", "arm_elbow", "camera_plate"]) put(name);
    post();
    boom();
    buy("camera");
}

module pi() {
    color("SlateGray") put("pi_stand");
    buy("pi");
    buy("cooler");
}

module ring_boards() {
    color("SlateGray") put("ring_plate");
    for (what = ["esp32", "sockets", "small board"]) buy(what);
}

module caps(z) {
    for (x = [30, box_w - 30]) color(x > 100 ? "Red" : "White") translate([x, box_d / 2, z]) cylinder(d = 22, h = 8);
}

module box() {
    color("DimGray") put("button_box");
    color("Gainsboro") put("button_lid");
    translate(place("button_lid")) {
        caps(3);
        for (i = [0:len(lamps) - 1]) color(lamps[i]) translate([lamp_x(i), box_d / 2, 3]) sphere(d = 5);
    }
}

module dice()
    for (die = [["Gold", -60, 20, 15], ["Gold", 30, 50, 40], ["Green", 70, -40, 70], ["Black", -20, -50, 5]])
        color(die[0]) translate([die[1], die[2], floor_z + 8]) rotate(die[3]) cube(16, center = true);

module assembly(ring = true) {
    frame();
    color("SteelBlue") translate([0, 0, flange_t]) panel();
    arm();
    pi();
    if (ring) ring_boards();
    box();
    dice();
}

// Four corners apart, dowels between them.
module frame_1() {
    gap = 26;
    for (turn = [0, 180]) rotate(turn) {
        color("Peru") put("frame_corner", [gap, gap, 0]);
        color("Tan") put("frame_corner_mirrored", [-gap, gap, 0]);
        color("BurlyWood") for (z = [5, floor_z + 8]) {
            translate([0, floor_d / 2 + wall_t - 5 + gap, z]) rotate([0, 90, 0]) cylinder(d = 4, h = dowel_l, center = true);
            translate([floor_w / 2 + wall_t - 5 + gap, 0, z]) rotate([90, 0, 0]) cylinder(d = 4, h = dowel_l, center = true);
        }
    }
}

// The felted panel above the glued frame.
module frame_2() {
    frame();
    color("BurlyWood") translate([0, 0, 70]) scale([1, 1, 0.75]) panel();
    color("SteelBlue") translate([0, 0, 73.2]) scale([1, 1, 0.25]) panel();
}

// The frame on its board; red, how much stays free in front of it and behind it.
module frame_3() {
    base();
    frame();
    color("SteelBlue") translate([0, 0, flange_t]) panel();
    color("Red") for (y = [[-base_front, base_front - outer_d / 2], [outer_d / 2, base_d - base_front - outer_d / 2]])
        translate([-3, y[0], 0]) cube([6, y[1], 1]);
}

// Post and boom, and their sleeves, pulled apart.
module arm_1() {
    up = 60;
    base();
    frame();
    color("DimGray") put("arm_foot");
    drive("4 x 16", "arm_foot", 22);
    post(up = up);
    color("DimGray") put("arm_elbow", [0, 0, 2 * up]);
    translate([0, 0, 2 * up]) boom(40);
}

// Screws, plate, spacers, camera and nuts from above; the ribbon goes up through the slot.
module arm_2() {
    gap = 14;
    color("DimGray") put("camera_plate");
    drive("M2 x 12", "camera_plate", 16);
    for (s = screws) if (s[0] == "M2 x 12") for (at = s[5]) color("White") translate([at[0], at[1], plate_z - gap / 2 - 3])
        difference() { cylinder(d = 4, h = 3); translate([0, 0, -1]) cylinder(d = 2.2, h = 5); }
    buy("camera", [0, 0, -gap]);
    wire("Crimson", 16, [
        [0, -9, plate_z - gap - 2], [0, plate_y - ribbon_slot - 6, plate_z - gap], [0, plate_y - ribbon_slot, plate_z - 3],
        [0, plate_y - ribbon_slot, plate_z + 20], [0, plate_y - ribbon_slot + 12, plate_z + 40],
    ]);
}

// The arm above the frame; red, from the lens to the floor's middle.
module arm_3() {
    frame();
    color("SteelBlue") translate([0, 0, flange_t]) panel();
    arm();
    color("Red") translate([0, 0, floor_z]) cylinder(d = 2, h = lens_h);
}

// The arm's four screws and their nuts, pulled out.
module arm_4() {
    arm();
    for (name = ["arm_foot", "arm_elbow", "camera_plate"]) drive("M3 x 35", name, 45);
}

// The stand behind the foot, its wood screws above their holes.
module pi_1() {
    base();
    color("DimGray") put("arm_foot");
    post(150);
    color("SlateGray") put("pi_stand");
    drive("4 x 16", "pi_stand", 25);
}

// Cooler, Pi and screws, pulled off the stand to the back.
module pi_2() {
    color("SlateGray") put("pi_stand");
    buy("pi", [0, 40, 0]);
    buy("cooler", [0, 75, 0]);
    drive("M2.5 x 8", "pi_stand", 20, [0, 40, 0]);
}

// Buttons and lamps above and below the lid, in the order of the pin table.
module box_1() {
    color("Gainsboro") render() button_lid();
    caps(28);
    for (x = [30, box_w - 30]) color("Black") translate([x, box_d / 2, -38]) cylinder(d = 22, h = 25);
    for (i = [0:len(lamps) - 1]) color(lamps[i])
        translate([lamp_x(i), box_d / 2, -20]) { cylinder(d = 5, h = 7); translate([0, 0, 7]) sphere(d = 5); }
}

// The lid from below: a resistor on each longer leg, all shorter legs on the black wire, two wires to each button.
module box_2() {
    color("Gainsboro") render() button_lid();
    y = box_d / 2;
    back = box_d + 12;
    for (x = [30, box_w - 30]) {
        color("Black") translate([x, y, -25]) cylinder(d = 22, h = 25);
        for (at = [-5, 5]) wire(at < 0 ? "White" : "DimGray", 1.6, [[x + at, y, -25], [x + at, y, -32], [x + at / 3, back, -30]]);
    }
    for (i = [0:len(lamps) - 1]) {
        x = lamp_x(i);
        color(lamps[i]) translate([x, y, -4]) { cylinder(d = 5, h = 7); translate([0, 0, 7]) sphere(d = 5); }
        wire("Silver", 0.6, [[x, y + 1.3, -4], [x, y + 1.3, -12]]);
        color("Tan") translate([x, y + 1.3, -18]) cylinder(d = 2.4, h = 6);
        wire(lamps[i], 1.4, [[x, y + 1.3, -18], [x, y + 6, -26], [box_w / 2 + (i - 2) * 2, back, -24]]);
        wire("Silver", 0.6, [[x, y - 1.3, -4], [x, y - 1.3, -10]]);
    }
    wire("Black", 1.4, [[lamp_x(0), y - 1.3, -10], [lamp_x(4), y - 1.3, -10], [lamp_x(4) + 6, y, -24], [box_w / 2 + 8, back, -24]]);
}

// The lid and its screws above the box, which stands before the frame.
module box_3() {
    frame();
    color("DimGray") put("button_box");
    color("Gainsboro") put("button_lid", [0, 0, 18]);
    translate(place("button_lid") + [0, 0, 18]) caps(3);
    drive("M3 x 12", "button_lid", 14, [0, 0, 18]);
}

// The arm and the Pi from behind, with the ribbon on its way.
module wiring_1() {
    base();
    frame();
    arm();
    pi();
    routes();
}

// Buttons and lamps to the header.
module wiring_2() {
    base();
    assembly(ring = false);
    routes();
}

// The screen next to the tray, with its two leads.
module wiring_3() {
    wiring_2();
    translate([base_w / 2 + 40, -40, -base_t]) rotate(-20) rotate([-15, 0, 0]) {
        color("DimGray") cube([170, 8, 110]);
        color("SteelBlue") translate([8, -0.5, 10]) cube([154, 1, 92]);
    }
}

// A piece of strip, its back up at z = 0, outwards from the wall's inner face.
module strip(leds) {
    color("White") translate([0, 0, -0.5]) cube([leds * led_pitch, 10, 0.5]);
    color("Gold") for (i = [0:leds - 1]) translate([(i + 0.5) * led_pitch - 2.5, 2.5, -1.9]) cube([5, 5, 1.4]);
    color("Peru") for (x = [0.2, leds * led_pitch - 2.2], y = [1, 4, 7]) translate([x, y, -0.7]) cube([2, 2, 0.3]);
}

// All pieces: on the frame's underside, or on the channel's ceiling.
module strip_pieces(laid) for (piece = strips)
    translate([piece[0][0], piece[0][1], laid ? 0 : floor_z + ring_low + ring_depth]) rotate(piece[1])
        rotate([laid ? 0 : -45, 0, 0]) translate([0, laid ? 0 : (ring_depth * sqrt(2) - 10) / 2, 0]) strip(piece[2]);

// Where one of a piece's ends is on the frame's underside, `across` from the wall's inner face.
function strip_end(piece, at, across) = [
    piece[0][0] + cos(piece[1]) * at - sin(piece[1]) * across, piece[0][1] + sin(piece[1]) * at + cos(piece[1]) * across, -1,
];

rails = [["Red", 2], ["Green", 5], ["Black", 8]];

// The wires across each corner, the bridge at the hole, and the feed through it, with the strip on the frame's underside.
module strip_wires() {
    for (i = [0:4], rail = rails) if (i < 4 || rail[0] != "Green") {
        from = strip_end(strips[i], strips[i][2] * led_pitch - 1, rail[1]);
        to = strip_end(strips[(i + 1) % 5], 1, rail[1]);
        wire(rail[0], 1.3, [from, (from + to) / 2 - [0, 0, 4], to]);
    }
    hole_z = floor_z + ring_low + 3;
    for (rail = rails) {
        pad = strip_end(strips[0], 1, rail[1]);
        y = rail[1] / 3 - 2;
        wire(rail[0], rail[0] == "Green" ? 1.3 : 2.2, [
            pad, pad + [6, 0, -5], [10 - floor_w / 2, y, 2], [6 - floor_w / 2, y, hole_z], [-outer_w / 2 - 30, y, hole_z],
        ]);
    }
}

// The frame upside down, as it lies on the table: its left wall stays left, its far wall is near. The strip lies on it.
module ring_2() rotate([180, 0, 0]) {
    frame();
    strip_pieces(true);
    strip_wires();
}

module ring_3() ring_2();

// The same corner with the strip on the channel's ceiling, its ends in the pockets.
module ring_4() rotate([180, 0, 0]) {
    frame();
    strip_pieces(false);
    top = floor_z + ring_low + ring_depth;
    for (rail = rails) {
        u = (rail[1] + 0.65) / sqrt(2);
        wire(rail[0], 1.3, [
            [floor_w / 2 + 5.7, floor_d / 2 + u, top - u - 1], [floor_w / 2 + 4, floor_d / 2 + 1.5, top - u - 3],
            [floor_w / 2 + u, floor_d / 2 - 1, top - u - 1],
        ]);
    }
}

// The wall cut through: the strip on its ceiling, a die next to it, the panel on its flange.
module ring_5() {
    color("Peru") render() wall(70);
    color("SteelBlue") translate([0, -60, flange_t]) cube([70, 60, panel_t]);
    translate([1.7, 0, floor_z + ring_low + ring_depth]) rotate([-45, 0, 0]) translate([0, 0.65, 0]) strip(4);
    color("Gold") translate([26, -26, floor_z]) cube(16);
}

// The small board and its six wires.
module ring_1() {
    for (b = bought) if (b[0] == "small board") color(b[1]) translate(b[2] - [ring_x, ring_y, 3])
        if (len(b[3]) == 2) cylinder(d = b[3][0], h = b[3][1]); else cube(b[3]);
    color("White") translate([39.2, 5, 1.6]) cube([1, 4, 16]);                                // GND stripe
    color("Black") translate([14.4, -2.8, 5.6]) cylinder(d = 2, h = 0.2);                    // pin 1
    for (i = [0:6], y = [-6.4, 1.4]) color("Silver") translate([14.9 + i * 2.54, y, 1.6]) cube([0.6, 0.6, 3]);
    color("Orange") translate([12.5, 6, 4]) rotate([90, 0, 0]) cylinder(d = 5, h = 2);           // 100 nF
    color("Tan") translate([21.5, -10, 3]) rotate([0, 90, 0]) cylinder(d = 2.4, h = 6);       // 330 ohm, from pin 3
    wire("Silver", 0.6, [[20.3, -6, 2], [20.3, -10, 3], [28, -10, 3]]);
    for (w = [["Red", 2.2, 28, 4.5], ["Black", 2.2, 25, 4.5]]) wire(w[0], w[1], [[w[2], 9, 2], [w[2], 14, w[3]], [w[2], 34, 2]]);
    for (w = [["Red", 2.2, 36], ["Black", 2.2, 33], ["Green", 1.3, 28]])
        wire(w[0], w[1], [[w[2], -10, 2], [w[2], -14, 4], [w[2], -34, 2]]);
    for (w = [["Green", 1.3, -5], ["Black", 1.3, -8]]) wire(w[0], w[1], [[12, w[2], 2], [8, w[2], 4], [-12, w[2], 2]]);
}

// The ring's plate with its boards, sockets on two of the pins, its wood screws above their holes.
module ring_6() {
    base();
    ring_boards();
    drive("4 x 16", "ring_plate", 30);
    routes();
}

// The ring's cables.
module ring_7() {
    base();
    frame();
    color("DimGray") put("arm_foot");
    post(150);
    pi();
    ring_boards();
    routes();
}

for (p = parts) if (p[0] == part) rotate(p[2]) one(part);
if (part == "fit_test") fit_test();
if (part == "assembly") assembly();
if (part == "frame_1") frame_1();
if (part == "frame_2") frame_2();
if (part == "frame_3") frame_3();
if (part == "arm_1") arm_1();
if (part == "arm_2") arm_2();
if (part == "arm_3") arm_3();
if (part == "arm_4") arm_4();
if (part == "pi_1") pi_1();
if (part == "pi_2") pi_2();
if (part == "box_1") box_1();
if (part == "box_2") box_2();
if (part == "box_3") box_3();
if (part == "ring_1") ring_1();
if (part == "ring_2") ring_2();
if (part == "ring_3") ring_3();
if (part == "ring_4") ring_4();
if (part == "ring_5") ring_5();
if (part == "ring_6") ring_6();
if (part == "ring_7") ring_7();
if (part == "wiring_1") wiring_1();
if (part == "wiring_2") wiring_2();
if (part == "wiring_3") wiring_3();
