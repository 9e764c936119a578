import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';

/**
 * The guard's program. It reads from a pipe to us: each line is either the leader of the run and its start time, or permission to
 * leave; the end of input without that permission means that we have died. Members are identified as in ProcessTree. They are asked
 * to end and killed after a second. The guard exits only when it has found no members five times, because a process that is just being
 * executed shows neither its old environment nor its new one.
 */
const script = `
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
    set -- \${line##*) }
    [ "\${20}" = "$start" ] || { leader=; return; }
  fi
  kill -s $wanted -- "-$leader"
}
look() {
  found= group=
  if [ "$self" != $$ ]; then
    [ -n "$leader" ] && kill -s 0 -- "-$leader" && group=-$leader
    return
  fi
  for path in $(grep -lsF -e "$run" -e "$limit" /proc/[0-9]*/environ /proc/[0-9]*/limits); do
    path=\${path%/*}
    read -r line < "$path/stat" || continue
    set -- \${line##*) }
    # The dead keep their limits until they are reaped, which nobody may ever do: not every container has an init.
    case $1 in [ZX]) continue ;; esac
    found="$found \${path#/proc/}"
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
      pid=\${line%% *}
      set -- \${line##*) }
      number "\${20}" || continue
      [ "$pid" = "$leader" ] && [ "\${20}" != "$start" ] && leader=
      [ "\${20}" -lt "$start" ] && continue
      case $1 in [ZX]) continue ;; esac
      case " $found " in *" $pid "*) continue ;; esac
      case "$kin" in
        *" $pid:\${20} "*)
          found="$found $pid"
          continue
          ;;
      esac
      if [ "$3" = "$leader" ] || [ "$4" = "$leader" ]; then
        group=-$leader
      else
        case " $found " in *" $2 "*) ;; *) case " $sessions " in *" $4 "*) ;; *) continue ;; esac ;; esac
      fi
      found="$found $pid" kin="$kin$pid:\${20} "
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
  [ -n "$signal" ] && at_once $signal
  look
  if [ -z "$found$group" ]; then
    quiet=$((quiet + 1))
  else
    quiet=0
    [ -n "$signal" ] && kill -s $signal -- $group $found
  fi
  signal=
  round=$((round + 1))
  sleep 0.1 || sleep 1
done
`;

export interface Guard {
  /** Names the leader to end when we die, in addition to every process that carries the mark. */
  watch(leader: number, started: number): void;
  /** Lets the guard exit, when there are no processes left to end. */
  leave(): Promise<void>;
}

/**
 * Starts the process that ends a run if we cannot, whatever ends us. To be called before the run's first process is started.
 *
 * Nothing slips through between the two starts, and nothing has to wait. When `spawn` returns, the guard is being executed and
 * holds its end of the pipe; ours is closed on exec. From then on our death closes the pipe, which the guard notices immediately or
 * once it begins to read. A process of the run that is forked but not executed yet has a copy of our end, so the pipe cannot close
 * before the exec that puts the mark in its environment: the guard looks for marks only when they are visible.
 */
export function startGuard(run: string, { folder = '', limit = run }: { folder?: string; limit?: string } = {}): Guard {
  // No mark, so that it does not end itself; a separate session, so that Ctrl-C in a terminal does not reach it.
  const guard = spawn('/bin/sh', ['-c', script, 'runwire-guard', run, folder, limit], {
    cwd: '/',
    // The system's own tools first: PATH may begin with a folder of the repository.
    env: { PATH: `/usr/bin:/bin:${process.env['PATH'] ?? '/bin'}`, LC_ALL: 'C' },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // There is no shell, or the guard was killed: the run continues, and is ended by us as long as we live.
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  const gone = guard.pid === undefined ? undefined : once(guard, 'exit');
  guard.unref();
  const line = guard.stdin;
  if (line instanceof Socket) line.unref();
  return {
    watch: (leader, started) => void line.write(`${leader} ${started}\n`),
    async leave() {
      guard.ref();
      line.end('leave\n');
      await gone;
    },
  };
}
