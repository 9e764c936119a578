from=$1 to=$2 way=$3 dry=$4 index=$5
patch() { git diff-tree -r -p --binary --full-index --no-renames --no-ext-diff --no-textconv "$from" "$to"; }
if [ "$way" != three ]; then
  patch | git apply --check --whitespace=nowarn || exit 3
  [ "$dry" = yes ] || patch | git apply --whitespace=nowarn
  exit
fi
aside=$(mktemp) || exit 1
trap 'rm -f "$aside" "$aside.lock"' EXIT
[ ! -f "$index" ] || cp -p "$index" "$aside" || exit 1
export GIT_INDEX_FILE="$aside"
# A file that was only touched is not one that was changed.
git update-index -q --ignore-submodules --refresh > /dev/null || :
[ "$dry" = yes ] && { patch | git apply --3way --check --whitespace=nowarn || exit 3; exit; }
patch | git apply --3way --whitespace=nowarn || git diff --name-only --diff-filter=U --ignore-submodules=dirty -z | grep -q . || exit 3
git diff --name-only --diff-filter=U --ignore-submodules=dirty -z
