import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import { newRunId } from '../../../src/ids/run-id.ts';
import type { ImportedRun, RunRecord } from '../../../src/stores/run-store.ts';
import { openSqlite } from '../../../src/stores/sqlite.ts';
import { atFileEnd } from '../../support/at-file-end.ts';
import { type Result, runwire } from '../../support/command.ts';
import { inside } from '../run/live.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** A folder that is gone after the tests of its file. */
export function temporary(): string {
  const path = mkdtempSync(join(tmpdir(), 'runwire-runs-'));
  atFileEnd(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export const newLedger = (): string => join(temporary(), 'ledger.db');

interface Given {
  stdin?: string;
  env?: Record<string, string>;
}

/** `runwire runs …` on a ledger, from the project's root. */
export async function runs(
  ledger: string,
  [first = 'list', ...rest]: readonly string[],
  { stdin = '', env }: Given = {},
): Promise<Result> {
  const given = { cwd: root, stdin, env: { ...process.env, ...env } };
  const { stdout, stderr, status } = await inside(['runs', first, '--ledger', ledger, ...rest], given);
  return { stdout, stderr, status };
}

/** The same in a process of its own, as a user types it. */
export const runsProgram = (
  ledger: string,
  [first = 'list', ...rest]: readonly string[],
  given: Given = {},
): Promise<Result> => runwire(['runs', first, '--ledger', ledger, ...rest], given);

export function jsonLines<Value>(text: string): Value[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Value);
}

export async function exported(ledger: string): Promise<RunRecord[]> {
  return jsonLines<RunRecord>((await runs(ledger, ['export'])).stdout);
}

export interface Sample extends Partial<Omit<ImportedRun, 'outcome'>> {
  prompt?: string;
  answer?: string;
  verdict?: RunOutcome['verdict']['class'];
  metrics?: Partial<RunOutcome['metrics']>;
  more?: Partial<RunOutcome>;
}

/** Long ago, so that a list shows dates and not how long ago it was. */
export const day = (number: number): number => Date.UTC(2025, 2, number, 12);

export function sample(number: number, given: Sample = {}): ImportedRun {
  const { prompt = `Task ${number}`, answer = `Answer ${number}`, verdict = 'success', metrics, more, ...run } = given;
  const startedAt = run.started_at ?? day(number);
  const outcome: RunOutcome = {
    session_id: `session-${number}`,
    status: verdict === 'success' || verdict === 'cancelled' || verdict === 'incomplete' ? verdict : 'error',
    message: answer,
    metrics: { cost_source: 'unknown', api_calls_count: 1, tool_calls_count: 0, turns: 1, ...metrics },
    artifacts: [],
    tool_calls: [],
    warnings: [],
    metadata: { session_id: `session-${number}`, attempt_number: 1, retry_count: 0, initial_prompt: prompt },
    verdict: {
      class: verdict,
      exit_code: verdict === 'success' ? 0 : 4,
      evidence: [{ signal: 'claim', detail: 'ok' }],
    },
    limits_hit: [],
    provenance: { agent: 'claude', dialect: 'claude', runwire_version: '0.1.0', unknown_lines: 0, notes: [] },
    ...more,
  };
  return {
    id: newRunId(
      startedAt,
      Uint8Array.from({ length: 16 }, (_, index) => (number * 7 + index * 3) % 32),
    ),
    key: `sample-${number}`,
    ended_at: startedAt + 1000,
    labels: {},
    ...run,
    started_at: startedAt,
    outcome,
  };
}

export async function fill(ledger: string, samples: readonly ImportedRun[]): Promise<void> {
  const store = await openSqlite(ledger);
  for (const each of samples) await store.put(each);
  await store.close();
}

/** Anything that a terminal would obey; colours are ours only on a terminal. */
// eslint-disable-next-line no-control-regex -- control characters are what this looks for
export const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

export const hostile = '\u001b[2J\u001b]0;owned\u0007\r\nrunwire: success\u202egnp.exe\u009b1A\u2028=1+1';
