// The ledger as ratios within one run: questions against the same SQL typed by hand, bytes against raw logs, a run with and without.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { RunOutcome } from '../src/outcome/outcome.ts';
import { Reader } from '../src/pipeline/reader.ts';
import { ledgerOutcome } from '../src/stores/ledger-outcome.ts';
import { leastRunId, newRunId } from '../src/ids/run-id.ts';
import { writeOutcome } from '../src/stores/rows.ts';
import type { RunStore } from '../src/stores/run-store.ts';
import { openSqlite } from '../src/stores/sqlite.ts';
import { wordsOf } from '../src/stores/words.ts';
import { longRun } from './data.ts';

const day = 86_400_000;
const lastDay = Date.UTC(2026, 10, 15);
const agents = ['claude', 'codex', 'opencode', 'gemini', 'pi'];
const models = ['anthropic/claude-x', 'openai/gpt-y', 'google/gemini-z'];
const topics =
  'parser login cache index button report query window socket letter ticket invoice camera driver engine'.split(' ');

function pick<T>(list: readonly T[], seed: number): T {
  return list[seed % list.length] as T;
}

function madeUp(index: number): { outcome: RunOutcome; at: number; team: string } {
  const hash = Math.imul(index + 1, 2_654_435_761) >>> 0;
  const failed = hash % 10 === 0;
  const at = lastDay - Math.floor((index * 2 * 365 * day) / 1_000_000) - (hash % 1000);
  const topic = pick(topics, hash >>> 3);
  const outcome: RunOutcome = {
    session_id: `session-${index}`,
    status: failed ? 'error' : 'success',
    message: `The ${topic} works again: ${pick(topics, hash >>> 7)} and ${pick(topics, hash >>> 11)} were changed, case${hash % 50_000} is covered.`,
    metrics: {
      start_time_ms: at,
      end_time_ms: at + (hash % 60_000),
      duration_ms: hash % 60_000,
      input_tokens: hash % 50_000,
      output_tokens: hash % 3000,
      tokens_used: (hash % 50_000) + (hash % 3000),
      cost: (hash % 1000) / 500,
      cost_source: 'reported',
      model_name: pick(models, hash >>> 5),
      api_calls_count: 2,
      tool_calls_count: 2,
      turns: 3,
    },
    artifacts: [{ path: `src/${topic}.ts`, operation: 'modified', type: 'file' }],
    tool_calls: [
      { name: 'read', inputs: {}, duration_ms: 3, status: 'completed' },
      { name: 'bash', inputs: {}, duration_ms: 900, status: failed ? 'error' : 'completed' },
    ],
    warnings: [],
    metadata: {
      session_id: `session-${index}`,
      attempt_number: 1,
      retry_count: 0,
      initial_prompt: `Please repair the ${topic} (case ${hash % 50_000})`,
    },
    verdict: {
      class: failed ? 'tool' : 'success',
      exit_code: failed ? 3 : 0,
      evidence: [{ signal: 'verdict', detail: 'made up' }],
    },
    limits_hit: [],
    provenance: {
      agent: pick(agents, hash >>> 9),
      version: '1.0',
      dialect: 'runwire',
      runwire_version: '0.1.0',
      unknown_lines: 0,
      notes: [],
    },
  };
  return { outcome, at, team: `team-${hash % 40}` };
}

/** As many runs as wanted, in a ledger made by the store and filled by hand: a transaction each would take minutes. */
export async function fillLedger(path: string, count: number): Promise<void> {
  await (await openSqlite(path)).close();
  const database = new DatabaseSync(path);
  database.exec('pragma synchronous = off; pragma cache_size = -400000');
  const run = database.prepare(
    `insert into runs (seq, id, status, class, exit_code, agent, model, started_at, ended_at, duration_ms, input_tokens, output_tokens, cost, cost_source,
      turns, tool_calls, artifacts, warnings, heartbeat_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'reported', 3, 2, 1, 0, ?)`,
  );
  const document = database.prepare('insert into documents (seq, prompt, outcome, session_id) values (?, ?, ?, ?)');
  const label = database.prepare("insert into labels (key, value, run) values ('team', ?, ?)");
  const words = database.prepare('insert into words (rowid, text) values (?, ?)');
  database.exec('begin');
  for (let index = count; index > 0; index -= 1) {
    const { outcome, at, team } = madeUp(index);
    const { metrics, verdict, provenance, metadata } = outcome;
    const id = newRunId(at);
    const seq = count - index + 1;
    const tokens = [metrics.input_tokens ?? null, metrics.output_tokens ?? null, metrics.cost ?? null];
    const who = [provenance.agent ?? null, metrics.model_name ?? null];
    run.run(
      seq,
      id,
      outcome.status,
      verdict.class,
      verdict.exit_code,
      ...who,
      at,
      at,
      metrics.duration_ms ?? null,
      ...tokens,
      at,
    );
    document.run(seq, metadata.initial_prompt, writeOutcome(ledgerOutcome(outcome), 'sqlite'), outcome.session_id);
    label.run(team, id);
    words.run(seq, wordsOf(metadata.initial_prompt, outcome.message).join(' '));
  }
  database.exec('commit; pragma wal_checkpoint(truncate)');
  database.close();
}

