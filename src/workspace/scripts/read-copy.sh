# Follows take.sh.
# shellcheck disable=SC2030,SC2031 # of_module is a shell of its own: what it sets is its own.
folder=$1 top=$2 copy=$3 common=$4 base=$5 mode=$6 sparse=$7 began=$8 repository=$9 all_refs=${10}
root=$top
# shellcheck disable=SC2034 # For take.sh.
isCopy=yes
[ -d "$top" ] && [ ! -L "$top" ] && cd "$top" || { echo 'fatal: the copy is gone' >&2; exit 1; }
# Nobody writes to these any more, and git would wait for some of them.
if [ "$mode" = open ]; then
  find . ! -type f ! -type d ! -type l -delete -print > "$folder/odd" 2>/dev/null
fi
[ ! -s "$folder/odd" ] || printf 'note %s\0' 'named pipes, sockets and devices are not kept' > "$folder/notes"

# The objects of a git folder without its alternates, and without anything that git would wait for.
objects_of() {
  mkdir -p "$2" || return
  [ -z "$(find -L "$1/objects" ! -type f ! -type d ! -type l -print 2>/dev/null | head -n 1)" ] || return 0
  for part in "$1"/objects/[0-9a-f][0-9a-f] "$1/objects/pack"; do [ ! -d "$part" ] || ln -s "$part" "$2/"; done
}
most=262144k unusual='*[[:cntrl:][:space:]\\]*'
# A regular file that is not too large: one with holes takes no room until it is copied.
is_file() { [ -n "$(find "$1" -prune -type f -size "-$most" 2>/dev/null)" ]; }
# The refs of a git folder ($1, and $2 where they are shared), as regular files, and only such as git itself would name so: tar
# takes each line of its list for a file, or for an option.
refs_of() {
  [ -f "$1/HEAD" ] && [ ! -L "$1/HEAD" ] && head -c 4096 "$1/HEAD" > "$3/HEAD"
  ! is_file "$2/shallow" || cp "$2/shallow" "$3/shallow"
  ! is_file "$2/packed-refs" || cp "$2/packed-refs" "$3/packed-refs"
  [ ! -f "$2/packed-refs" ] || [ -L "$2/packed-refs" ] || [ -f "$3/packed-refs" ] || lose 'branches and tags, whose list is too long'
  (
    cd "$2" 2>/dev/null && {
      find refs -type f -size -9 ! -path "$unusual"
      ! grep -q refstorage "$folder/config" || find reftable -type f -size "-$most" ! -path "$unusual"
    } 2>/dev/null | tar -cf - -T - 2>/dev/null
  ) | (cd "$3" && tar -xf - refs reftable 2>/dev/null)
  cp "$folder/config" "$3/config"
}
index_of() {
  rm -f "$GIT_INDEX_FILE"*
  is_file "$1/index" && cp -p "$1/index" "$GIT_INDEX_FILE" && git ls-files > /dev/null 2>&1 && show_hidden
}
# Flags of an index hide changes. In a sparse checkout they also stand for files that were never there.
show_hidden() {
  choose_mark || return
  git ls-files -v -z | to_lines > "$GIT_INDEX_FILE.flags"
  sed -n 's/^[a-z] //p' "$GIT_INDEX_FILE.flags" | to_nul | git update-index -z --no-assume-unchanged --stdin
  sed -n 's/^[Ss] //p' "$GIT_INDEX_FILE.flags" | while IFS= read -r line; do
    to_path "$line"
    # shellcheck disable=SC2154 # to_path sets it.
    if [ "$sparse" != yes ] || [ -e "./$path" ] || [ -L "./$path" ]; then printf '%s\0' "$path"; fi
  done | git update-index -z --no-skip-worktree --stdin
}
# Writes the objects of a commit that $2, which the repository has, does not lead to.
pack() { printf '%s\n' "$3" ${2:+"^$2"} | git pack-objects --revs --thin --stdout -q > "$folder/$1.pack" 2>/dev/null; }
is_whole() { git rev-list --objects --quiet "$1" ${2:+"^$2"} 2>/dev/null; }
# The commit of what is in the index and below the current folder, on top of a commit.
commit_on() {
  take "$GIT_INDEX_FILE" && tree=$(git write-tree) || return
  [ "$tree" = "$(git rev-parse "$1^{tree}")" ] && echo "$1" || git commit-tree "$tree" -p "$1" -m 'Work that was left uncommitted'
}

