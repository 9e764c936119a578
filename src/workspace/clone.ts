import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure, messageOf } from '../failure.ts';
import { Git, leavesPointers } from './git.ts';
import { type CopyPlace, type CopyPlan, type Isolation, listRefs, type Means, type Order } from './isolation.ts';
import { noPush } from './overlay.ts';
import { quote } from './quote.ts';
import { removeFolder } from './remove-folder.ts';
import { rootsOf } from '../processes/trusted.ts';

/**
 * Git's own clone would leave out branches, hooks and config. Objects are borrowed, not linked: a hard link could be written
 * through, and so could a part that is a link itself. Loose refs are copied before packed ones, in case they are packed meanwhile.
 * Nothing is flushed to disk: a copy that is still being made has nothing to lose.
 */
const script = `
set -e
common=$1 branch=$3 base=$4
mkdir -p "$2/.git/objects/info" "$2/.git/objects/pack" "$2/.git/refs/heads"
cd "$2/.git"
printf '%s\\n' "$5" > objects/info/alternates
printf 'ref: refs/heads/none\\n' > HEAD
set --
for part in refs packed-refs reftable shallow config hooks info; do
  [ ! -e "$common/$part" ] || set -- "$@" "$common/$part"
done
cp -RH "$@" .
[ ! -e refs/stash ] || rm refs/stash
${listRefs} > ../../began
printf '\\n[core]\\n\\tbare = false\\n' >> config
IFS='
'
remote=
for key in $(git config --name-only --get-regexp '^(core\\.worktree$|remote\\..*\\.)'); do
  case $key in
    core.worktree) git config --unset-all core.worktree || : ;;
    "$remote".*) ;;
    *) remote=\${key%.*}; git config --replace-all "$remote.pushurl" ${quote(noPush)} ;;
  esac
done
cd ..
git symbolic-ref HEAD "refs/heads/$branch"
# Of the config that is now there.
without_programs
git ${leavesPointers.join(' ')} -c core.fsync=none reset -q --hard "$base"
`;

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
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const objects = asLine(join(commonDir, 'objects'));
    await new Git(folder, this.#means.env, rootsOf(this.#plan, this.#means.env)).script(
      script,
      [commonDir, this.top, branch, base, objects],
      { signal },
    );
    await copyFiles(root, this.top, copied);
  }

  inside(order: Order): Order {
    return order;
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
