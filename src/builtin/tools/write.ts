import { z } from 'zod';
import type { Tool } from './tool.ts';
import { explain, locate, subjectOf } from '../permissions/workspace.ts';
import { define, failed, success } from './define.ts';
import { changeText } from './text-file.ts';

const input = z.strictObject({
  path: z.string().describe('Relative to the working directory; folders are made as needed.'),
  content: z.string().describe('The whole new content.'),
});

export const write = (directories: readonly string[]): Tool =>
  define<z.infer<typeof input>>({
    name: 'write',
    kind: 'file_edit',
    description: 'Create a file, or replace all of its content. To change a part of a file use edit.',
    input,
    need: ({ path }, { cwd }) => ({ access: 'write', subject: subjectOf(path, { cwd, directories }) }),
    async run({ path, content }, run) {
      try {
        const place = locate(path, { cwd: run.cwd, directories });
        return success(await changeText(place, true, () => content, run));
      } catch (error) {
        return failed(explain(error, path));
      }
    },
  });
