import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Failure, messageOf } from '../failure.ts';
import { isInside } from '../files/inside.ts';
import { present } from '../json/present.ts';
import { homeFolder } from '../files/xdg.ts';
import { type Border, confined, cover, isRoot } from '../processes/confined.ts';
import { systemTool } from '../processes/namespace.ts';
import { quoted } from '../redact/quoted.ts';
import { answerOf, gitEnvironment, longPatienceMs, wordsOf } from './git.ts';
import { scriptStart } from './repository-programs.ts';
import { type CopyPlace, type CopyPlan, type Isolation, type Means, type Order, ownParts } from './isolation.ts';
import { quote } from '../processes/quote.ts';
import { removeFolder } from './remove-folder.ts';
import { rootsOf, systemFolders } from '../processes/trusted.ts';
import { shellScript } from '../files/shell-script.ts';

/** A private layer over the checkout, at the same path: writes go to the layer, and the files below stay unchanged. */
export class Overlay implements Isolation {
  readonly kind = 'overlay';
  readonly top: string;
  readonly #plan: CopyPlan;
  readonly #means: Means;

  constructor(plan: CopyPlan, means: Means) {
    this.#plan = plan;
    this.#means = means;
    this.top = plan.root;
  }

  async create(signal: AbortSignal): Promise<void> {
    const { branch, base, isCheckedOut, isSnapshot, copied, folder, layers } = this.#plan;
    for (const index of layers.keys())
      for (const part of ['upper', 'work', 'lower'])
        mkdirSync(join(folder, `${part}-${index}`), { recursive: true, mode: 0o700 });
    mkdirSync(join(folder, 'inner'), { recursive: true, mode: 0o700 });
    const state = isCheckedOut ? (isSnapshot ? 'snapshot' : 'same') : 'other';
    const began = await this.#confined(
      createScript,
      [branch, base, state, ...copied.flatMap((path) => ['-e', `/${path}`])],
      {
        signal,
        problem: 'the private copy could not be made',
      },
    );
    writeFileSync(join(folder, 'began'), began);
  }

  inside(order: Order, border?: Border): Order {
    // It changes to its folder only after the mount, so that no process inside ever has a directory below the layer.
    return { ...order, ...this.#enter(order, { lasts: true, border }), cwd: '/' };
  }

  scratch(name: string): { outside: string; inside: string } {
    const { folder } = this.#plan;
    // The only folder of ours that the inside can see.
    const inner = join(folder, 'inner');
    return { outside: join(inner, name), inside: join(this.#hidesCopies ? dirname(folder) : inner, name) };
  }

  get ownGitDir(): string | undefined {
    const { folder, layers, commonDir } = this.#plan;
    const index = layers.findIndex((path) => isInside(commonDir, path));
    return index === -1 ? undefined : join(folder, `upper-${index}`, relative(layers[index] ?? '', commonDir));
  }

  async read(
    text: string,
    args: (place: CopyPlace) => readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const { gitDir, commonDir, layers } = this.#plan;
    const words = args({ top: this.top, gitDir, commonDir, mode: 'confined' });
    const reading = join('inner', 'reading');
    const [own, below, nothing] = ownParts.map((part) => join(reading, part));
    const before = [
      // In a layer a character device marks a deleted file; the others are the work's. Nobody writes to these any more, and git would
      // wait for some of them.
      `{ find ${[...layers.keys()].map((index) => `upper-${index}`).join(' ')} '(' -type p -o -type s -o -type b ')' -delete -print > ${reading}/odd; }`,
      // A layer that cannot be written to.
      `mount --bind ${quote(join(commonDir, 'objects'))} ${below}`,
      `mount -t overlay runwire -o lowerdir=${nothing}:${below} ${own}`,
      `umount -l ${below}`,
    ].join(' && ');
    return this.#confined(text, words, { signal, before, problem: 'what the work left could not be kept' });
  }

  async remove(folder: string): Promise<void> {
    await removeFolder(folder);
  }

  /** Runs a script of ours inside; returns its output. */
  async #confined(
    text: string,
    words: readonly string[],
    { signal, before, problem }: { signal: AbortSignal | undefined; before?: string; problem: string },
  ): Promise<string> {
    const args = ['-c', `${scriptStart}${text}`, 'sh', ...words];
    const order = {
      command: '/bin/sh',
      args,
      cwd: this.top,
      env: gitEnvironment(this.#means.env, rootsOf(this.#plan, this.#means.env)),
    };
    const entered = this.#enter(order, { ...present({ before }), lasts: false });
    const { code, stdout, stderr } = await answerOf(
      { ...order, ...entered, cwd: '/' },
      { signal, patienceMs: longPatienceMs },
    );
    if (code !== 0) throw new Failure('config', `${problem}: ${wordsOf(stderr) || `exit code ${code}`}`);
    return stdout.toString();
  }

  /** `lasts`: its unmount flushes everything to disk, even what others wrote: needed for the work, not for our own scripts. */
  #enter(
    { command, args, cwd }: Order,
    { before = ':', lasts, border }: { before?: string; lasts: boolean; border?: Border | undefined },
  ): Pick<Order, 'command' | 'args'> {
    // Mount options cannot contain every character that a path can, so these are names in the copy's own folder. `lower-N`, the way
    // to the files below, is unmounted at once, so that nobody reaches them through it.
    const layers = [...this.#plan.layers.entries()];
    const options = (index: number): string =>
      `lowerdir=lower-${index},upperdir=upper-${index},workdir=work-${index}${ownMark()}${lasts ? '' : ',volatile'}`;
    const mounts = [
      ...layers
        .map(([index]) => join(`work-${index}`, notWaited))
        .map((note) => `{ [ ! -e ${note} ] || rm -r ${note}; }`),
      ...layers.map(([index, path]) => `mount --bind ${quote(path)} lower-${index}`),
      ...layers.map(([index, path]) => `mount -t overlay runwire -o ${options(index)} ${quote(path)}`),
      ...layers.map(([index]) => `umount -l lower-${index}`),
    ];
    const covered = border === undefined ? [] : [cover(border)];
    const steps = [
      `cd ${quote(this.#plan.folder)}`,
      before,
      ...mounts,
      ...this.#withheld(),
      ...covered,
      `cd ${quote(cwd)}`,
    ];
    return confined({ command, args }, steps.join(' && '), border);
  }

  /** Nothing can be published from inside: credentials for git and its hosts are hidden. So are the layers of this and other copies. */
  #withheld(): string[] {
    const { folder } = this.#plan;
    const home = homeFolder(this.#means.env);
    const inHome = (path: string): string => join(home, path);
    return [
      ...['.ssh', '.config/gh', '.config/glab-cli']
        .map(inHome)
        .filter(existsSync)
        .map((path) => `mount -t tmpfs -o size=64k,mode=700 none ${quote(path)}`),
      ...['.git-credentials', '.config/git/credentials', '.netrc']
        .map(inHome)
        .filter(existsSync)
        .map((path) => `mount --bind /dev/null ${quote(path)}`),
      ...(this.#hidesCopies ? [`mount --rbind ${quote(join(folder, 'inner'))} ${quote(dirname(folder))}`] : []),
    ];
  }

  get #hidesCopies(): boolean {
    return !isInside(this.#plan.root, dirname(this.#plan.folder));
  }
}

const createScript = shellScript(import.meta.dirname, 'scripts/overlay.sh');

/** Where the kernel notes that a mount was volatile, that is, not flushed to disk: it would refuse the next mount. */
const notWaited = join('work', 'incompat');

/** How a layer records what it hides and, as root, where a folder came from: without that, no folder below could be renamed. */
const ownMark = (): string => (isRoot() ? ',redirect_dir=on' : ',userxattr');

/**
 * What an overlay puts a layer over: the checkout, for a linked worktree also its repository elsewhere, and remotes on this machine,
 * which are one `git push` away. Folders inside another of these are left out: a layer covers everything below it, except other
 * mounts, which get their own layers.
 */
export function layersOver(paths: readonly string[]): string[] {
  const real = [...new Set(paths.map((path) => realpathSync(path)))];
  const outermost = real.filter((path) => !real.some((other) => other !== path && isInside(path, other)));
  return [...outermost, ...mountsBelow(outermost)];
}

/** Mount points below these folders, such as a volume for `node_modules`; outer ones first. */
function mountsBelow(folders: readonly string[]): string[] {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) =>
      (line.split(' ')[4] ?? '').replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
        String.fromCharCode(Number.parseInt(octal, 8)),
      ),
    );
  const below = mounts.filter((path) =>
    folders.some((folder) => path !== folder && path !== '' && isInside(path, folder)),
  );
  return [...new Set(below)]
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    .toSorted((a, b) => a.length - b.length);
}

