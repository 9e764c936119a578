# Runs a command when loopback is up. Where iproute2 is missing, perl asks the kernel itself (SIOCSIFFLAGS; up, loopback, running).
ip link set lo up 2>/dev/null ||
  perl -e 'socket(S, 2, 2, 0) && ioctl(S, 0x8914, pack("a16s", "lo", 0x49)) or exit 1' ||
  { echo 'loopback could not be set up: neither ip nor perl did it' >&2; exit 1; }
exec "$@"
