import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { UsageDocument } from '../../src/usage/document.ts';
import { folder } from '../cli/run/scripted.ts';
import { steepest, steepnessOf } from '../support/growth.ts';
import { merge } from '../../src/usage/merge.ts';
import { Calls } from '../../src/usage/calls.ts';
import { homeWith, usageOf } from './stores.ts';

const projects = '.claude/projects';
const line = (value: object): string => `${JSON.stringify(value)}\n`;

interface Message {
  sessionId?: string;
  usage?: unknown;
  timestamp?: unknown;
  more?: object;
}

/** A model call of 100 tokens in and 10 out, $0.00045. */
const call = (id: string, { sessionId = 's1', usage, timestamp = '2026-11-01T10:00:00Z', more }: Message = {}) => ({
  type: 'assistant',
  sessionId,
  uuid: `u-${id}`,
  cwd: '/w',
  timestamp,
  requestId: `req-${id}`,
  ...more,
  message: {
    id,
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [{ type: 'text', text: 'x' }],
    usage: usage === undefined ? { input_tokens: 100, output_tokens: 10 } : usage,
  },
});
const figures = ({ total, repeated_calls: repeated, incomplete }: UsageDocument) => ({
  calls: total.calls,
  input: total.input_tokens,
  output: total.output_tokens,
  repeated,
  incomplete: incomplete.map(({ what, count }) => (count === undefined ? what : `${count} ${what}`)),
});
const three = { calls: 3, input: 300, output: 30, repeated: 0, incomplete: [] };

/** Three calls in one session, which have been counted and are in the index. */
async function begin(): Promise<{ home: string; file: string }> {
  const home = homeWith({ [`${projects}/-w/s1.jsonl`]: [call('a'), call('b'), call('c')] });
  expect(figures(await usageOf(home))).toEqual(three);
  return { home, file: join(home, projects, '-w/s1.jsonl') };
}

/** The same from the index and without one. */
async function bothOf(home: string): Promise<ReturnType<typeof figures>> {
  const warm = figures(await usageOf(home));
  expect(figures(await usageOf(home, [], { XDG_STATE_HOME: folder() }))).toEqual(warm);
  return warm;
}

describe('a session that has been counted', () => {
  const moved: [string, (file: string, home: string) => void, object][] = [
    ['renamed', (file) => renameSync(file, `${dirname(file)}/other.jsonl`), {}],
    [
      'moved to another project',
      (file, home) => {
        mkdirSync(join(home, projects, '-v'));
        renameSync(file, join(home, projects, '-v/s1.jsonl'));
      },
      {},
    ],
    ['copied', (file) => cpSync(file, `${dirname(file)}/copy.jsonl`), { repeated: 3 }],
    [
      'copied into a backup inside the store',
      (file, home) => cpSync(dirname(file), join(home, projects, 'old/deep/-w'), { recursive: true }),
      { repeated: 3 },
    ],
    ['linked twice', (file) => linkSync(file, `${dirname(file)}/linked.jsonl`), {}],
    ['reached by a link to its folder', (file, home) => symlinkSync(dirname(file), join(home, projects, '-l')), {}],
    [
      'beside a link to the whole store',
      (file, home) => symlinkSync(join(home, projects), join(dirname(file), 'up')),
      {},
    ],
    ['beside a link to itself', (file) => symlinkSync('self.jsonl', join(dirname(file), 'self.jsonl')), {}],
    ['beside a link to nothing', (file) => symlinkSync('/nowhere', join(dirname(file), 'gone.jsonl')), {}],
    [
      'beside a pipe that nobody writes to',
      (file) => expect(spawnSync('mkfifo', [join(dirname(file), 'pipe.jsonl')]).status).toBe(0),
      {},
    ],
    ['beside a folder named like a session', (file) => mkdirSync(join(dirname(file), 'folder.jsonl')), {}],
    ['beside an empty file', (file) => writeFileSync(join(dirname(file), 'empty.jsonl'), ''), {}],
    [
      'beside bytes that are no text',
      (file) => writeFileSync(join(dirname(file), 'bytes.jsonl'), Buffer.alloc(5000, 0xff)),
      {},
    ],
    [
      'cut to its first call',
      (file) => truncateSync(file, readFileSync(file).indexOf('\n') + 1),
      { calls: 1, input: 100, output: 10 },
    ],
    ['emptied', (file) => truncateSync(file, 0), { calls: 0, input: 0, output: 0 }],
    [
      'rotated: the old one is kept, and a new one begun in its place',
      (file) => {
        renameSync(file, `${dirname(file)}/s1.1.jsonl`);
        writeFileSync(file, line(call('d')));
      },
      { calls: 4, input: 400, output: 40 },
    ],
    [
      'written anew in place, and longer',
      (file) => writeFileSync(file, ['d', 'e', 'f', 'g'].map((id) => line(call(id))).join('')),
      { calls: 4, input: 400, output: 40 },
    ],
    [
      'resumed under another name, with the calls before',
      (file) =>
        writeFileSync(
          `${dirname(file)}/s2.jsonl`,
          ['a', 'b', 'c', 'd'].map((id) => line({ ...call(id, { sessionId: 's2' }), uuid: `new-${id}` })).join(''),
        ),
      { calls: 4, input: 400, output: 40, repeated: 3 },
    ],
    ['written to with half a line', (file) => appendFileSync(file, line(call('d')).slice(0, 150)), {}],
    ['written to with a line of nothing but spaces', (file) => appendFileSync(file, `${' '.repeat(3000)}\n`), {}],
  ];

  it.each(moved)('and is then %s', async (_title, change, more) => {
    const { home, file } = await begin();
    change(file, home);
    expect(await bothOf(home)).toEqual({ ...three, ...more });
  });

  it('and then has a line of 40 MB, which is named, and calls behind it, which count', async () => {
    const { home, file } = await begin();
    appendFileSync(file, line(call('huge', { more: { text: 'x'.repeat(40 * 1024 * 1024) } })));
    appendFileSync(file, line(call('d')));
    expect(await bothOf(home)).toEqual({ ...three, calls: 4, input: 400, output: 40, incomplete: ['1 damaged lines'] });
  });
});

