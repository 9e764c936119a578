import type { Environment, IsolationKind } from '../vocabulary.ts';
import type { Git } from './git.ts';

/** A command line, and where and with what it runs. */
export interface Order {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
}

/** Everything about a copy that is decided before it is made, and enough to find, keep and remove it after a crash. */
export interface CopyPlan {
  /** The top of the user's checkout, its git folder, and the one with the objects. */
  root: string;
  gitDir: string;
  commonDir: string;
  /** Where the copy's own things are: for this user alone, and outside the checkout. */
  folder: string;
  /** The branch that the work is kept on, and the commit that it starts from. */
  branch: string;
  base: string;
  /** The checkout shows the base as it is. */
  isCheckedOut: boolean;
  isSnapshot: boolean;
  /** Files of the checkout that git does not know and that the copy must have. */
  copied: readonly string[];
}

/** One way to keep a copy apart. */
export interface Isolation {
  readonly kind: IsolationKind;
  /** The top of the copy, as the work inside sees it. */
  readonly top: string;
  create(signal: AbortSignal): Promise<void>;
  /** The same command, run inside. */
  inside(order: Order): Order;
  /** What `keepScript` finds in the copy. */
  look(signal?: AbortSignal): Promise<string>;
  /** Nothing of it is left, but what was kept. Never throws for what is gone already. */
  remove(): Promise<void>;
}

/** What an isolation works with. */
export interface Means {
  git: Git;
  env: Environment;
}

/**
 * Looks at what work left in a copy, with the user's own git folder and config and never those of the copy, which its agent may
 * have changed. Brings the commits and files into the user's objects; answers the commit that the copy stands on and the tree of its files.
 */
export const keepScript = `
export GIT_DIR="$1" GIT_WORK_TREE="$2"
copy=$3 objects=$4 base=$5 folder=$6
cd "$GIT_WORK_TREE" || exit 1
head=$(env -u GIT_WORK_TREE GIT_DIR="$copy" git rev-parse -q --verify 'HEAD^{commit}' 2>/dev/null) || head=
if [ -n "$head" ] && ! git cat-file -e "$head^{tree}" 2>/dev/null; then
  printf '%s\\n^%s\\n' "$head" "$base" |
    GIT_ALTERNATE_OBJECT_DIRECTORIES="$objects" git pack-objects --revs --thin --stdout -q > "$folder/pack" 2>/dev/null &&
    git index-pack --stdin --fix-thin --strict < "$folder/pack" > /dev/null 2>&1 || { head=; echo 'note its own commits could not be read'; }
fi
[ -n "$head" ] && git cat-file -e "$head^{tree}" 2>/dev/null || head=$base
# What else it has that the repository does not: other branches, stashed work.
refs() { git for-each-ref --format='%(objectname) %(refname)' refs/heads refs/stash | sort; }
refs > "$folder/refs"
env -u GIT_WORK_TREE GIT_DIR="$copy" git for-each-ref --format='%(objectname) %(refname)' refs/heads refs/stash 2>/dev/null | sort |
  comm -23 - "$folder/refs" | while read -r also name; do
    [ "$also" = "$head" ] || [ "$also" = "$base" ] && continue
    printf '%s\n^%s\n' "$also" "$base" |
      GIT_ALTERNATE_OBJECT_DIRECTORIES="$objects" git pack-objects --revs --thin --stdout -q > "$folder/pack" 2>/dev/null &&
      git index-pack --stdin --fix-thin --strict < "$folder/pack" > /dev/null 2>&1 && echo "also $also $name"
  done
rm -f "$folder/pack" "$folder/refs"
export GIT_INDEX_FILE="$folder/index"
rm -f "$GIT_INDEX_FILE"
cp "$copy/index" "$GIT_INDEX_FILE" 2>/dev/null
git add -A > /dev/null 2>&1 || {
  rm -f "$GIT_INDEX_FILE"
  git read-tree "$head" && git add -A --ignore-errors > /dev/null 2>&1 || echo 'note some files could not be read'
}
tree=$(git write-tree) || exit 1
rm -f "$GIT_INDEX_FILE"
echo "head $head"
echo "tree $tree"
`;

/** A path as one entry of a list of paths with colons between them, as git reads it. */
export function asList(path: string): string {
  return /[:"]/.test(path) ? JSON.stringify(path) : path;
}
