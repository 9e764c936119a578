import { type Border, bordered } from '../processes/confined.ts';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure, messageOf } from '../failure.ts';
import { Git } from './git.ts';
import { type CopyPlace, type CopyPlan, type Isolation, type Means, type Order } from './isolation.ts';
import { removeFolder } from './remove-folder.ts';
import { rootsOf } from '../processes/trusted.ts';
import { shellScript } from '../files/shell-script.ts';
import { makeFolder } from '../files/make-folder.ts';

/**
 * Git's own clone would leave out branches, hooks and config. Objects are borrowed, not linked: a hard link could be written
 * through, and so could a part that is a link itself. Loose refs are copied before packed ones, in case they are packed meanwhile.
 * Nothing is flushed to disk: a copy that is still being made has nothing to lose.
 */
const script = shellScript(import.meta.dirname, 'scripts/clone.sh');

/** A separate checkout that borrows the user's objects, for systems without namespaces. */
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
    makeFolder(folder);
    const objects = asLine(join(commonDir, 'objects'));
    await new Git(folder, this.#means.env, rootsOf(this.#plan, this.#means.env)).script(
      script,
      [commonDir, this.top, branch, base, objects],
      { signal },
    );
    await copyFiles(root, this.top, copied);
  }

  inside(order: Order, border?: Border): Order {
    return border === undefined ? order : bordered(order, border);
  }

  scratch(name: string): { outside: string; inside: string } {
    const path = join(this.#plan.folder, name);
    return { outside: path, inside: path };
  }

  get ownGitDir(): string {
    return join(this.top, '.git');
  }

  read(text: string, args: (place: CopyPlace) => readonly string[], signal: AbortSignal | undefined): Promise<string> {
    const gitDir = this.ownGitDir;
    const git = new Git(this.#plan.folder, this.#means.env, [...rootsOf(this.#plan, this.#means.env), this.top]);
    return git.script(text, args({ top: this.top, gitDir, commonDir: gitDir, mode: 'open' }), { signal });
  }

  async remove(folder: string): Promise<void> {
    await removeFolder(folder);
  }
}

/** A path as a line of git's `alternates` file. */
function asLine(path: string): string {
  return /[\n"]/.test(path) ? JSON.stringify(path) : path;
}

/** Copies untracked files from the checkout to its copy. */
export async function copyFiles(from: string, to: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(to, path)), { recursive: true });
    try {
      await copyFile(join(from, path), join(to, path));
    } catch (error) {
      throw new Failure('input', `--copy ${path}: ${messageOf(error)}`);
    }
  }
}
