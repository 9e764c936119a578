import { z } from 'zod';
import { verdictClasses } from '../failure.ts';

const text = z.string();
const count = z.int().nonnegative();

const Verdict = z.strictObject({ class: z.enum(verdictClasses), exit_code: z.int() });
const Difference = z.strictObject({
  /** A file has its path. */
  what: z.enum(['verdict', 'answer', 'file']),
  path: text.optional(),
  recorded: text,
  now: text,
});

/** Where the agent asked what was not recorded. */
const DepartureReport = z.strictObject({
  request: count,
  /** The recorded request that is nearest. */
  recorded_request: count.optional(),
  target: text,
  /** The first field that differs, and how many others do. */
  path: text.optional(),
  call: text.optional(),
  recorded: text.optional(),
  now: text.optional(),
  others: count.optional(),
});

/** What "runwire replay" prints. */
export const ReplayReport = z.strictObject({
  run: text,
  agent: text,
  recorded_version: text.optional(),
  version: text.optional(),
  /** `different`: every request was answered, and yet it came to something else. */
  result: z.enum(['same', 'departed', 'different', 'interrupted']),
  /** The recorded run was stopped from outside, and this one at the same place: how they end is not compared. */
  is_cut_short: z.literal(true).optional(),
  requests: z.strictObject({
    recorded: count,
    answered: count,
    /** Those whose tools printed the same lines in another order. */
    reordered: z.array(count).optional(),
  }),
  departure: DepartureReport.optional(),
  verdict: z.strictObject({ recorded: Verdict, now: Verdict }),
  differences: z.array(Difference),
  /** Unset: which files the recorded run changed is not known. */
  files: count.optional(),
  network: z.strictObject({ mode: text, stopped: count.optional() }),
  duration_ms: z.number(),
});
export type ReplayReport = z.infer<typeof ReplayReport>;

const changeAreas = [
  'system',
  'tool',
  'parameter',
  'context',
  'result',
  'request',
  'event',
  'unknown',
  'exit',
  'tokens',
] as const;

/** Something that another version of an agent does otherwise. */
const Change = z.strictObject({
  area: z.enum(changeAreas),
  what: text,
  change: z.enum(['added', 'removed', 'changed']),
  detail: text.optional(),
  recorded: text.optional(),
  now: text.optional(),
  /** In how many requests, and in which runs. */
  count: count,
  runs: z.array(text),
});
export type Change = z.infer<typeof Change>;

const RehearsedRun = z.strictObject({
  run: text,
  title: text,
  recorded_version: text.optional(),
  version: text.optional(),
  result: z.enum(['same', 'departed', 'different', 'interrupted', 'failed']),
  /** Why it could not be rehearsed. */
  reason: text.optional(),
  requests: z.strictObject({ recorded: count, answered: count }).optional(),
  departure: DepartureReport.optional(),
  verdict: z.strictObject({ recorded: Verdict, now: Verdict }).optional(),
  differences: z.array(Difference),
  /** Of all that was asked, without what changes from run to run. */
  request_bytes: z.strictObject({ recorded: count, now: count }).optional(),
});
export type RehearsedRun = z.infer<typeof RehearsedRun>;

/** What "runwire rehearse" prints. */
export const RehearsalReport = z.strictObject({
  agent: text,
  version: text.optional(),
  runs: z.array(RehearsedRun),
  changes: z.array(Change),
  /** How many runs end in another verdict, or did not come to their end. */
  verdict_changes: count,
});
export type RehearsalReport = z.infer<typeof RehearsalReport>;

export const replaySchemas = { replay: ReplayReport, rehearsal: RehearsalReport } as const;
