import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import { copyFiles, lookAt } from './clone.ts';
import { wordsOf } from './git.ts';
import type { CopyPlan, Isolation, Means, Order } from './isolation.ts';

/** How often a lock that somebody else holds is waited for. */
const tries = 8;

/** Another checkout of the same repository: it shares stash, config and branches with the user's. */
export class Worktree implements Isolation {
  readonly kind = 'worktree';
  readonly top: string;
  readonly #plan: CopyPlan;
  readonly #means: Means;

  constructor(plan: CopyPlan, means: Means) {
    this.#plan = plan;
    this.#means = means;
    // Git names what it notes of a worktree after its folder: with a name of our own we know which it is.
    this.top = join(plan.folder, `runwire-${basename(plan.folder)}`);
  }

  async create(signal: AbortSignal): Promise<void> {
    const { folder, branch, base, root, copied } = this.#plan;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (let round = 1; ; round += 1) {
      const { code, stderr } = await this.#means.git.ask(['worktree', 'add', '-q', '--no-track', '-b', branch, '--', this.top, base], {
        signal,
      });
      if (code === 0) break;
      if (round >= tries || !stderr.includes('.lock')) throw new Failure('config', `the worktree could not be made: ${wordsOf(stderr)}`);
      await wait(25 * 2 ** round * Math.random());
    }
    await copyFiles(root, this.top, copied);
  }

  inside(order: Order): Order {
    return order;
  }

  look(signal?: AbortSignal): Promise<string> {
    const objects = join(this.#plan.commonDir, 'objects');
    return lookAt(this.#plan, this.#means, { top: this.top, gitDir: this.#gitDir, objects, signal });
  }

  async remove(): Promise<void> {
    for (const folder of [this.#plan.folder, this.#gitDir]) await rm(folder, { recursive: true, force: true });
  }

  get #gitDir(): string {
    return join(this.#plan.commonDir, 'worktrees', basename(this.top));
  }
}
