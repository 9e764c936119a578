import type { z } from 'zod';
import { Failure } from '../failure.ts';

/** Throws `Failure` if an untyped caller passes an invalid value: an unreadable limit or filter would otherwise be ignored. */
export function checkGiven(called: string, schema: z.ZodType, value: unknown): void {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  if (issue === undefined) return;
  const place = issue.path.join('.');
  const what =
    issue.code === 'unrecognized_keys'
      ? `${place === '' ? '' : `${place}: `}unknown option ${issue.keys.join(', ')}`
      : `${place === '' ? 'options' : place}: ${issue.message}`;
  throw new Failure('input', `${called}: ${what}`);
}
