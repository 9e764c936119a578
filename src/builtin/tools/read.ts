import { readdir, stat } from 'node:fs/promises';
import { z } from 'zod';
import { safeEnd } from '../../redact/safe-cut.ts';
import type { Tool, ToolResult } from './tool.ts';
import { explain, locate, openForReading, Refusal, subjectOf, type InsidePath } from '../permissions/workspace.ts';
import { define, failed, success } from './define.ts';
import { readBytes } from './text-file.ts';

const mostLines = 2000;
const mostCharacters = 50_000;
const mostEntries = 1000;

const input = z.strictObject({
  path: z.string().describe('A file, or a folder to list; relative to the working directory.'),
  offset: z.int().min(1).optional().describe('The first line, counted from 1.'),
  limit: z.int().min(1).optional().describe(`How many lines; ${mostLines} unless told.`),
  line_numbers: z.boolean().optional().describe('Put its number before every line.'),
});
type Input = z.infer<typeof input>;

export const read = (directories: readonly string[]): Tool =>
  define<Input>({
    name: 'read',
    kind: 'read',
    description: 'Read a text file, whole or some lines of it, or list a folder.',
    input,
    need: ({ path }, { cwd }) => ({ access: 'read', subject: subjectOf(path, { cwd, directories }) }),
    async run(args, { cwd }) {
      try {
        const place = locate(args.path, { cwd, directories });
        return (await stat(place.path)).isDirectory() ? success(await list(place)) : await readLines(place, args);
      } catch (error) {
        return failed(explain(error, args.path));
      }
    },
  });

async function list(place: InsidePath): Promise<string> {
  const entries = await readdir(place.path, { withFileTypes: true });
  if (entries.length === 0) return '(empty folder)';
  const names = entries
    .map((entry) => entry.name + (entry.isDirectory() ? '/' : entry.isSymbolicLink() ? '@' : ''))
    .toSorted();
  const more = names.length > mostEntries ? [`[${names.length - mostEntries} more]`] : [];
  return [...names.slice(0, mostEntries), ...more].join('\n');
}

async function readLines(
  place: InsidePath,
  { offset = 1, limit = mostLines, line_numbers = false }: Input,
): Promise<ToolResult> {
  const file = await openForReading(place);
  let bytes: Buffer;
  try {
    bytes = await readBytes(file, place.name);
  } finally {
    await file.close();
  }
  if (bytes.subarray(0, 8192).includes(0)) throw new Refusal(`${place.name} is a binary file of ${bytes.length} bytes`);
  const text = bytes.toString('utf8');
  if (text === '') return success('(empty file)');
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  if (offset > lines.length)
    throw new Refusal(`${place.name} has ${lines.length} lines; offset ${offset} is behind its end`);
  let shown = '';
  let next = offset;
  for (; next < offset + limit && next <= lines.length; next += 1) {
    const line = `${line_numbers ? `${next}\t` : ''}${lines[next - 1]}\n`;
    if (shown.length + line.length > mostCharacters) {
      if (next === offset) {
        shown = `${line.slice(0, safeEnd(line, mostCharacters))}\n[line ${next} is cut: it has ${line.length} characters]\n`;
        next += 1;
      }
      break;
    }
    shown += line;
  }
  const isAll = offset === 1 && next > lines.length;
  const rest = next > lines.length ? 'the end' : `continue with offset ${next}`;
  return success(isAll ? shown : `${shown}[lines ${offset} to ${next - 1} of ${lines.length}; ${rest}]\n`);
}
