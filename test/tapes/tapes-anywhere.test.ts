import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import { type Ledger, openLedgerAt } from '../../src/ledger/ledger.ts';
import { openBucket } from '../../src/tapes/chunks/bucket.ts';
import { addressOf, pack } from '../../src/tapes/chunks/chunk.ts';
import { ledgerPlace } from '../../src/stores/open-store.ts';
import { newRunId } from '../../src/ids/run-id.ts';
import type { Tape, TapeEnd, UndeliveredTape } from '../../src/tapes/tape.ts';
import { tapesPlace } from '../../src/tapes/tapes-place.ts';
import type { Environment } from '../../src/words/vocabulary.ts';
import type { RunSummary } from '../../src/stores/run-store.ts';
import { jsonLines } from '../cli/runs/ledger.ts';
import { serving } from '../server/serving.ts';
import { inProcess } from '../fleet/support/in-process.ts';
import { type Result, runwire } from '../support/command.ts';
import { isSweep } from '../support/sweep.ts';
import { type BucketServer, startBucket } from './support/bucket.ts';
import { startDeafProxy } from './support/deaf-proxy.ts';
import { type PostgresServer, startPostgres } from '../stores/support/postgres.ts';
import { noon } from '../stores/support/runs.ts';
import { recordOf, recordsOf, linesOf } from './support/tape-records.ts';

const folder = mkdtempSync(join(tmpdir(), 'runwire-anywhere-'));
let postgres: PostgresServer;
let bucket: BucketServer;
beforeAll(async () => {
  [postgres, bucket] = await Promise.all([startPostgres(), startBucket()]);
});
afterAll(async () => {
  await Promise.all([postgres.remove(), bucket.remove()]);
  rmSync(folder, { recursive: true, force: true });
});

const refuse = (message: string): never => {
  throw new Error(message);
};

interface Place {
  ledger: () => string;
  tapes: string;
  /** The server that keeps them. */
  server?: () => { stop(): Promise<void>; start(): Promise<void> };
}

const places: Record<string, Place> = {
  files: { ledger: () => join(folder, 'ledger.db'), tapes: 'files' },
  's3, indexed in SQLite': {
    ledger: () => join(folder, 'ledger.db'),
    tapes: 's3://tapes/team/a',
    server: () => bucket,
  },
  's3, indexed in PostgreSQL': { ledger: () => postgres.url('bucket'), tapes: 's3://tapes', server: () => bucket },
  postgres: { ledger: () => postgres.url('chunks'), tapes: 'postgres', server: () => postgres },
};
type PlaceName = keyof typeof places;

/** The ledger and the tapes as a process on a machine sees them; each machine has its own disk. */
async function on(machine: string, name: PlaceName, env: Environment = bucket.env): Promise<Ledger> {
  const { ledger: address, tapes } = places[name] ?? refuse(`no place ${name}`);
  const ledger = ledgerPlace(address(), {}, '/');
  if (ledger.kind === 'none') return refuse('no ledger');
  const home = join(folder, machine);
  mkdirSync(home, { recursive: true });
  return openLedgerAt(ledger, { ...env, XDG_STATE_HOME: home }, tapesPlace(tapes, {}, ledger));
}

async function read(tape: Tape | undefined, after?: number): Promise<{ text: string; end: TapeEnd }> {
  if (tape === undefined) return refuse('there is no such tape');
  const chunks: Uint8Array[] = [];
  for (const lines = tape.read(after); ;) {
    const { value, done } = await lines.next();
    if (done === true) return { text: Buffer.concat(chunks).toString(), end: value };
    chunks.push(new Uint8Array(value));
  }
}

async function write(tape: Tape, records: readonly EventRecord[]): Promise<void> {
  const writer = tape.write({ onTrouble: refuse, patienceMs: 30_000 });
  for (const record of records) writer.record(record);
  await writer.end();
}

/** What keeps them and what indexes them, each once; in `npm run test:sweeps`, with each other. */
const tried = Object.keys(places).filter((name) => isSweep || name !== 's3, indexed in PostgreSQL');

