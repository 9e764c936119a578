/** The `status` of a line beside the answer. */
export const noteStatuses: ReadonlySet<unknown> = new Set(['info', 'success', 'warning', 'error']);

/** All fields that such a line can have. */
export const noteFields: ReadonlySet<string> = new Set(['status', 'message', 'contextUsage', 'historyLength']);

/** Printed on stderr if there is nothing to do. */
export const noPrompt = 'A prompt is required when using the -p/--print flag';

/** The beginning of the object that wraps an answer which is not JSON. */
export const wrapping = '{"response":';
