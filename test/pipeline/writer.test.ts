import { expect, it } from 'vitest';
import { findWriter } from '../../src/dialects/registry.ts';
import { OutcomeFold } from '../../src/outcome/fold.ts';
import { convert } from '../../src/pipeline/convert.ts';
import { Writer } from '../../src/pipeline/writer.ts';

it('survives what is nested too deeply to be written', async () => {
  const depth = 100_000;
  const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const call = `{"type":"assistant","message":{"id":"a","content":[{"type":"tool_use","id":"t","name":"x","input":${deep}}]}}\n`;
  const notes: string[] = [];
  let text = '';
  const bytes = [new TextEncoder().encode(call)];
  for await (const piece of convert(bytes, 'qwen', { from: 'qwen', onNote: ({ what }) => void notes.push(what) })) text += piece;
  expect(text.length).toBeLessThan(depth);
  expect(notes).toContain('unknown_line');
});

it.each([
  ['qwen:json', '[]\n'],
  ['qwen:stream-json', ''],
])('writes nothing as %s', (to, text) => {
  const { dialect, variant } = findWriter(to);
  const writer = new Writer(dialect, variant);
  writer.end(new OutcomeFold().outcome('runwire', []));
  expect(writer.take()).toBe(text);
});