describe.each(tried)('tapes in %s', (name) => {
  const isFiles = name === 'files';
  /** What writes, and what reads from elsewhere. */
  async function both(work: (a: Ledger, b: Ledger) => Promise<void>): Promise<void> {
    const [a, b] = [await on(isFiles ? 'both' : 'a', name), await on(isFiles ? 'both' : 'b', name)];
    try {
      await work(a, b);
    } finally {
      await a.store.close();
      await b.store.close();
    }
  }
  const id = (): string => newRunId(noon + Math.floor(Math.random() * 1e6));

  it('are read elsewhere as they were written, from any record on', () =>
    both(async ({ tapes }, { tapes: elsewhere }) => {
      const { key, tape } = tapes.create(id(), noon);
      const records = recordsOf(300);
      await write(tape, records);
      expect(await read(elsewhere.at(key))).toEqual({ text: linesOf(records), end: { kind: 'whole' } });
      expect(await read(elsewhere.at(key), 217)).toEqual({ text: linesOf(records.slice(217)), end: { kind: 'whole' } });
      expect(await read(elsewhere.at(key), 300)).toEqual({ text: '', end: { kind: 'whole' } });
      expect(await elsewhere.at(key)?.size()).toBeGreaterThan(0);
      expect(key).not.toMatch(/S3RVER|secret|@/);
    }));

  it('may have no record, or one that is very large', () =>
    both(async ({ tapes }, { tapes: elsewhere }) => {
      const empty = tapes.create(id(), noon);
      await write(empty.tape, []);
      expect(await read(elsewhere.at(empty.key))).toEqual({ text: '', end: { kind: 'whole' } });
      const large = tapes.create(id(), noon);
      const records = [
        recordOf(1),
        recordOf(2, randomBytes(1_000_000).toString('hex') + 'long'.repeat(2_000_000)),
        recordOf(3),
      ];
      await write(large.tape, records);
      const { text, end } = await read(elsewhere.at(large.key));
      expect([text === linesOf(records), end]).toEqual([true, { kind: 'whole' }]);
    }));

  it('are followed while they are written, also by who joins in the middle', () =>
    both(async ({ tapes }, { tapes: elsewhere }) => {
      const { key, tape } = tapes.create(id(), noon);
      const writer = tape.write({ onTrouble: refuse, patienceMs: 30_000 });
      const records = recordsOf(60);
      for (const record of records.slice(0, 20)) writer.record(record);
      while ((await elsewhere.at(key)?.size()) === undefined) await sleep(20);
      let isOver = false;
      const more = async (): Promise<boolean> => {
        await sleep(20);
        return !isOver;
      };
      async function follow(after: number): Promise<string> {
        let text = '';
        for await (const lines of elsewhere.at(key)?.follow(more, after) ?? []) text += Buffer.from(lines).toString();
        return text;
      }
      const following = [follow(0), follow(7), follow(45)];
      for (const record of records.slice(20)) {
        writer.record(record);
        if (record.sequence % 10 === 0) await sleep(30);
      }
      await writer.end();
      isOver = true;
      expect(await Promise.all(following)).toEqual([0, 7, 45].map((after) => linesOf(records.slice(after))));
    }));

  it('are removed, and then not there', () =>
    both(async ({ tapes }, { tapes: elsewhere }) => {
      const { key, tape } = tapes.create(id(), noon);
      await write(tape, recordsOf(3));
      const keys = async (): Promise<string[]> => {
        const found: string[] = [];
        for await (const entry of elsewhere.list()) found.push(entry.key);
        return found;
      };
      expect(await keys()).toContain(key);
      await elsewhere.at(key)?.remove();
      await elsewhere.at(key)?.remove();
      expect([await elsewhere.at(key)?.size(), await tape.size()]).toEqual([undefined, undefined]);
      expect(await keys()).not.toContain(key);
      await expect(read(elsewhere.at(key))).rejects.toThrow(/^cannot read /);
      expect(elsewhere.whereIs(key, 'host-a')).toMatch(/pruned.*(host-a|another machine)/);
    }));

  it('come in pieces from elsewhere, each once', () =>
    both(async ({ tapes }, { tapes: elsewhere }) => {
      const run = id();
      const records = recordsOf(9);
      const { key, open } = tapes.grow(run, noon);
      const tape = await open();
      await tape.append(linesOf(records.slice(0, 4)), 4);
      const again = await elsewhere.grow(run, noon).open();
      expect(again.lastSequence).toBe(4);
      expect(again.bytes).toBeGreaterThan(0);
      await again.append(linesOf(records.slice(4)), 9);
      await again.end();
      expect(await read(elsewhere.at(key))).toEqual({ text: linesOf(records), end: { kind: 'whole' } });
    }));

  it.runIf(!isFiles)('that are torn off are read to the last line that came', () =>
    both(async ({ tapes }, { tapes: elsewhere }) => {
      const run = id();
      const { key, tape } = tapes.create(run, noon);
      const writer = tape.write({ onTrouble: refuse, patienceMs: 30_000 });
      const records = recordsOf(30);
      for (const record of records.slice(0, 10)) writer.record(record);
      while (((await elsewhere.at(key)?.size()) ?? 0) === 0) await sleep(20);
      // Killed: nobody ends it, and its last line is torn.
      expect(await read(elsewhere.at(key))).toEqual({ text: linesOf(records.slice(0, 10)), end: { kind: 'cut' } });
      await writer.end();
      expect(key).toBe(
        addressOf(key.startsWith('postgres:') ? '' : (key.split(`/${run}`)[0] ?? ''), { run, attempt: 1 }),
      );
    }),
  );

  it.runIf(!isFiles)('wait on the disk while their server is away, and follow with the next command', () =>
    both(async ({ tapes }, b) => {
      const { server = () => refuse('no server') } = places[name] ?? {};
      const { key, tape } = tapes.create(id(), noon);
      const writer = tape.write({ onTrouble: refuse, patienceMs: 300 });
      const records = recordsOf(200);
      for (const record of records.slice(0, 50)) writer.record(record);
      while (((await b.tapes.at(key)?.size()) ?? 0) === 0) await sleep(20);
      await server().stop();
      let here: string;
      let left: UndeliveredTape[];
      try {
        for (const record of records.slice(50)) writer.record(record);
        await writer.end();
        here = (await read(tape)).text;
        left = await tapes.deliver(Date.now(), 300);
      } finally {
        await server().start();
      }
      expect(here).toBe(linesOf(records));
      expect(left.map(({ where }) => where)).toEqual([key]);
      expect(JSON.stringify(left)).not.toMatch(/S3RVER|secret-of-the-test/);
      expect(await tapes.deliver(Date.now(), 20_000)).toEqual([]);
      expect(await read(b.tapes.at(key))).toEqual({ text: linesOf(records), end: { kind: 'whole' } });
      expect(readdirSync(folderOf(name)).filter((file) => file.includes(key.split('/').at(-2) ?? key))).toEqual([]);
    }),
  );
});

