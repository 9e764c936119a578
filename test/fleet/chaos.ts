// Workers are killed and frozen, PostgreSQL is restarted, the bucket is away, and every run must end once: `npm run chaos -- --jobs 200`.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { exitCodes } from '../../src/failure.ts';
import { openLedgerAt } from '../../src/ledger/ledger.ts';
import { tapeOf } from '../../src/ledger/run-tape.ts';
import { startBucket } from '../tapes/support/bucket.ts';
import { startPostgres } from '../stores/support/postgres.ts';
import { Fleet, type RunningWorker, until } from './support/fleet.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '200' },
    workers: { type: 'string', default: '3' },
    every: { type: 'string', default: '8' },
    restarts: { type: 'string', default: '2' },
    away: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
  },
});
const [jobs, workerCount, every, restarts, awaySeconds] = [
  values.jobs,
  values.workers,
  values.every,
  values.restarts,
  values.away,
].map(Number) as [number, number, number, number, number];
const [keyCount, limit, slots] = [4, 2, 3];
const machine = 'machine';
/** What the agent of the test takes in its one model call. */
const tokensOfACall = 15;
/** Every fifth job takes from a budget that is enough for half of them. */
const budgeted = Math.floor(jobs / 5);
const budget = Math.floor(budgeted / 2) * tokensOfACall;

let state = Number(values.seed);
/** The same seed, the same faults. */
function random(): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
  return state / 0x8000_0000;
}

const server = await startPostgres();
const bucket = await startBucket();
const fleet = new Fleet(server.url('chaos'), { ...bucket.env, RUNWIRE_TAPES: 's3://tapes/chaos' });
const counts = { kills: 0, freezes: 0, restarts: 0, starts: 0 };
let isOver = false;

/** Another pair of eyes: a new connection for each question, since the server goes away. */
async function ask<Row extends object>(text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: server.url('chaos').replace(/\?.*/, '') });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Every change of a job is written down in the transaction that makes it. */
const audit = `
create table chaos_queue.audit (seq bigserial, run text, before text, after text, attempt int, keys text[]);
create function chaos_queue.audit() returns trigger language plpgsql as $$ begin
  if old.state <> new.state then
    insert into chaos_queue.audit (run, before, after, attempt, keys) values (new.run, old.state, new.state, new.attempt, new.keys);
  end if;
  return new;
end $$;
create trigger audit after update on chaos_queue.jobs for each row execute function chaos_queue.audit();
`;

function begin(): RunningWorker {
  counts.starts += 1;
  return fleet.worker(['--slots', String(slots), '--lease', '3s'], machine);
}

/** After every so many jobs that have ended, not every so many seconds: a busy machine would lose its workers faster than they work. */
async function trouble(workers: RunningWorker[]): Promise<void> {
  for (let next = every; ; next += every) {
    await untilEnded(next);
    if (isOver) return;
    const index = Math.floor(random() * workers.length);
    const victim = workers[index];
    if (victim === undefined) continue;
    if (random() < 0.5) {
      counts.kills += 1;
      victim.kill('SIGKILL');
      workers[index] = begin();
    } else {
      counts.freezes += 1;
      victim.kill('SIGSTOP');
      void sleep(4000 + random() * 4000).then(() => victim.kill('SIGCONT'));
    }
  }
}

async function restartAt(share: number): Promise<void> {
  await untilEnded(jobs * share);
  if (isOver) return;
  counts.restarts += 1;
  await server.stop();
  await sleep(2000);
  await server.start();
}

async function takeBucketAway(): Promise<void> {
  await untilEnded(jobs / 5);
  if (isOver) return;
  await bucket.stop();
  await sleep(awaySeconds * 1000);
  await bucket.start();
}

function untilEnded(count: number): Promise<void> {
  return until(`${count} jobs have ended`, async () => isOver || (await endedCount()) >= count, Infinity);
}

async function endedCount(): Promise<number> {
  const rows = await ask<{ ended: number }>(
    `select count(*)::int as ended from chaos_queue.jobs where state = 'ended' and is_recorded`,
  ).catch(() => []);
  return rows[0]?.ended ?? 0;
}

interface Change {
  run: string;
  before: string;
  after: string;
  attempt: number;
  keys: string[];
}

/** The most runs of each key that were claimed at once. */
function mostByKey(changes: readonly Change[]): Map<string, number> {
  const now = new Map<string, number>();
  const most = new Map<string, number>();
  for (const { before, after, keys } of changes)
    for (const key of keys) {
      const count = (now.get(key) ?? 0) + Number(after === 'running') - Number(before === 'running');
      now.set(key, count);
      most.set(key, Math.max(most.get(key) ?? 0, count));
    }
  return most;
}

/** What the ledger and the tapes have of each run. */
interface Remembered {
  successes: number;
  limited: number;
  spent: number;
  gaps: string[];
  attempts: string[];
  failures: string[];
}

