import { z } from 'zod';
import { labelTrouble } from './label-limits.ts';
import type { Labels } from './labels.ts';

const Texts = z.record(z.string(), z.string());

/** Labels that a caller gives, or that another machine reports with what it added itself. Their number is checked first: to look at each takes time. */
export function labelsSchema(most?: number): z.ZodType<Record<string, string>> {
  return z.preprocess((given, context) => {
    if (typeof given !== 'object' || given === null) return given;
    const message = labelTrouble(given as Labels, most);
    if (message === undefined) return given;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  }, Texts);
}
