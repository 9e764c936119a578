/** The `system` subtype under which Runwire writes logs and passing errors, which have no line of their own in this dialect. */
export const foreignSubtype = 'runwire';
