/** What an agent is told when it resumes a session that broke off; the task itself is in there already. */
export const continuePrompt = 'The last attempt broke off before it was finished. Go on from where it stopped and finish the task.';