/** Where tapes of machine `a` wait. */
function folderOf(name: PlaceName): string {
  return name.includes('SQLite') ? join(folder, 'outbox') : join(folder, 'a', 'runwire', 'outbox');
}

describe('a bucket', () => {
  const place = 's3, indexed in SQLite';
  const wrong: readonly [string, Environment, RegExp][] = [
    ['a wrong key', { AWS_SECRET_ACCESS_KEY: 'hush-hush' }, /403 SignatureDoesNotMatch/],
    ['an unknown key', { AWS_ACCESS_KEY_ID: 'hush-hush' }, /403 InvalidAccessKeyId/],
    ['no key', { AWS_ACCESS_KEY_ID: '' }, /needs AWS_ACCESS_KEY_ID/],
    ['a key in its address', { AWS_ENDPOINT_URL: 'http://user:hush-hush@127.0.0.1' }, /without keys/],
    ['nobody at its address', { AWS_ENDPOINT_URL: 'http://127.0.0.1:59871' }, /s3:\/\/tapes: ECONNREFUSED/],
  ];
  it('that cannot be used is told of without its key, and the tape stays here until it can', async () => {
    const name = 's3, indexed in PostgreSQL';
    await Promise.all(
      wrong.map(async ([why, env, message]) => {
        const { store, tapes } = await on(why, name, { ...bucket.env, ...env });
        const right = await on(why, name);
        const { key, tape } = tapes.create(newRunId(noon), noon);
        const writer = tape.write({ onTrouble: refuse, patienceMs: 100 });
        writer.record(recordOf(1));
        await writer.end();
        // Who is not there is asked again until there is no more patience.
        let [left] = await tapes.deliver(Date.now(), 1000);
        while (left?.why.startsWith('no answer') === true) [left] = await tapes.deliver(Date.now(), 1000);
        expect(left?.why).toMatch(message);
        expect(JSON.stringify(left)).not.toContain('hush');
        expect((await read(tapes.at(key))).text).toBe(linesOf([recordOf(1)]));
        expect(await right.tapes.deliver(Date.now(), 20_000)).toEqual([]);
        expect((await read(right.tapes.at(key))).text).toBe(linesOf([recordOf(1)]));
        await expect(read(tapes.at(key))).rejects.toThrow(message);
        await store.close();
        await right.store.close();
      }),
    );
  });

  it('takes a key that was lent, with its token', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.headers['x-amz-security-token']} ${request.headers.authorization}`);
      response.end();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const env = {
      ...bucket.env,
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_SESSION_TOKEN: 'lent',
    };
    const objects = openBucket({ kind: 'bucket', bucket: 'tapes', prefix: 'x' }, env);
    await objects.put('a', new Uint8Array([1]));
    await objects.get('a', 10);
    await objects.remove('a');
    server.close();
    server.closeAllConnections();
    expect(asked).toHaveLength(3);
    for (const line of asked)
      expect(line).toMatch(/^(PUT|GET|DELETE) lent AWS4-HMAC-SHA256 .*SignedHeaders=[\w;-]*x-amz-security-token/);
  });

  it('that takes a request and never answers holds nobody up', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
    const port = (silent.address() as AddressInfo).port;
    const home = mkdtempSync(join(folder, 'silent-'));
    const env = {
      ...bucket.env,
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      RUNWIRE_TAPES: 's3://tapes/silent',
      HOME: home,
      XDG_STATE_HOME: home,
    };
    const said =
      '{"type":"thread.started","thread_id":"x"}\\n{"type":"turn.started"}\\n{"type":"turn.completed","usage":{}}\\n';
    const run = await runwire(['run', '--from', 'codex', '--', 'printf', said], { env });
    expect(run.stderr).toMatch(
      /still on this machine: no answer from s3:\/\/tapes\/silent yet; the next runwire command here delivers it/,
    );
    // Its sockets are the only thing that could keep it.
    expect((await runwire(['runs', 'show', 'last', '--json'], { env })).status).toBe(0);
    expect(silent.listening).toBe(true);
    silent.close();
    silent.closeAllConnections();
  });

  it('that nobody named here is not asked, whatever the ledger says', async () => {
    const { store, tapes } = await on('a', place);
    const run = newRunId(noon);
    for (const key of [
      `s3://other/${run}/1`,
      `s3://tapes/${run}/1`,
      `s3://tapes/team/a/../b/${run}/1`,
      `s3://tapes/team/a/${run}/../1`,
      'ftp://x',
    ]) {
      expect(tapes.at(key)).toBeUndefined();
      expect(tapes.whereIs(key)).toMatch(/name that place|is not in/);
    }
    await store.close();
  });
});

