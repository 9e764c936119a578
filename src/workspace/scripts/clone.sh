# shellcheck disable=SC2154 # no_push is of start.sh.
set -e
common=$1 branch=$3 base=$4
mkdir -p "$2/.git/objects/info" "$2/.git/objects/pack" "$2/.git/refs/heads"
cd "$2/.git"
printf '%s\n' "$5" > objects/info/alternates
printf 'ref: refs/heads/none\n' > HEAD
set --
for part in refs packed-refs reftable shallow config hooks info; do
  [ ! -e "$common/$part" ] || set -- "$@" "$common/$part"
done
cp -RH "$@" .
[ ! -e refs/stash ] || rm refs/stash
print_refs > ../../began
printf '\n[core]\n\tbare = false\n' >> config
IFS='
'
remote=
for key in $(git config --name-only --get-regexp '^(core\.worktree$|remote\..*\.)'); do
  case $key in
    core.worktree) git config --unset-all core.worktree || : ;;
    "$remote".*) ;;
    *) remote=${key%.*}; git config --replace-all "$remote.pushurl" "$no_push" ;;
  esac
done
cd ..
git symbolic-ref HEAD "refs/heads/$branch"
# Of the config that is now there.
without_programs
leaving_pointers -c core.fsync=none reset -q --hard "$base"
