/** The prompt for resuming a session that broke off, which already contains the task. */
export const continuePrompt =
  'The last attempt broke off before it was finished. Go on from where it stopped and finish the task.';
