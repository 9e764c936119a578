import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addJobs } from '../../src/fleet/add-jobs.ts';
import type { Boss } from '../../src/fleet/boss.ts';
import { claimJobs } from '../../src/fleet/claim-jobs.ts';
import { getJob } from '../../src/fleet/find-jobs.ts';
import { type NewJob, QueuedSpec } from '../../src/fleet/job.ts';
import { findOrigin } from '../../src/fleet/origin.ts';
import { setLimit } from '../../src/fleet/limits.ts';
import { makeCheckout, type Checkout } from '../../src/fleet/checkout.ts';
import { pruneJobs } from '../../src/fleet/prune-jobs.ts';
import { openQueue } from '../../src/fleet/queue.ts';
import { recordLate } from '../../src/fleet/record-late.ts';
import { cancelJob, touchJobs } from '../../src/fleet/settle-job.ts';
import { Worker } from '../../src/fleet/worker.ts';
import { openLedgerAt } from '../../src/ledger/ledger.ts';
import { openPostgres } from '../../src/stores/postgres.ts';
import { newRunId } from '../../src/ids/run-id.ts';
import { type PostgresDatabase, startPostgres } from '../stores/support/postgres.ts';
import { sharedPostgres } from '../stores/support/shared-postgres.ts';
import { newRun } from '../stores/support/runs.ts';
import { isSweep, some, sweep } from '../support/sweep.ts';
import { Fleet, newFleet, newRepository, temporary } from './support/fleet.ts';

let server: PostgresDatabase;
beforeAll(async () => void (server = await sharedPostgres()));
afterAll(() => server.remove());

/** Somebody with rights on the database, who writes what they like. */
async function ask<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: server.url('x').replace(/\?.*/, '') });
  await client.connect();
  return client.query<Row>(text, values).then(
    async ({ rows }) => client.end().then(() => rows),
    async (error: unknown) => client.end().then(() => Promise.reject(error)),
  );
}

/** pg-boss, some of whose calls are others. */
function changed(boss: Boss, how: Partial<Boss>): Boss {
  const same: Boss = {
    insert: boss.insert.bind(boss),
    fetch: boss.fetch.bind(boss),
    touch: boss.touch.bind(boss),
    complete: boss.complete.bind(boss),
    fail: boss.fail.bind(boss),
    deleteJob: boss.deleteJob.bind(boss),
  };
  return { ...same, ...how };
}

/** A worker that takes one run; answers its exit code. */
async function workOnce(
  fleet: Fleet,
  beforeSettling = async (): Promise<void> => {},
  more: Record<string, string> = {},
): Promise<number> {
  const queue = await openQueue(fleet.url);
  const complete: Boss['complete'] = async (...ends) => beforeSettling().then(() => queue.boss.complete(...ends));
  const warnings: string[] = [];
  const worker = new Worker(
    { ...queue, boss: changed(queue.boss, { complete }) },
    {
      env: { ...process.env, ...fleet.env('there'), ...more },
      ledger: { kind: 'postgres', url: fleet.url },
      slots: 1,
      labels: [],
      allowEnv: [],
      pollMs: 100,
      leaseMs: 30_000,
      graceMs: 1000,
      once: true,
      tell: () => {},
      warn: (line) => warnings.push(line),
    },
  );
  const exitCode = await worker.run().finally(() => queue.close());
  expect(warnings).toEqual([]);
  return exitCode;
}

