import { lstatSync, mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Failure } from '../failure.ts';
import { isInside } from '../files/inside.ts';
import { readRepositoryFile } from '../files/repository-file.ts';
import { type CopyPlan, type Isolation, ownParts } from './isolation.ts';
import { taking } from './take.ts';
import { shellScript } from '../files/shell-script.ts';

/** What a copy holds, in packs beside it; everything in it is as its agent wanted it. */
export interface CopyContent {
  /** The folder with the packs. */
  folder: string;
  /** What is committed and what is not, in one commit. */
  commit: string;
  /** Other branches, tags and stashes that the copy did not begin with. */
  refs: { pack: string; commit: string; name: string }[];
  /** Commits in submodules; `place`: `of:` and a path below the repository's `modules`, or `in:` and the path of the submodule itself. */
  modules: { pack: string; commit: string; place: string }[];
  /** Commits of submodules that need not be kept. */
  known: string[];
  notes: string[];
  /** What could not be read. */
  lost: string[];
}

/** The pack of all other refs; those that had to be read one by one have packs of their own. */
export const allRefs = 'ref-0';

/**
 * Reads a copy in the confinement that its agent had, where there is one: it looks at files that the agent made, and a filter may be
 * one of them. Git gets a git folder of our own (\`door\`) with the copy's refs, as regular files, and its objects; what the copy has in
 * the way of config, hooks, attributes for the repository and alternates is not there. Without a confinement no filter is run.
 *
 * Prints records that end with NUL.
 */
const script = taking + shellScript(import.meta.dirname, 'scripts/read-copy.sh');

/** Reads everything that is worth keeping in a copy. Throws a `config` failure where it cannot be read. */
export async function readCopy(plan: CopyPlan, isolation: Isolation, signal?: AbortSignal): Promise<CopyContent> {
  const { base, settings, commonDir } = plan;
  const { outside, inside } = isolation.scratch('reading');
  makeDoor(outside, plan, isolation.kind);
  const sparse = settings.some(([key, value]) => key === 'core.sparsecheckout' && value === 'true') ? 'yes' : 'no';
  const answer = await isolation.read(
    script,
    ({ top, gitDir, commonDir: common, mode }) => [
      inside,
      top,
      gitDir,
      common,
      base,
      mode,
      sparse,
      join(inside, 'began'),
      commonDir,
      allRefs,
    ],
    signal,
  );
  return { folder: outside, ...recordsIn(answer) };
}

function makeDoor(folder: string, plan: CopyPlan, kind: Isolation['kind']): void {
  const { settings, commonDir, folder: home } = plan;
  const door = join(folder, 'door');
  rmSync(folder, { recursive: true, force: true });
  for (const part of ['refs/heads', 'objects/info', 'info'])
    mkdirSync(join(door, part), { recursive: true, mode: 0o700 });
  writeFileSync(join(door, 'HEAD'), 'ref: refs/heads/none\n');
  writeFileSync(join(folder, 'config'), configOf(settings));
  const also = alternatesOf(commonDir);
  for (const [index, path] of also.entries()) symlinkSync(path, join(folder, `also-${index}`));
  writeFileSync(
    join(door, 'objects/info/alternates'),
    ['theirs', 'own', ...also.map((_, index) => `also-${index}`)].map((name) => `../../${name}\n`).join(''),
  );
  // The user's objects; inside an overlay their path leads to what the work made of them, so they are mounted.
  if (kind === 'overlay') for (const part of ownParts) mkdirSync(join(folder, part));
  else symlinkSync(join(commonDir, 'objects'), join(folder, 'own'));
  writeFileSync(join(folder, 'modules'), [...modulesOf(plan)].map((place) => `${place}\n`).join(''));
  const copied = [
    [join(commonDir, 'info/exclude'), commonDir, join(door, 'info/exclude')],
    [join(commonDir, 'info/attributes'), commonDir, join(door, 'info/attributes')],
    [join(home, 'began'), home, join(folder, 'began')],
  ] as const;
  for (const [from, root, to] of copied) {
    const text = textOf(from, root);
    if (text !== undefined) writeFileSync(to, text);
  }
}

