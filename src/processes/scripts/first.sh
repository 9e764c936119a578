# A shell that hears SIGINT exits with 130 when the program has ended, whatever the program made of it; a trap is not passed on.
trap : INT TERM
exec 4>&2 2>/dev/null
# Not in this shell, which would say on the program's stderr that a signal ended it.
(exec "$@" 2>&4 3>&- 4>&-)
code=$?
others() {
  for path in /proc/[0-9]*/stat; do
    read -r line < "$path" || continue
    [ "${line%% *}" = $$ ] && continue
    case ${line##*) } in [ZX]*) continue ;; esac
    return 0
  done
  return 1
}
round=0
while others; do
  [ $round -ge 5 ] && { echo left >&3; break; }
  round=$((round + 1))
  sleep 0.02
done
exit $code
