# shellcheck disable=SC2154 # $folder, and $isCopy, are the caller's.
note() { printf 'note %s\0' "$1" >> "$folder/notes"; }
lose() { printf 'lost %s\0' "$1" >> "$folder/lost"; }
to_lines() { tr '\n\0' "\\$mark\\n"; }
to_nul() { tr "\\$mark\\n" '\n\0'; }
# The path in a line, in $path.
# shellcheck disable=SC2059 # It is an escape.
to_path() {
  case $1 in
    *"$(printf "\\$mark")"*) path=$(printf %s/ "$1" | tr "\\$mark" '\n') && path=${path%/} ;;
    *) path=$1 ;;
  esac
}
# Finds a mark for all paths below the current folder and in the index.
choose_mark() {
  { git ls-files -z; git ls-files -o --exclude-standard -z; } > "$folder/paths" 2>/dev/null
  for mark in 001 002 003 004 005 006 016 017 020 021; do
    [ -z "$(tr -dc "\\$mark" < "$folder/paths" | head -c 1 | tr "\\$mark" x)" ] && return
  done
  echo 'fatal: the names of files use every byte that could stand for a line break' >&2
  return 1
}

# Git only warns of folders that it could not read.
unread='ermission denied\|could not open directory'

# Adds the files of the current folder to the index, except for what is in a list. In a copy, unreadable files are made readable.
add() {
  list=$1
  if [ -s "$list" ]; then
    { echo .; sed 's|^|:(exclude,literal)|' "$list"; } | to_nul > "$list.paths"
    set -- --pathspec-from-file="$list.paths" --pathspec-file-nul
  else
    set --
  fi
  git add -A "$@" > /dev/null 2> "$folder/said" && ! grep -q "$unread" "$folder/said" && return
  [ -n "$isCopy" ] && chmod -R u+rwX . 2>/dev/null
  git add -A --ignore-errors "$@" > /dev/null 2> "$folder/said" && ! grep -q "$unread" "$folder/said" && return
  filter=$(sed -n "s/^fatal: .*: clean filter '\(.*\)' failed.*/\1/p" "$folder/said")
  if [ -n "$filter" ]; then
    # A file that must not be stored without its filter.
    git ls-files -m -o --exclude-standard -z | git check-attr -z --stdin filter | to_lines |
      filter=$filter awk 'NR % 3 == 1 { path = $0 } NR % 3 == 0 && $0 == ENVIRON["filter"] { print path }' > "$list.refused"
    [ -s "$list.refused" ] || return 1
    while IFS= read -r line; do lose "$line: the filter $filter, which it needs, did not run"; done < "$list.refused"
    cat "$list" "$list.refused" > "$list.more"
    add "$list.more"
    return
  fi
  if grep -q '^fatal' "$folder/said" && ! grep -q 'adding files failed' "$folder/said"; then
    cat "$folder/said" >&2
    return 1
  fi
  why=$(grep -i -m1 'permission denied\|^error' "$folder/said")
  # It cuts what it says of a long path before the reason.
  if grep 'could not open directory' "$folder/said" | grep -qv 'ermission denied'; then
    lose 'what is in folders whose path is too long for git' || return
    [ -n "$why" ] || return 0
  fi
  # On a full disk there is not even room for a word.
  lose "${why:-files that git could not read}"
}

# Adds all files below the current folder. Git would ask a repository below for its state, with that repository's own config and
# programs, and record only a commit id: links to repositories are taken out of the index first, and what is in them is added in our
# own way (`link`), or as files.
take() {
  choose_mark || return
  git ls-files -s -z > "$1.all" 2>/dev/null || return
  to_lines < "$1.all" | sed -n 's/^160000 \([0-9a-f]*\) [0-3]	/\1 /p' > "$1.links"
  [ ! -s "$1.links" ] || sed 's/^[^ ]* //' "$1.links" | to_nul | git update-index -z --force-remove --stdin || return
  git ls-files -o --exclude-standard -z > "$1.all" 2>/dev/null || return
  to_lines < "$1.all" | grep '/$' > "$1.nested"
  add "$1.nested" || return
  while read -r id line; do
    to_path "$line"
    # A submodule without its files.
    [ -d "./$path" ] && [ -z "$(ls -A "./$path")" ] && git update-index --add --cacheinfo "160000,$id,$path"
  done < "$1.links"
  while IFS= read -r line; do
    to_path "${line%/}"
    link "$path" "$1" || take_files "$1" "$path" || return
  done < "$1.nested"
}

# The id that the index INDEX had for a link at PATH.
linked() {
  cut -d' ' -f2- "$2.links" | grep -nxF -e "$1" | head -n 1 | { IFS=: read -r at line && sed -n "${at}p" "$2.links" | cut -d' ' -f1; }
}

take_files() {
  tree=$(cd "./$2" && export GIT_WORK_TREE="$PWD" GIT_INDEX_FILE="$1.inner" && rm -f "$1.inner" && take "$1.inner" && git write-tree) &&
    git read-tree --prefix="$2/" "$tree" || return
  note "the repository in $2/ is kept as the files that it has, without its history"
}
