#!/usr/bin/env bash
# The first minutes of a new user, as the README tells them, with an empty home and no npm cache: from a clone, from the package's
# tarball, and from the address of a git repository. Prints what each took. FIRST_MINUTES_CACHE names a cache of npm to use instead.
set -euo pipefail
sources=$(cd "$(dirname "$0")/.." && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir "$root/home" "$root/bin"
# Only what such a machine has: node, npm, git and the usual tools.
for each in node npm npx git grep tail sh bash env timeout dirname readlink sed uname cp mkdir mktemp rm cat tar; do
  ln -s "$(PATH=/usr/bin:/bin:$PATH command -v "$each")" "$root/bin/$each"
done
export HOME=$root/home PATH=$root/home/.local/bin:$root/bin
# A registry that hangs ends this, and says so.
npm() { timeout 1200 "$root/bin/npm" "$@"; }
export npm_config_fetch_timeout=60000
export npm_config_cache=${FIRST_MINUTES_CACHE:-$root/cache} npm_config_update_notifier=false npm_config_loglevel=error
unset XDG_STATE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME NODE_OPTIONS
git config --global user.name me
git config --global user.email me@example.com

# The README's first run: the built-in agent repairs a test, with a recorded model.
repairs() { # FOLDER-OF-EXAMPLES COMMAND…
  local examples=$1 work
  shift
  work=$(mktemp -d "$root/work-XXXXXX")
  cp -r "$examples/fix-the-test/project/." "$work"
  "$@" --cwd "$work" --model "replay/$examples/fix-the-test/model.jsonl" --allow 'bash(node --test)' \
    'A test fails here. Find out why, and fix it.' >"$work/answer" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
  grep -q 'tests pass' "$work/answer"
}

took() { printf 'ok   %s: %d s\n' "$1" $((SECONDS - began)); began=$SECONDS; }

began=$SECONDS
git clone -q "file://$sources" "$root/runwire"
cd "$root/runwire"
npm ci
took 'git clone, npm ci'
npm install --global --prefix "$HOME/.local" .
took 'npm install --global .'
repairs "$root/runwire/examples" runwire
took 'the first run'
[ "$(npx runwire --version)" = "$(runwire --version)" ]
took 'npx runwire --version in the clone'

tarball=$(cd "$root" && npm pack "$("$root/runwire/node_modules/.bin/node" "$root/runwire/scripts/stage-package.ts")" | tail -n 1)
began=$SECONDS
mkdir "$root/project"
cd "$root/project"
npm install "$root/$tarball" node@24 >"$root/said" 2>&1
if grep -q 'install-scripts.*runwire' "$root/said"; then cat "$root/said"; exit 1; fi
repairs "$root/project/node_modules/runwire/examples" npx runwire
took 'the tarball, in a project, and the first run'
cd node_modules/runwire
PATH=$root/runwire/node_modules/.bin:$PATH npx runwire --version >/dev/null
took 'npx runwire --version in the installed package'

npm install --global --prefix "$root/from-git" "git+file://$root/runwire"
repairs "$root/from-git/lib/node_modules/runwire/examples" "$root/runwire/node_modules/.bin/node" "$root/from-git/bin/runwire"
took 'the address of a git repository, and the first run'
