/** One way out of a network. It is out when something arrives at its own listener outside, or, if it `proves` it, when it exits with 0. */
export interface Way {
  name: string;
  /** Shell; `$PORT`, `$SOCKET` and `$NAME` are its listener, `$REACH` makes the kernel's own calls, `$OUTSIDE` is a process outside. */
  run: string;
  listens?: 'tcp' | 'udp' | 'unix' | 'abstract';
  host?: string;
  proves?: true;
  /** Who gets out this way where nothing is confined; unset: both. The others show only that a tool for it gives nothing away. */
  open?: 'root' | 'with a helper' | 'nobody needs to';
  /** A program that it needs. */
  needs?: string;
}

const tcp = (name: string, run: string, more: Partial<Way> = {}): Way => ({ name, run, listens: 'tcp', ...more });
const udp = (name: string, run: string, more: Partial<Way> = {}): Way => ({ name, run, listens: 'udp', ...more });
const unix = (name: string, run: string, more: Partial<Way> = {}): Way => ({ name, run, listens: 'unix', ...more });
const proof = (name: string, run: string, more: Partial<Way> = {}): Way => ({ name, run, proves: true, ...more });

const v6 = { host: '::1' };
const root = { open: 'root' } as const;
const never = { open: 'nobody needs to' } as const;
const quietly = 'GIT_TERMINAL_PROMPT=0';
const ssh = 'ssh -F none -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=none -o ConnectTimeout=2';

