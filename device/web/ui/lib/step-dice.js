// @ts-check
// Dice with more than six sides.

/** The corners of each die's familiar outline, 64 wide, by its number of sides. @type {Record<number, string>} */
export const OUTLINES = {
  8: "32,4 58,32 32,60 6,32",
  10: "32,4 59,27 50,44 32,60 14,44 5,27",
  12: "32,4 50,10 60,25 60,41 50,55 32,60 14,55 4,41 4,25 14,10",
};

/** The values of a die's faces. @param {number} sides */
export const valuesOf = (sides) => Array.from({ length: sides }, (_, index) => index + 1);

/**
 * The name of a die's kind after that of its class, as in " d8"; nothing for six sides.
 * @param {number | undefined} sides
 */
export const kindWord = (sides = 6) => (OUTLINES[sides] ? ` d${sides}` : "");