/** The places of the submodules whose repositories the user has. */
function* modulesOf({ root, commonDir }: CopyPlan): Generator<string> {
  const modules = join(commonDir, 'modules');
  const heads = readdirIfThere(modules).filter((path) => basename(path) === 'HEAD');
  for (const head of heads) yield `of:${dirname(head)}`;
  for (const line of textOf(join(root, '.gitmodules'), root)?.split('\n') ?? []) {
    const [key = '', path = ''] = line.split('=', 2).map((part) => part.trim());
    if (key === 'path' && lstatSync(join(root, path, '.git'), { throwIfNoEntry: false })?.isDirectory() === true)
      yield `in:/${path}`;
  }
}

/** Where a submodule has its repository; undefined: not in a place where the user has any. */
export function placeOfModule({ root, commonDir }: CopyPlan, place: string): string | undefined {
  const [top, path] = place.startsWith('of:')
    ? [join(commonDir, 'modules'), place.slice(3)]
    : [root, join(place.slice(3), '.git')];
  const whole = join(top, path);
  try {
    return isInside(realpathSync(whole), realpathSync(top)) && isInside(whole, top) ? whole : undefined;
  } catch {
    return undefined;
  }
}

function readdirIfThere(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
}

/** Where else the user's repository finds objects; a relative path is relative to its own. */
function alternatesOf(commonDir: string): string[] {
  const objects = join(commonDir, 'objects');
  const lines = textOf(join(objects, 'info/alternates'), commonDir)?.split('\n') ?? [];
  return lines
    .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('"'))
    .map((line) => resolve(objects, line));
}

const mostBytes = 64 * 1024 * 1024;

function textOf(path: string, root: string): string | undefined {
  try {
    return readRepositoryFile(path, { root, maxBytes: mostBytes })?.text;
  } catch {
    return undefined;
  }
}

/** A config file with these settings. */
function configOf(settings: CopyPlan['settings']): string {
  const version = settings.some(([key]) => key.startsWith('extensions.')) ? '1' : '0';
  const lines = [['core.repositoryformatversion', version] as const, ['core.bare', 'false'] as const, ...settings].map(
    ([key, value]) => {
      const [section, name] = [key.slice(0, key.indexOf('.')), key.slice(key.lastIndexOf('.') + 1)];
      const sub = key.slice(section.length + 1, -name.length - 1);
      return `[${section}${sub === '' ? '' : ` "${escaped(sub)}"`}]\n\t${name} = "${escaped(value)}"\n`;
    },
  );
  return lines.join('');
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

const packName = /^(?:ref|module)-\d+$/;
const commitId = /^[0-9a-f]{40,64}$/;
// eslint-disable-next-line no-control-regex -- these are what no ref of git has, and what a list of them must not have
const refName = /^refs\/(?:(?:heads|tags)\/[^\u0000-\u0020\\\u007f]+|stash)$/;

/** Nothing in it is believed but what has the right shape. */
function recordsIn(answer: string): Omit<CopyContent, 'folder'> {
  const content: Omit<CopyContent, 'folder'> = { commit: '', refs: [], modules: [], known: [], notes: [], lost: [] };
  for (const each of answer.split('\0')) {
    const [kind, rest] = parted(each);
    if (kind === 'note') content.notes.push(rest);
    if (kind === 'lost') content.lost.push(rest);
    if (kind === 'known' && commitId.test(rest)) content.known.push(rest);
    if (kind === 'commit' && commitId.test(rest)) content.commit = rest;
    const [pack, more] = parted(rest);
    const [commit, name] = parted(more);
    if (!packName.test(pack) || !commitId.test(commit)) continue;
    if (kind === 'ref' && refName.test(name)) content.refs.push({ pack, commit, name });
    if (kind === 'module') content.modules.push({ pack, commit, place: name });
  }
  if (content.commit === '') throw new Failure('config', 'what the work left could not be read');
  return { ...content, notes: [...new Set(content.notes)] };
}

/** The first word of a text, and the rest. */
function parted(text: string): [string, string] {
  const at = text.indexOf(' ');
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