describe('what is kept of a tape', () => {
  it.each(['s3, indexed in PostgreSQL', 'postgres'])('in %s is known by its hash: damage is found', async (name) => {
    const { store, tapes } = await on('a', name);
    const { key, tape } = tapes.create(newRunId(noon), noon);
    await write(tape, recordsOf(100));
    if (name === 'postgres') {
      const client = new pg.Client({ connectionString: postgres.url('chunks').replace('?schema=chunks', '') });
      await client.connect();
      await client.query(
        'update chunks.run_chunk set body = set_byte(body, length(body) / 2, get_byte(body, length(body) / 2) # 1) where run = $1 and ends = 0',
        [key.slice('postgres:'.length, -2)],
      );
      await client.end();
    } else {
      const folderOfRun = join(bucket.folder, 'tapes', key.slice('s3://tapes/'.length));
      const object = join(folderOfRun, readdirSync(folderOfRun).find((file) => file.endsWith('_object')) ?? '');
      const bytes = readFileSync(object);
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
      writeFileSync(object, bytes);
    }
    expect((await read(tapes.at(key))).end).toEqual({
      kind: 'broken',
      message: 'its records 1 to 100 are not what was written',
    });
    await store.close();
  });

  it('is read once where several brought it', async () => {
    const { store, tapes } = await on('a', 'postgres');
    const { key, tape } = tapes.create(newRunId(noon), noon);
    const records = recordsOf(40);
    const id = { run: key.slice('postgres:'.length, -2), attempt: 1 };
    for (const [from, to] of [
      [1, 10],
      [1, 15],
      [11, 20],
      [5, 40],
      [21, 30],
      [40, 40],
    ] as const)
      await store.chunks.add(id, '', await pack(Buffer.from(linesOf(records.slice(from - 1, to))), from, to));
    expect((await read(tape)).text).toBe(linesOf(records));
    expect((await read(tape, 12)).text).toBe(linesOf(records.slice(12)));
    await store.close();
  });

  it('by a run that was killed is brought by the next command, without an end', async () => {
    const { store, tapes } = await on('a', 'postgres');
    const { key, tape } = tapes.create(newRunId(noon), noon);
    await postgres.stop();
    const writer = tape.write({ onTrouble: refuse, patienceMs: 100 });
    for (const record of recordsOf(50)) {
      writer.record(record);
      await sleep(2);
    }
    await writer.end();
    const local = readdirSync(folderOf('postgres')).find((file) => file.endsWith('.tape.zst')) ?? '';
    const path = join(folderOf('postgres'), local);
    writeFileSync(path, readFileSync(path).subarray(0, -200));
    const before = await read(tape);
    const said = (where = key) => [tapes.whereIs(where, hostname()), tapes.whereIs(where, 'host-a')];
    const waits = 'is not in the ledger yet: it waits here, and the next runwire command delivers it';
    expect(said()).toEqual([waits, waits]);
    const gone = 'is not in the ledger: it was pruned, or its run was killed before anything was delivered';
    expect(said(tapes.create(newRunId(noon), noon).key)).toEqual([
      `${gone}, and none of it waits here`,
      `${gone}; if it waits on host-a, a runwire command there delivers it`,
    ]);
    await postgres.start();
    expect(await tapes.deliver(Date.now(), 20_000)).toEqual([]);
    const after = await read(tapes.at(key));
    expect([before.end.kind, before.text.length > 1000]).toEqual(['cut', true]);
    expect(after).toEqual({ text: before.text, end: { kind: 'cut' } });
    await store.close();
  });

  it('is delivered from a temporary folder where no other can be written', async () => {
    const home = mkdtempSync(join(folder, 'full-'));
    writeFileSync(join(home, 'runwire'), 'in the way');
    const { store, tapes } = await on(basename(home), 'postgres');
    const { key, tape } = tapes.create(newRunId(noon), noon);
    await write(tape, recordsOf(3));
    expect((await read(tapes.at(key))).text).toBe(linesOf(recordsOf(3)));
    await store.close();
  });
});

