import type { Border } from '../../processes/confined.ts';

/** What tools can reach. */
export interface Reach {
  /** Where the network of commands ends. */
  border: Border;
  /** Why a tool must not ask this host; undefined: it may. */
  refuse(host: string, port: number): string | undefined;
}

/** The port of an address, which need not be named. */
export function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'http:' ? 80 : 443);
}
