import type { RunOutcome, ToolCall } from '../../../outcome/outcome.ts';
import { treeUsage } from '../../../outcome/tree-usage.ts';
import type { JsonObject } from '../../dialect.ts';
import { compact } from '../../read.ts';
import { statusOfClass } from '../words.ts';
import { messagePreview, shorten } from './preview.ts';

/** The report that the last line carries, and that follows it once more for people: the outcome in the words of dev-agent. */
export function finalReport(outcome: RunOutcome): JsonObject & { status: string; summary: string } {
  const { verdict, message, error_details, metadata } = outcome;
  const status = statusOfClass[verdict.class] ?? 'error';
  const isFinished = status === 'completed';
  const failure = error_details?.message || (verdict.evidence[0]?.detail ?? '');
  return {
    task: metadata.initial_prompt,
    status,
    summary: shorten(isFinished ? message || 'Completed without a message.' : failure, messagePreview).text,
    is_finished: isFinished,
    ...(isFinished ? {} : { error: { message: failure } }),
    message,
    ...compact({ lineage: lineageOf(outcome.lineage), publish: outcome.publish && compact(outcome.publish) }),
    usage: compact(treeUsage([outcome])),
    metrics: compact(outcome.metrics),
    ...compact({ usage_by_model: outcome.usage_by_model?.map(compact), children: outcome.children && compact(outcome.children) }),
    artifacts: outcome.artifacts.map(compact),
    tool_calls: outcome.tool_calls.map(toolSummary),
    warnings: outcome.warnings,
    limits_hit: outcome.limits_hit.map(compact),
    verdict: compact(verdict),
    ...compact({ omitted: outcome.omitted && compact(outcome.omitted) }),
  };
}

function lineageOf(lineage: RunOutcome['lineage']): JsonObject | undefined {
  return lineage && compact({ ...lineage, branches: lineage.branches.map(compact) });
}

function toolSummary({ name, status, reason, duration_ms }: ToolCall): JsonObject {
  return compact({ name, status, reason, duration_ms });
}