# Where the submodule at a path has its repository: below $common/modules, or in its own folder. Sets $copy and, for the user's, $place.
find_module() {
  if [ -d "./$1/.git" ] && [ ! -L "./$1/.git" ]; then
    copy=$PWD/$1/.git place=in:${PWD#"$root"}/$1
    return
  fi
  [ -f "./$1/.git" ] && [ ! -L "./$1/.git" ] || return
  copy=$(head -c 4096 "./$1/.git" | sed -n '1s/^gitdir: //p')
  copy=$(cd "./$1" && cd "$copy" 2>/dev/null && pwd -P) && modules=$(cd "$common/modules" 2>/dev/null && pwd -P) || return
  place=${copy#"$modules"/}
  [ "$place" != "$copy" ] && place=of:$place
}

# Prints the commit of a submodule's contents; nothing where there is none.
of_module() (
  base=$(git rev-parse -q --verify "$base:$1") || base=
  find_module "$1" && cd "./$1" || exit 0
  # shellcheck disable=SC2012 # The names are ours.
  number=$(($(ls -d "$folder"/module-*.git 2>/dev/null | wc -l) + 1))
  door=$folder/module-$number.git
  mkdir -p "$door/refs/heads" "$door/objects/info" && cp "$folder/none" "$door/HEAD" || exit 1
  refs_of "$copy" "$copy" "$door"
  objects_of "$copy" "$folder/module-$number.theirs"
  case $place in
    of:*) ln -s "$repository/modules/${place#of:}/objects" "$folder/module-$number.own" ;;
    *) ln -s "$copy/objects" "$folder/module-$number.own" ;;
  esac
  printf '../../module-%s.theirs\n../../module-%s.own\n' $number $number > "$door/objects/info/alternates"
  top=$PWD
  export GIT_DIR="$door" GIT_WORK_TREE="$PWD" GIT_INDEX_FILE="$folder/module-$number.index"
  [ -z "$base" ] || git cat-file -e "$base^{commit}" 2>/dev/null || base=
  head=$(git rev-parse -q --verify 'HEAD^{commit}') && is_whole "$head" "$base" || head=$base
  [ -n "$head" ] || exit 0
  index_of "$copy" || git read-tree "$head" || exit 1
  commit=$(commit_on "$head") || exit 1
  if ! grep -qxF -e "$place" "$folder/modules"; then
    # The user does not have it. What its remote has can be fetched.
    if [ "$commit" = "$base" ] || [ -n "$(git for-each-ref --contains "$commit" --count=1 --format=x refs/remotes 2>/dev/null)" ]; then
      printf 'known %s\0' "$commit" >> "$folder/records"
      echo "$commit"
    elif [ -n "$base" ]; then lose "work in the submodule $1, which the repository does not have"; fi
    exit 0
  fi
  [ "$commit" = "$base" ] || pack "module-$number" "$base" "$commit" || exit 1
  printf 'module module-%s %s %s\0' $number "$commit" "$place" >> "$folder/records"
  echo "$commit"
)
is_module() {
  git rev-parse -q --verify "$base:$1" > /dev/null && return
  [ -f .gitmodules ] && [ ! -L .gitmodules ] && git config -f .gitmodules --get-regexp '[.]path$' 2>/dev/null | cut -d' ' -f2- | grep -qxF -e "$1"
}
link() {
  [ "$GIT_WORK_TREE" = "$top" ] && is_module "$1" || return
  now=$(of_module "$1") || return 2
  now=${now:-$(linked "$1" "$2")}
  # A submodule that is new has only its files.
  [ -n "$now" ] && git update-index --add --cacheinfo "160000,$now,$1"
}

export GIT_DIR="$folder/door" GIT_WORK_TREE="$top" GIT_INDEX_FILE="$folder/index" GIT_ALLOW_PROTOCOL=none GIT_NO_REPLACE_OBJECTS=1
cp "$GIT_DIR/HEAD" "$folder/none"
if [ -d "$copy" ] && [ ! -L "$copy" ]; then
  refs_of "$copy" "$common" "$GIT_DIR"
  objects_of "$common" "$folder/theirs"
fi
cp "$folder/config" "$GIT_DIR/config"
[ "$mode" = confined ] || without_programs all
head=$(git rev-parse -q --verify 'HEAD^{commit}') || head=
if [ -n "$head" ] && ! is_whole "$head" "$base"; then
  head= && note 'its own commits could not be read: only the files are kept'
