import { z } from 'zod';
import type { Tool } from './tool.ts';
import { explain, locate, Refusal, subjectOf } from '../permissions/workspace.ts';
import { define, failed, success } from './define.ts';
import { nearestLine } from './nearest-line.ts';
import { changeText } from './text-file.ts';

const input = z.strictObject({
  path: z.string().describe('Relative to the working directory.'),
  old_string: z
    .string()
    .describe('The exact text to replace, with its white space; it must occur once unless replace_all.'),
  new_string: z.string().describe('What to put in its place.'),
  replace_all: z.boolean().optional().describe('Replace every occurrence.'),
});
type Input = z.infer<typeof input>;

export const edit = (directories: readonly string[]): Tool =>
  define<Input>({
    name: 'edit',
    kind: 'file_edit',
    description: 'Replace one exact piece of text in a file, or all of its occurrences.',
    input,
    need: ({ path }, { cwd }) => ({ access: 'write', subject: subjectOf(path, { cwd, directories }) }),
    async run(args, run) {
      try {
        const place = locate(args.path, { cwd: run.cwd, directories });
        return success(await changeText(place, false, (before) => replaced(before, args, place.name), run));
      } catch (error) {
        return failed(explain(error, args.path));
      }
    },
  });

function replaced(text: string | undefined, args: Input, name: string): string {
  if (text === undefined) throw new Refusal(`${name} is not a UTF-8 text file`);
  if (args.old_string === '') throw new Refusal('old_string is empty; to create a file or replace all of it use write');
  if (args.old_string === args.new_string) throw new Refusal('old_string and new_string are the same text');
  const { old, next } = withLineEnds(text, args);
  const pieces = text.split(old);
  const count = pieces.length - 1;
  if (count === 0) throw new Refusal(`old_string was not found in ${name}${nearestLine(text, args.old_string)}`);
  if (count > 1 && args.replace_all !== true) {
    throw new Refusal(
      `old_string was found ${count} times in ${name}, at lines ${linesOf(pieces)}; add text around it, or set replace_all`,
    );
  }
  return pieces.join(next);
}

/** Models write LF; a file with CRLF keeps its line endings. */
function withLineEnds(text: string, { old_string, new_string }: Input): { old: string; next: string } {
  if (text.includes(old_string) || !text.includes('\r\n') || old_string.includes('\r'))
    return { old: old_string, next: new_string };
  return { old: old_string.replaceAll('\n', '\r\n'), next: new_string.replaceAll(/\r?\n/g, '\r\n') };
}

function linesOf(pieces: readonly string[]): string {
  let line = 1;
  const lines: number[] = [];
  for (const piece of pieces.slice(0, -1)) {
    line += piece.split('\n').length - 1;
    lines.push(line);
  }
  return lines.length > 10 ? `${lines.slice(0, 10).join(', ')}, …` : lines.join(', ');
}
