import { type Border, bordered } from '../processes/confined.ts';
import { rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import { copyFiles } from './clone.ts';
import { Git, longPatienceMs, wordsOf } from './git.ts';
import type { CopyPlace, CopyPlan, Isolation, Means, Order } from './isolation.ts';
import { removeFolder } from './remove-folder.ts';
import { rootsOf } from '../processes/trusted.ts';
import { makeFolder } from '../files/make-folder.ts';

/** How often to try while another process makes a worktree: there may be a lock, or a half-written entry. */
const tries = 8;
const isBusy = /\.lock|failed to read/;

/** Another checkout of the same repository: it shares stash, config and branches with the user's. */
export class Worktree implements Isolation {
  readonly kind = 'worktree';
  readonly top: string;
  readonly ownGitDir = undefined;
  readonly #plan: CopyPlan;
  readonly #means: Means;

  constructor(plan: CopyPlan, means: Means) {
    this.#plan = plan;
    this.#means = means;
    // Git names its data about a worktree after the folder: with our own name we know which is ours.
    this.top = join(plan.folder, `runwire-${basename(plan.folder)}`);
  }

  async create(signal: AbortSignal): Promise<void> {
    const { folder, branch, base, root, copied } = this.#plan;
    makeFolder(folder);
    for (let round = 1; ; round += 1) {
      const { code, stderr } = await this.#means.git.askScript(
        'leaving_pointers worktree add -q --no-track "$1" "$2" -- "$3" "$4"',
        // A previous try may have left the branch behind.
        [round === 1 ? '-b' : '-B', branch, this.top, base],
        { signal, patienceMs: longPatienceMs },
      );
      if (code === 0) break;
      if (round >= tries || !isBusy.test(stderr))
        throw new Failure('config', `the worktree could not be made: ${wordsOf(stderr)}`);
      await wait(25 * 2 ** round * Math.random());
    }
    await copyFiles(root, this.top, copied);
  }

  inside(order: Order, border?: Border): Order {
    return border === undefined ? order : bordered(order, border);
  }

  scratch(name: string): { outside: string; inside: string } {
    const path = join(this.#plan.folder, name);
    return { outside: path, inside: path };
  }

  read(text: string, args: (place: CopyPlace) => readonly string[], signal: AbortSignal | undefined): Promise<string> {
    const { commonDir, folder } = this.#plan;
    const place = { top: this.top, gitDir: this.#gitDir, commonDir, mode: 'open' } as const;
    return new Git(folder, this.#means.env, [...rootsOf(this.#plan, this.#means.env), this.top]).script(
      text,
      args(place),
      { signal },
    );
  }

  async remove(folder: string): Promise<void> {
    for (const each of [folder, this.#gitDir]) await removeFolder(each);
    // As git does after the last one.
    await rmdir(dirname(this.#gitDir)).catch(() => {});
  }

  get #gitDir(): string {
    return join(this.#plan.commonDir, 'worktrees', basename(this.top));
  }
}