describe('what is queued while a worker takes runs', () => {
  /** Queues more when a worker has looked and not yet taken, once. */
  async function claimWhile(
    schema: string,
    { limits, before, meanwhile }: { limits: Record<string, number>; before: object[]; meanwhile: object[] },
  ): Promise<{ claimed: number; running: Record<string, number> }> {
    const { url } = await newFleet(server, schema);
    const queue = await openQueue(url);
    let left = meanwhile;
    const fetch = async (...args: Parameters<Boss['fetch']>) => {
      const news = left;
      left = [];
      await addJobs(queue, news.map(jobOf));
      return queue.boss.fetch(...args);
    };
    try {
      for (const [key, most] of Object.entries(limits)) await setLimit(queue, key, most);
      await addJobs(queue, before.map(jobOf));
      const late = { ...queue, boss: changed(queue.boss, { fetch: fetch as Boss['fetch'] }) };
      const claimed = await claimJobs(late, { count: 8, labels: [], worker: 'w', leaseMs: 60_000 });
      const rows = await ask<{ name: string; runs: number }>(
        `select coalesce(keys[1], needs[1], '') as name, count(*)::int as runs from ${queue.database.schema}.jobs where state = 'running' group by 1`,
      );
      return { claimed: claimed.length, running: Object.fromEntries(rows.map(({ name, runs }) => [name, runs])) };
    } finally {
      await queue.close();
    }
  }

  function jobOf(job: object): NewJob {
    const {
      keys,
      needs,
      priority,
      after,
      publish,
      id: _id,
      budget: _budget,
      at: _at,
      ...spec
    } = QueuedSpec.parse({ prompt: 'x', ...job });
    // As when whoever queues it began before the worker did.
    const order = { keys, needs, priority, after, publish, at: '2026-01-01T00:00:00Z' };
    return { run: newRunId(Date.now()), spec, order, origin: undefined, bundle: undefined, by: 'test' };
  }

  const many = (job: object, count: number): object[] => Array.from({ length: count }, () => job);

  it('counts for limits, though nothing limited was queued before', async () => {
    const told = await claimWhile('late_1', {
      limits: { 'repo=x': 1 },
      before: [{}],
      meanwhile: many({ keys: ['repo=x'] }, 5),
    });
    expect(told).toEqual({ claimed: 2, running: { '': 1, 'repo=x': 1 } });
  });

  it('counts for limits that have less room than those that were looked at', async () => {
    const told = await claimWhile('late_2', {
      limits: { 'repo=x': 1, 'repo=y': 3 },
      before: many({ keys: ['repo=y'] }, 3),
      meanwhile: many({ keys: ['repo=x'], priority: 5 }, 3),
    });
    expect(told).toEqual({ claimed: 4, running: { 'repo=x': 1, 'repo=y': 3 } });
  });

  it('is for workers that have what it needs', async () => {
    const told = await claimWhile('late_3', { limits: {}, before: [{}], meanwhile: [{ needs: ['gpu'] }] });
    expect(told).toEqual({ claimed: 1, running: { '': 1 } });
  });
});

describe('a budget of queued runs', () => {
  it('counts what a lost attempt took by its tape, where the ledger was not told, once', async () => {
    const fleet = await newFleet(server, 'taped');
    await fleet.runwire(['budget', 'set', 'team-a', '--tokens', '400', '--per', 'day']);
    const run = await fleet.enqueue(['--budget', 'team-a']);
    const queue = await openQueue(fleet.url);
    const { store, tapes } = await openLedgerAt({ kind: 'postgres', url: fleet.url }, fleet.env('there'));
    for (const _ of ['begins and is killed', 'is killed before the ledger hears of it'])
      expect(await claimJobs(queue, { count: 1, labels: [], worker: 'gone', leaseMs: 0 })).toHaveLength(1);
    await store.budgets.reserve('team-a', run);
    const { key, tape } = tapes.create(run, Date.now());
    await store.begin({ ...newRun({ id: run }), tape: key });
    const writer = tape.write({ onTrouble: () => {} });
    const event = { type: 'usage.reported', scope: 'turn', input_tokens: 100, output_tokens: 10 } as const;
    writer.record({ ...event, sequence: 1, timestamp: null, thread_id: 't', source: 'agent', synthetic: false });
    await writer.end();
    expect(await workOnce(fleet)).toBe(0);
    const attempts = (await store.get(run))?.attempts.map(({ tokens_used: tokens }) => tokens);
    expect([attempts, (await store.budgets.list())[0]?.spent.tokens]).toEqual([[110, undefined], 125]);
    await store.close();
    await queue.close();
  });

  it('knows what a run took before the next of its key may begin', async () => {
    const fleet = await newFleet(server, 'known');
    await fleet.runwire(['budget', 'set', 'team-a', '--tokens', '40', '--per', 'day']);
    await fleet.enqueue(['--budget', 'team-a']);
    let spent: unknown;
    const look = async (): Promise<void> => {
      const store = await openPostgres(fleet.url);
      spent = (await store.budgets.list())[0]?.spent.tokens;
      await store.close();
    };
    expect([await workOnce(fleet, look), spent]).toEqual([0, 15]);
  });

  it('is reserved before an agent starts, settled at its end, and then runs end with 5 and its name', async () => {
    const fleet = await newFleet(server, 'budgets');
    expect(await fleet.runwire(['budget', 'set', 'team-a', '--tokens', '40', '--per', 'day'])).toMatchObject({
      status: 0,
    });
    const runs: string[] = [];
    for (const flags of [['--budget', 'team-a'], ['--budget', 'team-a'], ['--budget', 'nobody'], []])
      runs.push(await fleet.enqueue(flags));
    const codes = [await workOnce(fleet)];
    expect(await fleet.runwire(['budget', 'set', 'team-a', '--tokens', '15', '--per', 'day'])).toMatchObject({
      status: 0,
    });
    for (const _ of runs.slice(1)) codes.push(await workOnce(fleet));
    expect(codes).toEqual([0, 5, 1, 0]);
    expect(readFileSync(fleet.log, 'utf8').match(/"begin"/g)).toHaveLength(2);
    const [first = '', second = ''] = runs;
    expect(await fleet.runwire(['runs', 'wait', first, second, '--quiet'])).toMatchObject({ status: 5 });
    const shown = await fleet.runwire(['runs', 'show', second, '--json']);
    expect(shown.stdout).toContain('the budget \\"team-a\\" of 15 tokens a day was reached: 15 tokens spent');
    const listed = JSON.parse(
      (await fleet.runwire(['budget', 'list', '--json'])).stdout.split('\n')[0] ?? '',
    ) as object;
    expect(listed).toMatchObject({ name: 'team-a', spent: { tokens: 15 }, reserved: { tokens: 0 }, running: 0 });
    // What it took counts when it is tried again, too.
    const dear = await fleet.enqueue(['--budget', 'team-a', '--max-tokens', '10']);
    const tried: unknown[] = [];
    for (const tokens of ['40', '30', '60']) {
      if (tried.length > 0) await fleet.runwire(['queue', 'retry', dear]);
      await fleet.runwire(['budget', 'set', 'team-a', '--tokens', tokens, '--per', 'day']);
      tried.push([await workOnce(fleet), readFileSync(fleet.log, 'utf8').match(/"begin"/g)?.length]);
    }
    expect(tried).toEqual([
      [5, 3],
      [5, 3],
      [5, 4],
    ]);
    expect((await fleet.runwire(['budget', 'list', '--json'])).stdout).toContain('"spent":{"usd":0,"tokens":45}');
  });
});

