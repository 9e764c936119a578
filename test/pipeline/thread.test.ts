import { describe, expect, it } from 'vitest';
import type { Draft, EventRecord } from '../../src/events/event.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import { Thread, type ThreadOptions } from '../../src/pipeline/thread.ts';

/** A thread, and what came of it. */
function threaded(options: ThreadOptions = {}): { thread: Thread; records: EventRecord[] } {
  const records: EventRecord[] = [];
  const thread = new Thread({
    newId: () => 'thread',
    ...options,
    onRecord: (record) => void (records.push(record), options.onRecord?.(record)),
  });
  return { thread, records };
}

describe('whenIdle', () => {
  const telling = (type: EventRecord['type']) => {
    const { thread, records } = threaded({
      onRecord: (record) =>
        record.type === type && thread.whenIdle(() => thread.tell({ type: 'log', stream: 'agent', text: 'late' })),
    });
    return { thread, records };
  };

  it('acts at once when no record is on its way', () => {
    const { thread, records } = telling('thread.started');
    let isDone = false;
    thread.whenIdle(() => (isDone = true));
    expect([isDone, records]).toEqual([true, []]);
  });

  it('waits for all records that one draft gives rise to', () => {
    const { thread, records } = telling('thread.started');
    thread.emit({ type: 'text.completed', text: 'Done.' });
    expect(records.map(({ type }) => type)).toEqual([
      'thread.started',
      'turn.started',
      'text.delta',
      'text.completed',
      'log',
    ]);
  });

  it('waits for the end of a step that takes several', () => {
    const { thread, records } = telling('retry.scheduled');
    thread.retry({ attempt: 1, max_attempts: 2, delay_ms: 0, cause: 'incomplete' });
    expect([thread.attempt, records.at(-1)?.type]).toEqual([2, 'log']);
  });

  it('acts even if a listener fails', () => {
    const { thread, records } = threaded({
      onRecord(record) {
        if (record.type !== 'turn.started') return;
        thread.whenIdle(() => thread.tell({ type: 'log', stream: 'agent', text: 'late' }));
        throw new Error('broken');
      },
    });
    expect(() => thread.emit({ type: 'turn.started' })).toThrow('broken');
    expect(records.at(-1)?.type).toBe('log');
  });
});

it('takes what is told beside the agent, with its source, between what the agent says', () => {
  const { thread, records } = threaded();
  thread.emit({ type: 'text.delta', block_id: 'b', text: 'Do' });
  thread.tell({ type: 'log', stream: 'agent', text: 'seen' });
  thread.tell({ type: 'log', stream: 'agent', text: 'seen' }, 'agent');
  thread.emit({ type: 'text.completed', block_id: 'b', text: 'Done.' });
  expect(records.slice(2).map(({ type, source }) => [type, source])).toEqual([
    ['text.delta', 'agent'],
    ['log', 'runner'],
    ['log', 'agent'],
    ['text.delta', 'agent'],
    ['text.completed', 'agent'],
  ]);
});

it('makes nothing of a draft that does not count, and the corrected one of another', () => {
  const onDraft = (draft: Draft): Draft | undefined =>
    draft.type === 'thread.started' ? { ...draft, cwd: '/checkout' } : undefined;
  const { thread, records } = threaded({ onDraft });
  thread.emit({ type: 'thread.started', cwd: '/copy' });
  thread.emit({ type: 'log', stream: 'stderr', text: 'x' });
  thread.tell({ type: 'log', stream: 'agent', text: 'told' });
  expect(records).toMatchObject([
    { type: 'thread.started', cwd: '/checkout' },
    { type: 'log', text: 'told' },
  ]);
});

it('goes on with the bytes of another process, in another dialect', () => {
  const { thread, records } = threaded({ clock: () => 0 });
  const read = (line: object): void => {
    const reader = new Reader({ clock: () => 0 }, thread);
    reader.stdout(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
    reader.endInput();
  };
  read({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'First.' } });
  thread.endAttempt();
  thread.retry({ attempt: 1, max_attempts: 2, delay_ms: 0, cause: 'incomplete' });
  read({ type: 'result', subtype: 'success', is_error: false, result: 'Second.', session_id: 's', num_turns: 1 });
  expect(
    records.flatMap((record) =>
      record.type === 'text.completed' ? [[record.text, record.sequence, record.thread_id]] : [],
    ),
  ).toEqual([
    ['First.', 4, 'thread'],
    ['Second.', 9, 'thread'],
  ]);
});