fi
index=$copy
if [ -n "$head" ] && ! git merge-base "$base" "$head" > /dev/null; then
  head= index= && note 'its repository was made anew: its files are kept on top of the commit that it began with'
fi
: "${head:=$base}"
[ -n "$index" ] && index_of "$index" || { rm -f "$GIT_INDEX_FILE"*; git read-tree "$head" || exit 1; }
own_identity
# A full disk takes the file of what git says, and nothing of what is in it: then git says it again.
# The copy's index may refer to objects that cannot be read: then all files are read again.
again() {
  rm -f "$GIT_INDEX_FILE"* "$folder/lost"
  git read-tree "$head" && commit=$(commit_on "$head")
}
commit=$(commit_on "$head" 2> "$folder/failed") || again 2> "$folder/failed" ||
  { [ "$mode" = confined ] && without_programs all && note 'a filter failed: the files are kept without any' && again; } ||
  { if [ -s "$folder/failed" ]; then cat "$folder/failed" >&2; else again; fi; exit 1; }
[ "$commit" = "$base" ] || pack work "$base" "$commit" || { echo 'fatal: its objects cannot be read' >&2; exit 1; }
# Of stashed work, only the newest has a name.
older_stashes() {
  is_file "$common/logs/refs/stash" && sed -n 's/^[0-9a-f]* \([0-9a-f]*\) .*/\1 refs\/stash/p' "$common/logs/refs/stash"
}
# Lines of a list that begin with an id of another list, or with "-v" those that do not.
with_ids() { awk -v v="$3" 'FILENAME == ARGV[1] { ids[$1]; next } ($1 in ids) != (v == "-v")' "$1" "$2"; }
list_refs() { print_refs > "$folder/listed" 2>/dev/null; }
# Git lists none where one of them leads nowhere.
without_broken() {
  git for-each-ref --format='%(objectname) %(refname)' refs/heads refs/tags refs/stash > "$folder/named" 2>/dev/null
  cut -d' ' -f1 "$folder/named" | git cat-file --batch-check 2>/dev/null | sed -n 's/ missing$//p' > "$folder/missing"
  with_ids "$folder/missing" "$folder/named" | while read -r also ref; do
    lose "$ref"
    printf 'delete %s\n' "$ref"
  done | git update-ref --stdin
}
if [ -f "$began" ]; then
  list_refs || { without_broken && list_refs; } || lose 'other branches and tags, which git cannot list'
  { cat "$folder/listed"; older_stashes; } | sort -u > "$folder/refs"
  sort "$began" | comm -13 - "$folder/refs" | grep -v "^$base " > "$folder/new"
fi
# There may be thousands: what is ahead of the work goes into one pack, unless something in it cannot be read or would not be taken.
ahead() {
  cut -d' ' -f1 "$folder/new" | git cat-file --batch-check='%(objectname) %(objecttype)' | sed -n 's/ commit$//p' > "$folder/commits" &&
    { cat "$folder/commits"; echo "^$commit"; } | git rev-list --stdin > "$folder/ahead" 2>/dev/null || return
    with_ids "$folder/ahead" "$folder/new" | grep -v ' refs/stash$' > "$folder/many"
  [ -s "$folder/many" ] || return 0
  { cut -d' ' -f1 "$folder/many"; echo "^$base"; } | git pack-objects --revs --thin --stdout -q > "$folder/$all_refs.pack" 2>/dev/null &&
    git index-pack --stdin --fix-thin --strict < "$folder/$all_refs.pack" > /dev/null 2>&1 &&
    sed "s/^/ref $all_refs /" "$folder/many" | tr '\n' '\0' >> "$folder/records"
}
number=0
if [ -s "$folder/new" ]; then
  if ahead; then
    # Of stashes, which have one name, each is looked at.
    grep ' refs/stash$' "$folder/new"
    with_ids "$folder/commits" "$folder/new" -v | grep -v ' refs/stash$'
  else cat "$folder/new"; fi | while read -r also ref; do
    git merge-base --is-ancestor "$also" "$commit" 2>/dev/null && continue
    number=$((number + 1))
    pack "ref-$number" "$base" "$also" && printf 'ref ref-%s %s %s\0' $number "$also" "$ref" >> "$folder/records" || lose "$ref"
  done
fi
cat "$folder/notes" "$folder/lost" "$folder/records" 2>/dev/null
printf 'commit %s\0' "$commit"