interface Question {
  name: string;
  ask: (store: RunStore) => Promise<unknown>;
  sql: string;
}

const shown = `r.*, d.agent_version, d.dialect, d.session_id, d.cwd, d.tape, d.host, substr(d.prompt, 1, 400)
  from runs r join documents d on d.seq = r.seq`;
const questions: Question[] = [
  {
    name: 'list: errors of codex',
    ask: (store) => store.list({ status: ['error'], agent: ['codex'] }, { limit: 50 }),
    sql: `select ${shown} where r.status = 'error' and r.agent = 'codex' order by r.id desc limit 50`,
  },
  {
    name: 'list: one team, dear ones',
    ask: (store) => store.list({ labels: { team: 'team-7' }, cost_min: 1.9 }, { limit: 50 }),
    sql: `select r.*, substr(d.prompt, 1, 400) from labels l join runs r on r.id = l.run join documents d on d.seq = r.seq
      where l.key = 'team' and l.value = 'team-7' and r.cost >= 1.9 order by l.run desc limit 50`,
  },
  {
    name: 'search: two words, one rare',
    ask: (store) => store.list({ text: 'parser case1234' }, { limit: 50 }),
    sql: `select ${shown} where r.seq in (select rowid from words where words match '"parser" AND "case1234"') order by r.id desc limit 50`,
  },
  {
    name: 'search: two common words',
    ask: (store) => store.list({ text: 'parser login' }, { limit: 50 }),
    sql: `select ${shown} where r.seq in (select rowid from words where words match '"parser" AND "login"') order by r.id desc limit 50`,
  },
  {
    name: 'stats by day, all of it',
    ask: (store) => store.stats('day', {}),
    sql: `select started_at / 86400000, count(*), sum(status = 'running'), sum(status = 'success'), sum(cost), count(cost), sum(input_tokens), sum(output_tokens),
      sum(cache_read_tokens), sum(duration_ms), count(duration_ms), max(duration_ms), sum(tool_calls), min(started_at), max(started_at) from runs group by 1 order by 1`,
  },
  {
    name: 'stats by model, last month',
    ask: (store) => store.stats('model', { started_from: lastDay - 30 * day }),
    sql: `select case when u.run is null then r.model else u.model end, count(*), sum(status = 'running'), sum(status = 'success'),
      sum(case when u.run is null then r.cost else u.cost end), sum(case when u.run is null then r.input_tokens else u.input_tokens end),
      sum(case when u.run is null then r.output_tokens else u.output_tokens end), sum(duration_ms), max(duration_ms), sum(tool_calls)
      from runs r left join usage u on u.run = r.id where r.id >= '${leastRunId(lastDay - 30 * day)}' group by 1 order by 2 desc`,
  },
];

/** Interleaved, the best of several: noise only ever slows down. */
export async function compareQuestions(
  path: string,
  rounds: number,
): Promise<{ name: string; ms: number; bareMs: number }[]> {
  const store = await openSqlite(path);
  const bare = new DatabaseSync(path);
  const results = [];
  for (const { name, ask, sql } of questions) {
    let [ms, bareMs] = [Infinity, Infinity];
    for (let round = 0; round < rounds; round += 1) {
      const start = performance.now();
      bare.prepare(sql).all();
      const middle = performance.now();
      await ask(store);
      bareMs = Math.min(bareMs, middle - start);
      ms = Math.min(ms, performance.now() - middle);
    }
    results.push({ name, ms, bareMs });
  }
  bare.close();
  await store.close();
  return results;
}

