import { cutText, listLimit, textLimit } from '../outcome/bounded.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { present } from '../present.ts';
import type { Attempt, LedgerOutcome, ToolCallSummary } from './run-store.ts';

/** Of a longer prompt or answer only the beginning and the end are kept. */
const longestText = 256 * 1024;
const longestStack = 16 * 1024;

/** The outcome without the inputs and outputs of tools, and with a limit on every list and text. */
export function ledgerOutcome(outcome: RunOutcome | LedgerOutcome): LedgerOutcome {
  const toolCalls = ends(outcome.tool_calls);
  const artifacts = ends(outcome.artifacts);
  const warnings = ends(outcome.warnings);
  const branches = ends(outcome.lineage?.branches ?? []);
  const omitted = positive({
    tool_calls: (outcome.omitted?.tool_calls ?? 0) + toolCalls.omitted,
    artifacts: (outcome.omitted?.artifacts ?? 0) + artifacts.omitted,
    warnings: (outcome.omitted?.warnings ?? 0) + warnings.omitted,
    branches: (outcome.omitted?.branches ?? 0) + branches.omitted,
  });
  const { omitted: _before, error_details: error, ...rest } = outcome;
  return {
    ...boundedTexts(
      {
        ...rest,
        artifacts: artifacts.kept,
        tool_calls: toolCalls.kept.map(summaryOf),
        warnings: warnings.kept,
        ...(outcome.lineage === undefined ? {} : { lineage: { ...outcome.lineage, branches: branches.kept } }),
      },
      textLimit,
    ),
    message: bounded(outcome.message, longestText),
    metadata: {
      ...boundedTexts(outcome.metadata, textLimit),
      initial_prompt: bounded(outcome.metadata.initial_prompt, longestText),
    },
    ...present({ error_details: error === undefined ? undefined : boundedTexts(error, longestStack), omitted }),
  };
}

/** The prompt of a run that has just begun, cut as that of an outcome is. */
export function boundedPrompt(prompt: string): string {
  return bounded(prompt, longestText);
}

/** The attempts at a run; of too many, the first and the last. */
export function boundedAttempts(attempts: readonly Attempt[]): Attempt[] {
  return boundedTexts(ends(attempts).kept, textLimit);
}

/** A name, a path or an id can be megabytes of anything, and a list may be of any length. */
function boundedTexts<Value>(value: Value, limit: number): Value;
function boundedTexts(value: unknown, limit: number): unknown {
  if (typeof value === 'string') return bounded(value, limit);
  if (Array.isArray(value)) return ends(value).kept.map((each: unknown) => boundedTexts(each, limit));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).slice(0, listLimit);
  return Object.fromEntries(fields.map(([key, each]) => [key, boundedTexts(each, limit)]));
}

function summaryOf({ name, status, reason, duration_ms }: ToolCallSummary): ToolCallSummary {
  return { name, ...present({ duration_ms }), status, ...present({ reason }) };
}

/** A text that was cut before is a little longer than the limit, and is not cut again. */
function bounded(text: string, limit: number): string {
  return text.length <= limit + 100 ? text : cutText(text, limit);
}

/** The first and the last halves of a list that is too long. */
function ends<Entry>(list: readonly Entry[]): { kept: Entry[]; omitted: number } {
  const omitted = Math.max(0, list.length - listLimit);
  return { kept: omitted === 0 ? [...list] : [...list.slice(0, listLimit / 2), ...list.slice(-listLimit / 2)], omitted };
}

function positive(counts: Record<keyof NonNullable<RunOutcome['omitted']>, number>): RunOutcome['omitted'] {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.length === 0 ? undefined : Object.fromEntries(some);
}
