/** In the place of where something ends: it is not there. */
export const fails = -1;
/** The text ends before it is decided. */
export const undecided = -2;
