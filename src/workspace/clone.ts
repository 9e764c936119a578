import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../failure.ts';
import { answerOf, Git, gitEnvironment, wordsOf } from './git.ts';
import { asList, type CopyPlan, type Isolation, keepScript, type Means, type Order } from './isolation.ts';
import { noPush } from './overlay.ts';

/** A checkout of its own that borrows the user's objects: where there are no namespaces. */
export class Clone implements Isolation {
  readonly kind = 'clone';
  readonly top: string;
  readonly #plan: CopyPlan;
  readonly #means: Means;

  constructor(plan: CopyPlan, means: Means) {
    this.#plan = plan;
    this.#means = means;
    this.top = join(plan.folder, 'checkout');
  }

  async create(signal: AbortSignal): Promise<void> {
    const { root, folder, commonDir, branch, base, copied } = this.#plan;
    const { git, env } = this.#means;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // Borrowed, not linked: a hard link could be written through.
    await git.text(['clone', '--shared', '--no-checkout', '--no-tags', '-q', '--', commonDir, this.top], { signal });
    const copy = new Git(this.top, env);
    // The base may be a commit that no branch has.
    await writeFile(join(this.top, '.git', 'objects', 'info', 'alternates'), `${join(commonDir, 'objects')}\n`);
    await copy.text(['remote', 'remove', 'origin']);
    for (const [name, url] of await remotesOf(git)) {
      await copy.text(['config', `remote.${name}.url`, url]);
      await copy.text(['config', `remote.${name}.pushurl`, noPush]);
    }
    for (const key of ['user.name', 'user.email']) {
      const value = await git.try(['config', key]);
      if (value !== undefined) await copy.text(['config', key, value]);
    }
    await copy.text(['checkout', '-q', '-f', '-B', branch, base], { signal });
    await copyFiles(root, this.top, copied);
  }

  inside(order: Order): Order {
    return order;
  }

  look(signal?: AbortSignal): Promise<string> {
    const gitDir = join(this.top, '.git');
    return lookAt(this.#plan, this.#means, { top: this.top, gitDir, objects: join(gitDir, 'objects'), signal });
  }

  async remove(): Promise<void> {
    await rm(this.#plan.folder, { recursive: true, force: true });
  }
}

/** The remotes of a repository with their addresses. */
export async function remotesOf(git: Git): Promise<[name: string, url: string][]> {
  const listed = (await git.try(['config', '-z', '--get-regexp', String.raw`^remote\..*\.url$`])) ?? '';
  return listed.split('\0').flatMap((entry) => {
    const [, name, url] = /^remote\.([^\n]+)\.url\n([^]*)$/.exec(entry) ?? [];
    return name === undefined || url === undefined ? [] : [[name, url]];
  });
}

interface Place {
  top: string;
  gitDir: string;
  objects: string;
  signal: AbortSignal | undefined;
}

export async function lookAt(
  { commonDir, base, folder }: CopyPlan,
  { env }: Means,
  { top, gitDir, objects, signal }: Place,
): Promise<string> {
  const args = ['-c', keepScript, 'sh', commonDir, top, gitDir, asList(objects), base, folder];
  const { code, stdout, stderr } = await answerOf({ command: '/bin/sh', args, cwd: top, env: gitEnvironment(env) }, { signal });
  if (code !== 0) throw new Failure('config', `what the work left could not be read: ${wordsOf(stderr) || `exit code ${code}`}`);
  return stdout.toString();
}

/** Files that git does not know, from the checkout to its copy. */
export async function copyFiles(from: string, to: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(to, path)), { recursive: true });
    try {
      await copyFile(join(from, path), join(to, path));
    } catch (error) {
      throw new Failure('input', `--copy ${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
