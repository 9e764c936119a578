import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * The name of the process that has a port of a network, undefined where the system does not say. Processes of a network are found by
 * the number of its namespace, which everybody can read for processes of their own.
 */
export function processAt(network: number, protocol: 'tcp' | 'udp', port: number): string | undefined {
  const inside = numbers('/proc').filter((pid) => linkOf(`/proc/${pid}/ns/net`) === `net:[${network}]`);
  const socket = inside
    .map((pid) => socketAt(textOf(`/proc/${pid}/net/${protocol}`), port))
    .find((each) => each !== undefined);
  if (socket === undefined) return undefined;
  const holder = inside.find((pid) =>
    numbers(`/proc/${pid}/fd`).some((file) => linkOf(`/proc/${pid}/fd/${file}`) === `socket:[${socket}]`),
  );
  const name = holder === undefined ? '' : textOf(`/proc/${holder}/comm`).trim();
  return name === '' ? undefined : name;
}

/** The kernel's table has `ADDRESS:PORT` in hexadecimal as its second column, and the number of the socket as its tenth. */
export function socketAt(table: string, port: number): string | undefined {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table
    .split('\n')
    .map((line) => line.trim().split(/ +/))
    .find(([, local = '', , , , , , , , socket = '0']) => local.endsWith(end) && socket !== '0')?.[9];
}

function numbers(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