export const ways: readonly Way[] = [
  tcp('TCP', '$REACH tcp 127.0.0.1 $PORT'),
  tcp('TCP to another loopback address', '$REACH tcp 127.0.0.2 $PORT', { host: '127.0.0.2' }),
  tcp('TCP to no address', '$REACH tcp 0.0.0.0 $PORT'),
  tcp('TCP over IPv6', '$REACH tcp ::1 $PORT', v6),
  tcp('TCP over IPv6 to an IPv4 address', '$REACH tcp ::ffff:127.0.0.1 $PORT'),
  tcp('multipath TCP', '$REACH mptcp 127.0.0.1 $PORT'),
  udp('UDP', '$REACH udp 127.0.0.1 $PORT'),
  udp('UDP over IPv6', '$REACH udp ::1 $PORT', v6),
  udp('a DNS question', '$REACH dns 127.0.0.1 $PORT'),
  udp('a DNS question over IPv6', '$REACH dns ::1 $PORT', v6),
  udp('multicast', '$REACH multicast 239.255.77.77 $PORT', { host: '239.255.77.77' }),
  udp('broadcast', '$REACH broadcast 127.255.255.255 $PORT', { host: '127.255.255.255' }),
  proof('a raw socket', '$REACH raw', root),
  proof('a raw socket of IPv6', '$REACH raw6', root),
  proof('a packet socket', '$REACH packet', root),
  tcp('curl', 'curl -m 2 http://127.0.0.1:$PORT/', { needs: 'curl' }),
  tcp('curl by name', 'curl -m 2 http://localhost:$PORT/', { needs: 'curl' }),
  tcp('curl --noproxy', "curl -m 2 --noproxy '*' http://127.0.0.1:$PORT/", { needs: 'curl' }),
  tcp('curl over IPv6', "curl -m 2 -g 'http://[::1]:'$PORT/", { needs: 'curl', ...v6 }),
  tcp('curl --resolve', 'curl -m 2 --resolve a.invalid:$PORT:127.0.0.1 http://a.invalid:$PORT/', { needs: 'curl' }),
  tcp('curl --connect-to', 'curl -m 2 --connect-to ::127.0.0.1:$PORT http://a.invalid/', { needs: 'curl' }),
  tcp('a proxy of its own', 'curl -m 2 -x http://127.0.0.1:$PORT http://a.invalid/', { needs: 'curl' }),
  tcp('a SOCKS proxy', 'curl -m 2 -x socks5h://127.0.0.1:$PORT http://a.invalid/', { needs: 'curl' }),
  tcp('telnet', 'curl -m 2 telnet://127.0.0.1:$PORT < /dev/null', { needs: 'curl' }),
  tcp('FTP', 'curl -m 2 ftp://127.0.0.1:$PORT/', { needs: 'curl' }),
  udp('TFTP', 'curl -m 2 tftp://127.0.0.1:$PORT/x', { needs: 'curl' }),
  tcp('git://', `${quietly} git ls-remote git://127.0.0.1:$PORT/x`, { needs: 'git' }),
  tcp('git over HTTP', `${quietly} git ls-remote http://127.0.0.1:$PORT/x`, { needs: 'git' }),
  tcp('git over ssh', `GIT_SSH_COMMAND='${ssh}' git ls-remote ssh://127.0.0.1:$PORT/x`, { needs: 'ssh' }),
  tcp('ssh', `${ssh} -p $PORT 127.0.0.1 true`, { needs: 'ssh' }),
  tcp('bash', "bash -c 'echo hello > /dev/tcp/127.0.0.1/'$PORT", { needs: 'bash' }),
  udp('bash, UDP', "bash -c 'echo hello > /dev/udp/127.0.0.1/'$PORT", { needs: 'bash' }),
  tcp('fetch of Node.js', '"$NODE" -e "fetch(\'http://127.0.0.1:$PORT/\').catch(() => {})"'),
  tcp('a socket of Node.js', "\"$NODE\" -e \"require('net').connect($PORT, '127.0.0.1').on('error', () => {})\""),
  unix('a Unix socket', '$REACH unix "$SOCKET"'),
  unix('curl --unix-socket', 'curl -m 2 --unix-socket "$SOCKET" http://docker/info', { needs: 'curl' }),
  unix('a Unix socket by a link', 'ln -s "$SOCKET" "$SOCKET.link"; $REACH unix "$SOCKET.link"'),
  unix('a Unix socket by a hard link', 'ln "$SOCKET" "$SOCKET.hard"; $REACH unix "$SOCKET.hard"'),
  unix('a Unix socket that is moved', 'mv "$SOCKET" "$SOCKET.moved"; $REACH unix "$SOCKET.moved"'),
  unix('a Unix socket by its root', '$REACH unix "/proc/self/root$SOCKET"'),
  unix('a Unix socket by another root', '$REACH unix "/proc/1/root$SOCKET"', never),
  unix('a Unix socket below its cover', 'umount "$SOCKET"; umount -l "$SOCKET"; $REACH unix "$SOCKET"'),
  unix(
    'a Unix socket in another user namespace',
    'unshare -Urm sh -c "umount -l \\"$SOCKET\\"; $REACH unix \\"$SOCKET\\""',
  ),
  unix('an agent of ssh', 'SSH_AUTH_SOCK="$SOCKET" timeout 2 ssh-add -l', { needs: 'ssh-add' }),
  { name: 'an abstract socket', run: '$REACH abstract "$NAME"', listens: 'abstract' },
  tcp('an inherited descriptor', '$REACH inherited x', never),
  tcp('nsenter', 'nsenter -t $OUTSIDE -n $REACH tcp 127.0.0.1 $PORT', root),
  tcp('nsenter by the first process', 'nsenter -t 1 -n $REACH tcp 127.0.0.1 $PORT', never),
  tcp('nsenter by a file', 'nsenter --net=/proc/$OUTSIDE/ns/net $REACH tcp 127.0.0.1 $PORT', root),
  tcp('setns', '$REACH setns /proc/$OUTSIDE/ns/net $PORT', root),
  tcp('setns by an open file of another', 'for file in /proc/[0-9]*/fd/*; do $REACH setns "$file" $PORT; done', never),
  tcp(
    'a new process table',
    'mkdir -p "$WORK/proc"; unshare -m sh -c "mount -t proc proc $WORK/proc; nsenter --net=$WORK/proc/$OUTSIDE/ns/net $REACH tcp 127.0.0.1 $PORT"',
    root,
  ),
  tcp('the process table below', 'umount -l /proc; nsenter -t $OUTSIDE -n $REACH tcp 127.0.0.1 $PORT', never),
  tcp('a new user namespace', 'unshare -Ur nsenter -t $OUTSIDE -n $REACH tcp 127.0.0.1 $PORT', never),
  tcp('a new network', 'unshare -Urn sh -c "ip link set lo up; $REACH tcp 127.0.0.1 $PORT"', never),
  tcp('a pair of devices', 'ip link add a type veth peer name b netns $OUTSIDE && ip link set a up', never),
  proof('another address of loopback', 'ip addr add 127.9.9.9/32 dev lo && ip addr del 127.9.9.9/32 dev lo', never),
  proof('a route', 'ip route add 198.51.100.0/24 dev lo && ip route del 198.51.100.0/24 dev lo', never),
  proof(
    'capabilities that are asked back',
    'setpriv --bounding-set=+all --inh-caps=+net_admin sh -c "ip addr add 127.9.9.8/32 dev lo && ip addr del 127.9.9.8/32 dev lo"',
    never,
  ),
  proof('a process outside', 'kill -0 $OUTSIDE'),
  proof('a descriptor of a process outside', '$REACH pidfd $OUTSIDE'),
  tcp('a daemon', "setsid sh -c '$REACH tcp 127.0.0.1 $PORT & wait' < /dev/null > /dev/null 2>&1 & wait"),
  // Perl does not connect where it has another user's rights; the shell gives them up, but not the network.
  tcp('a setuid helper', '"$HELPER" -t $OUTSIDE -n bash -c "echo hello > /dev/tcp/127.0.0.1/$PORT"', {
    open: 'with a helper',
    needs: 'bash',
  }),
];
