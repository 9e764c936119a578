// Claiming and settling runs beside bare pg-boss on the same server, in turns, as ratios: `npm run bench:fleet`.
import { PgBoss } from 'pg-boss';
import pg from 'pg';
import { addJobs } from '../src/fleet/add-jobs.ts';
import { claimJobs } from '../src/fleet/claim-jobs.ts';
import { QueuedSpec } from '../src/fleet/job.ts';
import { setLimit } from '../src/fleet/limits.ts';
import { openQueue, type Queue } from '../src/fleet/queue.ts';
import { settleJob } from '../src/fleet/settle-job.ts';
import type { LedgerOutcome } from '../src/stores/run-store.ts';
import { newRunId } from '../src/ids/run-id.ts';
import { startPostgres } from '../test/stores/support/postgres.ts';

const [jobs = 2000, rounds = 3, slots = 8] = [
  process.env['BENCH_JOBS'],
  process.env['BENCH_ROUNDS'],
  process.env['BENCH_SLOTS'],
].map((text) => (text === undefined ? undefined : Number(text)));
const workers = 2;

interface Contender {
  name: string;
  enqueue(count: number): Promise<void>;
  /** Takes and settles until nothing is left. */
  drain(): Promise<number>;
}

const outcome = {
  status: 'success',
  verdict: { class: 'success', exit_code: 0, evidence: [] },
} as unknown as LedgerOutcome;

function ours(queue: Queue, name: string, keys: (index: number) => string[]): Contender {
  return {
    name,
    async enqueue(count) {
      const made = Array.from({ length: count }, (_, index) => {
        const {
          id,
          keys: own,
          needs,
          priority,
          budget,
          at,
          after,
          publish,
          ...spec
        } = QueuedSpec.parse({ prompt: `job ${index}`, keys: keys(index) });
        const order = {
          keys: own,
          needs,
          priority,
          after,
          publish,
          ...((id ?? budget ?? at) ? { id, budget, at } : {}),
        };
        return {
          run: newRunId(Date.now()),
          spec,
          order: order as never,
          origin: undefined,
          bundle: undefined,
          by: 'bench',
        };
      });
      await addJobs(queue, made);
    },
    async drain() {
      let done = 0;
      const work = async (worker: string): Promise<void> => {
        for (;;) {
          const claimed = await claimJobs(queue, { count: slots, labels: [], worker, leaseMs: 60_000 });
          if (claimed.length === 0) return;
          await Promise.all(
            claimed.map((each) => settleJob(queue, each, { outcome, ended_at: 0, last_sequence: 0, attempts: [] })),
          );
          done += claimed.length;
        }
      };
      await Promise.all(Array.from({ length: workers }, (_, index) => work(`w${index}`)));
      return done;
    },
  };
}

function bare(boss: PgBoss): Contender {
  return {
    name: 'bare pg-boss: fetch, complete',
    async enqueue(count) {
      for (let at = 0; at < count; at += 500)
        await boss.insert(
          'bare',
          Array.from({ length: Math.min(500, count - at) }, (_, index) => ({ data: { prompt: `job ${index}` } })),
        );
    },
    async drain() {
      let done = 0;
      const work = async (): Promise<void> => {
        for (;;) {
          const fetched = await boss.fetch('bare', { batchSize: slots });
          if (fetched.length === 0) return;
          await Promise.all(fetched.map((job) => boss.complete('bare', job, { status: 'success' })));
          done += fetched.length;
        }
      };
      await Promise.all(Array.from({ length: workers }, work));
      return done;
    },
  };
}

const server = await startPostgres();
try {
  const url = server.url('bench');
  const queue = await openQueue(url);
  const pool = new pg.Pool({ connectionString: url.replace(/\?.*/, ''), max: 4 });
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values as unknown[]) },
    schema: 'bare',
    supervise: false,
    schedule: false,
  });
  await boss.start();
  await boss.createQueue('bare');
  await setLimit(queue, 'repo=*', 4);
  const contenders = [
    bare(boss),
    ours(queue, 'runwire: claim, settle', () => []),
    ours(queue, 'runwire with limits of keys', (index) => [`repo=${index % 8}`]),
  ];
  const best = new Map<string, { enqueue: number; drain: number }>();
  for (let round = 0; round < rounds; round += 1)
    for (const { name, enqueue, drain } of contenders) {
      const begin = performance.now();
      await enqueue(jobs);
      const middle = performance.now();
      const done = await drain();
      const end = performance.now();
      if (done !== jobs) throw new Error(`${name}: ${done} of ${jobs}`);
      const { enqueue: e = 0, drain: d = 0 } = best.get(name) ?? {};
      best.set(name, {
        enqueue: Math.max(e, (jobs / (middle - begin)) * 1000),
        drain: Math.max(d, (jobs / (end - middle)) * 1000),
      });
    }
  const base = best.get(contenders[0]?.name ?? '');
  console.log(`${jobs} jobs, ${workers} workers x ${slots} in one process, best of ${rounds}\n`);
  console.log(`${''.padEnd(32)} queued/s   ratio   claimed and settled/s   ratio`);
  for (const [name, { enqueue, drain }] of best)
    console.log(
      `${name.padEnd(32)} ${enqueue.toFixed(0).padStart(8)} ${(enqueue / (base?.enqueue ?? 1)).toFixed(2).padStart(7)} ${drain.toFixed(0).padStart(23)} ${(drain / (base?.drain ?? 1)).toFixed(2).padStart(7)}`,
    );
  console.log('\ntarget: 0.7 of bare pg-boss for claiming and settling without limits');
  await boss.stop({ graceful: false, close: false });
  await pool.end();
  await queue.close();
} finally {
  await server.remove();
}
