import { describe, expect, it } from 'vitest';
import { TapeCheck } from '../../src/ledger/tape-check.ts';

const place = { timestamp: '2026-01-02T03:04:05.678Z', thread_id: 't', source: 'agent', synthetic: false };
const block = { turn_id: 'turn_1', message_id: 'm', block_id: 'b' };
const end = {
  type: 'thread.completed',
  status: 'success',
  summary: 'Hello',
  verdict: { class: 'success', exit_code: 0, evidence: [] },
  final_report: {},
};
const tape = [
  { type: 'thread.started', agent: 'codex' },
  { type: 'turn.started', turn_id: 'turn_1', iteration: 1 },
  { type: 'text.delta', ...block, text: 'Hello' },
  { type: 'text.completed', ...block, text: 'Hello' },
  { type: 'item.started', item_id: 'a', turn_id: 'turn_1', kind: 'command', name: 'shell', args: { command: 'ls' } },
  { type: 'item.completed', item_id: 'a', status: 'success', output: null },
  { type: 'turn.completed', turn_id: 'turn_1', iteration: 1, tool_call_count: 1, has_final_report: true },
  end,
].map((event, index) => ({ ...event, sequence: index + 1, ...place }));
const lines = tape.map((record) => JSON.stringify(record));

function read(written: readonly string[], isFromBeginning = true) {
  const check = new TapeCheck(isFromBeginning);
  const { records, isIntact } = check.read(Buffer.from(written.map((line) => `${line}\n`).join('')));
  return { records: records.map(({ record }) => record.sequence), isIntact, end: check.end?.record.sequence };
}

const withLine = (at: number, line: object | string): string[] =>
  lines.with(at, typeof line === 'string' ? line : JSON.stringify({ ...tape[at], ...line }));

describe('a tape', () => {
  it('that Runwire wrote is intact, and its end is kept apart', () => {
    expect(read(lines)).toEqual({ records: [1, 2, 3, 4, 5, 6, 7], isIntact: true, end: 8 });
    const check = new TapeCheck(true);
    expect(check.read(Buffer.from(`${lines.join('\n')}\n`)).records.map(({ json }) => json)).toEqual(
      lines.slice(0, -1),
    );
  });

  it('from its middle on is intact, whatever began before', () => {
    expect(read(lines.slice(3), false)).toEqual({ records: [4, 5, 6, 7], isIntact: true, end: 8 });
    expect(read(lines.slice(3))).toMatchObject({ records: [], isIntact: false });
  });

  it('is intact without a time', () => {
    expect(read(withLine(4, { timestamp: null })).isIntact).toBe(true);
  });

  it('is read by complete lines', () => {
    expect(new TapeCheck(true).read(Buffer.from(lines.slice(0, 2).join('\n')))).toMatchObject({
      records: [{}],
      isIntact: false,
    });
  });

  it.each<[title: string, written: string[]]>([
    ['has no JSON in it', withLine(4, 'Segmentation fault')],
    ['has a value in it that is no object', withLine(4, 'null')],
    ['has half a line in it', withLine(4, lines[4]?.slice(0, 40) ?? '')],
    ['has an empty line in it', withLine(4, '')],
    ['has a line break of another system', withLine(4, `${lines[4]}\r`)],
    ['has a line break between two values', withLine(4, lines[4]?.replace(',', ',\r') ?? '')],
    ['has spaces after a record', withLine(4, `${lines[4]} `)],
    ['has an event that is none', withLine(4, { type: 'item.begun' })],
    ['has an event named like what every object has', withLine(4, { type: 'constructor' })],
    ['has a field that is none', withLine(4, { html: '<b>' })],
    ['has a field that every object has', withLine(4, lines[4]?.replace('{', '{"__proto__":{},') ?? '')],
    ['lacks a field', withLine(4, { name: undefined })],
    ['has a field of another type', withLine(4, { name: 7 })],
    ['has a word that is none', withLine(4, { kind: 'spell' })],
    ['has an end without a verdict', withLine(7, { verdict: null })],
    ['lacks a number', withLine(4, { sequence: undefined })],
    ['has a number that is none', withLine(4, { sequence: 4.5 })],
    ['counts downwards', withLine(4, { sequence: 3 })],
    ['has a line twice', [...lines.slice(0, 5), ...lines.slice(4)]],
    ['lacks a time', withLine(4, { timestamp: undefined })],
    ['has a time that is none', withLine(4, { timestamp: '2026-13-02T03:04:05.678Z' })],
    ['has a time with a remark', withLine(4, { timestamp: '2026-01-02T03:04:05.678Z (<b>)' })],
    ['has no thread', withLine(4, { thread_id: '' })],
    ['has a source that is none', withLine(4, { source: 'me' })],
    ['is not sure what was added', withLine(4, { synthetic: 1 })],
    ['goes on after its end', [...lines, JSON.stringify({ ...tape[4], sequence: 9 })]],
    ['has the end of a call that did not begin', lines.toSpliced(4, 1)],
    ['has a text that is not its parts', withLine(3, { text: 'Good-bye' })],
    ['has a turn in a turn', [...lines.slice(0, 2), JSON.stringify({ ...tape[1], turn_id: 'turn_2', sequence: 3 })]],
    ['does not begin with its beginning', lines.slice(1)],
    ['begins twice', [...lines.slice(0, 1), JSON.stringify({ ...tape[0], sequence: 2 })]],
  ])('that %s is not', (_title, written) => {
    expect(read(written).isIntact).toBe(false);
  });
});
