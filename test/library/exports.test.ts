import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as library from '../../src/index.ts';
import type { DecodeOptions, EventRecord, Note } from '../../src/index.ts';
import { drained } from '../support/drained.ts';

const {
  convert,
  decode,
  dialects,
  encode,
  exitCodes,
  Failure,
  findDialect,
  fold,
  loadPrices,
  openLedger,
  OutcomeFold,
} = library;
const { Reader, Redactor, run, schemaOf, secretValues, Thread, version, Writer } = library;

const root = join(import.meta.dirname, '..', '..');
const codexRun = join(root, 'examples', 'codex-run.jsonl');
const answer = 'I wrote notes.txt and changed bravo to BRAVO.';
const bytes = readFileSync(codexRun);
const secret = 'hunter2-hunter2-hunter2';
/** A run that says a secret and tells tokens, but no cost. */
const spoken = [
  { type: 'thread.started', thread_id: 't' },
  { type: 'turn.started' },
  { type: 'item.completed', item: { id: 'i', type: 'agent_message', text: `It is ${secret}.` } },
  { type: 'turn.completed', usage: { input_tokens: 1000, output_tokens: 100 } },
];
const said = Buffer.from(spoken.map((line) => `${JSON.stringify(line)}\n`).join(''));

const folder = mkdtempSync(join(tmpdir(), 'runwire-exports-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Any chunks will do: an array, or a stream of odd pieces. */
async function* pieces(whole: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < whole.length; at += 777) yield whole.subarray(at, at + 777);
}

async function* toGenerator<Value>(values: AsyncIterable<Value>): AsyncGenerator<Value, void> {
  yield* values;
}

/** The options that every reading function takes; each has an effect. */
const everyOption = (notes: Note[]): DecodeOptions => ({
  from: 'codex',
  stderr: [Buffer.from('panic: out of memory\n')],
  process: { exit_code: 1, signal: null },
  newId: () => 'named-here',
  clock: () => Date.UTC(2026, 0, 1),
  price: () => 0.25,
  redact: new Redactor({ values: [secret] }),
  full: true,
  onNote: (note) => void notes.push(note),
});

/** Every export, called for real with the options that matter. One without a row here does not compile, and fails. */
const rows: Record<keyof typeof library, Record<string, () => Promise<void> | void>> = {
  run: {
    'with and without a ledger, iterated or not, alone and several at once': async () => {
      const ledger = join(folder, 'run.db');
      const works = [
        run({ command: ['cat', codexRun] }),
        run({ command: ['cat', codexRun], ledger }),
        run({ command: ['cat', codexRun], ledger }),
      ];
      const types = await Promise.all(
        works.slice(0, 2).map(async (work) => (await drained(toGenerator(work))).values.at(-1)?.type),
      );
      expect(types).toEqual(['thread.completed', 'thread.completed']);
      const outcomes = await Promise.all(works.map(({ outcome }) => outcome));
      expect(outcomes.map(({ message, verdict }) => [message, verdict.class])).toEqual(
        works.map(() => [answer, 'success']),
      );
    },
    aborted: async () => {
      expect((await run({ command: ['cat', codexRun], signal: AbortSignal.abort() }).outcome).verdict.class).toBe(
        'cancelled',
      );
    },
    'with what makes no sense': () => {
      expect(() => run({ limits: { maxTurns: 0 } })).toThrow(Failure);
    },
  },
  openLedger: {
    'of a run, named and by the environment': async () => {
      const ledger = join(folder, 'ledger.db');
      const { id, outcome } = run({ command: ['cat', codexRun], ledger });
      await outcome;
      for (const options of [{ ledger }, { env: { RUNWIRE_LEDGER: 'ledger.db' }, cwd: folder, tapes: 'files' }]) {
        const opened = await openLedger(options);
        expect((await opened.find('last')).id).toBe(id);
        await opened.close();
      }
      await expect(openLedger({ ledger: 'none' })).rejects.toThrow(Failure);
    },
  },
  decode: {
    detected: async () => {
      const { values, end } = await drained(decode(pieces(bytes)));
      expect(values.map(({ sequence }) => sequence)).toEqual(values.map((_, index) => index + 1));
      expect(end.message).toBe(answer);
    },
    'with every option': async () => {
      const notes: Note[] = [];
      const { values, end } = await drained(decode([said], everyOption(notes)));
      expect(JSON.stringify([values, end])).not.toContain(secret);
      expect(values[0]?.timestamp).toBe('2026-01-01T00:00:00.000Z');
      expect(end).toMatchObject({ metrics: { cost: 0.25 }, verdict: { class: 'incomplete' } });
    },
    'from an unknown dialect': () => expect(drained(decode([], { from: 'codx' }))).rejects.toThrow(Failure),
  },
  fold: {
    detected: async () => {
      expect(await fold([bytes])).toEqual((await drained(decode(pieces(bytes)))).end);
    },
    'with every option': async () => {
      const folded = await fold(pieces(said), everyOption([]));
      expect(folded).toEqual((await drained(decode([said], everyOption([])))).end);
    },
    nothing: async () => {
      expect((await fold([])).status).toBe('incomplete');
    },
    'from an unknown dialect': () => expect(fold([], { from: 'codx' })).rejects.toThrow(Failure),
  },
  encode: {
    'to every dialect that can be written, and back': async () => {
      const { values } = await drained(decode([bytes]));
      for (const { id, encoder } of dialects) {
        if (encoder === undefined) continue;
        const text = (await drained(encode(values, id))).values.join('');
        expect({ id, isText: text.length > 0 }).toEqual({ id, isText: true });
      }
      const again = (await drained(encode(values, 'runwire'))).values.join('');
      expect((await fold([Buffer.from(again)])).message).toBe(answer);
    },
    'what is lost': async () => {
      const notes: Note[] = [];
      const { values } = await drained(decode([bytes]));
      await drained(encode(values, 'dexter', { onNote: (note) => void notes.push(note) }));
      expect(notes.every(({ kind }) => kind === 'lost') && notes.length > 0).toBe(true);
    },
    'to an unknown dialect': () => expect(drained(encode([], 'codx'))).rejects.toThrow(Failure),
  },
  convert: {
    'is decode and encode in one': async () => {
      const { values, end } = await drained(convert(pieces(bytes), 'claude:json'));
      expect(end.message).toBe(answer);
      expect((await fold([Buffer.from(values.join(''))])).message).toBe(answer);
    },
    'with every option': async () => {
      const notes: Note[] = [];
      const { values } = await drained(convert([said], 'claude', everyOption(notes)));
      expect(values.join('')).not.toContain(secret);
      expect(notes).not.toEqual([]);
    },
    'to an unknown dialect': () => expect(drained(convert([], 'codx'))).rejects.toThrow(Failure),
  },
  Reader: {
    'live, with stderr and the end of its process': () => {
      const records: EventRecord[] = [];
      const reader = new Reader({
        clock: Date.now,
        introduction: { model: 'gpt-5' },
        onRecord: (record) => void records.push(record),
      });
      reader.stdout(said);
      reader.stderr(Buffer.from('warning: slow\n'));
      reader.endInput({ exit_code: 0, signal: null });
      expect(reader.needsPrice).toBe(true);
      const outcome = reader.end({ exit_code: 0, signal: null }, () => 0.5);
      expect(reader.dialect?.id).toBe('codex');
      expect(outcome).toMatchObject({ status: 'success', metrics: { cost: 0.5 } });
      expect(records.at(-1)?.type).toBe('thread.completed');
    },
  },
  Thread: {
    'repairs and numbers what it is given': () => {
      const records: EventRecord[] = [];
      const thread = new Thread({
        clock: Date.now,
        newId: () => 'mine',
        onRecord: (record) => void records.push(record),
      });
      thread.emit({ type: 'text.completed', block_id: 'b', message_id: 'm', text: 'Done.' });
      thread.emit({ type: 'agent.finished', status: 'ok' });
      expect(thread.end('runwire', { exit_code: 0, signal: null }).message).toBe('Done.');
      expect(records.map(({ sequence }) => sequence)).toEqual(records.map((_, index) => index + 1));
      expect([records[0]?.type, records[0]?.thread_id, records.at(-1)?.type]).toEqual([
        'thread.started',
        'mine',
        'thread.completed',
      ]);
    },
  },
  Writer: {
    'writes records in the words of a dialect': async () => {
      const codex = findDialect('codex');
      if (codex.encoder === undefined) throw new Error('codex can be written');
      const writer = new Writer({ ...codex, encoder: codex.encoder }, { name: 'lines', layout: 'lines' });
      const { values, end } = await drained(decode([bytes]));
      for (const record of values) writer.record(record);
      writer.end(end);
      expect(writer.size).toBeGreaterThan(0);
      expect((await fold([Buffer.from(writer.take())])).message).toBe(answer);
      expect([writer.size, writer.notes.every(({ kind }) => kind === 'lost')]).toEqual([0, true]);
    },
  },
  OutcomeFold: {
    'makes an outcome of events': () => {
      const folding = new OutcomeFold({ startedAt: 1000, metadata: { initial_prompt: 'Do it' } });
      folding.apply(
        { type: 'text.completed', turn_id: 't', block_id: 'b', message_id: 'm', text: 'Done.' },
        1500,
        false,
      );
      folding.apply({ type: 'agent.finished', status: 'ok' }, 2000, false);
      expect(folding.outcome('runwire', [])).toMatchObject({ message: 'Done.', metadata: { initial_prompt: 'Do it' } });
    },
  },
  loadPrices: {
    'knows models, and says when it does not': async () => {
      const price = await loadPrices();
      const tokens = { input: 1_000_000, output: 1000 };
      expect(price('anthropic/claude-sonnet-4-5', tokens)).toBeGreaterThan(0);
      expect([price('nobody/nothing', tokens), price(undefined, tokens)]).toEqual([undefined, undefined]);
    },
  },
  Redactor: {
    'replaces values and known shapes': () => {
      const redact = new Redactor({ values: [secret] });
      expect(redact.text(`a ${secret} b`)).toBe('a [redacted:secret-value] b');
      expect(JSON.stringify(redact.json({ key: `ghp_${'a1B2'.repeat(9)}` }))).not.toContain('ghp_a1B2');
      expect(redact.count).toBe(2);
    },
  },
  secretValues: {
    'finds what looks like a secret by its name': () => {
      expect(secretValues({ MY_API_KEY: secret, HOME: '/home/somebody-long' })).toEqual([secret]);
    },
  },
  dialects: {
    'are all found by their names': () => {
      expect(dialects.map(({ id }) => findDialect(id))).toEqual(dialects);
    },
  },
  findDialect: {
    'says what was meant': () => {
      expect(() => findDialect('codx')).toThrow(/did you mean "codex"/);
      expect(() => findDialect('codx')).toThrow(Failure);
    },
  },
  schemaOf: {
    'our own formats, and every dialect': async () => {
      for (const name of ['event', 'record', 'outcome', 'run-spec', ...dialects.map(({ id }) => id)])
        expect(await schemaOf(name)).toMatchObject({ title: `Runwire ${name}` });
      await expect(schemaOf('nothing')).rejects.toThrow(Failure);
    },
  },
  exitCodes: {
    'are those of agent-code, and what shells say': () => {
      expect(exitCodes).toMatchObject({
        success: 0,
        config: 1,
        input: 2,
        permission: 7,
        time_limit: 124,
        cancelled: 130,
      });
    },
  },
  Failure: {
    'has a code, and so an exit code': () => {
      const failure = new Failure('input', 'no', { cause: 'x' });
      expect([failure instanceof Error, failure.code, failure.exitCode, failure.message, failure.cause]).toEqual([
        true,
        'input',
        2,
        'no',
        'x',
      ]);
    },
  },
  version: {
    'is that of the package': () => {
      expect(version).toBe(
        (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version,
      );
    },
  },
};

it('has a row for every export, and no other', () => {
  expect(Object.keys(rows).toSorted()).toEqual(Object.keys(library).toSorted());
});

describe.each(Object.entries(rows))('%s', (_name, cases) => {
  it.each(Object.entries(cases))('%s', (_title, call) => call());
});

it('loads no database, no compression and no package but zod before it is asked', () => {
  const program = `
    import { registerHooks } from 'node:module';
    const packages = new Set();
    registerHooks({ load: (url, context, next) => (packages.add(/node_modules\\/([^/]+)/.exec(url)?.[1]), next(url, context)) });
    await import('runwire');
    const heavy = process.moduleLoadList.filter((name) => /sqlite|zlib/.test(name));
    console.log(JSON.stringify([[...packages].filter(Boolean), heavy]));`;
  const told = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: root, encoding: 'utf8' });
  expect(JSON.parse(told)).toEqual([['zod'], []]);
});
