import { z } from 'zod';
import { matchesPath } from '../../files/path-pattern.ts';
import type { PermissionRules } from '../permissions/rules.ts';
import type { Tool } from './tool.ts';
import { subjectOf } from '../permissions/workspace.ts';
import { define } from './define.ts';
import { asFile, search, type Finding } from './search.ts';

const usualLimit = 200;

const input = z.strictObject({
  pattern: z.string().min(1).describe('Such as **/*.test.ts, src/*.{js,ts}; * stays inside one folder, ** does not.'),
  path: z.string().optional().describe('The folder to look in; the working directory unless told.'),
  limit: z.int().min(1).max(2000).optional().describe(`At most so many names; ${usualLimit} unless told.`),
});

export const glob = (rules: PermissionRules): Tool =>
  define<z.infer<typeof input>>({
    name: 'glob',
    kind: 'search',
    description: 'Find files by name. Skips what git ignores.',
    input,
    need: ({ path = '.' }, { cwd }) => ({
      access: 'read',
      subject: subjectOf(path, { cwd, directories: rules.directories }),
    }),
    run({ pattern, path = '.', limit = usualLimit }, run) {
      const isWanted = matchesPath(pattern.replace(/^\.\//, ''));
      const find = (printed: string): Finding | undefined => {
        const found = asFile(printed);
        return isWanted(found.file) ? found : undefined;
      };
      return search({ tool: 'glob', path, limit, find, separator: '\0', args: ['--files', '--null'] }, rules, run);
    },
  });
