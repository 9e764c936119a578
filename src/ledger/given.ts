import { z } from 'zod';
import { exitCodes, type VerdictClass } from '../failure.ts';
import { labelsSchema } from '../contract/labels-schema.ts';
import { isWholeId } from '../stores/run-id.ts';
import type { RunFilter, StatsOptions } from '../stores/run-store.ts';
import { statuses } from './filter.ts';
import type { OutcomeOptions, LedgerImportOptions, LedgerOptions, FollowOptions, ListOptions, RecordsOptions } from './library.ts';

/** What an untyped caller may pass. */
type Fields<Given> = z.ZodType<{ [Name in keyof Given]: unknown }>;

const text = z.string().optional();
const words = z.array(z.string()).optional();
const number = z.number().optional();
const labels = labelsSchema().optional();
/** Infinity is allowed. */
const milliseconds = z
  .custom<number>((value) => typeof value === 'number' && value > 0, 'expected a positive number of milliseconds')
  .optional();
const signal = z.instanceof(AbortSignal).optional();

const expectedRun = 'expected an id, the beginning of one, or last';
export const Named = z.strictObject({ run: z.string(expectedRun).min(1, expectedRun) });

export const Options = z.strictObject({
  ledger: text,
  tapes: text,
  cwd: z.string().min(1).optional(),
  env: z.custom<object>((value) => typeof value === 'object' && value !== null, 'expected an object').optional(),
}) satisfies Fields<LedgerOptions>;

export const Filter = z.strictObject({
  status: z.array(z.enum(statuses)).optional(),
  class: z.array(z.enum(Object.keys(exitCodes) as VerdictClass[])).optional(),
  agent: words,
  model: words,
  user: words,
  host: words,
  repo: words,
  cwd: words,
  session: words,
  parent: words,
  root: words,
  top: z.boolean().optional(),
  labels,
  started_from: number,
  started_to: number,
  cost_min: number,
  cost_max: number,
  file: words,
  text,
}) satisfies Fields<RunFilter>;

export const Paged = z.strictObject({
  limit: z.int().min(1).max(10_000).optional(),
  after: z.string().refine(isWholeId, 'expected "next" of the previous page').optional(),
}) satisfies Fields<ListOptions>;

export const Read = z.strictObject({ after: z.int().nonnegative().optional() }) satisfies Fields<RecordsOptions>;

export const Listened = z.strictObject({ ...Read.shape, signal }) satisfies Fields<FollowOptions>;

export const Awaited = z.strictObject({ timeoutMs: milliseconds, signal }) satisfies Fields<OutcomeOptions>;

export const Grouped = z.strictObject({
  by: z.string(),
  timeZone: text,
  percentiles: z.boolean().optional(),
}) satisfies Fields<StatsOptions & { by: string }>;

export const Brought = z.strictObject({
  paths: z.union([z.string().min(1), z.array(z.string().min(1))]),
  from: text,
  labels,
  redact: z.boolean().optional(),
}) satisfies Fields<LedgerImportOptions & { paths: unknown }>;
