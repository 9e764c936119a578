import { z } from 'zod';
import { define, failed, success } from '../../builtin/tools/define.ts';
import type { Tool } from '../../builtin/tools/tool.ts';
import type { Crew } from '../crew.ts';
import { changesBetween } from '../../workspace/changes.ts';
import type { Roster } from '../roster.ts';
import { cut, reportOf, stateOf, summaryOf, wordsOfChanges } from '../words.ts';

const branchId = z.string().min(1).describe('A branch_id of an earlier result, or a git branch.');
const mostCharacters = 30_000;
/** The most bytes of a file or diff that are read from git. */
const mostBytes = 10 * 1024 * 1024;

/** The result of a branch; while its work is in progress, its state. */
export function branchOutput(crew: Crew, roster: Roster): Tool {
  const input = z.strictObject({
    branch_id: branchId,
    full_output: z.boolean().optional().describe('The whole last message of its agent.'),
  });
  return define<z.infer<typeof input>>({
    name: 'branch_output',
    kind: 'branch_poll',
    description:
      'What came of a branch: the last message of its agent, and the files. While its agent works: its state.',
    input,
    need: ({ branch_id }) => ({ access: 'none', subject: branch_id }),
    async run({ branch_id: named, full_output }) {
      const branch = crew.find(named);
      const branch_id = branch?.id ?? named;
      if (branch === undefined)
        return {
          ...success(`${branch_id} is at ${await crew.commitOf(branch_id)}; no agent of this task worked on it`),
          branch_id,
        };
      const { outcome } = branch;
      const isUnfinished = outcome === undefined && branch.problem === undefined && branch.commit === undefined;
      if (isUnfinished || roster.isAtWork(branch))
        return { ...success(stateOf(branch)), branch_id, summary: 'running' };
      roster.read(branch);
      const words = full_output === true && outcome !== undefined ? `\n\n${cut(outcome.message, mostCharacters)}` : '';
      return { ...success(reportOf(branch) + words), branch_id, summary: summaryOf(branch) };
    },
  });
}

/** A file on a branch, read from git. */
export function readArtifact(crew: Crew): Tool {
  const input = z.strictObject({
    branch_id: branchId,
    path: z.string().min(1).describe('From the top of the repository; a folder is listed.'),
  });
  return define<z.infer<typeof input>>({
    name: 'read_artifact',
    kind: 'read',
    description: 'Read a file of a branch, or list a folder of it.',
    input,
    need: ({ path }) => ({ access: 'none', subject: path }),
    async run({ branch_id: named, path }) {
      const branch_id = crew.find(named)?.id ?? named;
      const { git } = crew.settings.repository;
      const commit = await crew.commitOf(branch_id);
      const name = `${commit}:${plainPath(path)}`;
      const type = await git.try(['cat-file', '-t', name]);
      if (type === undefined) return { ...failed(`${branch_id} has no ${path}`), branch_id };
      if (type === 'tree')
        return {
          ...success(cut((await git.text(['ls-tree', '--name-only', name])) || '(empty)', mostCharacters)),
          branch_id,
        };
      if (type !== 'blob') return { ...failed(`${path} is a ${type}, not a file`), branch_id };
      const size = Number(await git.text(['cat-file', '-s', name]));
      if (size > mostBytes) return { ...failed(`${path} has ${size} bytes, too many to read`), branch_id };
      const { stdout } = await git.ask(['cat-file', 'blob', name], { maxBytes: mostBytes + 1 });
      if (stdout.subarray(0, 8000).includes(0)) return { ...success(`${path} is not text: ${size} bytes`), branch_id };
      return { ...success(cut(stdout.toString(), mostCharacters)), branch_id, summary: `${size} bytes` };
    },
  });
}

/** As git names it: without `./` and slashes at the ends. */
function plainPath(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

/** What a branch changed. */
export function branchDiff(crew: Crew): Tool {
  const input = z.strictObject({
    branch_id: branchId,
    path: z.string().min(1).optional().describe('Only this file or folder.'),
  });
  return define<z.infer<typeof input>>({
    name: 'branch_diff',
    kind: 'read',
    description: 'What a branch changed against the commit that it began from.',
    input,
    need: ({ branch_id }) => ({ access: 'none', subject: branch_id }),
    async run({ branch_id: named, path }) {
      const { repository, base } = crew.settings;
      const branch = crew.find(named);
      const branch_id = branch?.id ?? named;
      const from = branch?.base ?? base.commit;
      const to = await crew.commitOf(branch_id);
      const changes = await changesBetween(repository.git, from, to);
      const only = path === undefined ? [] : ['--', path];
      const diff = ['diff', '--no-ext-diff', '--no-textconv', '--stat=120'];
      const about = { branch_id, summary: wordsOfChanges(changes) };
      try {
        const { stdout } = await repository.git.ask([...diff, '-p', from, to, ...only], { maxBytes: mostBytes });
        return { ...success(cut(stdout.toString(), mostCharacters) || '(no changes)'), ...about };
      } catch {
        const stat = await repository.git.text([...diff, from, to, ...only]);
        return {
          ...success(`${cut(stat, mostCharacters)}\n\nThe changes themselves are too long to show: name a path.`),
          ...about,
        };
      }
    },
  });
}