describe.concurrent('rows that anybody may have written', () => {
  it('break no list, no claim and no other run', async () => {
    const fleet = await newFleet(server, 'rows');
    const specs = some([
      '"words"',
      'null',
      '{"command":"rm"}',
      '{"command":{"a":[]}}',
      '{"command":[null,[1]],"prompt":7}',
      '[]',
    ]);
    const bad = await Promise.all(specs.map(() => fleet.enqueue(['--priority', '5'])));
    const good = await fleet.enqueue(['--priority', '-7']);
    for (const [index, run] of bad.entries())
      await ask(`update rows_queue.jobs set spec = $2::jsonb, message = $3, publish = 'x' where run = $1`, [
        run,
        specs[index],
        '\u001B[2Jhidden',
      ]);
    const listed = await fleet.runwire(['queue', 'list', '--json']);
    expect({ status: listed.status, lines: listed.stdout.split('\n').length - 1 }).toEqual({
      status: 0,
      lines: specs.length + 1,
    });
    const codes: number[] = [];
    for (const _ of [...bad, good]) codes.push(await workOnce(fleet));
    expect(codes).toEqual([...specs.map(() => 1), 0]);
    expect(await fleet.job(good)).toMatchObject({ class: 'success', priority: -7 });
  });

  it.runIf(isSweep)(
    'are refused in a sentence where "enqueue" would have refused them, and settle at once',
    async () => {
      const fleet = await newFleet(server, 'forged');
      const written = join(fleet.folder, 'written');
      const forged = some<[fields: object, why: string]>([
        [{ directories: ['/etc'] }, 'directories: a worker has nothing from this machine except the repository'],
        [{ record_model: written }, 'record_model: a worker has nothing from this machine except the repository'],
        [
          { command: undefined, model: 'x/y', record_model: written },
          'record_model: a worker has nothing from this machine except the repository',
        ],
        [{ resume: '../../session' }, 'resume: a worker has nothing from this machine except the repository'],
        [
          { command: undefined, model: 'replay//etc/passwd' },
          'a model that is a file: a worker has nothing from this machine except the repository',
        ],
        [
          { workspace: { isolate: 'clone', dirty: 'include', copy: ['/etc/passwd'] } },
          'workspace.copy: a worker has nothing from this machine except the repository',
        ],
        [
          { base_url: 'https://me:pass@example.com' },
          'base_url contains a password, and a job must not contain secrets; give it to the worker',
        ],
        [{ command: undefined, prompt: '' }, 'it has neither a prompt nor a command'],
      ]);
      const runs = await Promise.all(forged.map(() => fleet.enqueue([], 'write', written)));
      for (const [index, run] of runs.entries()) {
        const [row] = await ask<{ spec: object }>('select spec from forged_queue.jobs where run = $1', [run]);
        await ask('update forged_queue.jobs set spec = $2 where run = $1', [
          run,
          JSON.stringify({ ...row?.spec, prompt: 'x', ...forged[index]?.[0] }),
        ]);
      }
      for (const _ of runs) expect(await workOnce(fleet)).toBe(1);
      const jobs = await Promise.all(runs.map((run) => fleet.job(run)));
      expect(jobs.map(({ state, class: name, attempt, message }) => ({ state, name, attempt, message }))).toEqual(
        forged.map(([, why]) => ({
          state: 'ended',
          name: 'config',
          attempt: 1,
          message: `the job is refused, "enqueue" would not have queued it: ${why}`,
        })),
      );
      const shown = await fleet.runwire(['runs', 'show', runs[0] ?? '', '--json']);
      expect(shown.stdout).toContain('would not have queued it: directories');
      expect([existsSync(written), readFileSync(fleet.log, 'utf8')]).toEqual([false, '']);
    },
  );

  it('lead to no file elsewhere by the id of a run, and settle', async () => {
    const fleet = await newFleet(server, 'unnamed');
    const run = await fleet.enqueue([], 'write', join(fleet.folder, 'written'));
    const id = '../../../../written';
    await ask('update unnamed_queue.jobs set run = $2 where run = $1', [run, id]);
    expect(await workOnce(fleet, undefined, { RUNWIRE_TAPES: 'files' })).toBe(1);
    expect(await fleet.job(id)).toMatchObject({
      state: 'ended',
      class: 'config',
      message: 'the job is refused: its run has no id of a run',
    });
    expect(
      readdirSync(fleet.folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('written')),
    ).toEqual([]);
  });

  const senseless: [spec: object, why: string][] = [
    [{ agent: 'claude', prompt: 'x', allow: ['bash'] }, '--allow: only the built-in agent knows this'],
    [{ agent: "acp:'never closed", prompt: 'x' }, "--agent acp:…: a ' is never closed"],
  ];
  it.each(some(senseless))('settle as a failure where no run could be made of them: %j', async (spec, why) => {
    const fleet = await newFleet(server, `senseless_${why.length}`);
    const { stdout } = await fleet.runwire(['enqueue', '-'], `${JSON.stringify({ cwd: fleet.folder, ...spec })}\n`);
    expect(await workOnce(fleet)).toBe(2);
    const { id } = JSON.parse(stdout) as { id: string };
    expect(await fleet.job(id)).toMatchObject({ state: 'ended', class: 'input', attempt: 1 });
    expect((await fleet.runwire(['runs', 'show', id, '--json'])).stdout).toContain(why);
  });

  it('do not keep the ends of other runs from the ledger', async () => {
    const fleet = await newFleet(server, 'endings');
    const [bad, worse, good] = [await fleet.enqueue([]), await fleet.enqueue([]), await fleet.enqueue([])];
    for (const _ of [bad, worse, good]) expect(await workOnce(fleet)).toBe(0);
    await ask(`update endings_queue.jobs set is_recorded = false, ended_at = now() - interval '1 h' - priority * interval '1 s', ending =
      case run when '${bad}' then '{' when '${worse}' then '{"outcome":7}' else '{"ended_at":1,"outcome":null}' end`);
    await ask(`update endings.runs set status = 'running'`);
    const queue = await openQueue(fleet.url);
    await recordLate(queue, { kind: 'postgres', url: fleet.url }, { olderThanMs: 0 }).finally(() => queue.close());
    expect(await ask('select 1 from endings_queue.jobs where not is_recorded')).toEqual([]);
  });

  const branches = ['*', 'main', 'a:refs/heads/main', 'x\u001B[2J'].map(
    (name, index) => [name, `branches_${index}`] as const,
  );
  it.each(some(branches, 3))('name no branch but one of a run: %j', async (branch, schema) => {
    const fleet = await newFleet(server, schema);
    const { checkout, git } = newRepository();
    const run = await fleet.enqueue(['--at', '1h', '--cwd', checkout]);
    // On another branch, main could be moved on.
    git('checkout', '-qb', 'elsewhere');
    git('branch', 'evil');
    const two = git('commit-tree', '-p', 'main', '-m', 'two', 'main^{tree}');
    const one = git('rev-parse', 'main');
    for (const name of ['main', 'evil']) git('update-ref', `refs/heads/${name}`, two);
    execFileSync('git', ['bundle', 'create', '-q', join(checkout, '..', 'b'), 'evil', 'main', `^${one}`], {
      cwd: checkout,
    });
    git('update-ref', 'refs/heads/main', one);
    git('update-ref', '-d', 'refs/heads/evil');
    await ask(`insert into ${schema}_queue.bundles values ($1, $2, now())`, [
      run,
      readFileSync(join(checkout, '..', 'b')),
    ]);
    await ask(`update ${schema}_queue.jobs set state = 'ended', branch = $2, result = run where run = $1`, [
      run,
      branch,
    ]);
    const before = git('for-each-ref');
    const { status, stdout, stderr } = await fleet.runwire(['runs', 'fetch', run, '--cwd', checkout]);
    expect({ status, stdout, refs: git('for-each-ref') }).toEqual({
      status: expect.any(Number) as number,
      stdout: '',
      refs: before,
    });
    expect({ isRefused: status !== 0, hasControl: stderr.includes('\u001B') }).toEqual({
      isRefused: true,
      hasControl: false,
    });
  });
});