it('a role that may add and not delete keeps tapes in a bucket: they are there twice, and read once', async () => {
  const owner = await on('a', 's3, indexed in PostgreSQL');
  const admin = new pg.Client({ connectionString: postgres.url('x').replace('?schema=x', '') });
  await admin.connect();
  const adder = postgres.newName('adder');
  await admin.query(
    `create role ${adder} login password 'p'; grant usage on schema bucket to ${adder}; grant select, insert on all tables in schema bucket to ${adder}`,
  );
  await admin.end();
  const place = ledgerPlace(postgres.url('bucket').replace(/\/\/.*@/, `//${adder}:p@`), {}, '/');
  if (place.kind === 'none') return refuse('no ledger');
  const env = { ...bucket.env, XDG_STATE_HOME: join(folder, 'adder') };
  const { store, tapes } = await openLedgerAt(place, env, { kind: 'bucket', bucket: 'tapes', prefix: '' });
  const { key, tape } = tapes.create(newRunId(noon), noon);
  await write(tape, recordsOf(50));
  expect(await read(owner.tapes.at(key))).toEqual({ text: linesOf(recordsOf(50)), end: { kind: 'whole' } });
  await store.close();
  await owner.store.close();
});

describe('who follows a tape of another machine', () => {
  /** All that was read, and whether hints were seen to arrive, so that it is seldom looked for more. */
  async function follow(url: string, mayHear: boolean): Promise<{ text: string; isTrusted: boolean }> {
    const writing = await on('a', 'postgres');
    const place = ledgerPlace(url, {}, '/');
    if (place.kind === 'none') return refuse('no ledger');
    const { store, tapes } = await openLedgerAt(place, { XDG_STATE_HOME: join(folder, 'b') });
    const { key, tape } = writing.tapes.create(newRunId(noon), noon);
    const writer = tape.write({ onTrouble: refuse, patienceMs: 30_000 });
    writer.record(recordOf(1));
    while ((await tapes.at(key)?.size()) === undefined) await sleep(20);
    let isOver = false;
    const more = async (): Promise<boolean> => {
      await sleep(10);
      return !isOver;
    };
    let text = '';
    const reading = (async () => {
      for await (const lines of tapes.at(key)?.follow(more) ?? []) text += Buffer.from(lines).toString();
    })();
    for (let sequence = 2; sequence <= 5; sequence += 1) {
      writer.record(recordOf(sequence));
      while (!text.includes(`line ${sequence} `)) await sleep(5);
    }
    const { isTrusted } = store.chunks.watch({ run: newRunId(noon), attempt: 1 }, () => {});
    while (mayHear && !isTrusted()) await sleep(10);
    const found = isTrusted();
    await writer.end();
    isOver = true;
    await reading;
    await writing.store.close();
    await store.close();
    return { text, isTrusted: found };
  }

  it('is told of what is new', async () => {
    expect(await follow(postgres.url('chunks'), true)).toEqual({ text: linesOf(recordsOf(5)), isTrusted: true });
  });

  it('looks for itself where nothing can be told, as behind a pool of transactions', async () => {
    const proxy = await startDeafProxy(postgres.url('chunks'));
    expect(await follow(proxy.url, false)).toEqual({ text: linesOf(recordsOf(5)), isTrusted: false });
    await proxy.close();
    expect(proxy.dropped()).toBeGreaterThan(0);
  });
});

