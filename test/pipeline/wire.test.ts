import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dialects } from '../../src/dialects/registry.ts';
import type { Draft, EventRecord } from '../../src/events/event.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import { Thread } from '../../src/pipeline/thread.ts';
import { jsonl, pass } from '../support/pipeline.ts';

const requested: Draft = { type: 'model.requested', request: 1, api: 'responses', route: 'own', request_bytes: 5 };
const responded: Draft = {
  type: 'model.responded',
  request: 1,
  api: 'responses',
  route: 'own',
  ended: 'complete',
  status: 200,
  hosted_tools: ['web_search'],
  duration_ms: 3,
  request_bytes: 5,
  response_bytes: 7,
};

describe('before the agent has introduced itself', () => {
  function threadAt(times: readonly number[]): { thread: Thread; records: EventRecord[] } {
    const records: EventRecord[] = [];
    const left = [...times];
    const clock = (): number => left.shift() ?? 9000;
    return {
      thread: new Thread({ clock, newId: () => 'made-up', onRecord: (record) => records.push(record) }),
      records,
    };
  }
  const shown = ({ type, source, timestamp, thread_id }: EventRecord): string =>
    `${type} ${source} ${Date.parse(timestamp ?? '')} ${thread_id}`;

  it('what passes waits for its words, and keeps its time', () => {
    const { thread, records } = threadAt([1000, 2000, 5000]);
    thread.tell({ ...requested }, 'wire');
    thread.tell({ ...responded }, 'wire');
    expect(records).toEqual([]);
    thread.emit({ type: 'thread.started', session_id: 'its-own' });
    thread.tell({ ...requested }, 'wire');
    expect(records.map(shown)).toEqual([
      'thread.started agent 5000 its-own',
      'model.requested wire 1000 its-own',
      'model.responded wire 2000 its-own',
      'model.requested wire 9000 its-own',
    ]);
  });

  it('an agent that says nothing is not waited for too long', () => {
    const { thread, records } = threadAt([]);
    for (let each = 0; each < 41; each += 1) thread.tell({ ...requested }, 'wire');
    expect(records.map(({ type }) => type)).toEqual([
      'thread.started',
      ...Array.from({ length: 41 }, () => 'model.requested'),
    ]);
  });

  it('or at all, once it has ended', () => {
    const { thread, records } = threadAt([]);
    thread.tell({ ...requested }, 'wire');
    thread.endAttempt({ exit_code: 0, signal: null });
    expect(records.map(({ type, source }) => `${type} ${source}`)).toEqual([
      'thread.started agent',
      'model.requested wire',
      'process.ended runner',
    ]);
  });
});

describe('a tape on which requests stand', () => {
  const recording = join(import.meta.dirname, '..', 'recordings', 'codex@0.166.0', 'multi-tool', 'stdout.jsonl');

  /** The same run with a request before and after each of its records, and without. */
  function tapes(): { with: string; without: string } {
    const records: EventRecord[] = [];
    const reader = new Reader({ newId: () => 'made-up', onRecord: (record) => records.push({ ...record }) });
    reader.stdout(readFileSync(recording));
    reader.end({ exit_code: 0, signal: null });
    const { thread_id = '', timestamp = null } = records[0] ?? {};
    const place = { timestamp, thread_id, source: 'wire', synthetic: false } as const;
    const all: object[] = records.flatMap((record, index): object[] =>
      index === 0 || record.type === 'thread.completed'
        ? [record]
        : [{ ...requested, ...place }, record, { ...responded, ...place }],
    );
    return { with: jsonl(all.map((record, index) => ({ ...record, sequence: index + 1 }))), without: jsonl(records) };
  }
  const { with: full, without } = tapes();

  it('is read with its sources', () => {
    const { text } = pass({ stdout: full }, 'runwire');
    expect(text).toBe(pass({ stdout: text }, 'runwire').text);
    expect(text.match(/"type":"model\.responded"[^\n]*"source":"wire"/g)?.length).toBeGreaterThan(10);
  });

  it.each(dialects.filter(({ id, encoder }) => encoder !== undefined && id !== 'runwire').map(({ id }) => id))(
    'is written as %s like one without them, and that they are lost is said',
    (to) => {
      const [one, other] = [pass({ stdout: full }, to), pass({ stdout: without }, to)];
      const unnumbered = (text: string): string => text.replaceAll(/"sequence":\s?\d+/g, '');
      expect(unnumbered(one.text)).toBe(unnumbered(other.text));
      expect(one.losses.toSorted()).toEqual([...other.losses, 'model_request'].toSorted());
    },
  );

  it('has no other event than a request of the right shape', () => {
    const [first = ''] = without.split('\n');
    const broken = {
      ...responded,
      hosted_tools: 5,
      sequence: 2,
      timestamp: null,
      thread_id: 'x',
      source: 'wire',
      synthetic: false,
    };
    expect(pass({ stdout: `${first}\n${JSON.stringify(broken)}\n` }).events.map(({ type }) => type)).toContain(
      'line.unknown',
    );
  });
});
