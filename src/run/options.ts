import { z } from 'zod';
import type { Fields } from '../contract/field.ts';
import { fields, optionOf } from '../contract/requested.ts';
import { kit } from '../contract/spec.ts';
import { Rule } from '../expect/rule.ts';
import { checkGiven } from '../ledger/check-given.ts';
import type { RunOptions } from './library.ts';

const anObject = z.custom<object>((value) => typeof value === 'object' && value !== null, 'expected an object');

/** What the library takes in another form than a spec, or that is none of a spec's business. */
const own = {
  command: z.array(z.string()).min(1),
  price: z.strictObject({
    input: z.number(),
    output: z.number(),
    cacheRead: z.number().optional(),
    cacheWrite: z.number().optional(),
    cacheWriteHour: z.number().optional(),
  }),
  outputSchema: anObject,
  expect: z.array(z.union([z.string(), Rule])),
  cwd: z.string().min(1),
  env: anObject,
  passEnv: z.array(z.string()),
  ledger: z.string(),
  otel: z.string(),
  tapes: z.string(),
  parent: anObject,
  signal: z.instanceof(AbortSignal),
} satisfies Partial<Record<keyof RunOptions, z.ZodType>>;

const Limits = z.strictObject(optionsIn(({ under }) => under === 'limits')).partial();
const Options = z.strictObject({ ...optionsIn(({ under }) => under !== 'limits'), ...own, limits: Limits }).partial();

function optionsIn(isWanted: (field: (typeof fields)[number]) => boolean): Record<string, z.ZodType> {
  const entries = fields.filter(isWanted).flatMap((each) => {
    const option = optionOf(each);
    return option === undefined ? [] : [[option, (each.field as Fields[string]).schema(kit)] as const];
  });
  return Object.fromEntries(entries);
}

/** Throws `Failure` for invalid options from a caller without types: a limit that cannot be read would be no limit. */
export function checkOptions(options: unknown): void {
  checkGiven('run()', Options, options);
}
