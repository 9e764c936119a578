import { z } from 'zod';
import { labelTrouble } from './label-limits.ts';

/** Labels that a caller gives, or that another machine reports with what it added itself. */
export function labelsSchema(most?: number) {
  return z.record(z.string(), z.string()).superRefine((labels, context) => {
    const message = labelTrouble(labels, most);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}
