/** What the rows of a report are. */
export const groupings = ['daily', 'weekly', 'monthly', 'session', 'project', 'model', 'agent'] as const;
export type Grouping = (typeof groupings)[number];
