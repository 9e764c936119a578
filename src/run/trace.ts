import { callSpanId, runSpanId, traceIdOf } from '../telemetry/ids.ts';
import { isSampled, type Sampler } from '../telemetry/sampler.ts';
import { parseTraceParent, type TraceContext, traceParent } from '../telemetry/trace-context.ts';
import type { Environment } from '../words/vocabulary.ts';
import { present } from '../json/present.ts';

/** A run's place in a trace. */
export interface RunTrace extends TraceContext {
  /** The span of the run itself. */
  spanId: string;
  /** It was started inside another span, which cannot be derived from its ids. */
  isJoined: boolean;
}

/** The run that starts this one, and the tool call that does so. */
interface Above {
  runId: string;
  rootRunId: string;
  itemId: string | undefined;
  trace: RunTrace | undefined;
}

interface TraceOptions {
  id: string;
  above: Above | undefined;
  /** A run in the ledger that has its own process. */
  parent: { run_id: string; root_run_id: string } | undefined;
  env: Environment;
  sampler: Sampler | undefined;
}

/** Below the run that starts it, else in the trace that `TRACEPARENT` names, else at the top of its own. Undefined: no trace is wanted. */
export function traceOf(
  { id, above, parent, env, sampler }: TraceOptions,
  warn: (message: string) => void,
): RunTrace | undefined {
  if (above !== undefined) {
    const { runId, rootRunId, itemId, trace = { traceId: traceIdOf(rootRunId), isSampled: true } } = above;
    const parentSpanId = itemId === undefined ? runSpanId(runId) : callSpanId(runId, itemId);
    return { ...trace, spanId: runSpanId(id), parentSpanId, isJoined: true };
  }
  const given = env['TRACEPARENT'];
  if (sampler === undefined && (given === undefined || given === '')) return undefined;
  const joined = given === undefined || given === '' ? undefined : parseTraceParent(given, env['TRACESTATE']);
  if (joined === undefined && given !== undefined && given !== '')
    warn(
      'TRACEPARENT is not a trace context such as 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01: it is ignored',
    );
  const traceId = joined?.traceId ?? traceIdOf(parent?.root_run_id ?? id);
  return {
    ...joined,
    traceId,
    spanId: runSpanId(id),
    parentSpanId: joined?.parentSpanId ?? (parent === undefined ? undefined : runSpanId(parent.run_id)),
    isSampled: sampler === undefined ? (joined?.isSampled ?? true) : isSampled(sampler, traceId, joined?.isSampled),
    isJoined: joined !== undefined,
  };
}

/** The `traceparent` of a run's first record; undefined: its ids are enough. */
export function startedIn(trace: RunTrace | undefined): string | undefined {
  if (trace?.isJoined !== true || trace.parentSpanId === undefined) return undefined;
  return traceParent(trace.traceId, trace.parentSpanId, trace.isSampled);
}

/** Variables for an agent, so that its own spans appear below the run; a run that sends no spans passes on what it was given. */
export function traceVariables(trace: RunTrace | undefined, isTold: boolean): Record<string, string> {
  const spanId = isTold ? trace?.spanId : trace?.isJoined === true ? trace.parentSpanId : undefined;
  if (trace === undefined || spanId === undefined) return {};
  return {
    TRACEPARENT: traceParent(trace.traceId, spanId, trace.isSampled),
    ...present({ TRACESTATE: trace.state }),
  };
}
