import type { EventOf } from '../events/event.ts';
import { present } from '../json/present.ts';
import type { Evidence, RunOutcome, Verdict } from './outcome.ts';

type Share = NonNullable<RunOutcome['agents']>[number];
interface Used {
  tokens: number;
  cost: number | undefined;
}
interface SoFar {
  verdict: Verdict;
  model: string | undefined;
  /** By the whole run. */
  used: Used;
}

/** What each agent of a run did, where one went on for another. */
export class AgentShares {
  readonly #ended: Share[] = [];
  #before: Used = { tokens: 0, cost: 0 };
  #first: string | undefined;
  #last: { agent: string | undefined; version: string | undefined } | undefined;

  /** The agent that is at work now; undefined: it is the first one. */
  get last(): { agent: string | undefined; version: string | undefined } | undefined {
    return this.#last;
  }

  started({ agent, agent_version: version }: EventOf<'thread.started'>): void {
    if (this.#last === undefined) this.#first ??= agent;
    else this.#last = { agent: agent ?? this.#last.agent, version };
  }

  handOver({ agent }: EventOf<'retry.scheduled'>, soFar: SoFar): void {
    this.#ended.push(this.#shareOf(soFar));
    // What used no tokens cost nothing.
    this.#before = soFar.used.tokens === 0 ? { tokens: 0, cost: 0 } : soFar.used;
    this.#last = { agent, version: undefined };
  }

  /** Undefined: there was one agent only. */
  report(soFar: SoFar): RunOutcome['agents'] {
    return this.#ended.length === 0 ? undefined : [...this.#ended, this.#shareOf(soFar)];
  }

  get evidence(): Evidence[] {
    return this.#ended.map(({ agent = 'the agent before', reason }) => ({
      signal: 'fallback',
      detail: `${agent} could not go on: ${reason}`,
    }));
  }

  #shareOf({ verdict, model, used }: SoFar): Share {
    const tokens = used.tokens - this.#before.tokens;
    const cost = used.cost === undefined || this.#before.cost === undefined ? undefined : used.cost - this.#before.cost;
    const why = verdict.evidence.find(({ signal }) => signal === 'error') ?? verdict.evidence[0];
    return {
      ...present({ agent: this.#last === undefined ? this.#first : this.#last.agent, model_name: model }),
      class: verdict.class,
      ...present({ code: verdict.code }),
      reason: `${verdict.class}: ${why?.detail ?? ''}`,
      ...present({
        tokens_used: tokens > 0 ? tokens : undefined,
        cost: cost !== undefined && cost > 0 ? Number(cost.toPrecision(12)) : undefined,
      }),
    };
  }
}
