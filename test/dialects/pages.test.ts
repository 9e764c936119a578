import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Dialect } from '../../src/dialects/dialect.ts';
import { dialects } from '../../src/dialects/registry.ts';
import { exited, linesOf, pass } from '../support/pipeline.ts';

const root = join(import.meta.dirname, '..', '..');

/** The page beside a dialect: its lines, and the file that they are from. */
function pageOf(id: string): { lines: string[]; from: string; isOurs: boolean } {
  const file = join(root, 'src', 'dialects', `${id}.md`);
  const text = readFileSync(existsSync(file) ? file : join(root, 'src', 'dialects', id, 'README.md'), 'utf8');
  const [, before = '', , block = ''] = /([^\n]*`(test\/[^`]+)`[^\n]*):\n\n```jsonl\n(.*)\n```\n$/s.exec(text) ?? [];
  return {
    lines: block.split('\n'),
    from: /`(test\/[^`]+)`/.exec(before)?.[1] ?? '',
    isOurs: before.startsWith('What Runwire writes'),
  };
}

/** The lines of a stream as they are there; a document is one of them. */
function linesIn(from: string): unknown[] {
  const file = [from, join(from, 'stdout.jsonl'), join(from, 'wire.jsonl')].find(
    (path) => /\.jsonl?$/.test(path) && existsSync(join(root, path)),
  );
  if (file === undefined) return [];
  const text = readFileSync(join(root, file), 'utf8');
  return file.endsWith('.json') ? [JSON.parse(text)] : linesOf(text);
}

function writtenFrom(from: string, { id, variants }: Dialect): unknown[] {
  const variant = variants?.find(({ layout }) => layout === 'lines') ?? variants?.[0];
  const stdout = readFileSync(join(root, from, 'stdout.jsonl'), 'utf8');
  const { text } = pass({ stdout, exit: exited(0) }, variant === undefined ? id : `${id}:${variant.name}`);
  return linesOf(text.replaceAll(/^data: (?:\[DONE\])?/gm, ''));
}

it.each(dialects)('$id has a page of up to ten lines, which are true', async (dialect) => {
  const { lines, from, isOurs } = pageOf(dialect.id);
  expect(lines.length).toBeLessThanOrEqual(10);
  const wires = lines.map((line) => JSON.parse(line) as unknown);
  const schema = await dialect.schema();
  for (const wire of wires) expect(schema.safeParse(wire).error).toBeUndefined();
  // Made by hand, they are in a test.
  if (from.endsWith('.test.ts')) expect(existsSync(join(root, from))).toBe(true);
  else expect(isOurs ? writtenFrom(from, dialect) : linesIn(from)).toEqual(expect.arrayContaining(wires));
  if (dialect.about.reads === undefined) return;
  const { outcome, events } = pass({ stdout: `${lines.join('\n')}\n`, dialect });
  expect(outcome.provenance.unknown_lines).toBe(0);
  expect(events.length).toBeGreaterThan(2);
});
