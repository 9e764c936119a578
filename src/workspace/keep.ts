import { Failure } from '../failure.ts';
import { type Changes, readChanges } from './changes.ts';
import { asList, type CopyPlace, type CopyPlan, type Isolation } from './isolation.ts';

/** The result of the work in a copy. */
export interface Kept extends Changes {
  branch: string;
  base: string;
  commit: string;
  notes: string[];
}

/** Without a configured identity, commits are made under Runwire's. */
export const ownIdentity = `
if [ -z "$GIT_COMMITTER_EMAIL$(git config user.email)" ]; then
  export GIT_AUTHOR_NAME=Runwire GIT_AUTHOR_EMAIL=runwire@localhost GIT_COMMITTER_NAME=Runwire GIT_COMMITTER_EMAIL=runwire@localhost
fi
`;

/**
 * Shell functions. `take INDEX` adds the files below the current folder to that index, which must be the current one. It keeps its
 * own files in `folder`, and writes remarks for people to `notes` there.
 */
export const taking = `
# Where the filter program of a file is missing, its pointer is kept.
export "GIT_CONFIG_KEY_$GIT_CONFIG_COUNT=filter.lfs.required" "GIT_CONFIG_VALUE_$GIT_CONFIG_COUNT=false"
export GIT_CONFIG_COUNT=$((GIT_CONFIG_COUNT + 1))
note() { printf 'note %s\\0' "$1" >> "$folder/notes"; }
# Adds the files of the current folder to the index. In a copy, unreadable files are made readable.
add() {
  if [ -s "$1" ]; then
    { echo .; sed 's|^|:(exclude,literal)|' "$1"; } > "$1.paths"
    set -- "--pathspec-from-file=$1.paths"
  else
    set --
  fi
  git add -A "$@" > /dev/null 2> "$folder/said" && ! grep -q 'ermission denied' "$folder/said" && return
  [ -n "$isCopy" ] && chmod -R u+rwX . 2>/dev/null
  git add -A --ignore-errors "$@" > /dev/null 2> "$folder/said" && ! grep -q 'ermission denied' "$folder/said" && return
  if grep -q '^fatal' "$folder/said" && ! grep -q 'adding files failed' "$folder/said"; then
    cat "$folder/said" >&2
    return 1
  fi
  note "not kept, for it could not be read: $(grep -i -m1 'permission denied\\|^error' "$folder/said")"
}

# Adds all files below the current folder. A nested repository that git does not track would only be recorded as a commit id:
# its files are added instead.
take() {
  git ls-files -o --exclude-standard > "$1.all" 2>/dev/null || return
  grep '/$' "$1.all" > "$1.nested"
  add "$1.nested" || return
  while IFS= read -r path; do
    take_files "$1" "$path" || return
  done < "$1.nested"
}

take_files() {
  tree=$(cd "$2" && export GIT_WORK_TREE="$PWD" GIT_INDEX_FILE="$1.inner" && rm -f "$1.inner" && take "$1.inner" && git write-tree) &&
    git read-tree --prefix="$2" "$tree" || return
  note "the repository in $2 is kept as the files that it has, without its history"
}
`;

/**
 * Collects the work in a copy, using the user's own git folder and config and never those of the copy, which its agent may have
 * changed; all in one shell. It brings the copy's commits into the user's object store, commits what is uncommitted, and puts
 * branches on them. It prints records that end with NUL: notes, the branch and its commit, and the changes as git lists them.
 */
