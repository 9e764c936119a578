import { existsSync, realpathSync, rmSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, sep } from 'node:path';
import { Failure } from '../failure.ts';
import { type Namespace, namespaced, ownTable, systemTool } from '../processes/namespace.ts';
import { answerOf, gitEnvironment, wordsOf } from './git.ts';
import { asList, type CopyPlan, type Isolation, keepScript, type Means, type Order } from './isolation.ts';
import { quote } from './quote.ts';

/** A private layer over the checkout, at its own path: what is written there goes to the layer, and the files below stay as they are. */
export class Overlay implements Isolation {
  readonly kind = 'overlay';
  readonly top: string;
  readonly #plan: CopyPlan;
  readonly #means: Means;
  /** Folders with a layer of their own. */
  readonly #paths: readonly string[];

  constructor(plan: CopyPlan, means: Means, remotes: readonly string[] = []) {
    this.#plan = plan;
    this.#means = means;
    this.top = plan.root;
    // In a linked worktree the repository itself is elsewhere. A remote on this machine is one `git push` away.
    this.#paths = outermost([plan.root, plan.commonDir, plan.gitDir, ...remotes]);
  }

  async create(signal: AbortSignal): Promise<void> {
    await mkdir(this.#plan.folder, { recursive: true, mode: 0o700 });
    for (const index of this.#paths.keys())
      for (const part of ['upper', 'work', 'lower']) await mkdir(join(this.#plan.folder, `${part}-${index}`), { recursive: true });
    const { branch, base, isCheckedOut, copied } = this.#plan;
    const keeps = copied.flatMap((path) => ['-e', `/${path}`]);
    const script = `
      set -e
      git update-ref "refs/heads/$1" "$2"
      git symbolic-ref HEAD "refs/heads/$1"
      for remote in $(git remote); do git config --replace-all "remote.$remote.pushurl" ${quote(noPush)}; done
      if [ "$3" = yes ]; then git reset -q; else git reset -q --hard; shift 3; git clean -fdq "$@"; fi`;
    const order = { command: '/bin/sh', args: ['-c', script, 'sh', branch, base, isCheckedOut ? 'yes' : 'no', ...keeps], cwd: this.top };
    const { code, stderr } = await answerOf(this.inside({ ...order, env: gitEnvironment(this.#means.env) }), { signal });
    if (code !== 0) throw new Failure('config', `the private copy could not be made: ${wordsOf(stderr) || `exit code ${code}`}`);
  }

  inside(order: Order): Order {
    return { ...order, ...this.#enter(order, { drops: true }) };
  }

  async look(signal?: AbortSignal): Promise<string> {
    const { folder, gitDir, commonDir, base } = this.#plan;
    const original = join(folder, 'git');
    await mkdir(original, { recursive: true });
    const args = ['-c', keepScript, 'sh', original, this.top, gitDir, asList(join(commonDir, 'objects')), base, folder];
    const order = { command: '/bin/sh', args, cwd: this.top, env: gitEnvironment(this.#means.env) };
    // The repository itself, beside the layer over it.
    const entered = this.#enter(order, { before: `mount --bind ${quote(commonDir)} ${quote(original)}`, drops: false });
    const { code, stdout, stderr } = await answerOf({ ...order, ...entered }, { signal });
    if (code !== 0) throw new Failure('config', `what the work left could not be read: ${wordsOf(stderr) || `exit code ${code}`}`);
    return stdout.toString();
  }

  async remove(): Promise<void> {
    // A layer may hold folders that even their owner may not enter.
    await rm(this.#plan.folder, { recursive: true, force: true }).catch(async () => {
      await answerOf({ command: 'chmod', args: ['-R', 'u+rwX', this.#plan.folder], cwd: '/', env: this.#means.env });
      rmSync(this.#plan.folder, { recursive: true, force: true });
    });
  }

  #enter({ command, args, cwd }: Order, { before = ':', drops }: { before?: string; drops: boolean }): Pick<Order, 'command' | 'args'> {
    const layers = this.#paths.map((path, index) => {
      const [upper, work, lower] = ['upper', 'work', 'lower'].map((part) => join(this.#plan.folder, `${part}-${index}`));
      const options = `lowerdir=${lower},upperdir=${upper},workdir=${work}${isRoot() ? '' : ',userxattr'}`;
      // Below a name without commas and colons, whatever the path is; and gone at once, so that nobody reaches the files below by it.
      return `mount --bind ${quote(path)} ${quote(lower ?? '')} && mount -t overlay runwire -o ${quote(options)} ${quote(path)} && umount -l ${quote(lower ?? '')}`;
    });
    const steps = [before, ...layers, ...(drops ? this.#withheld() : []), `cd ${quote(cwd)}`];
    return enterNamespace(command, args, steps.join(' && '));
  }

  /** Nobody publishes from inside: what git and its hosts are entered with is not there. */
  #withheld(): string[] {
    const home = this.#means.env['HOME'] || homedir();
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
    ];
  }
}

/** An address that no version of git can push to. */
export const noPush = 'runwire-agents-do-not-push://';

const isRoot = (): boolean => process.geteuid?.() === 0;

/**
 * A command in a mount and process namespace of its own, as the user that we are and without the right to change mounts: else it
 * could take the layer away.
 */
function enterNamespace(command: string, args: readonly string[], prepare: string): Pick<Order, 'command' | 'args'> {
  const unshare = systemTool('unshare') ?? 'unshare';
  const common = ['--mount', '--pid', '--fork', '--kill-child'];
  if (isRoot()) {
    const namespace: Namespace = { program: unshare, flags: common, prepare: `${ownTable} && ${prepare}` };
    return namespaced(systemTool('setpriv') ?? 'setpriv', [`--bounding-set=${forbidden}`, '--', command, ...args], namespace);
  }
  const namespace: Namespace = {
    program: unshare,
    flags: ['--user', '--map-root-user', ...common],
    prepare: `mount -t proc proc /proc && ${prepare}`,
  };
  const self = ['--user', `--map-user=${process.geteuid?.()}`, `--map-group=${process.getegid?.()}`, '--'];
  return namespaced(unshare, [...self, command, ...args], namespace);
}

/** What root gives up inside: the ways to reach what lies below a mount. */
const forbidden = ['sys_admin', 'sys_ptrace', 'sys_rawio', 'sys_module', 'mknod', 'dac_read_search'].map((each) => `-${each}`).join(',');

/** No folder that is inside another one of them: a layer covers all below it. */
function outermost(paths: readonly string[]): string[] {
  const real = [...new Set(paths.map((path) => realpathSync(path)))];
  return real.filter((path) => !real.some((other) => other !== path && isInside(path, other)));
}

export function isInside(path: string, folder: string): boolean {
  const below = relative(folder, path);
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}

/** Why there can be no overlay with its layers in this folder; undefined: it works. Found out by trying. */
export async function whyNoOverlay(folder: string, env: Means['env']): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'only Linux has them';
  const missing = ['unshare', ...(isRoot() ? ['setpriv'] : [])].find((name) => systemTool(name) === undefined);
  if (missing !== undefined) return `${missing} is not installed`;
  if (/[,:\\]/.test(folder)) return `the path ${folder} has a character that mount options cannot have`;
  const places = Object.fromEntries(['checkout', 'upper', 'work'].map((name) => [name, join(folder, name)]));
  try {
    for (const place of Object.values(places)) await mkdir(place, { recursive: true, mode: 0o700 });
    const { checkout = '', upper = '', work = '' } = places;
    const options = `lowerdir=${checkout},upperdir=${upper},workdir=${work}${isRoot() ? '' : ',userxattr'}`;
    const entered = enterNamespace(
      '/bin/sh',
      ['-c', ': > tried'],
      `mount -t overlay runwire -o ${quote(options)} ${quote(checkout)} && cd ${quote(checkout)}`,
    );
    const { code, stderr } = await answerOf({ ...entered, cwd: '/', env: { PATH: env['PATH'] ?? '/usr/bin:/bin' } });
    if (code !== 0) return stderr.trim().split('\n').at(-1)?.slice(0, 200) || `exit code ${code}`;
    return existsSync(join(upper, 'tried')) && !existsSync(join(checkout, 'tried')) ? undefined : 'a try left its mark in the folder below';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}
