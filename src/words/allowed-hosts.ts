/** A host that may be reached, by its name. */
export interface AllowedHost {
  /** Lower case; `*.example.com` is every name below example.com, but not itself. */
  name: string;
  port: number;
}

const usualPort = 443;
const longestName = 253;
const label = /^[a-z0-9_-]{1,63}$/;

/** Reads `NAME`, `NAME:PORT` or `*.NAME`; the answer is why it cannot be allowed. An address is no name: nobody could check who it belongs to. */
export function readAllowedHost(text: string): AllowedHost | string {
  const [host = '', port = String(usualPort), ...rest] = text.trim().toLowerCase().split(':');
  const wild = host.startsWith('*.') ? '*.' : '';
  const name = host.slice(wild.length).replace(/\.$/, '');
  const isName =
    name.length <= longestName && name.split('.').every((each) => label.test(each) && !each.startsWith('-'));
  if (!isName || rest.length > 0) return 'it is not the name of a host, such as packages.example.com';
  // What ends in a number is read as an address.
  if (/^\d+$/.test(name.slice(name.lastIndexOf('.') + 1))) return 'it is an address; hosts are allowed by their names';
  if (wild !== '' && !name.includes('.')) return 'it would allow every name that ends so';
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  if (number < 1 || number > 65_535) return `${port} is no port`;
  return { name: `${wild}${name}`, port: number };
}

/** Whether the list has this host, which may be written in any case. */
export function isAllowed(list: readonly AllowedHost[], host: string, port: number): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return list.some(
    (each) =>
      each.port === port && (each.name.startsWith('*.') ? name.endsWith(each.name.slice(1)) : each.name === name),
  );
}
