# shellcheck disable=SC2154 # no_push is of start.sh.
set -e
without_programs
git update-ref "refs/heads/$1" "$2"
git symbolic-ref HEAD "refs/heads/$1"
for remote in $(git remote); do git config --replace-all "remote.$remote.pushurl" "$no_push"; done
case $3 in
  snapshot) git reset -q ;;
  other) leaving_pointers reset -q --hard; shift 3; git clean -fdq "$@" ;;
esac
print_refs