describe('counts that are none', () => {
  const odd: [string, unknown, object][] = [
    ['null', { input_tokens: null, output_tokens: 10 }, { calls: 2, output: 20 }],
    ['negative', { input_tokens: -5, output_tokens: 10 }, { calls: 2, output: 20 }],
    ['a text', { input_tokens: '100', output_tokens: 10 }, { calls: 2, output: 20 }],
    ['a list', { input_tokens: [100], output_tokens: 10 }, { calls: 2, output: 20 }],
    ['no usage at all', null, {}],
    ['usage as a text', '"usage"', {}],
  ];

  it.each(odd)('%s: the other calls count, and what can be', async (_title, usage, more) => {
    const home = homeWith({ [`${projects}/-w/s1.jsonl`]: [call('a'), call('odd', { usage })] });
    expect(await bothOf(home)).toEqual({ calls: 1, input: 100, output: 10, repeated: 0, incomplete: [], ...more });
  });

  it('a number that no computer holds is not added to anything', async () => {
    const text = line(call('odd')).replace('"input_tokens":100', '"input_tokens":1e999');
    const home = homeWith({ [`${projects}/-w/s1.jsonl`]: `${line(call('a'))}${text}` });
    const { total } = await usageOf(home);
    expect([total.input_tokens, total.output_tokens]).toEqual([100, 20]);
  });
});

describe('moments', () => {
  const odd: [string, unknown][] = [
    ['nobody can read', 'yesterday'],
    ['are missing', null],
    ['are far in the future', '9999-12-31T23:59:59Z'],
    ['are further than any calendar', '+275760-09-13T00:00:00Z'],
    ['are a number without end', 1e300],
    ['are before any computer', '0001-01-01T00:00:00Z'],
    ['are in a zone of fourteen hours', '2026-11-01T00:30:00+14:00'],
    ['are in a zone of minus twelve hours', '2026-10-31T23:30:00-12:00'],
    ['are leap seconds', '2026-06-30T23:59:60Z'],
  ];

  it.each(odd)('that %s: every report counts every call', async (_title, timestamp) => {
    const home = homeWith({ [`${projects}/-w/s1.jsonl`]: [call('a'), call('odd', { timestamp })] });
    for (const by of ['daily', 'weekly', 'monthly', 'session', 'model', 'blocks'])
      for (const zone of ['UTC', 'Pacific/Kiritimati', 'Etc/GMT+12']) {
        const { rows, total } = await usageOf(home, [by, '--time-zone', zone]);
        expect([by, zone, total.calls, rows.reduce((sum, row) => sum + row.calls, 0)]).toEqual([by, zone, 2, 2]);
      }
  });
});

it('sessions with totals of their own: many cost no more each than few', () => {
  const filesOf = (count: number) =>
    Array.from({ length: count }, (_, file) => {
      const calls = new Calls();
      calls.begin(undefined, 0);
      calls.add({ session: 0, at: 1, identity: `m-${file}`, model: 'm', input: 100, output: 10 });
      calls.add({ session: 0, at: 2, kind: 'total', model: 'm', input: 150, output: 15, cost: 1 });
      const { words, rows } = calls;
      const about = {
        path: `/${file}`,
        agent: 'claude',
        format: 'claude',
        inode: file,
        size: 1,
        mtimeMs: 1,
        bornMs: 1,
      };
      const notes = { sessions: [{ id: `s-${file}` }], pending: 0, offset: 0, mark: 0, state: '', damaged: 0 };
      return { file: about, usage: { ...notes, words, rows } };
    });
  expect(merge(filesOf(3)).files.flatMap(({ counts }) => [...counts])).toEqual([1, 1, 1, 1, 1, 1]);
  expect(steepnessOf((size) => void merge(filesOf(size)))).toBeLessThan(steepest);
});
