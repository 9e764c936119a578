# shellcheck disable=SC2013,SC2086 # Lists of processes and lines of the table are split into words.
trap '' INT TERM HUP
run=$1 folder=$2 limit=$3 leader= start=0
while read -r word more; do
  [ "$word" = leave ] && exit
  leader=$word start=$more
done
if [ -n "$folder" ]; then
  rm -f "$folder/stdin" "$folder/stdout" "$folder/stderr"
  rmdir "$folder"
fi
number() { case $1 in '' | *[!0-9]*) return 1 ;; esac; }
# The whole group first, before the table is read: a member that starts others faster than that would never be caught up with.
at_once() {
  [ -n "$leader" ] || return
  wanted=$1
  if [ "$self" = $$ ] && read -r line < "/proc/$leader/stat"; then
    set -- ${line##*) }
    [ "${20}" = "$start" ] || { leader=; return; }
  fi
  kill -s "$wanted" -- "-$leader"
}
look() {
  found= group=
  if [ "$self" != $$ ]; then
    [ -n "$leader" ] && kill -s 0 -- "-$leader" && group=-$leader
    return
  fi
  for path in $(grep -lsF -e "$run" -e "$limit" /proc/[0-9]*/environ /proc/[0-9]*/limits); do
    path=${path%/*}
    read -r line < "$path/stat" || continue
    set -- ${line##*) }
    # The dead keep their limits until they are reaped, which nobody may ever do: not every container has an init.
    case $1 in [ZX]) continue ;; esac
    found="$found ${path#/proc/}"
    # We may have died before we could name the leader: a session that a marked process is in was made by the run.
    [ "$4" -gt 1 ] && sessions="$sessions $4"
  done
  # At once: who forks and leaves all the time is gone when the rest of the table has been read.
  [ "$signal" = KILL ] && kill -s KILL $found
  # Children mostly come after their parents in the table. A tree that grows all the while would never be seen whole: who was
  # seen is signalled, and the next look finds the rest.
  seen=- passes=0
  while [ "$seen" != "$found" ] && [ $passes -lt 3 ]; do
    seen=$found passes=$((passes + 1))
    for path in /proc/[0-9]*/stat; do
      read -r line < "$path" || continue
      pid=${line%% *}
      set -- ${line##*) }
      number "${20}" || continue
      [ "$pid" = "$leader" ] && [ "${20}" != "$start" ] && leader=
      [ "${20}" -lt "$start" ] && continue
      case $1 in [ZX]) continue ;; esac
      case " $found " in *" $pid "*) continue ;; esac
      case "$kin" in
        *" $pid:${20} "*)
          found="$found $pid"
          continue
          ;;
      esac
      if [ "$3" = "$leader" ] || [ "$4" = "$leader" ]; then
        group=-$leader
      else
        case " $found " in *" $2 "*) ;; *) case " $sessions " in *" $4 "*) ;; *) continue ;; esac ;; esac
      fi
      found="$found $pid" kin="$kin$pid:${20} "
    done
  done
}
# Members that carry no mark, by pid and start: their parents may be gone before them.
kin=' '
self=
read -r self more < /proc/self/stat
round=0 quiet=0 signal=TERM sessions=
while [ $quiet -lt 5 ] && [ $round -lt 150 ]; do
  [ $round -ge 10 ] && signal=KILL
  [ -n "$signal" ] && at_once "$signal"
  look
  if [ -z "$found$group" ]; then
    quiet=$((quiet + 1))
  else
    quiet=0
    [ -n "$signal" ] && kill -s "$signal" -- $group $found
  fi
  signal=
  round=$((round + 1))
  sleep 0.1 || sleep 1
done
