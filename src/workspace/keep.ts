import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import type { Environment } from '../vocabulary.ts';
import { type Changes, readChanges } from './changes.ts';
import { Git } from './git.ts';
import { type CopyPlan, type Isolation, listRefs } from './isolation.ts';
import { bringLfsObjects } from './lfs-objects.ts';
import { allRefs, placeOfModule, readCopy } from './read-copy.ts';
import { removeFolder } from './remove-folder.ts';
import { rootsOf } from '../processes/trusted.ts';

/** The result of the work in a copy. */
export interface Kept extends Changes {
  branch: string;
  base: string;
  commit: string;
  notes: string[];
  /** Work that is not on the branch. */
  lost: string[];
}

/**
 * Brings commits into the user's repository and puts branches on them, without looking at a file or at the copy: the packs are
 * checked as those of a fetch are. Prints records that end with NUL: notes, the branch, and the changes as git lists them.
 */
const script = `
export GIT_DIR="$1" GIT_ALLOW_PROTOCOL=none
known=
base=$2 commit=$3 branch=$4 before=$5 folder=$6
shift 6
# What git says stays in memory: a full disk would take the file, and nothing of what is in it.
said=
bring() { git cat-file -e "$2^{tree}" 2>/dev/null || said=$(git index-pack --stdin --fix-thin --strict < "$folder/$1.pack" 2>&1 > /dev/null); }

# Puts a branch on a commit: with this name if it is free, was ours or is behind, else with another one. Leaves it in $name.
name_it() {
  name=$2 number=1
  while [ $number -lt 10 ]; do
    now=$(git rev-parse -q --verify "refs/heads/$name") || now=
    [ "$now" = "$1" ] && return
    if [ -z "$now" ] || [ "$now" = "$3" ] || git merge-base --is-ancestor "$now" "$1" 2>/dev/null; then
      said=$(git update-ref -m 'runwire: keep' "refs/heads/$name" "$1" "$now" 2>&1) && return
    fi
    number=$((number + 1)) name=$2
    # A branch with the name of one of its folders may be in the way.
    [ $number -gt 5 ] && name=$(printf %s "$2" | tr / -)
    name=$name-$number
  done
  return 1
}
note() { printf 'note %s\\0' "$1"; }
lose() { printf 'lost %s\\0' "$1"; }

of_ref() {
  below=\${1#refs/heads/}
  also=$kept-also/\${below#refs/}
}
say_ref() {
  case $1 in
    refs/stash) note "stashed work is kept as $2" ;;
    refs/tags/*) note "the tag \${1#refs/tags/} is kept as $2" ;;
    *) note "the branch $below is kept as $2" ;;
  esac
}
# Thousands of refs take one pack and one transaction.
keep_all() {
  ${listRefs} | sort > "$folder/has" && cut -d' ' -f2- "$folder/all" | sort | comm -23 - "$folder/has" > "$folder/wanted" || return
  [ -s "$folder/wanted" ] || return 0
  git index-pack --stdin --fix-thin --strict < "$folder/${allRefs}.pack" > /dev/null 2>&1 || return
  while read -r id what; do of_ref "$what" && printf '%s refs/heads/%s\\n' "$id" "$also"; done < "$folder/wanted" | sort > "$folder/named" || return
  comm -23 "$folder/named" "$folder/has" | while read -r id what; do printf 'create %s %s\\n' "$what" "$id"; done |
    git update-ref -m 'runwire: keep' --stdin 2>/dev/null || return
  while read -r id what; do of_ref "$what" && say_ref "$what" "$also"; done < "$folder/wanted"
}

bring work "$commit" && name_it "$commit" "$branch" "$before" || { printf '%s\\n' "$said" >&2; exit 1; }
kept=$name
many=$folder/all
! keep_all || many=/dev/null
cat "$many" "$folder/each" | while read -r pack id what; do
  # The user may have got it meanwhile.
  [ "$(git rev-parse -q --verify "$what^{commit}")" != "$id" ] || continue
  [ "$what" != refs/stash ] || ! git cat-file -e "$id" 2>/dev/null || continue
  of_ref "$what"
  bring "$pack" "$id" && name_it "$id" "$also" '' && say_ref "$what" "$name" || lose "$what"
done
while [ $# -gt 0 ]; do
  kind=$1 pack=$2 id=$3 what=$4
  shift 4
  case $kind in
    module)
      short=\${what##*/modules/}
      if (
        export GIT_DIR="$what"
        git cat-file -e "$id^{tree}" 2>/dev/null && [ -n "$(git for-each-ref --contains "$id" --count=1 --format=x)" ] && exit
        bring "$pack" "$id" && name_it "$id" "$branch" '' && note "work in the submodule $short is kept in its own repository, as $name"
      ); then known="$known $id"
      else lose "work in the submodule $short"; fi ;;
    known) known="$known $id" ;;
  esac
done
git diff-tree -r --raw "$base^{tree}" "$commit^{tree}" | grep '^:[0-7]* 160000' | while read -r old new from to kind path; do
  case " $known " in
    *" $to "*) ;;
    *) lose "the submodule $path stands on $to, which its own repository does not have" ;;
  esac
done
printf 'kept %s\\0changes\\0' "$kept"
git diff-tree -r -z --no-renames --no-ext-diff --no-textconv --numstat --raw "$base^{tree}" "$commit^{tree}"
`;

