import { cutText, listLimit, textLimit } from '../outcome/bounded.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { present } from '../json/present.ts';
import type { Attempt, LedgerOutcome, ToolCallSummary } from './run-store.ts';

/** How much of a run the ledger keeps; of more, the beginning and the end. */
export interface Limits {
  /** The prompt and the answer. */
  answer: number;
  stack: number;
  /** Any other text. */
  text: number;
  list: number;
}

const usualLimits: Limits = { answer: 256 * 1024, stack: 16 * 1024, text: textLimit, list: listLimit };

/** The outcome without the inputs and outputs of tools, and with a limit on every list and text. */
export function ledgerOutcome(outcome: RunOutcome | LedgerOutcome, limits: Limits = usualLimits): LedgerOutcome {
  const toolCalls = ends(outcome.tool_calls, limits.list);
  const artifacts = ends(outcome.artifacts, limits.list);
  const warnings = ends(outcome.warnings, limits.list);
  const branches = ends(outcome.lineage?.branches ?? [], limits.list);
  const claims = ends(outcome.claims ?? [], limits.list);
  const omitted = positive({
    tool_calls: (outcome.omitted?.tool_calls ?? 0) + toolCalls.omitted,
    artifacts: (outcome.omitted?.artifacts ?? 0) + artifacts.omitted,
    warnings: (outcome.omitted?.warnings ?? 0) + warnings.omitted,
    claims: (outcome.omitted?.claims ?? 0) + claims.omitted,
    branches: (outcome.omitted?.branches ?? 0) + branches.omitted,
  });
  const { omitted: _before, error_details: error, usage_over_time, ...rest } = outcome;
  return {
    ...boundedTexts(
      {
        ...rest,
        artifacts: artifacts.kept,
        tool_calls: toolCalls.kept.map(summaryOf),
        warnings: warnings.kept,
        ...(outcome.claims === undefined ? {} : { claims: claims.kept }),
        ...(outcome.lineage === undefined ? {} : { lineage: { ...outcome.lineage, branches: branches.kept } }),
      },
      limits,
    ),
    message: bounded(outcome.message, limits.answer),
    metadata: {
      ...boundedTexts(outcome.metadata, limits),
      initial_prompt: bounded(outcome.metadata.initial_prompt, limits.answer),
    },
    ...present({
      // A part of it would not add up to the whole.
      usage_over_time,
      error_details: error === undefined ? undefined : boundedTexts(error, { ...limits, text: limits.stack }),
      omitted,
    }),
  };
}

/** The prompt of a run that has just begun, cut as that of an outcome is. */
export function boundedPrompt(prompt: string, limits: Limits = usualLimits): string {
  return bounded(prompt, limits.answer);
}

/** The attempts at a run; of too many, the first and the last. */
export function boundedAttempts(attempts: readonly Attempt[], limits: Limits = usualLimits): Attempt[] {
  return boundedTexts(ends(attempts, limits.list).kept, limits);
}

/** A name, a path or an id can be megabytes of anything, and a list may be of any length. */
function boundedTexts<Value>(value: Value, limits: Limits): Value;
function boundedTexts(value: unknown, limits: Limits): unknown {
  if (typeof value === 'string') return bounded(value, limits.text);
  if (Array.isArray(value)) return ends(value, limits.list).kept.map((each: unknown) => boundedTexts(each, limits));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).slice(0, listLimit);
  return Object.fromEntries(fields.map(([key, each]) => [key, boundedTexts(each, limits)]));
}

function summaryOf({ name, status, reason, duration_ms }: ToolCallSummary): ToolCallSummary {
  return { name, ...present({ duration_ms }), status, ...present({ reason }) };
}

/** A text that was cut before is a little longer than the limit, and is not cut again. */
function bounded(text: string, limit: number): string {
  return text.length <= limit + 100 ? text : cutText(text, limit);
}

/** The first and the last halves of a list that is too long. */
function ends<Entry>(list: readonly Entry[], limit: number): { kept: Entry[]; omitted: number } {
  const omitted = Math.max(0, list.length - limit);
  return { kept: omitted === 0 ? [...list] : [...list.slice(0, limit / 2), ...list.slice(-limit / 2)], omitted };
}

function positive(counts: Record<keyof NonNullable<RunOutcome['omitted']>, number>): RunOutcome['omitted'] {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.length === 0 ? undefined : Object.fromEntries(some);
}
