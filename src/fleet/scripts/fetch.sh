store=$1 remote=$2 commit=$3 bundle=$4
[ -d "$store" ] || { git init -q --bare --template= -- "$store.$$" && mv -T -- "$store.$$" "$store" 2>/dev/null || rm -rf "$store.$$"; }
cd "$store" || exit 1
# A file in it could name another folder for these.
export GIT_DIR="$PWD" GIT_COMMON_DIR="$PWD"
printf '[core]\n\trepositoryformatversion = 0\n\tbare = true\n' > "config.$$" && mv -f -- "config.$$" config || exit 1
has() { git cat-file -e "$commit^{tree}" 2>/dev/null && git rev-list --quiet --objects "$commit" 2>/dev/null; }
named() { has && git update-ref "refs/fetched/$commit" "$commit"; }
named && exit 0
if [ -n "$bundle" ]; then
  git fetch -q --no-tags --no-write-fetch-head -- "$bundle" "+refs/*:refs/bundles/$commit/*" && named && exit 0
fi
[ -n "$remote" ] || { echo 'fatal: the commit is not in the bundle that came with the job' >&2; exit 1; }
git fetch -q --no-tags --no-write-fetch-head -- "$remote" "+$commit:refs/fetched/$commit" 2>/dev/null && named && exit 0
git fetch -q --no-tags --no-write-fetch-head -- "$remote" '+refs/heads/*:refs/remote-heads/*' || exit 1
named || { echo "fatal: the remote has no commit $commit" >&2; exit 1; }