describe.concurrent('a repository that a job names', () => {
  const signal = new AbortController().signal;
  const commit = 'a'.repeat(40);
  const addresses = [
    "ext::sh -c 'touch HERE/pwned'",
    '-c core.sshCommand=touch',
    '--upload-pack=touch HERE/pwned',
    'HERE/nothing.git',
    'ssh://-oProxyCommand=touch%20HERE%2Fpwned/x',
    'fd::7',
  ];
  it.each(some(addresses))('runs nothing on the worker: %s', async (address) => {
    const state = temporary();
    const origin = { remote: address.replaceAll('HERE', state), commit, below: '', name: 'x' };
    await expect(
      makeCheckout(origin, undefined, { env: { ...process.env, XDG_STATE_HOME: state }, signal }),
    ).rejects.toThrow(/fatal|fetch|git/i);
    expect(existsSync(join(state, 'pwned'))).toBe(false);
    expect(readdirSync(join(state, 'runwire', 'fleet', 'places'))).toEqual([]);
  });

  it.each(some(['a/..', '.', 'owner.json', 'x'.repeat(400)]))(
    'is checked out into a folder of its own, whatever it is called: %j',
    async (name) => {
      const state = temporary();
      const { remote, git } = newRepository();
      const env = { ...process.env, XDG_STATE_HOME: state };
      const place = await makeCheckout({ remote, commit: git('rev-parse', 'main'), below: '', name }, undefined, {
        env,
        signal,
      });
      const places = join(state, 'runwire', 'fleet', 'places');
      const [own = ''] = readdirSync(places);
      expect(readdirSync(places)).toHaveLength(1);
      expect(place.cwd.startsWith(join(places, own, '/'))).toBe(true);
      expect(readFileSync(join(place.cwd, 'a.txt'), 'utf8')).toBe('one\n');
      expect(existsSync(join(places, own, 'owner.json'))).toBe(true);
      await place.remove();
      expect(readdirSync(places)).toEqual([]);
    },
  );

  it('has no folder that leads out of it', async () => {
    const env = { ...process.env, XDG_STATE_HOME: temporary() };
    const { checkout, remote, git } = newRepository();
    symlinkSync('/', join(checkout, 'all'));
    git('add', '.');
    git('commit', '-qm', 'link');
    git('push', '-q', 'origin', 'main');
    for (const below of ['all', 'all/etc', '../..'])
      await expect(
        makeCheckout({ remote, commit: git('rev-parse', 'main'), below, name: 'x' }, undefined, { env, signal }),
      ).rejects.toThrow(`${below} is outside the repository`);
  });

  it('is fetched with the settings of the worker alone, whatever was written into its store', async () => {
    const state = temporary();
    const env = { ...process.env, XDG_STATE_HOME: state };
    const { checkout, remote, git } = newRepository();
    const place = (): Promise<Checkout> =>
      makeCheckout({ remote, commit: git('rev-parse', 'main'), below: '', name: 'x' }, undefined, { env, signal });
    await (await place()).remove();
    const stores = join(state, 'runwire', 'fleet', 'repositories');
    const store = join(stores, readdirSync(stores)[0] ?? '');
    const other = newRepository();
    execFileSync('git', ['-C', store, 'config', `url.${other.remote}.insteadOf`, remote]);
    execFileSync('git', ['-C', store, 'config', 'core.alternateRefsCommand', `touch ${state}/pwned`]);
    // Another folder for all that, which the store only names.
    const elsewhere = temporary();
    cpSync(store, elsewhere, { recursive: true });
    writeFileSync(join(store, 'commondir'), elsewhere);
    writeFileSync(join(checkout, 'a.txt'), 'two\n');
    git('commit', '-qam', 'two');
    git('push', '-q', 'origin', 'main');
    const { cwd, remove } = await place();
    expect([readFileSync(join(cwd, 'a.txt'), 'utf8'), existsSync(join(state, 'pwned'))]).toEqual(['two\n', false]);
    await remove();
  });

  it('is fetched once at a time by runs that start together', async () => {
    const env = { ...process.env, XDG_STATE_HOME: temporary() };
    const { remote, git } = newRepository();
    const origin = { remote, commit: git('rev-parse', 'main'), below: '', name: 'web' };
    const places = await Promise.all(Array.from({ length: 6 }, () => makeCheckout(origin, undefined, { env, signal })));
    for (const { cwd, remove } of places) {
      expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
      await remove();
    }
  });

  const told = [
    ['https://me:p@ss@example.com/team/web.git', 'https://example.com/team/web.git'],
    ['https://token@example.com/team/web.git', 'https://example.com/team/web.git'],
    ['HTTPS://me:pass@example.com/web', 'https://example.com/web'],
    ['https://me:pa/ss@example.com/team/web.git', 'https://example.com/team/web.git'],
    ['https://me:pass@example.com:port/web.git', 'https://example.com:port/web.git'],
    ['ssh://me@corp:p@ss@example.com/web.git', 'ssh://me@corp@example.com/web.git'],
    ['ssh://:pass@example.com/web.git', 'ssh://example.com/web.git'],
    ['ssh://git:pass@example.com/team/web.git', 'ssh://git@example.com/team/web.git'],
    ['git@example.com:team/web.git', 'git@example.com:team/web.git'],
    ['/srv/git/web@2.git', '/srv/git/web@2.git'],
  ] as const;
  it.each(some(told, 3))('is told without what may be a secret: %s', async (address, without) => {
    const { checkout, git } = newRepository();
    git('config', 'remote.origin.url', address);
    expect((await findOrigin(checkout, { dirty: 'refuse', bundle: false }, process.env))?.origin.remote).toBe(without);
  });
});

