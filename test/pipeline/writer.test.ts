import { expect, it } from 'vitest';
import { findWriter } from '../../src/dialects/registry.ts';
import { OutcomeFold } from '../../src/outcome/fold.ts';
import { convert } from '../../src/pipeline/convert.ts';
import { Writer } from '../../src/pipeline/writer.ts';
import { isSweep } from '../support/sweep.ts';

it('survives what is nested too deeply to be written', async () => {
  const depth = 100_000;
  const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const call = `{"type":"assistant","message":{"id":"a","content":[{"type":"tool_use","id":"t","name":"x","input":${deep}}]}}\n`;
  const notes: string[] = [];
  let text = '';
  const bytes = [new TextEncoder().encode(call)];
  for await (const piece of convert(bytes, 'qwen', { from: 'qwen', onNote: ({ what }) => void notes.push(what) }))
    text += piece;
  expect(text.length).toBeLessThan(depth);
  expect(notes).toContain('unknown_line');
});

it.runIf(isSweep)('survives what is too long to be written in ASCII', async () => {
  const text = 'é'.repeat(90_000_000);
  const lines = [
    { type: 'system', subtype: 'init', session_id: 's' },
    { type: 'assistant', message: { id: 'm', role: 'assistant', content: [{ type: 'text', text }] }, session_id: 's' },
    { type: 'result', subtype: 'success', is_error: false, result: 'done', session_id: 's' },
  ];
  const bytes = lines.map((line) => new TextEncoder().encode(`${JSON.stringify(line)}\n`));
  const notes: string[] = [];
  let length = 0;
  for await (const piece of convert(bytes, 'dev-agent', { onNote: ({ what }) => void notes.push(what) }))
    length += piece.length;
  expect(length).toBeGreaterThan(0);
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
