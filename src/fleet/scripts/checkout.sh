store=$1 folder=$2 commit=$3 remote=$4 branch=$5
git init -q --template= -- "$folder" && cd "$folder" || exit 1
printf '%s\n' "$store/objects" > .git/objects/info/alternates
[ -z "$remote" ] || git remote add origin "$remote"
leaving_pointers checkout -q -f -B "$branch" "$commit"
