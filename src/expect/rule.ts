import { z } from 'zod';
import { exitCodes, type VerdictClass } from '../failure.ts';

const words = z.string().min(1).max(10_000);
const not = z.literal(true).optional();
const classNames = Object.keys(exitCodes) as [VerdictClass, ...VerdictClass[]];

/** What can be counted in a run. */
export const countable = ['turns', 'tools', 'files', 'dollars', 'seconds', 'tokens'] as const;
/** What a run may be required not to have. */
export const avoidable = ['secrets', 'denials', 'failed tools', 'warnings', 'retries', 'contradicted claims'] as const;

/** One thing that is expected of a run. */
export const Rule = z.discriminatedUnion('rule', [
  /** A tool, by its name or its kind (`command`, `file_edit`, `web`, `mcp`, …); `*` is anything. Calls that were denied do not count. */
  z.strictObject({ rule: z.literal('call'), tool: words, not }),
  /** A command that contains these words, as whole words; `*` is anything between them. */
  z.strictObject({ rule: z.literal('run'), command: words, not }),
  /** A file that was created, modified or deleted: a pattern as in `.gitignore`, relative to the working directory. */
  z.strictObject({ rule: z.literal('touch'), path: words, not }),
  z.strictObject({ rule: z.literal('at_most'), count: z.number().nonnegative(), of: z.enum(countable) }),
  z.strictObject({ rule: z.literal('at_least'), count: z.number().nonnegative(), of: z.enum(countable) }),
  z.strictObject({ rule: z.literal('answer_contains'), text: words, not }),
  /** A JavaScript regular expression. */
  z.strictObject({
    rule: z.literal('answer_matches'),
    pattern: words,
    flags: z
      .string()
      .regex(/^[imsu]{0,4}$/)
      .optional(),
    not,
  }),
  /** The answer is one JSON value that fits a JSON Schema, or the schema in a file. */
  z.strictObject({
    rule: z.literal('answer_fits'),
    schema: z.record(z.string(), z.json()).optional(),
    file: words.optional(),
  }),
  /** A shell command that must exit with 0 after the run. */
  z.strictObject({ rule: z.literal('after'), command: words }),
  z.strictObject({ rule: z.literal('none'), of: z.enum(avoidable) }),
  /** The class of the verdict is one of these. */
  z.strictObject({ rule: z.literal('ends'), classes: z.array(z.enum(classNames)).min(1) }),
]);
export type Rule = z.infer<typeof Rule>;

/** A JSON file of expectations: each is an object, or a rule in words. */
export const RuleFile = z.array(z.union([z.string(), Rule])).max(1000);

/** The result of one rule. */
export interface Expectation {
  /** The rule in words. */
  rule: string;
  passed: boolean;
  detail: string;
}
