ref=refs/runwire/bundle-$$
git update-ref "$ref" "$1" || exit 1
git bundle create -q - "$ref"
code=$?
git update-ref -d "$ref"
exit $code
