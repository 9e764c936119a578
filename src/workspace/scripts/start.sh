# How each of our scripts that use git begins.
git() { command "$OUR_GIT" "$@"; }
set_config() {
  export "GIT_CONFIG_KEY_$GIT_CONFIG_COUNT=$1" "GIT_CONFIG_VALUE_$GIT_CONFIG_COUNT=$2"
  export GIT_CONFIG_COUNT=$((GIT_CONFIG_COUNT + 1))
}
# Filters and merge drivers are the only programs that our commands could run because a config names them. Those of the repository's
# own config are not run; with "all", no filter of any config is, and a file that requires one cannot be added. Merges are git's own.
# Git LFS is run by its real name, whatever the config calls it, and without what the repository's config would have it run.
without_programs() {
  programs=$(git config --show-scope --name-only --get-regexp '^(filter\..*\.(clean|smudge|process|required)|merge\..*\.driver|lfs\.extension\..*\.(clean|smudge))$' 2>/dev/null) || programs=
  while IFS='	' read -r scope key; do
    case $key in
      '') continue ;;
      filter.lfs.required) set_config "$key" false; continue ;;
      filter.lfs.process) set_config "$key" "${OUR_GIT_LFS:+git-lfs filter-process}"; continue ;;
      filter.lfs.clean | filter.lfs.smudge) set_config "$key" "${OUR_GIT_LFS:+git-lfs ${key##*.} -- %f}"; continue ;;
    esac
    case $1$scope in global | system | command) continue ;; esac
    case $key in
      lfs.*) case $scope in global | system | command) ;; *) set_config "$key" cat ;; esac ;;
      merge.*) set_config "$key" 'git merge-file -q %A %O %B' ;;
      *.required) [ -n "$1" ] || set_config "$key" false ;;
      *) set_config "$key" '' ;;
    esac
  done <<END
$programs
END
}

# An address that no version of git can push to.
# shellcheck disable=SC2034 # For the script that follows.
no_push=runwire-agents-do-not-push://

# In our own checkouts LFS pointers stay pointers: work that needs the files can fetch them. Git LFS may not be installed: then the
# pointer is used as it is.
leaving_pointers() { git -c filter.lfs.required=false -c filter.lfs.smudge= -c filter.lfs.process= "$@"; }

# Lists what a copy begins with, and what it ends with: a commit and the name of a branch, tag or stash for it.
print_refs() {
  git for-each-ref --format='%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end) %(refname)' refs/heads refs/tags refs/stash
}

# Without a configured identity, commits are made under Runwire's.
own_identity() {
  if [ -z "$GIT_COMMITTER_EMAIL$(git config user.email)" ]; then
    export GIT_AUTHOR_NAME=Runwire GIT_AUTHOR_EMAIL=runwire@localhost GIT_COMMITTER_NAME=Runwire GIT_COMMITTER_EMAIL=runwire@localhost
  fi
}
