import { expect, it } from 'vitest';
import { type Call, Calls, editsIn } from '../../../src/dialects/kit/calls.ts';
import { collectingSink } from '../../support/collecting-sink.ts';

const command: Call = { kind: 'command', name: 'sh', args: { command: 'ls' } };

function open() {
  const sink = collectingSink();
  return { drafts: sink.drafts, calls: new Calls(sink) };
}

it('tells the start and the end of a call, with the fields that the wire has', () => {
  const { calls, drafts } = open();
  calls.start('c', { ...command, native_name: 'shellToolCall', parent_item_id: 'p' });
  expect([calls.areOpen, calls.isOpen('c')]).toEqual([true, true]);
  calls.end('c', { status: 'error', error: 'no', exit_code: 1, output: undefined });
  expect([calls.areOpen, calls.isOpen('c')]).toEqual([false, false]);
  expect(drafts).toStrictEqual([
    {
      type: 'item.started',
      item_id: 'c',
      kind: 'command',
      name: 'sh',
      args: { command: 'ls' },
      native_name: 'shellToolCall',
      parent_item_id: 'p',
    },
    { type: 'item.completed', item_id: 'c', status: 'error', error: 'no', exit_code: 1 },
  ]);
});

it('tells the end of a call that it has not seen begin', () => {
  const { calls, drafts } = open();
  calls.end('c', { status: 'success', output: 'ok' });
  expect(drafts).toStrictEqual([{ type: 'item.completed', item_id: 'c', status: 'success', output: 'ok' }]);
});

it('tells the edits of a call after its success, and only then', () => {
  const { calls, drafts } = open();
  const edits = [{ path: 'a', operation: 'created' }, { path: 'b' }] as const;
  calls.start('bad', { kind: 'file_edit', name: 'edit', args: {}, edits });
  calls.end('bad', { status: 'error', error: 'no' });
  expect(calls.haveEdited).toBe(false);
  calls.start('good', { kind: 'file_edit', name: 'edit', args: {}, edits });
  calls.end('good', { status: 'success' }, 'deleted');
  expect(calls.haveEdited).toBe(true);
  expect(drafts.filter(({ type }) => type === 'file.edited')).toStrictEqual([
    { type: 'file.edited', path: 'a', operation: 'created', item_id: 'good' },
    { type: 'file.edited', path: 'b', operation: 'deleted', item_id: 'good' },
  ]);
});

it('finds the oldest open call for a result that has only the name of its tool', () => {
  const { calls } = open();
  for (const id of ['1', '2', '3']) calls.start(id, { ...command, tool: 'sh' });
  calls.start('other', { ...command, tool: 'cat' });
  calls.start('by-id', command);
  expect(calls.oldestOf('sh')).toBe('1');
  calls.end('2', { status: 'success' });
  calls.end('1', { status: 'success' });
  expect(calls.oldestOf('sh')).toBe('3');
  calls.end('3', { status: 'success' });
  expect([calls.oldestOf('sh'), calls.oldestOf('cat'), calls.oldestOf('')]).toEqual([undefined, 'other', undefined]);
});

it('keeps one call of an id that begins twice', () => {
  const { calls } = open();
  calls.start('c', { ...command, tool: 'sh' });
  calls.start('c', { ...command, tool: 'cat' });
  expect([calls.oldestOf('sh'), calls.oldestOf('cat')]).toEqual([undefined, 'c']);
});

it('knows which file a call edits by the fields of its input', () => {
  expect(editsIn('file_edit', { path: ' ', file: 'a' }, ['path', 'file'], 'created')).toEqual([
    { path: 'a', operation: 'created' },
  ]);
  expect(editsIn('file_edit', { path: 'a' }, ['file'])).toEqual([]);
  expect(editsIn('read', { path: 'a' }, ['path'])).toEqual([]);
  expect(editsIn('file_edit', null, ['path'])).toEqual([]);
});