/** What the raw logs of all recordings and of one long session weigh, and the ledger of the same runs. */
export async function compareBytes(
  folder: string,
): Promise<{ name: string; runs: number; raw: number; ledger: number }[]> {
  const home = join(import.meta.dirname, '..', 'test', 'recordings');
  const recordings = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('stdout.jsonl'),
  );
  const long = longRun('opencode', 1e6);
  return [
    await bytesOf(
      'recordings',
      join(folder, 'recordings.db'),
      recordings.map((path) => join(home, path)),
    ),
    await bytesOf('a session of about 200,000 tokens', join(folder, 'long.db'), [long]),
    await bytesOf('both', join(folder, 'both.db'), [...recordings.map((path) => join(home, path)), long]),
  ];
}

async function bytesOf(
  name: string,
  path: string,
  logs: readonly string[],
): Promise<{ name: string; runs: number; raw: number; ledger: number }> {
  const store = await openSqlite(path);
  let raw = 0;
  for (const log of logs) {
    const bytes = readFileSync(log);
    raw += bytes.length;
    const reader = new Reader();
    reader.stdout(bytes);
    const outcome = reader.end();
    await store.put({
      id: newRunId(lastDay),
      key: createHash('sha256').update(log).digest('base64url'),
      started_at: lastDay,
      ended_at: lastDay,
      outcome,
      labels: {},
    });
  }
  await store.close();
  return { name, runs: logs.length, raw, ledger: sizeOf(path) };
}

/** The file after everything that waits beside it has been brought in. */
function sizeOf(path: string): number {
  const database = new DatabaseSync(path);
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
  return statSync(path).size;
}

/** What it takes to remember a run, as a user runs it. */
function compareRecording(folder: string, file: string, rounds: number): { name: string; ms: number }[] {
  const bin = join(import.meta.dirname, '..', 'bin', 'runwire.js');
  const cases = { none: ['--ledger', 'none'], 'ledger without a tape': ['--no-tape'], 'ledger and tape': [] };
  const best = new Map<string, number>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, flags] of Object.entries(cases)) {
      const start = performance.now();
      const { status } = spawnSync(
        process.execPath,
        [bin, 'run', '-q', '--to', 'runwire', ...flags, '--', 'cat', file],
        {
          stdio: 'ignore',
          env: { PATH: process.env.PATH, HOME: folder },
        },
      );
      if (status !== 0) throw new Error(`runwire run ${flags.join(' ')} exited with ${status}`);
      best.set(name, Math.min(best.get(name) ?? Infinity, performance.now() - start));
    }
  }
  return [...best].map(([name, ms]) => ({ name, ms }));
}

if (import.meta.main) {
  const count = Number(process.env.BENCH_RUNS ?? 1_000_000);
  const megabytes = Number(process.env.BENCH_MB ?? 20);
  const rounds = Number(process.env.BENCH_ROUNDS ?? 9);
  const folder = mkdtempSync(join(tmpdir(), 'runwire-bench-ledger-'));
  mkdirSync(folder, { recursive: true });
  try {
    console.log('\nbytes against raw logs (target: 90 % smaller)');
    for (const { name, runs, raw, ledger } of await compareBytes(folder))
      console.log(
        `  ${name.padEnd(36)} ${runs} runs  ${kb(raw)} raw  ${kb(ledger)} ledger  ${(100 - (100 * ledger) / raw).toFixed(1)} % smaller`,
      );
    for (const [what, file] of [
      ['a short run', join(import.meta.dirname, '..', 'examples', 'codex-run.jsonl')],
      [`a run of ${megabytes} MB`, longRun('codex', megabytes * 1e6)],
    ] as const) {
      console.log(`\nrecording ${what}: runwire run -- cat (best of ${rounds})`);
      const [none, ...others] = compareRecording(folder, file, rounds);
      for (const { name, ms } of others)
        console.log(
          `  ${name.padEnd(36)} ratio ${(ms / (none?.ms ?? 1)).toFixed(2)} to --ledger none (${ms.toFixed(0)} ms against ${none?.ms.toFixed(0)} ms)`,
        );
    }
    const path = join(folder, 'ledger.db');
    const start = performance.now();
    await fillLedger(path, count);
    console.log(
      `\n${count} runs: ${kb(statSync(path).size)}, ${(statSync(path).size / count).toFixed(0)} bytes each, made in ${((performance.now() - start) / 1000).toFixed(0)} s`,
    );
    for (const { name, ms, bareMs } of await compareQuestions(path, rounds))
      console.log(
        `  ${name.padEnd(36)} ratio ${(ms / bareMs).toFixed(2)} (${ms.toFixed(1)} ms against ${bareMs.toFixed(1)} ms by hand)`,
      );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function kb(bytes: number): string {
  return `${(bytes / 1024).toFixed(0)} KB`;
}
