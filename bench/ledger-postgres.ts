// A team's ledger: questions to PostgreSQL against the same SQL typed by hand, in one run. The server is the one that the tests bring,
// or that of BENCH_POSTGRES (a URL of an empty schema). BENCH_RUNS says how many runs, BENCH_ROUNDS and BENCH_MS how often and how long each is asked at least.
import { deepEqual } from 'node:assert/strict';
import pg from 'pg';
import { leastRunId } from '../src/ids/run-id.ts';
import { openPostgres } from '../src/stores/postgres.ts';
import type { Grouping, RunFilter, RunStore } from '../src/stores/run-store.ts';
import { startPostgres } from '../test/stores/support/postgres.ts';

const day = 86_400_000;
const lastDay = Date.UTC(2026, 10, 15);
const schema = 'bench';

/** Made by the server itself, two years of them. */
async function fill(client: pg.Client, count: number): Promise<void> {
  const at = `${lastDay} - (g::bigint * ${2 * 365 * day}) / ${count}`;
  await client.query(`insert into ${schema}.runs (id, status, class, exit_code, agent, model, started_at, ended_at, duration_ms, input_tokens, output_tokens,
      cost, cost_source, turns, tool_calls, artifacts, warnings, heartbeat_at, host, username, repo)
    select ${idOf(at)} || lpad(to_hex(g), 8, '0'), case when g / 7 % 10 = 0 or g % 97 = 0 then 'error' else 'success' end,
      case when g % 97 = 0 then 'config' when g / 7 % 10 = 0 then 'tool' else 'success' end, 0,
      (array['claude', 'codex', 'opencode', 'gemini', 'pi'])[g % 5 + 1], (array['anthropic/claude-x', 'openai/gpt-y', 'google/gemini-z'])[g % 3 + 1],
      ${at}, ${at} + 1000, g % 60000, case when g % 97 > 0 then g % 50000 end, g % 3000, case when g % 89 > 0 then (g % 1000) / 500.0 end, 'reported',
      case when g % 97 > 0 then 3 end, 2, 1, 0, ${at}, 'host-' || g % 30, 'user-' || g % 50, 'team/repo-' || g % 100
    from generate_series(1, ${count}) g`);
  await client.query(`insert into ${schema}.documents (seq, prompt, outcome, session_id, words)
    select seq, 'Please repair the parser', '{}', 's', to_tsvector('simple', 'parser ' || case when seq % 15 = 0 then 'login ' else '' end || 'case' || seq % 50000) from ${schema}.runs`);
  await client.query(
    `insert into ${schema}.labels (key, value, run) select 'team', 'team-' || seq % 40, id from ${schema}.runs`,
  );
  await client.query(`analyze ${schema}.runs; analyze ${schema}.documents; analyze ${schema}.labels`);
}

/** The part of an id that tells its time, and half of the rest. */
function idOf(at: string): string {
  return `(select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', (((${at}) >> (45 - 5 * i)) & 31)::int + 1, 1), '' order by i) from generate_series(0, 9) i) || '00000000'`;
}

interface Question {
  name: string;
  /** What there is to compare: the ids of a list, the groups and their counts of figures. */
  ask: (store: RunStore) => Promise<unknown[]>;
  /** What a person would type for the same answer. */
  sql: string;
}

const shown = `select r.*, d.agent_version, d.dialect, d.session_id, d.cwd, d.tape, d.tape_sha256, d.host, substr(d.prompt, 1, 400) as head,
  (select json_object_agg(key, value) from ${schema}.labels where run = r.id) as labels`;
const runs = `from ${schema}.runs r join ${schema}.documents d on d.seq = r.seq`;
const figures = `count(*)::int as runs, count(*) filter (where status = 'running') as running, count(*) filter (where status = 'success') as succeeded, sum(cost) as cost,
  count(cost), count(*) filter (where cost is null and status <> 'running') as unpriced, sum(input_tokens) as input, sum(output_tokens) as output,
  sum(cache_read_tokens) as cached, sum(duration_ms) as took, count(duration_ms) as timed, max(duration_ms) as longest, sum(tool_calls) as calls, min(started_at) as first,
  max(started_at) as last`;
/** A typo in a flag is no run. */
const started = "(class not in ('config', 'input') or turns > 0 or input_tokens is not null)";

async function ids(store: RunStore, filter: RunFilter): Promise<string[]> {
  return (await store.list(filter, { limit: 50 })).runs.map(({ id }) => id);
}

