import { z } from 'zod';
import { labelsSchema } from '../contract/labels-schema.ts';
import { filterShape } from '../contract/row-filters.ts';
import { isWholeId } from '../ids/run-id.ts';
import type { StatsOptions } from '../stores/run-store.ts';
import type {
  OutcomeOptions,
  LedgerImportOptions,
  LedgerOptions,
  FollowOptions,
  ListOptions,
  RecordsOptions,
} from './library.ts';

/** What an untyped caller may pass. */
type Fields<Given> = z.ZodType<{ [Name in keyof Given]: unknown }>;

const text = z.string().optional();
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

export const Filter = z.strictObject(filterShape({ z, labels: labelsSchema() }));

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
  tape: z.boolean().optional(),
}) satisfies Fields<LedgerImportOptions & { paths: unknown }>;
