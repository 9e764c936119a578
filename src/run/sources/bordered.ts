import type { RunSpec } from '../../contract/spec.ts';
import type { Draft, EventOf } from '../../events/event.ts';
import { Failure } from '../../failure.ts';
import { denyNames } from '../../network/name-server.ts';
import { OwnNetwork } from '../../network/own-network.ts';
import { Proxy } from '../../network/proxy.ts';
import { Refusals } from '../../network/refusals.ts';
import type { ProcessEnd } from '../../pipeline/thread.ts';
import type { Border } from '../../processes/confined.ts';
import { isAllowed, readAllowedHost } from '../../words/allowed-hosts.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Chooser, Chosen } from './choose.ts';
import type { Attempt, Source } from './source.ts';

type Described = Pick<EventOf<'thread.started'>, 'network' | 'allowed_hosts' | 'network_lack'>;

/** The system cannot give a run the network that it was to have: it is not started. */
export class NotEnforced extends Failure {
  readonly border: Described;

  constructor(border: Described, cause: Failure) {
    super(
      'config',
      `network: not enforced: ${cause.message}. Nothing was started; --network open starts it with the network that you have`,
      { cause },
    );
    this.border = border;
  }
}

/** An agent, or a command, with a network of its own: nothing is in it but what it starts itself, and doors that lead to us. */
export async function borderedSource<Given extends Chooser>(
  { network: mode, allow_host: hosts }: RunSpec,
  chooser: Given,
  choose: (given: Given) => Promise<Chosen>,
): Promise<Chosen> {
  if (mode === undefined || mode === 'open') return choose(chooser);
  const border: Described = {
    network: mode,
    ...(hosts.length === 0 ? {} : { allowed_hosts: [...hosts] }),
  };
  const guard = await BorderGuard.open(border);
  try {
    const { source, introduction, ...chosen } = await choose({ ...chooser, border: guard.door });
    return {
      ...chosen,
      source: new BorderedSource(source, guard),
      introduction: { ...introduction, ...border },
    };
  } catch (error) {
    guard.close();
    throw error;
  }
}

/** Stands at the border of one run: lets through what is allowed, and tells of the rest. */
class BorderGuard {
  readonly network: OwnNetwork;
  readonly #proxy: Proxy;
  readonly #refusals = new Refusals((draft) => this.#attempt?.emit(draft, 'wire'));
  readonly #allowed: Parameters<typeof isAllowed>[0];
  #attempt: Attempt | undefined;
  #unrouted = 0;

  private constructor(network: OwnNetwork, { allowed_hosts = [] }: Described) {
    this.network = network;
    this.#allowed = allowed_hosts.map(readAllowedHost).filter((each) => typeof each !== 'string');
    this.#proxy = new Proxy({
      allowed: this.#allowed,
      refused: (refusal, port) => this.#refusals.add(refusal, () => network.processAt('tcp', port)),
    });
    denyNames(network.doors.names, (name, port) =>
      this.#refusals.add({ via: 'names', host: name, reason: 'names are not resolved here' }, () =>
        network.processAt('udp', port),
      ),
    );
  }

  static async open(border: Described): Promise<BorderGuard> {
    let network: OwnNetwork;
    try {
      network = await OwnNetwork.open();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      throw new NotEnforced({ ...border, network_lack: error.message }, error);
    }
    const guard = new BorderGuard(network, border);
    await guard.#proxy.open(network.doors.proxy);
    Object.assign(network.variables, proxyVariables(guard.#proxy.port));
    guard.#unrouted = (await network.unrouted()) ?? 0;
    return guard;
  }

  /** What sources are given of it. */
  get door(): RunBorder {
    return {
      border: this.network,
      listener: this.network.doors.gateway,
      refuse: (host, port) => {
        if (isAllowed(this.#allowed, host, port)) return undefined;
        this.#refusals.add({ via: 'tool', host, port, reason: 'it is not allowed' });
        return `--network does not let ${host} be reached; --allow-host ${port === 443 ? host : `${host}:${port}`} does`;
      },
    };
  }

  begin(attempt: Attempt): void {
    this.#attempt = attempt;
  }

  /** The agent has ended, and all that it started. */
  async end(): Promise<void> {
    this.#proxy.hangUp();
    const unrouted = (await this.network.unrouted()) ?? this.#unrouted;
    this.#refusals.addUnseen(unrouted - this.#unrouted);
    this.#unrouted = unrouted;
    this.#refusals.flush();
  }

  close(): void {
    this.#proxy.close();
    this.network.close();
  }
}

/** Clients that heed these ask our proxy: what is allowed works, and what is not is refused in words. */
function proxyVariables(port: number): Record<string, string> {
  const proxy = `http://127.0.0.1:${port}`;
  const direct = 'localhost,127.0.0.1,::1';
  return {
    ...Object.fromEntries(
      ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].map((name) => [name, proxy]),
    ),
    no_proxy: direct,
    NO_PROXY: direct,
    // Node.js 24 and later heed them only if they are told to.
    NODE_USE_ENV_PROXY: '1',
  };
}

/** A border, as the sources within it know it. */
export interface RunBorder {
  border: Border;
  /** Where a gateway is asked from inside. */
  listener: OwnNetwork['doors']['gateway'];
  /** For what we ask ourselves on behalf of an agent: why it must not be asked; undefined: it may. */
  refuse(host: string, port: number): string | undefined;
}

class BorderedSource implements Source {
  readonly #inner: Source;
  readonly #guard: BorderGuard;

  constructor(inner: Source, guard: BorderGuard) {
    this.#inner = inner;
    this.#guard = guard;
  }

  get dialect(): string {
    return this.#inner.dialect;
  }

  lift(limits: Parameters<NonNullable<Source['lift']>>[0]): void {
    this.#inner.lift?.(limits);
  }

  get canResume(): boolean {
    return this.#inner.canResume;
  }

  get workspace(): Workspace | undefined {
    return this.#inner.workspace;
  }

  get strayed(): string | undefined {
    return this.#inner.strayed;
  }

  get border(): Border {
    return this.#guard.network;
  }

  correct(draft: Draft): Draft {
    return this.#inner.correct?.(draft) ?? draft;
  }

  async produce(attempt: Attempt): Promise<ProcessEnd | undefined> {
    this.#guard.begin(attempt);
    try {
      return await this.#inner.produce(attempt);
    } finally {
      await this.#guard.end();
    }
  }

  async close(): Promise<void> {
    await this.#inner.close?.();
    this.#guard.close();
  }
}