async function groups(store: RunStore, grouping: Grouping | Grouping[], filter: RunFilter): Promise<unknown[]> {
  return (await store.stats(grouping, filter)).map(({ runs: count, succeeded, unpriced }) =>
    [count, succeeded, unpriced].join(' '),
  );
}

const questions: Question[] = [
  {
    name: 'list: the newest',
    ask: (store) => ids(store, {}),
    sql: `${shown} ${runs} order by r.id desc limit 51`,
  },
  {
    name: 'list: errors of codex',
    ask: (store) => ids(store, { status: ['error'], agent: ['codex'] }),
    sql: `${shown} ${runs} where r.status = 'error' and r.agent = 'codex' order by r.id desc limit 51`,
  },
  {
    name: 'list: of one who never ran codex',
    ask: (store) => ids(store, { user: ['user-0'], agent: ['codex'] }),
    sql: `${shown} ${runs} where r.username = 'user-0' and r.agent = 'codex' order by r.id desc limit 51`,
  },
  {
    name: 'list: one team, dear ones',
    ask: (store) => ids(store, { labels: { team: 'team-7' }, cost_min: 1.9 }),
    sql: `${shown} from ${schema}.labels l join ${schema}.runs r on r.id = l.run join ${schema}.documents d on d.seq = r.seq
      where l.key = 'team' and l.value = 'team-7' and r.cost >= 1.9 order by l.run desc limit 51`,
  },
  {
    name: 'search: two words, one rare',
    ask: (store) => ids(store, { text: 'parser case1234' }),
    sql: `${shown} ${runs} where d.words @@ $$'parser' & 'case1234'$$::tsquery order by r.id desc limit 51`,
  },
  {
    name: 'search: a frequent word',
    ask: (store) => ids(store, { text: 'login' }),
    sql: `${shown} ${runs} where d.words @@ $$'login'$$::tsquery order by r.id desc limit 51`,
  },
  {
    name: 'stats by day, all of it',
    ask: (store) => groups(store, 'day', {}),
    sql: `select started_at / 86400000 as day, ${figures} from ${schema}.runs where ${started} group by 1 order by 1`,
  },
  {
    name: 'stats by month and agent',
    ask: (store) => groups(store, ['month', 'agent'], {}),
    sql: `select to_char(to_timestamp(started_at / 1000) at time zone 'UTC', 'YYYY-MM') as month, agent, ${figures}
      from ${schema}.runs where ${started} group by 1, 2 order by 1, 2`,
  },
  {
    name: 'stats by user, last month',
    ask: (store) => groups(store, 'user', { started_from: lastDay - 30 * day }),
    sql: `select username, ${figures} from ${schema}.runs where id >= '${leastRunId(lastDay - 30 * day)}' and ${started} group by 1 order by runs desc, 1`,
  },
];

/** By hand and by the store in turns, the best of several, and of many where they are short: noise only ever slows down. */
async function compare(
  store: RunStore,
  bare: pg.Client,
  { rounds, leastMs }: { rounds: number; leastMs: number },
): Promise<void> {
  for (const { name, ask, sql } of questions) {
    let [ms, bareMs] = [Infinity, Infinity];
    const begun = performance.now();
    for (let round = 0; round < rounds || performance.now() - begun < leastMs; round += 1) {
      const start = performance.now();
      const { rows } = await bare.query<{ id?: string; runs?: number; succeeded?: string; unpriced?: string }>(sql);
      const middle = performance.now();
      const answer = await ask(store);
      bareMs = Math.min(bareMs, middle - start);
      ms = Math.min(ms, performance.now() - middle);
      // One more than a page tells whether there is a next one.
      const byHand = rows.map((row) => row.id ?? [row.runs, row.succeeded, row.unpriced].join(' '));
      deepEqual(answer, rows[0]?.id === undefined ? byHand : byHand.slice(0, 50), name);
    }
    console.log(
      `  ${name.padEnd(36)} ratio ${(ms / bareMs).toFixed(2)} (${ms.toFixed(1)} ms against ${bareMs.toFixed(1)} ms by hand)`,
    );
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
  console.log(
    `\n${count} runs in PostgreSQL, made in ${((performance.now() - start) / 1000).toFixed(0)} s (target: 1.5)`,
  );
  await compare(store, bare, {
    rounds: Number(process.env.BENCH_ROUNDS ?? 9),
    leastMs: Number(process.env.BENCH_MS ?? 2000),
  });
} finally {
  await bare.end();
  await store.close();
  await server?.remove();
}
