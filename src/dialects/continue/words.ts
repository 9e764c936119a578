/** `status` of a line beside the answer. */
export const noteStatuses: ReadonlySet<unknown> = new Set(['info', 'success', 'warning', 'error']);

/** All that such a line has. */
export const noteFields: ReadonlySet<string> = new Set(['status', 'message', 'contextUsage', 'historyLength']);

/** Said on stderr where there is nothing to do. */
export const noPrompt = 'A prompt is required when using the -p/--print flag';

/** How the object begins that an answer is put into which is not JSON itself. */
export const wrapping = '{"response":';
