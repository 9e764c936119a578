import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import type { Environment } from '../words/vocabulary.ts';
import { type Changes, readChanges } from './changes.ts';
import { Git } from './git.ts';
import type { CopyPlan, Isolation } from './isolation.ts';
import { bringLfsObjects } from './lfs-objects.ts';
import { allRefs, placeOfModule, readCopy } from './read-copy.ts';
import { removeFolder } from './remove-folder.ts';
import { rootsOf } from '../processes/trusted.ts';
import { shellScript } from '../files/shell-script.ts';

/** The result of the work in a copy. */
export interface Kept extends Changes {
  branch: string;
  base: string;
  commit: string;
  notes: string[];
  /** Work that is not on the branch. */
  lost: string[];
}

/**
 * Brings commits into the user's repository and puts branches on them, without looking at a file or at the copy: the packs are
 * checked as those of a fetch are. Prints records that end with NUL: notes, the branch, and the changes as git lists them.
 */
const script = shellScript(import.meta.dirname, 'scripts/keep.sh');

/** Commits what a copy holds to its branch. */
export async function keepWork(
  plan: CopyPlan,
  isolation: Isolation,
  { env, before = '', signal }: { env: Environment; before?: string | undefined; signal?: AbortSignal | undefined },
): Promise<Kept> {
  const { commonDir, base, branch, folder: home } = plan;
  const { folder: read, commit, refs, modules, known, notes, lost } = await readCopy(plan, isolation, signal);
  const git = new Git(home, env, [...rootsOf(plan, env), isolation.top]);
  const own = modules.flatMap(({ place, ...module }) => {
    const repository = placeOfModule(plan, place);
    return repository === undefined ? [] : [{ ...module, repository }];
  });
  const folder = join(home, 'keeping');
  takePacks(read, folder, new Set(['work', ...[...refs, ...own].map(({ pack }) => pack)]));
  const linesOf = (some: typeof refs): string =>
    some.map(({ pack, commit: id, name }) => `${pack} ${id} ${name}\n`).join('');
  // In files, since a command line has room for some thousands at most.
  writeFileSync(join(folder, 'all'), linesOf(refs.filter(({ pack }) => pack === allRefs)));
  writeFileSync(join(folder, 'each'), linesOf(refs.filter(({ pack }) => pack !== allRefs)));
  const doors = [
    ['door', commonDir] as const,
    ...own.map(({ pack, repository }) => [`${pack}.git`, repository] as const),
  ];
  for (const [door, repository] of doors) lost.push(...(await bringLfsObjects(join(read, door), repository, signal)));
  // Of files that the work committed itself.
  if (isolation.ownGitDir !== undefined) lost.push(...(await bringLfsObjects(isolation.ownGitDir, commonDir, signal)));
  const answer = await git.script(
    script,
    [
      commonDir,
      base,
      commit,
      branch,
      before,
      folder,
      allRefs,
      ...own.flatMap(({ pack, commit: id, repository }) => ['module', pack, id, repository]),
      ...known.flatMap((id) => ['known', '', id, '']),
    ],
    { signal },
  );
  const [head = '', changes = ''] = split(answer, '\0changes\0');
  const records = head.split('\0');
  const after = (start: string): string[] =>
    records.flatMap((each) => (each.startsWith(start) ? [each.slice(start.length)] : []));
  const [kept] = after('kept ');
  if (kept === undefined) throw new Failure('config', 'what the work left could not be kept');
  for (const each of [read, folder]) await removeFolder(each);
  return {
    branch: kept,
    base,
    commit,
    notes: [...notes, ...after('note ')],
    lost: [...lost, ...after('lost ')],
    ...readChanges(changes),
  };
}

/** Takes packs out of the folder that was open to the work: nothing is opened there by a name that may have become a link. */
function takePacks(from: string, to: string, packs: ReadonlySet<string>): void {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { mode: 0o700 });
  if (!lstatSync(from).isDirectory()) return;
  for (const name of Array.from(packs, (pack) => `${pack}.pack`))
    if (lstatSync(join(from, name), { throwIfNoEntry: false })?.isFile() === true)
      renameSync(join(from, name), join(to, name));
}

/** What is not on the branch, in a few words. */
export function lostInWords({ branch, lost }: Pick<Kept, 'branch' | 'lost'>): string {
  const more = lost.length > 3 ? ` and ${lost.length - 3} more` : '';
  return `not all work is on ${branch}: ${lost.slice(0, 3).join('; ')}${more}`;
}

function split(text: string, at: string): [string, string] {
  const index = text.indexOf(at);
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + at.length)];
}