/** What git writes in a repository; each may be a link into another repository, which no layer covers. */
const written = ['config', 'refs', 'packed-refs', 'logs', 'objects'];

function isCovered(path: string, layers: readonly string[]): boolean {
  return layers.some((layer) => isInside(path, layer));
}

/** Why there can be no layers over these: a user namespace must not uncover what lies below a mount, and a link leads out of them. */
export function whyNoLayers(layers: readonly string[], commonDir: string): string | undefined {
  const linked = written
    .map((part) => join(commonDir, part))
    .find((path) => existsSync(path) && !isCovered(realpathSync(path), layers));
  if (layers.length > 0 && linked !== undefined) return `${linked} is a link to elsewhere`;
  const inner = layers.find((path) => layers.some((other) => other !== path && isInside(path, other)));
  return inner === undefined || isRoot() ? undefined : `${inner} is a mount of its own`;
}

/** Why there can be no overlay with its layers in this folder, found out by trying; undefined: it works. */
export async function whyNoOverlay(folder: string): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'only Linux has them';
  const missing = ['unshare', ...(isRoot() ? ['setpriv'] : [])].find((name) => systemTool(name) === undefined);
  if (missing !== undefined) return `${missing} is not installed`;
  const places = Object.fromEntries(['checkout', 'upper', 'work'].map((name) => [name, join(folder, name)]));
  try {
    for (const place of Object.values(places)) await mkdir(place, { recursive: true, mode: 0o700 });
    const { checkout = '', upper = '' } = places;
    const options = `lowerdir=checkout,upperdir=upper,workdir=work${ownMark()},volatile`;
    const prepare = `cd ${quote(folder)} && mount -t overlay runwire -o ${options} checkout && cd ${quote(checkout)}`;
    const entered = confined({ command: '/bin/sh', args: ['-c', ': > tried'] }, prepare);
    const { code, stderr } = await answerOf({ ...entered, cwd: '/', env: { PATH: systemFolders } });
    if (code !== 0) return quoted(stderr.trim().split('\n', 1)[0] ?? '', 200) || `exit code ${code}`;
    return existsSync(join(upper, 'tried')) && !existsSync(join(checkout, 'tried'))
      ? undefined
      : 'a test write reached the folder below';
  } catch (error) {
    return messageOf(error);
  } finally {
    await removeFolder(folder).catch(() => {});
  }
}
