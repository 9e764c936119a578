import { BlockList, isIP } from 'node:net';

/** IPv4 networks that are not the public internet (IANA's special-purpose registry, multicast, reserved). */
const notPublic4 = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24',
  '192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
];
/** IPv6: only 2000::/3 is allocated; these parts of it are Teredo and other tunnels, documentation and 6to4. */
const notPublic6 = ['2001::/23 2001:db8::/32 2002::/16 3fff::/20'];

const special = new BlockList();
const handedOut = new BlockList();
for (const network of notPublic4.join(' ').split(' ')) add(special, network, 'ipv4');
for (const network of notPublic6.join(' ').split(' ')) add(special, network, 'ipv6');
add(handedOut, '2000::/3', 'ipv6');

function add(list: BlockList, network: string, family: 'ipv4' | 'ipv6'): void {
  const [address = '', prefix] = network.split('/');
  list.addSubnet(address, Number(prefix), family);
}

/** Is this an address of the public internet? IPv4 wrapped in IPv6 (mapped, NAT64, 6to4) never is. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special.check(address, 'ipv4');
  return family === 6 && !address.includes('%') && handedOut.check(address, 'ipv6') && !special.check(address, 'ipv6');
}
