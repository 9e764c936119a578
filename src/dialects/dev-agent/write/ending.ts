import type { RunOutcome, ToolCall } from '../../../outcome/outcome.ts';
import { treeUsage } from '../../../outcome/tree-usage.ts';
import { present } from '../../../json/present.ts';
import type { JsonObject } from '../../../json/json.ts';
import { statusOfClass } from '../words.ts';
import { messagePreview, shorten } from './preview.ts';

/** The report in the last line, repeated after it for people: the outcome in dev-agent's terms. */
export function writeEnding(outcome: RunOutcome, runId?: string): JsonObject & { status: string; summary: string } {
  const { verdict, message, error_details, metadata } = outcome;
  const status = statusOfClass[verdict.class] ?? 'error';
  const isFinished = status === 'completed';
  const failure = error_details?.message || (verdict.evidence[0]?.detail ?? '');
  return {
    task: metadata.initial_prompt,
    status,
    // The status has four words; this is the class of the verdict.
    ...(isFinished ? {} : { reason: verdict.class }),
    summary: shorten(isFinished ? message || 'Completed without a message.' : failure, messagePreview).text,
    is_finished: isFinished,
    ...present({ run_id: runId }),
    ...(isFinished ? {} : { error: { message: failure } }),
    message,
    ...present({ lineage: lineageOf(outcome.lineage), publish: outcome.publish && present(outcome.publish) }),
    usage: present(treeUsage([outcome])),
    metrics: present(outcome.metrics),
    ...present({
      usage_by_model: outcome.usage_by_model?.map(present),
      children: outcome.children && present(outcome.children),
    }),
    artifacts: outcome.artifacts.map(present),
    tool_calls: outcome.tool_calls.map(toolSummary),
    warnings: outcome.warnings,
    limits_hit: outcome.limits_hit.map(present),
    verdict: present(verdict),
    ...present({ omitted: outcome.omitted && present(outcome.omitted) }),
  };
}

function lineageOf(lineage: RunOutcome['lineage']): JsonObject | undefined {
  return lineage && present({ ...lineage, branches: lineage.branches.map(present) });
}

function toolSummary({ name, status, reason, duration_ms }: ToolCall): JsonObject {
  return present({ name, status, reason, duration_ms });
}