describe.concurrent('an agent that shares the repository of a worker', () => {
  it.each(some(['overlay', 'worktree', 'clone'], 3))(
    'decides neither what a push runs nor where it goes: %s',
    async (isolate) => {
      const fleet = await newFleet(server, `planted_${isolate}`);
      const { checkout, remote } = newRepository();
      const decoy = newRepository();
      const pwned = join(fleet.folder, 'pwned');
      const hooks = temporary();
      writeFileSync(join(hooks, 'pre-push'), `#!/bin/sh\nenv > ${pwned}\n`, { mode: 0o755 });
      const script = `
      git config core.hooksPath ${hooks}
      cp ${hooks}/pre-push "$(git rev-parse --git-common-dir)/hooks/" || { mkdir -p "$(git rev-parse --git-common-dir)/hooks"; cp ${hooks}/pre-push "$(git rev-parse --git-common-dir)/hooks/"; }
      git config url.${decoy.remote}.insteadOf ${remote}
      git config remote.${remote}.receivepack "env > ${pwned}; git-receive-pack"
      git config credential.helper "!env > ${pwned}"
      echo two > b.txt
      echo '{"type":"thread.started","thread_id":"x"}'; echo '{"type":"turn.started"}'
      echo '{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}'`;
      const spec = {
        cwd: checkout,
        command: ['sh', '-c', script],
        publish: 'branch',
        workspace: { isolate, dirty: 'refuse', copy: [] },
      };
      const { stdout, stderr } = await fleet.runwire(['enqueue', '-'], `${JSON.stringify(spec)}\n`);
      expect(stderr).toBe('');
      expect(await workOnce(fleet)).toBe(0);
      const { message, branch = 'none' } = await fleet.job((JSON.parse(stdout) as { id: string }).id);
      const heads = (at: string): string =>
        execFileSync('git', ['-C', at, 'for-each-ref', '--format=%(refname:short)'], { encoding: 'utf8' });
      expect({ message, own: heads(remote), decoy: heads(decoy.remote), isRun: existsSync(pwned) }).toEqual({
        message: `pushed to ${remote} as ${branch}`,
        own: `main\n${branch}\n`,
        decoy: 'main\n',
        isRun: false,
      });
    },
  );
});

