import { expect, it } from 'vitest';
import { Block, textOf } from '../../../src/dialects/kit/texts.ts';
import { collectingSink } from '../../support/collecting-sink.ts';

it('tells pieces as they come, and then the text that they are', () => {
  const sink = collectingSink();
  const block = new Block(sink, 'text', { message_id: 'm', block_id: 'b', parent_item_id: undefined });
  block.add('Hel');
  block.add('lo');
  expect([block.text, block.length, block.isComplete]).toEqual(['Hello', 5, false]);
  block.complete();
  expect([block.text, block.isComplete]).toEqual(['Hello', true]);
  expect(sink.drafts).toStrictEqual([
    { type: 'text.delta', text: 'Hel', message_id: 'm', block_id: 'b' },
    { type: 'text.delta', text: 'lo', message_id: 'm', block_id: 'b' },
    { type: 'text.completed', text: 'Hello', message_id: 'm', block_id: 'b' },
  ]);
});

it('believes the wire where it says the whole', () => {
  const sink = collectingSink();
  const block = new Block(sink, 'reasoning');
  block.add('Hm');
  block.complete('Hmm.');
  expect(block.text).toBe('Hmm.');
  expect(sink.drafts.at(-1)).toStrictEqual({ type: 'reasoning.completed', text: 'Hmm.' });
});

it('is complete without any text', () => {
  const sink = collectingSink();
  const block = new Block(sink, 'text');
  block.complete();
  expect([block.isComplete, sink.drafts]).toEqual([true, [{ type: 'text.completed', text: '' }]]);
});

it('keeps what is not to be shown yet', () => {
  const sink = collectingSink();
  const block = new Block(sink, 'text');
  block.keep('Error: ');
  block.keep('no');
  expect([block.text, sink.drafts]).toEqual(['Error: no', []]);
});

it.each([
  ['Hi', 'Hi'],
  [undefined, ''],
  [{ type: 'text', text: 'Hi' }, ''],
  [[{ type: 'text', text: 'a' }, { type: 'image', text: 'b' }, null, 'c', { type: 'text', text: 1 }], 'a|1'],
])('the text of %j is %j', (content, text) => {
  expect(textOf(content, '|')).toBe(text);
});
