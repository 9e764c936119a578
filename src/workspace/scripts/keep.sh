export GIT_DIR="$1" GIT_ALLOW_PROTOCOL=none
known=
base=$2 commit=$3 branch=$4 before=$5 folder=$6 all_refs=$7
shift 7
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
note() { printf 'note %s\0' "$1"; }
lose() { printf 'lost %s\0' "$1"; }

of_ref() {
  below=${1#refs/heads/}
  also=$kept-also/${below#refs/}
}
say_ref() {
  case $1 in
    refs/stash) note "stashed work is kept as $2" ;;
    refs/tags/*) note "the tag ${1#refs/tags/} is kept as $2" ;;
    *) note "the branch $below is kept as $2" ;;
  esac
}
# Thousands of refs take one pack and one transaction.
keep_all() {
  print_refs | sort > "$folder/has" && cut -d' ' -f2- "$folder/all" | sort | comm -23 - "$folder/has" > "$folder/wanted" || return
  [ -s "$folder/wanted" ] || return 0
  git index-pack --stdin --fix-thin --strict < "$folder/$all_refs.pack" > /dev/null 2>&1 || return
  while read -r id what; do of_ref "$what" && printf '%s refs/heads/%s\n' "$id" "$also"; done < "$folder/wanted" | sort > "$folder/named" || return
  comm -23 "$folder/named" "$folder/has" | while read -r id what; do printf 'create %s %s\n' "$what" "$id"; done |
    git update-ref -m 'runwire: keep' --stdin 2>/dev/null || return
  while read -r id what; do of_ref "$what" && say_ref "$what" "$also"; done < "$folder/wanted"
}

bring work "$commit" && name_it "$commit" "$branch" "$before" || { printf '%s\n' "$said" >&2; exit 1; }
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
      short=${what##*/modules/}
      if (
        export GIT_DIR="$what"
        git cat-file -e "$id^{tree}" 2>/dev/null && [ -n "$(git for-each-ref --contains "$id" --count=1 --format=x)" ] && exit
        bring "$pack" "$id" && name_it "$id" "$branch" '' && note "work in the submodule $short is kept in its own repository, as $name"
      ); then known="$known $id"
      else lose "work in the submodule $short"; fi ;;
    known) known="$known $id" ;;
  esac
done
git diff-tree -r --raw "$base^{tree}" "$commit^{tree}" | grep '^:[0-7]* 160000' | while read -r _ _ _ to _ path; do
  case " $known " in
    *" $to "*) ;;
    *) lose "the submodule $path stands on $to, which its own repository does not have" ;;
  esac
done
printf 'kept %s\0changes\0' "$kept"
git diff-tree -r -z --no-renames --no-ext-diff --no-textconv --numstat --raw "$base^{tree}" "$commit^{tree}"