describe.concurrent('what people ask of a queue', () => {
  it('is refused in words where it makes no sense', async () => {
    const fleet = await newFleet(server, 'asked');
    const line = (order: object): string => fleet.line(order);
    for (const [lines, why] of [
      [line({ id: 'a\u0000b' }), 'line 1: id: '],
      [line({ id: 'a\nb' }), 'line 1: id: '],
      [line({ id: 'last' }), 'line 1: id: '],
      [line({ after: ['\u0000'] }), 'no such run in the queue'],
      [line({ id: 'me', after: ['me'] }), 'after "me": no such run'],
      [line({ id: 'c1', after: ['c2'] }) + line({ id: 'c2', after: ['c1'] }), 'line 1: after "c2": no such run'],
      [line({ priority: -1_000_001 }), 'line 1: priority: '],
      [line({ budget: '' }), 'line 1: budget: '],
    ] as const) {
      const { status, stderr } = await fleet.runwire(['enqueue', '-'], lines);
      expect({ lines, status, isSaid: stderr.includes(why) || stderr }).toEqual({ lines, status: 2, isSaid: true });
    }
    expect(await fleet.jobs()).toEqual([]);
    for (const id of ["o'brien; drop table x", '%_~', '💥', 'ID WITH SPACE'])
      expect(await fleet.runwire(['runs', 'cancel', await fleet.enqueue(['--at', '1h', '--id', id])])).toMatchObject({
        status: 0,
      });
    for (const [command, id] of sweep(['wait', 'cancel', 'fetch'], ['nothing', '%', '~', ' ']))
      expect({ command, id, ...(await fleet.runwire(['runs', command, id])) }).toMatchObject({
        command,
        id,
        status: 2,
        stdout: '',
      });
  });

  it('may be a line after a line of the same file, and is cancelled once', async () => {
    const fleet = await newFleet(server, 'lines');
    const queued = await fleet.runwire(
      ['enqueue', '-'],
      fleet.line({ id: 'first', at: '2099-01-01T00:00:00Z' }) + fleet.line({ id: 'second', after: ['first'] }),
    );
    expect(queued).toMatchObject({ status: 0, stderr: '' });
    const [first, second] = queued.stdout
      .split('\n')
      .slice(0, 2)
      .map((line) => JSON.parse(line) as { id: string; state: string });
    expect(second?.state).toBe('waiting');
    expect((await fleet.job(second?.id ?? '')).after).toEqual([first?.id]);
    const [one, two] = await Promise.all(
      ['a', 'b'].map((reason) => fleet.runwire(['runs', 'cancel', 'second', '--reason', reason])),
    );
    expect([one?.status, two?.status].toSorted()).toEqual([0, 1]);
    expect(await fleet.job(second?.id ?? '')).toMatchObject({ state: 'ended', class: 'cancelled' });
  });

  it('needs no more rights than the docs say, and says which are missing', async () => {
    const fleet = await newFleet(server, 'runwire');
    await fleet.enqueue(['--at', '1h']);
    await fleet.runwire(['runs', 'list']);
    const docs = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'fleet.md'), 'utf8');
    const grants = /`(grant usage on schema [^`]*)`/.exec(docs)?.[1]?.replaceAll(/\s+/g, ' ') ?? '';
    await ask(
      `drop role if exists worker, stranger; create role worker login password 'w'; create role stranger login password 's'`,
    );
    const as = (name: string, password: string): Fleet => {
      const url = new URL(fleet.url);
      [url.username, url.password] = [name, password];
      return new Fleet(url.href);
    };
    const refused = await as('worker', 'w').runwire(['queue']);
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('permission denied') as string });
    await ask(grants);
    const worker = as('worker', 'w');
    const run = await worker.enqueue([]);
    expect(await workOnce(worker)).toBe(0);
    expect(await worker.job(run)).toMatchObject({ class: 'success' });
  });
});

describe.concurrent('what the docs say of a fleet', () => {
  it.runIf(isSweep)('ends a run whose workers were lost five times', async () => {
    const fleet = await newFleet(server, 'fatal');
    const run = await fleet.enqueue([]);
    const queue = await openQueue(fleet.url);
    const taken: number[] = [];
    for (let tries = 0; tries < 7; tries += 1)
      taken.push((await claimJobs(queue, { count: 1, labels: [], worker: 'gone', leaseMs: 0 })).length);
    await queue.close();
    expect(taken).toEqual([1, 1, 1, 1, 1, 0, 0]);
    expect(await fleet.job(run)).toMatchObject({
      class: 'incomplete',
      exit_code: 8,
      message: 'its worker was lost 5 times; "runwire queue retry" queues it again',
    });
    expect((await fleet.runwire(['runs', 'wait', run, '--quiet'])).status).toBe(8);
  });

  it.runIf(isSweep)(
    'forgets what ended, with its files, but not in the ledger, and nothing that somebody waits for',
    async () => {
      const fleet = await newFleet(server, 'forgotten');
      const { checkout } = newRepository();
      const flags = ['--cwd', checkout, '--bundle'];
      const [ended, failed] = [await fleet.enqueue(flags, 'write', 'b.txt'), await fleet.enqueue([], 'fail', 'x')];
      for (const _ of [ended, failed]) await workOnce(fleet);
      const queue = await openQueue(fleet.url);
      const later = await fleet.enqueue(['--after', ended, '--at', '1h']);
      expect(await pruneJobs(queue, 3_600_000)).toBe(0);
      expect(await pruneJobs(queue, 0)).toBe(1);
      expect((await fleet.jobs()).map(({ run }) => run)).toEqual([ended, later]);
      await cancelJob(queue, later, { by: 'me', reason: '' });
      expect(await pruneJobs(queue, 0)).toBe(2);
      await queue.close();
      expect(
        await ask(
          'select 1 from forgotten_queue.bundles union all select 1 from forgotten_queue.job where state is not null',
        ),
      ).toEqual([]);
      const { stdout } = await fleet.runwire(['runs', 'list', '--json']);
      expect([ended, failed].map((run) => stdout.includes(run))).toEqual([true, true]);
    },
  );

  it.runIf(isSweep)("ends a run whose remote is away with git's words", async () => {
    const fleet = await newFleet(server, 'remote_away');
    const { checkout, remote } = newRepository();
    const run = await fleet.enqueue(['--cwd', checkout]);
    rmSync(remote, { recursive: true });
    expect(await workOnce(fleet)).toBe(1);
    const { stdout } = await fleet.runwire(['runs', 'show', run, '--json']);
    expect(stdout).toMatch(/the files of the run cannot be had: .*does not appear to be a git repository/);
  });

  it('waits for PostgreSQL: nothing is claimed or queued while it is away, and who was heard of before is not late', async () => {
    const own = await startPostgres();
    const fleet = new Fleet(own.url('away'));
    const run = await fleet.enqueue(['--id', 'once']);
    const queue = await openQueue(fleet.url);
    const [claimed] = await claimJobs(queue, { count: 1, labels: [], worker: 'w', leaseMs: 15_000 });
    const first = new pg.Client({ connectionString: fleet.url });
    await first.connect();
    await first.query("update away_queue.jobs set heard_at = now() - interval '1 hour'");
    await first.end();
    await own.stop();
    const refused = await fleet.runwire(['enqueue', '--id', 'two', '--', 'true']);
    expect(refused).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('cannot use the queue at') as string,
    });
    await expect(claimJobs(queue, { count: 1, labels: [], worker: 'x', leaseMs: 15_000 })).rejects.toThrow(
      /connect|terminat/i,
    );
    await own.start();
    expect(await claimJobs(queue, { count: 1, labels: [], worker: 'x', leaseMs: 15_000 })).toEqual([]);
    expect(await touchJobs(queue, claimed === undefined ? [] : [claimed])).toEqual({
      lost: [],
      cancelled: [],
      orders: [],
    });
    expect((await getJob(queue, run))?.worker).toBe('w');
    await queue.close();
    await own.remove();
  });
});

const programs = process.env['RUNWIRE_TEST_POSTGRES'] ?? '';
it.skipIf(!existsSync(join(programs, 'pg_dump')))(
  'is given out again from a backup of both schemas, as the docs say (npm run test:postgres)',
  async () => {
    const fleet = await newFleet(server, 'saved');
    const [ended, running, queued] = [
      await fleet.enqueue([], 'say', '1'),
      await fleet.enqueue([], 'say', '1'),
      await fleet.enqueue([]),
    ];
    expect(await workOnce(fleet)).toBe(0);
    const queue = await openQueue(fleet.url);
    expect(await claimJobs(queue, { count: 1, labels: [], worker: 'gone', leaseMs: 1 })).toMatchObject([
      { run: running },
    ]);
    await queue.close();
    const [from, to] = [new URL(fleet.url), new URL(fleet.url)];
    from.search = to.search = '';
    to.pathname = '/restored';
    const dump = execFileSync(join(programs, 'pg_dump'), ['--schema', 'saved', '--schema', 'saved_queue', from.href], {
      stdio: 'pipe',
    });
    await ask('create database restored');
    execFileSync(join(programs, 'psql'), ['-qX', '-v', 'ON_ERROR_STOP=1', to.href], { input: dump, stdio: 'pipe' });
    const again = new Fleet(`${to.href}?schema=saved`);
    const codes = [await workOnce(again), await workOnce(again)];
    const listed = (await again.runwire(['runs', 'list', '--json'])).stdout;
    expect({ codes, known: [ended, running, queued].map((run) => listed.includes(run)) }).toEqual({
      codes: [0, 0],
      known: [true, true, true],
    });
    expect(await again.job(running)).toMatchObject({ state: 'ended', attempt: 2, class: 'success' });
  },
);