/** Commits what a copy holds to its branch. */
export async function keepWork(
  plan: CopyPlan,
  isolation: Isolation,
  { env, before = '', signal }: { env: Environment; before?: string | undefined; signal?: AbortSignal | undefined },
): Promise<Kept> {
  const { commonDir, base, branch, folder: home } = plan;
  const { folder: read, commit, refs, modules, known, notes, lost } = await readCopy(plan, isolation, signal);
  const git = new Git(home, env, [...rootsOf(plan, env), isolation.top]);
  const own = modules.flatMap(({ place, ...module }) => {
    const repository = placeOfModule(plan, place);
    return repository === undefined ? [] : [{ ...module, repository }];
  });
  const folder = join(home, 'keeping');
  takePacks(read, folder, new Set(['work', ...[...refs, ...own].map(({ pack }) => pack)]));
  const linesOf = (some: typeof refs): string => some.map(({ pack, commit: id, name }) => `${pack} ${id} ${name}\n`).join('');
  // In files, since a command line has room for some thousands at most.
  writeFileSync(join(folder, 'all'), linesOf(refs.filter(({ pack }) => pack === allRefs)));
  writeFileSync(join(folder, 'each'), linesOf(refs.filter(({ pack }) => pack !== allRefs)));
  const doors = [['door', commonDir] as const, ...own.map(({ pack, repository }) => [`${pack}.git`, repository] as const)];
  for (const [door, repository] of doors) lost.push(...(await bringLfsObjects(join(read, door), repository, signal)));
  // Of files that the work committed itself.
  if (isolation.ownGitDir !== undefined) lost.push(...(await bringLfsObjects(isolation.ownGitDir, commonDir, signal)));
  const answer = await git.script(
    script,
    [
      commonDir,
      base,
      commit,
      branch,
      before,
      folder,
      ...own.flatMap(({ pack, commit: id, repository }) => ['module', pack, id, repository]),
      ...known.flatMap((id) => ['known', '', id, '']),
    ],
    { signal },
  );
  const [told = '', changes = ''] = split(answer, '\0changes\0');
  const records = told.split('\0');
  const after = (start: string): string[] => records.flatMap((each) => (each.startsWith(start) ? [each.slice(start.length)] : []));
  const [kept] = after('kept ');
  if (kept === undefined) throw new Failure('config', 'what the work left could not be kept');
  for (const each of [read, folder]) await removeFolder(each);
  return { branch: kept, base, commit, notes: [...notes, ...after('note ')], lost: [...lost, ...after('lost ')], ...readChanges(changes) };
}

/** Takes packs out of the folder that was open to the work: nothing is opened there by a name that may have become a link. */
function takePacks(from: string, to: string, packs: ReadonlySet<string>): void {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { mode: 0o700 });
  if (!lstatSync(from).isDirectory()) return;
  for (const name of Array.from(packs, (pack) => `${pack}.pack`))
    if (lstatSync(join(from, name), { throwIfNoEntry: false })?.isFile() === true) renameSync(join(from, name), join(to, name));
}

/** What is not on the branch, in a few words. */
export function lostInWords({ branch, lost }: Pick<Kept, 'branch' | 'lost'>): string {
  const more = lost.length > 3 ? ` and ${lost.length - 3} more` : '';
  return `not all work is on ${branch}: ${lost.slice(0, 3).join('; ')}${more}`;
}

function split(text: string, at: string): [string, string] {
  const index = text.indexOf(at);
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + at.length)];
}