const script = `
export GIT_DIR="$1" GIT_WORK_TREE="$2" GIT_ALLOW_PROTOCOL=none
copy=$3 objects=$4 base=$5 folder=$6 branch=$7 before=$8 common=$9
isCopy=yes
cd "$GIT_WORK_TREE" || exit 1
# An agent may have left a link by one of these names.
tidy() { rm -rf "$folder"/index* "$folder/pack" "$folder/refs" "$folder/said" "$folder/notes" "$folder/modules"; }
tidy
of_copy() { env -u GIT_WORK_TREE GIT_DIR="$copy" git "$@" 2>/dev/null; }

# Brings a commit of the copy, with all objects that it needs, into the repository.
bring() {
  git cat-file -e "$1^{tree}" 2>/dev/null && return
  printf '%s\\n' "$1" \${base:+"^$base"} |
    GIT_ALTERNATE_OBJECT_DIRECTORIES="$objects" git pack-objects --revs --thin --stdout -q > "$folder/pack" 2>/dev/null &&
    git index-pack --stdin --fix-thin --strict < "$folder/pack" > /dev/null 2>&1
}

# Puts a branch on a commit: with this name if it is free, was ours or is behind, else with another one. Leaves it in $name.
name_it() {
  name=$2 number=1
  while [ $number -lt 10 ]; do
    now=$(git rev-parse -q --verify "refs/heads/$name") || now=
    [ "$now" = "$1" ] && return
    if [ -z "$now" ] || [ "$now" = "$3" ] || git merge-base --is-ancestor "$now" "$1" 2>/dev/null; then
      git update-ref -m 'runwire: keep' "refs/heads/$name" "$1" "$now" 2> "$folder/said" && return
    fi
    number=$((number + 1)) name=$2
    # A branch with the name of one of its folders may be in the way.
    [ $number -gt 5 ] && name=$(printf %s "$2" | tr / -)
    name=$name-$number
  done
  cat "$folder/said" >&2
  return 1
}

${taking}
# Prints the commit of a submodule's contents, on a branch of the same name in its own repository; nothing where there is none.
of_module() (
  module=$GIT_DIR/modules/$1 copy=$common/modules/$1
  base=$(git rev-parse -q --verify "$base:$1") || base=
  [ -e "$1/.git" ] && [ -d "$module" ] && [ -d "$copy" ] && cd "$1" || exit 0
  export GIT_DIR="$module" GIT_WORK_TREE="$PWD" GIT_INDEX_FILE="$folder/index.module"
  objects=$copy/objects
  head=$(of_copy rev-parse -q --verify 'HEAD^{commit}') && bring "$head" || head=$base
  [ -n "$head" ] || exit 0
  rm -f "$GIT_INDEX_FILE"
  cp -p "$copy/index" "$GIT_INDEX_FILE" 2>/dev/null || git read-tree "$head" || exit 1
  take "$GIT_INDEX_FILE" && tree=$(git write-tree) || exit 1
  commit=$head
  [ "$tree" = "$(git rev-parse "$head^{tree}")" ] || commit=$(git commit-tree "$tree" -p "$head" -m 'Work that was left uncommitted') || exit 1
  git merge-base --is-ancestor "$commit" "$base" 2>/dev/null && { echo "$commit"; exit; }
  name_it "$commit" "$branch" '' || exit 1
  note "work in the submodule $1 is kept in its own repository, as $name"
  echo "$commit"
)

base_tree=$(git rev-parse --verify "$base^{tree}") || exit 1
head=$(of_copy rev-parse -q --verify 'HEAD^{commit}') || head=
if [ -n "$head" ] && ! bring "$head"; then
  head= && note 'its own commits could not be read: only the files are kept'
fi
index=$copy/index
if [ -n "$head" ] && ! git merge-base "$base" "$head" > /dev/null; then
  head= index= && note 'its repository was made anew: its files are kept on top of the commit that it began with'
fi
: "\${head:=$base}"

export GIT_INDEX_FILE="$folder/index"
[ -n "$index" ] && cp -p "$index" "$GIT_INDEX_FILE" 2>/dev/null && git ls-files > /dev/null 2>&1 || {
  rm -f "$GIT_INDEX_FILE"*
  git read-tree "$head" || exit 1
}
${ownIdentity}
# The tree of all files; the contents of submodules, and of repositories that were added as such, are handled separately.
tree_of_all() {
take "$folder/index" || return
git ls-files -s | grep '^160000' > "$folder/modules"
while read -r mode was stage path; do
  if git rev-parse -q --verify "$base:$path" > /dev/null || git config -f .gitmodules --get-regexp '[.]path$' 2>/dev/null | cut -d' ' -f2- | grep -qxF -e "$path"; then
    now=$(of_module "$path") && [ -n "$now" ] && git update-index --cacheinfo "160000,$now,$path"
  elif [ -e "$path/.git" ]; then
    # The agent has added a repository that is not a submodule.
    git update-index --force-remove "$path" && take_files "$folder/index" "$path/" || return
  fi
done < "$folder/modules"
git write-tree
}
# The copy's index may refer to objects that only the copy has: then all files are read again.
tree=$(tree_of_all 2> "$folder/said") || {
  rm -f "$GIT_INDEX_FILE"*
  git read-tree "$head" && tree=$(tree_of_all)
} || exit 1
commit=$head
[ "$tree" = "$(git rev-parse "$head^{tree}")" ] || commit=$(git commit-tree "$tree" -p "$head" -m 'Work that was left uncommitted') || exit 1
name_it "$commit" "$branch" "$before" || exit 1
kept=$name

# Other work that the copy did not begin with and the repository does not have: branches, stashes.
git for-each-ref --format='%(objectname) %(refname)' refs/heads refs/stash | cat - "$folder/began" 2>/dev/null | sort -u > "$folder/refs"
of_copy for-each-ref --format='%(objectname) %(refname)' refs/heads refs/stash | sort | comm -23 - "$folder/refs" |
  while read -r also ref; do
    [ "$also" = "$base" ] || git merge-base --is-ancestor "$also" "$commit" 2>/dev/null && continue
    below=\${ref#refs/heads/}
    bring "$also" && name_it "$also" "$kept-also/\${below#refs/}" '' || { note "$ref could not be kept"; continue; }
    case $ref in
      refs/stash) note "stashed work is kept as $name" ;;
      *) note "the branch $below is kept as $name" ;;
    esac
  done
git diff-tree -r --raw "$base_tree" "$tree" | grep '^:[0-7]* 160000' | while read -r old new from to kind path; do
  git --git-dir="$GIT_DIR/modules/$path" cat-file -e "$to" 2>/dev/null ||
    note "the submodule $path stands on $to, which its own repository does not have: that work is not kept"
done
cat "$folder/notes" 2>/dev/null
tidy
printf 'kept %s %s\\0changes\\0' "$commit" "$kept"
git diff-tree -r -z --no-renames --no-ext-diff --no-textconv --numstat --raw "$base_tree" "$tree"
`;

/** Commits what a copy holds to its branch. */
export async function keepWork(plan: CopyPlan, isolation: Isolation, before = ''): Promise<Kept> {
  const { base, folder, branch } = plan;
  const answer = await isolation.look(script, ({ repository, top, gitDir, commonDir }: CopyPlace) => [
    repository,
    top,
    gitDir,
    asList(`${commonDir}/objects`),
    base,
    folder,
    branch,
    before,
    commonDir,
  ]);
  const [told = '', changes = ''] = split(answer, '\0changes\0');
  const records = told.split('\0');
  const [, commit = '', kept = ''] = /^kept (\S+) (.+)$/.exec(records.find((each) => each.startsWith('kept ')) ?? '') ?? [];
  if (commit === '') throw new Failure('config', 'what the work left could not be read');
  const notes = [...new Set(records.flatMap((each) => (each.startsWith('note ') ? [each.slice('note '.length)] : [])))];
  return { branch: kept, base, commit, notes, ...readChanges(changes) };
}

function split(text: string, at: string): [string, string] {
  const index = text.indexOf(at);
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + at.length)];
}
