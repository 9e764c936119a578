/** Returned instead of an end: there is no match. */
export const fails = -1;
/** Returned instead of an end: the text is too short to decide. */
export const undecided = -2;
