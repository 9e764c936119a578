import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import { thisProcess } from '../../../src/processes/owner.ts';
import { newRunId } from '../../../src/ids/run-id.ts';
import type { NewRun } from '../../../src/stores/run-store.ts';

export const noon = Date.UTC(2026, 10, 15, 12);

export function newRun(fields: Partial<NewRun> = {}): NewRun {
  const started_at = fields.started_at ?? noon;
  return {
    id: newRunId(started_at),
    started_at,
    prompt: 'Fix the parser',
    labels: {},
    owner: thisProcess(),
    ...fields,
  };
}

export type Changes = { [Field in keyof RunOutcome]?: Partial<RunOutcome[Field]> };

/** A small successful outcome, but for these changes. */
export function outcomeWith(changes: Changes = {}): RunOutcome {
  return {
    session_id: 's-1',
    status: 'success',
    message: 'The parser is fixed.',
    artifacts: [{ path: 'src/parser.ts', operation: 'modified', type: 'file' }],
    tool_calls: [
      { name: 'bash', inputs: { command: 'npm test' }, outputs: 'ok 12', duration_ms: 40, status: 'completed' },
    ],
    warnings: ['retry 1: overloaded'],
    limits_hit: [],
    ...(changes as Partial<RunOutcome>),
    metrics: {
      start_time_ms: noon,
      end_time_ms: noon + 2500,
      duration_ms: 2500,
      tokens_used: 120,
      input_tokens: 100,
      output_tokens: 20,
      cost: 0.25,
      cost_source: 'reported',
      model_name: 'anthropic/claude-x',
      api_calls_count: 1,
      tool_calls_count: 1,
      turns: 2,
      ...changes.metrics,
    },
    metadata: {
      session_id: 's-1',
      attempt_number: 1,
      retry_count: 0,
      initial_prompt: 'Fix the parser',
      ...changes.metadata,
    },
    verdict: {
      class: 'success',
      exit_code: 0,
      evidence: [{ signal: 'verdict', detail: 'all is well' }],
      ...changes.verdict,
    },
    provenance: {
      agent: 'claude',
      version: '2.1',
      dialect: 'claude',
      runwire_version: '0.1.0',
      unknown_lines: 0,
      notes: [],
      ...changes.provenance,
    },
  };
}
