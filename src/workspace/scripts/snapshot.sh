# Follows take.sh.
folder=$1 head=$3
mkdir -p "$folder" || exit 1
export GIT_DIR="$2" GIT_WORK_TREE="$PWD" GIT_INDEX_FILE="$folder/index"
[ ! -f "$GIT_DIR/index" ] || cp -p "$GIT_DIR/index" "$GIT_INDEX_FILE"
# A submodule is kept as the commit that it stands on.
link() { [ -n "$(linked "$1" "$2")" ] && git update-index --add -- "$1"; }
take "$folder/index" && [ ! -s "$folder/lost" ] && tree=$(git write-tree) || { tr '\0' '\n' < "$folder/lost" | sed 's/^lost /error: /' >&2; rm -rf "$folder"; exit 1; }
rm -rf "$folder"
own_identity
git commit-tree "$tree" ${head:+-p "$head"} -m 'Uncommitted changes'
