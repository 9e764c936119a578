/** The version of the event model, the tape and the outcome; docs/event-model.md says how it may change. */
export const eventVersion = '1.3';