/** What needs no process of its own. */
const here = (args: readonly string[], env: Record<string, string>): Promise<Result> =>
  inProcess(args, { env, cwd: folder });

/** A program in the words of codex that says one thing, waits for a file, and says another. */
const agent = `
  const { existsSync, writeSync } = require('node:fs');
  const say = (line) => writeSync(1, JSON.stringify(line) + '\\n');
  const message = (id, text) => say({ type: 'item.completed', item: { id, type: 'agent_message', text } });
  say({ type: 'thread.started', thread_id: 'machine-a' });
  say({ type: 'turn.started' });
  say({ type: 'item.started', item: { id: 'c', type: 'command_execution', command: 'true', status: 'in_progress' } });
  say({ type: 'item.completed', item: { id: 'c', type: 'command_execution', command: 'true', exit_code: 0, aggregated_output: '', status: 'completed' } });
  message('m1', 'the first words');
  const timer = setInterval(() => {
    if (!existsSync(process.argv[1])) return;
    clearInterval(timer);
    message('m2', 'the last words');
    say({ type: 'turn.completed', usage: { input_tokens: 3, output_tokens: 2 } });
  }, 20);`;

describe.each([
  ['the ledger', {}],
  ['a bucket', { RUNWIRE_TAPES: 's3://tapes/machines' }],
])('with the tapes in %s', (where, tapes) => {
  const isBucket = where === 'a bucket';

  it('a run of one machine is seen on another, live and after', async () => {
    const home = mkdtempSync(join(folder, 'machines-'));
    rmSync(join(bucket.folder, 'tapes', 'machines'), { recursive: true, force: true });
    const go = join(home, 'go');
    const shared = { ...tapes, RUNWIRE_LEDGER: postgres.url(postgres.newName('machines')) };
    const machine = (name: string, more: Record<string, string> = bucket.env): Record<string, string> => ({
      ...shared,
      ...more,
      HOME: join(home, name),
      XDG_STATE_HOME: join(home, name, 'state'),
    });
    const [a, b] = [machine('a'), machine('b')];
    const run = runwire(['run', '--', process.execPath, '-e', agent, go], { env: a });
    const found = async (): Promise<RunSummary[]> =>
      jsonLines((await here(['runs', 'list', '--format', 'json'], b)).stdout);
    let [seen] = await found();
    while (seen === undefined) [seen] = await found();
    const server = await serving(join(home, 'b', 'state'), [], b);
    const tail = runwire(['runs', 'tail', '-f', '--to', 'runwire', 'last'], { env: b });
    const stream = await server.ask(`/api/runs/${seen.id}/records`);
    let sent = '';
    for await (const bytes of stream.body ?? []) {
      sent += Buffer.from(bytes).toString();
      if (sent.includes('the first words') && !sent.includes('the last words')) writeFileSync(go, '');
    }
    const ended = await run;
    expect([ended.status, ended.stderr]).toEqual([0, expect.not.stringMatching(/warning|S3RVER|secret-of/) as string]);
    expect(sent).toMatch(/event: end/);

    const asked = [
      ['play', 'last', '--speed', 'max'],
      ['outcome', 'last'],
      ['check', 'last', '--expect', 'must run true', '--json'],
      ['runs', 'show', 'last', '--json'],
      ['runs', 'verify', '--strict'],
    ];
    const [played, outcome, checked, shown, verified] = await Promise.all(asked.map((args) => here(args, b)));
    const tailed = await tail;
    const sequences = jsonLines<EventRecord>(tailed.stdout).map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
    // What was held back for the redaction of a live stream is not when it is played, so times of deltas may differ, and the report is made again.
    const untimed = (text: string): object[] =>
      jsonLines<EventRecord>(text).map((record) => ({
        ...record,
        timestamp: null,
        ...('final_report' in record && { final_report: {} }),
      }));
    expect(untimed(played?.stdout ?? '')).toEqual(untimed(tailed.stdout));
    expect(jsonLines(tailed.stdout).at(-1)).toMatchObject({
      final_report: { message: 'the last words', provenance: { dialect: 'codex' } },
    });
    const records = [...sent.matchAll(/^data: (\[.*\])$/gm)].flatMap(
      ([, data = '']) => JSON.parse(data) as EventRecord[],
    );
    expect(records).toEqual(jsonLines<EventRecord>(tailed.stdout));
    expect(JSON.parse(outcome?.stdout ?? '')).toMatchObject({ status: 'success', message: 'the last words' });
    expect(checked?.status).toBe(0);
    expect(JSON.parse(shown?.stdout ?? '')).toMatchObject({
      timeline: [{ name: 'command_execution' }],
      tape: expect.stringMatching(isBucket ? /^s3:\/\/tapes\/machines\// : /^postgres:/) as string,
    });
    expect([verified?.status, verified?.stderr]).toEqual([0, 'runwire: 1 run, 1 tape: 0 problems, 0 warnings\n']);
    // Nothing waits on the disk of the machine that ran.
    expect(readdirSync(join(home, 'a', 'state', 'runwire', 'outbox'))).toEqual([]);

    if (isBucket) {
      const away = await runwire(['runs', 'show', 'last', '--text'], {
        env: machine('c', { ...bucket.env, AWS_SECRET_ACCESS_KEY: 'hush' }),
      });
      expect([away.status, away.stdout, away.stderr]).toEqual([
        0,
        expect.stringContaining('the last words') as string,
        expect.stringMatching(
          /no timeline: cannot read from s3:\/\/tapes\/machines: it answers 403 SignatureDoesNotMatch\n/,
        ) as string,
      ]);
      const elsewhere = await here(['runs', 'show', 'last', '--text', '--tapes', 'files'], b);
      expect(elsewhere.stdout).toMatch(/is in s3:\/\/tapes\/machines: name that place with --tapes or RUNWIRE_TAPES/);
      expect(readdirSync(join(bucket.folder, 'tapes', 'machines'))).toHaveLength(1);
    }
    const pruned = await here(['runs', 'prune', '--keep', '0', '--yes'], b);
    expect(pruned.stdout).toMatch(/^removed 1 run and 1 tape/);
    if (isBucket) expect(filesBelow(join(bucket.folder, 'tapes', 'machines'))).toEqual([]);
    server.child.kill('SIGINT');
    await server.ended;
  });
});

/** A server may keep empty folders, or none. */
function filesBelow(path: string): string[] {
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true, withFileTypes: true, encoding: 'utf8' }).flatMap((each) =>
    each.isFile() ? [each.name] : [],
  );
}
