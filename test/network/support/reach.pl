# reach.pl HOW WHERE [PORT]: one way to reach a listener, by the kernel's own calls.
use Socket qw(:all);
my ($how, $where, $port) = @ARGV;
sub to { my $v6 = $where =~ /:/; ($v6 ? AF_INET6 : AF_INET, $v6 ? pack_sockaddr_in6($port, inet_pton(AF_INET6, $where)) : pack_sockaddr_in($port, inet_pton(AF_INET, $where))) }
if ($how eq 'tcp' || $how eq 'mptcp') {
  my ($family, $address) = to();
  socket(S, $family, SOCK_STREAM, $how eq 'mptcp' ? 262 : 0) && connect(S, $address) && syswrite(S, "hello\n") or exit 1;
} elsif ($how eq 'udp' || $how eq 'broadcast' || $how eq 'dns' || $how eq 'multicast') {
  my ($family, $address) = to();
  socket(S, $family, SOCK_DGRAM, 0) or exit 1;
  setsockopt(S, SOL_SOCKET, SO_BROADCAST, 1) if $how eq 'broadcast';
  setsockopt(S, IPPROTO_IP, 32, inet_aton('127.0.0.1')) if $how eq 'multicast';
  send(S, $how eq 'dns' ? pack('n6', 1, 256, 1, 0, 0, 0) . "\7example\7invalid\0" . pack('n2', 1, 1) : "hello\n", 0, $address) or exit 1;
} elsif ($how eq 'unix' || $how eq 'abstract') {
  socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, $how eq 'unix' ? pack_sockaddr_un($where) : pack('Sa*', AF_UNIX, "\0$where")) && syswrite(S, "hello\n") or exit 1;
} elsif ($how eq 'raw') {
  socket(S, AF_INET, SOCK_RAW, 1) or exit 1;
} elsif ($how eq 'raw6') {
  socket(S, AF_INET6, SOCK_RAW, 58) or exit 1;
} elsif ($how eq 'packet') {
  socket(S, 17, SOCK_RAW, 0x0300) or exit 1;
} elsif ($how eq 'inherited') {
  for my $fd (3 .. 200) { open(F, '>&=', $fd) && syswrite(F, "hello\n") }
} elsif ($how eq 'setns') {
  open(F, '<', $where) or exit 1;
  syscall(308, fileno(F), 0) == 0 or exit 1;
  $where = '127.0.0.1';
  my ($family, $address) = to();
  socket(S, $family, SOCK_STREAM, 0) && connect(S, $address) or exit 1;
} elsif ($how eq 'pidfd') {
  my $pid = syscall(434, int($where), 0);
  $pid >= 0 && syscall(438, $pid, 0, 0) >= 0 or exit 1;
} else { exit 2 }
