// A team's ledger: questions to PostgreSQL against the same SQL typed by hand, in one run. The server is the one that the tests bring,
// or that of BENCH_POSTGRES (a URL of an empty schema). BENCH_RUNS says how many runs.
import pg from 'pg';
import { leastRunId } from '../src/stores/run-id.ts';
import { openPostgres } from '../src/stores/postgres.ts';
import type { RunStore } from '../src/stores/run-store.ts';
import { startPostgres } from '../test/stores/support/postgres.ts';

const day = 86_400_000;
const lastDay = Date.UTC(2026, 10, 15);
const schema = 'bench';

/** Made by the server itself, two years of them. */
async function fill(client: pg.Client, count: number): Promise<void> {
  const at = `${lastDay} - (g::bigint * ${2 * 365 * day}) / ${count}`;
  await client.query(`insert into ${schema}.runs (id, status, class, exit_code, agent, model, started_at, ended_at, duration_ms, input_tokens, output_tokens,
      cost, cost_source, turns, tool_calls, artifacts, warnings, heartbeat_at, host, username, repo)
    select ${idOf(at)} || lpad(to_hex(g), 8, '0'), case when g % 10 = 0 then 'error' else 'success' end, case when g % 10 = 0 then 'tool' else 'success' end, 0,
      (array['claude', 'codex', 'opencode', 'gemini', 'pi'])[g % 5 + 1], (array['anthropic/claude-x', 'openai/gpt-y', 'google/gemini-z'])[g % 3 + 1],
      ${at}, ${at} + 1000, g % 60000, g % 50000, g % 3000, (g % 1000) / 500.0, 'reported', 3, 2, 1, 0, ${at}, 'host-' || g % 30, 'user-' || g % 50, 'team/repo-' || g % 100
    from generate_series(1, ${count}) g`);
  await client.query(`insert into ${schema}.documents (seq, prompt, outcome, session_id, words)
    select seq, 'Please repair the parser', '{}', 's', to_tsvector('simple', 'parser ' || case when seq % 15 = 0 then 'login ' else '' end || 'case' || seq % 50000) from ${schema}.runs`);
  await client.query(`insert into ${schema}.labels (key, value, run) select 'team', 'team-' || seq % 40, id from ${schema}.runs`);
  await client.query(`analyze ${schema}.runs; analyze ${schema}.documents; analyze ${schema}.labels`);
}

/** The part of an id that tells its time, and half of the rest. */
function idOf(at: string): string {
  return `(select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', (((${at}) >> (45 - 5 * i)) & 31)::int + 1, 1), '' order by i) from generate_series(0, 9) i) || '00000000'`;
}

interface Question {
  name: string;
  ask: (store: RunStore) => Promise<unknown>;
  sql: string;
}

const shown = `r.*, d.agent_version, d.dialect, d.session_id, d.cwd, d.tape, d.host, substr(d.prompt, 1, 400) from ${schema}.runs r join ${schema}.documents d on d.seq = r.seq`;
const figures = `count(*), sum(case when status = 'running' then 1 else 0 end), sum(case when status = 'success' then 1 else 0 end), sum(cost), count(cost), sum(input_tokens),
  sum(output_tokens), sum(cache_read_tokens), sum(duration_ms), count(duration_ms), max(duration_ms), sum(tool_calls), min(started_at), max(started_at)`;
const questions: Question[] = [
  {
    name: 'list: the newest',
    ask: (store) => store.list({}, { limit: 50 }),
    sql: `select ${shown} order by r.id desc limit 50`,
  },
  {
    name: 'list: errors of codex',
    ask: (store) => store.list({ status: ['error'], agent: ['codex'] }, { limit: 50 }),
    sql: `select ${shown} where r.status = 'error' and r.agent = 'codex' order by r.id desc limit 50`,
  },
  {
    name: 'list: one team, dear ones',
    ask: (store) => store.list({ labels: { team: 'team-7' }, cost_min: 1.9 }, { limit: 50 }),
    sql: `select r.*, substr(d.prompt, 1, 400) from ${schema}.labels l join ${schema}.runs r on r.id = l.run join ${schema}.documents d on d.seq = r.seq
      where l.key = 'team' and l.value = 'team-7' and r.cost >= 1.9 order by l.run desc limit 50`,
  },
  {
    name: 'search: two words, one rare',
    ask: (store) => store.list({ text: 'parser case1234' }, { limit: 50 }),
    sql: `select ${shown} where d.words @@ $$'parser' & 'case1234'$$::tsquery order by r.id desc limit 50`,
  },
  {
    name: 'stats by day, all of it',
    ask: (store) => store.stats('day', {}),
    sql: `select started_at / 86400000, ${figures} from ${schema}.runs group by 1 order by 1`,
  },
  {
    name: 'stats by user, last month',
    ask: (store) => store.stats('user', { started_from: lastDay - 30 * day }),
    sql: `select username, ${figures} from ${schema}.runs where id >= '${leastRunId(lastDay - 30 * day)}' group by 1 order by 2 desc`,
  },
];

/** Interleaved, the best of several: noise only ever slows down. */
async function compare(store: RunStore, bare: pg.Client, rounds: number): Promise<void> {
  for (const { name, ask, sql } of questions) {
    let [ms, bareMs] = [Infinity, Infinity];
    for (let round = 0; round < rounds; round += 1) {
      const start = performance.now();
      const { rows } = await bare.query<{ id?: string }>(sql);
      // Who types a list by hand asks for the labels as well.
      const ids = rows.flatMap(({ id }) => id ?? []);
      if (ids.length > 0) await bare.query(`select run, key, value from ${schema}.labels where run = any($1) order by key`, [ids]);
      const middle = performance.now();
      await ask(store);
      bareMs = Math.min(bareMs, middle - start);
      ms = Math.min(ms, performance.now() - middle);
    }
    console.log(`  ${name.padEnd(36)} ratio ${(ms / bareMs).toFixed(2)} (${ms.toFixed(1)} ms against ${bareMs.toFixed(1)} ms by hand)`);
  }
}

const count = Number(process.env.BENCH_RUNS ?? 1_000_000);
const server = process.env.BENCH_POSTGRES === undefined ? await startPostgres() : undefined;
const url = process.env.BENCH_POSTGRES ?? server?.url(schema) ?? '';
const store = await openPostgres(url);
const bare = new pg.Client({ connectionString: url });
await bare.connect();
try {
  const start = performance.now();
  await fill(bare, count);
  console.log(`\n${count} runs in PostgreSQL, made in ${((performance.now() - start) / 1000).toFixed(0)} s (target: 1.5)`);
  await compare(store, bare, Number(process.env.BENCH_ROUNDS ?? 9));
} finally {
  await bare.end();
  await store.close();
  await server?.remove();
}
