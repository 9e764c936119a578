import type { EventOf } from '../events/event.ts';
import { present } from '../json/present.ts';
import type { RunOutcome } from './outcome.ts';

type Report = NonNullable<RunOutcome['network']>;
type Refused = NonNullable<Report['stopped_hosts']>[number];

/** Hosts that are named; an agent may ask for any number. */
const mostHosts = 100;

/** What a run could reach, and what it was kept from. */
export class NetworkFigures {
  readonly #hosts = new Map<string, Refused>();
  #border: Pick<Report, 'mode' | 'enforced' | 'lack' | 'allowed_hosts'> | undefined;
  #stopped = 0;

  started({ network: mode, network_lack: lack, allowed_hosts }: EventOf<'thread.started'>): void {
    if (mode !== undefined)
      this.#border ??= { mode, enforced: lack === undefined, ...present({ lack, allowed_hosts }) };
  }

  refused({ host, port, process, count }: EventOf<'network.refused'>): void {
    this.#stopped += count;
    if (host === undefined) return;
    const key = `${host}:${port ?? ''}`;
    const known = this.#hosts.get(key);
    if (known !== undefined) known.count += count;
    else if (this.#hosts.size < mostHosts) this.#hosts.set(key, { host, ...present({ port, process }), count });
  }

  report(): Report | undefined {
    if (this.#border === undefined) return undefined;
    const hosts = [...this.#hosts.values()];
    return {
      ...this.#border,
      stopped: this.#stopped,
      ...(hosts.length === 0 ? {} : { stopped_hosts: hosts.map((host) => ({ ...host })) }),
    };
  }
}

/** `not reached: packages.example.com:443, asked for by npm: it is not allowed`, in one line for people. */
export function refusalInWords({ host, port, process, reason, count }: EventOf<'network.refused'>): string {
  const what = host === undefined ? 'somewhere' : `${host}${port === undefined ? '' : `:${port}`}`;
  const often = count === 1 ? '' : ` ${count} times`;
  return `not reached${often}: ${what}${process === undefined ? '' : `, asked for by ${process}`}: ${reason}`;
}

const hostsShown = 5;

/** What a run could reach and what it was kept from, in one line for people. */
export function networkInWords({
  mode,
  enforced,
  lack,
  allowed_hosts = [],
  stopped,
  stopped_hosts = [],
}: Report): string {
  if (!enforced) return `${mode}: not enforced: ${lack ?? 'for an unknown reason'}`;
  const reach = [mode, ...allowed_hosts].join(', ');
  if (stopped === 0) return reach;
  const hosts = stopped_hosts
    .toSorted((one, other) => other.count - one.count)
    .slice(0, hostsShown)
    .map(({ host, process }) => (process === undefined ? host : `${host} (${process})`));
  const rest = stopped_hosts.length > hostsShown ? [`${stopped_hosts.length - hostsShown} more`] : [];
  const which = hosts.length === 0 ? '' : `: ${[...hosts, ...rest].join(', ')}`;
  return `${reach}; ${stopped} ${stopped === 1 ? 'attempt' : 'attempts'} to reach anything else stopped${which}`;
}
