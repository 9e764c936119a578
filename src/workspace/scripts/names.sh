addresses=$1 settings=$2
shift 2
git for-each-ref --format='%(refname:strip=2)' "$@"
printf '\n\n\n'
git config -z --get-regexp "^($addresses|core\\.hookspath)\$" || :
for scope in local worktree; do git config -z --$scope --includes --get-regexp "^($settings)\$" 2>/dev/null || :; done