async function remembered(): Promise<Remembered> {
  const tell: Remembered = { successes: 0, limited: 0, spent: 0, gaps: [], attempts: [], failures: [] };
  const { store, tapes } = await openLedgerAt({ kind: 'postgres', url: fleet.url }, fleet.env(machine));
  try {
    // What workers that were killed have left, as the next command there does.
    await tapes.deliver(Date.now(), 30_000);
    tell.spent = (await store.budgets.list())[0]?.spent.tokens ?? 0;
    const rows = await ask<{ run: string; attempt: number; budget: string | null }>(
      'select run, attempt, budget from chaos_queue.jobs',
    );
    for (const { run, attempt, budget: name } of rows) {
      const known = await store.get(run);
      if (known?.status === 'success') tell.successes += 1;
      else if (name !== null && known?.exit_code === exitCodes.cost_limit) tell.limited += 1;
      else
        tell.failures.push(
          `${run}: ${known?.status ?? 'unknown'}, ${known?.outcome?.verdict.evidence.at(-1)?.detail ?? 'without a reason'}`,
        );
      if (known?.attempts.length !== attempt - 1)
        tell.attempts.push(`${run}: attempt ${attempt}, lost ${known?.attempts.length ?? 'unknown'}`);
      const found = known === undefined ? { missing: 'no run' } : await tapeOf(tapes, known);
      if ('missing' in found) {
        tell.gaps.push(`${run}: ${found.missing}`);
        continue;
      }
      let last = 0;
      let rest = '';
      const decoder = new TextDecoder();
      for await (const chunk of found.tape.read()) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const { sequence } = JSON.parse(line) as { sequence: number };
          if (sequence !== last + 1) tell.gaps.push(`${run}: ${sequence} after ${last}`);
          last = sequence;
        }
      }
      if (last !== known?.last_sequence)
        tell.gaps.push(`${run}: the tape ends with ${last}, the ledger says ${known?.last_sequence ?? 'nothing'}`);
    }
  } finally {
    await store.close();
  }
  return tell;
}

const begun = performance.now();
let exitCode = 1;
try {
  await fleet.runwire(['queue', 'limit', 'repo=*', String(limit)]);
  // One at a time: what is taken beyond the budget is then what the last of them took.
  await fleet.runwire(['queue', 'limit', 'repo=budget', '1']);
  await fleet.runwire(['budget', 'set', 'small', '--tokens', String(budget), '--per', 'total']);
  await ask(audit);
  const lines = Array.from({ length: jobs }, (_, index) =>
    fleet.line(
      {
        id: `job-${index}`,
        ...(index % 5 === 4 ? { keys: ['repo=budget'], budget: 'small' } : { keys: [`repo=${index % keyCount}`] }),
      },
      'say',
      '20',
      'sleep',
      String(300 + Math.floor(random() * 1500)),
      'say',
      '20',
    ),
  );
  const queued = await fleet.runwire(['enqueue', '-'], lines.join(''));
  if (queued.status !== 0) throw new Error(queued.stderr);
  const workers = Array.from({ length: workerCount }, begin);
  const troubles = trouble(workers);
  const away = takeBucketAway();
  const restarting = (async () => {
    for (let index = 0; index < restarts; index += 1) await restartAt((index + 1) / (restarts + 1));
  })();
  const trace = setInterval(
    () =>
      void endedCount().then((count) =>
        console.error(`${Math.round((performance.now() - begun) / 1000)} s: ${count} of ${jobs}`),
      ),
    10_000,
  );
  await until('all jobs have ended', async () => (await endedCount()) === jobs, 120_000 + jobs * 6000).catch(
    (error: unknown) => console.error(String(error)),
  );
  isOver = true;
  clearInterval(trace);
  await Promise.all([troubles, restarting, away]);
  const changes = await ask<Change>('select run, before, after, attempt, keys from chaos_queue.audit order by seq');
  const ends = Map.groupBy(
    changes.filter(({ after }) => after === 'ended'),
    ({ run }) => run,
  );
  const claims = changes.filter(({ after }) => after === 'running').length;
  const jobRows = await ask<{ class: string; runs: number }>(
    'select class, count(*)::int as runs from chaos_queue.jobs group by class',
  );
  const { successes, limited, spent, gaps, attempts, failures } = await remembered();
  const { 'repo=budget': ofBudget = 0, ...others } = Object.fromEntries(mostByKey(changes));
  const most = Math.max(...Object.values(others));
  const rows: [what: string, wanted: string, got: string, isRight: boolean][] = [
    [
      'jobs completed',
      `${jobs}`,
      jobRows.map((row) => `${row.runs} ${row.class}`).join(', '),
      ends.size === jobs && successes + limited === jobs,
    ],
    [
      'settled twice',
      '0',
      String([...ends.values()].filter(({ length }) => length > 1).length),
      [...ends.values()].every(({ length }) => length === 1),
    ],
    ['attempts unaccounted for', '0', String(attempts.length), attempts.length === 0],
    ['records lost by sequence', '0', String(gaps.length), gaps.length === 0],
    ['most of a key at once', `<= ${limit}`, String(most), most <= limit],
    ['of the key limited to one', '1', String(ofBudget), ofBudget === 1],
    [
      'budget, in tokens',
      `${budget} + 1 call`,
      `${spent}, ${limited} runs stopped by it`,
      limited > 0 && spent >= budget && spent <= budget + tokensOfACall,
    ],
  ];
  console.log(
    `seed ${values.seed}: ${jobs} jobs, ${workerCount} workers x ${slots}; ${counts.kills} kills, ${counts.freezes} freezes, ${counts.restarts} restarts of PostgreSQL, the bucket away for ${awaySeconds} s, ${claims} claims, ${Math.round((performance.now() - begun) / 1000)} s\n`,
  );
  for (const [what, wanted, got, isRight] of rows)
    console.log(`${isRight ? 'ok  ' : 'FAIL'} ${what.padEnd(26)} ${wanted.padEnd(14)} ${got}`);
  for (const each of [...failures, ...attempts, ...gaps].slice(0, 20)) console.log(`     ${each}`);
  exitCode = rows.every(([, , , isRight]) => isRight) && counts.restarts === restarts ? 0 : 1;
} finally {
  isOver = true;
  fleet.end();
  await server.remove();
  await bucket.remove();
}
process.exit(exitCode);
