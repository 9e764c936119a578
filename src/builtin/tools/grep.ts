import { z } from 'zod';
import { matchesPath } from '../../files/path-pattern.ts';
import type { PermissionRules } from '../permissions/rules.ts';
import { safeEnd } from '../../redact/safe-cut.ts';
import type { Tool } from './tool.ts';
import { subjectOf } from '../permissions/workspace.ts';
import { define } from './define.ts';
import { asFile, nameOf, search, type Finding } from './search.ts';

const usualLimit = 100;
const longestLine = 500;

const input = z.strictObject({
  pattern: z.string().min(1).describe('A regular expression (Rust syntax).'),
  path: z.string().optional().describe('A file or folder; the working directory unless told.'),
  glob: z.string().optional().describe('Only files that match, such as *.ts or src/**/*.{js,ts}.'),
  output: z
    .enum(['lines', 'files'])
    .optional()
    .describe('Matching lines (the default), or only the names of the files.'),
  literal: z.boolean().optional().describe('Take the pattern as plain text.'),
  ignore_case: z.boolean().optional(),
  context: z.int().min(0).max(20).optional().describe('Lines around each match.'),
  limit: z.int().min(1).max(1000).optional().describe(`At most so many results; ${usualLimit} unless told.`),
});

export const grep = (rules: PermissionRules): Tool =>
  define<z.infer<typeof input>>({
    name: 'grep',
    kind: 'search',
    description: 'Search the contents of files. Skips what git ignores.',
    input,
    need: ({ path = '.' }, { cwd }) => ({
      access: 'read',
      subject: subjectOf(path, { cwd, directories: rules.directories }),
    }),
    run({ pattern, path = '.', glob, output = 'lines', literal, ignore_case, context = 0, limit = usualLimit }, run) {
      const isWanted = glob === undefined ? () => true : matchesPath(glob.includes('/') ? glob : `**/${glob}`);
      const wanted = (found: Finding | undefined): Finding | undefined =>
        found !== undefined && isWanted(found.file) ? found : undefined;
      const options = [
        `--regexp=${pattern}`,
        ...(literal === true ? ['--fixed-strings'] : []),
        ...(ignore_case === true ? ['--ignore-case'] : []),
      ];
      const how =
        output === 'files'
          ? {
              args: [...options, '--files-with-matches', '--null'],
              separator: '\0' as const,
              find: (text: string) => wanted(asFile(text)),
            }
          : {
              args: [...options, '--json', `--context=${context}`],
              separator: '\n' as const,
              find: (text: string) => wanted(asLine(text)),
            };
      return search({ tool: 'grep', path, limit, ...how }, rules, run);
    },
  });

const Line = z.object({
  type: z.enum(['match', 'context']),
  data: z.object({
    path: z.object({ text: z.string() }),
    lines: z.object({ text: z.string() }),
    line_number: z.number(),
  }),
});

function asLine(printed: string): Finding | undefined {
  const { type, data } = Line.safeParse(JSON.parse(printed)).data ?? {};
  if (data === undefined) return undefined;
  const line = data.lines.text.replace(/\r?\n$/, '');
  const shown =
    line.length > longestLine ? `${line.slice(0, safeEnd(line, longestLine))}… (${line.length} characters)` : line;
  const mark = type === 'match' ? ':' : '-';
  return { file: nameOf(data.path.text), text: `${mark}${data.line_number}${mark}${shown.toWellFormed()}` };
}
