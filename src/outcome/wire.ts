import type { EventOf } from '../events/event.ts';
import { present } from '../json/present.ts';
import type { Figures } from './figures.ts';
import type { RunOutcome } from './outcome.ts';
import { isSameModel } from './same-model.ts';
import { tokenFields } from './token-fields.ts';
import { UsageTotals } from './usage.ts';

type Responded = EventOf<'model.responded'>;

/** A request whose failure was the last that the agent heard of a model. */
export interface LastFailure {
  code: NonNullable<Responded['code']>;
  detail: string;
}

/** Differences up to this part of a figure are rounding. */
const rounding = 0.01;
/** Names of models that are remembered; a provider may invent any number. */
const mostModels = 100;

/** What a run's requests to models came to, as seen on the way. */
export class WireFigures {
  readonly #usage = new UsageTotals();
  readonly #served = new Set<string>();
  readonly #hosted = new Set<string>();
  /** Pairs of models, asked and served, that were told. */
  readonly #swaps = new Map<string, { requested: string; served: string; count: number }>();
  #requests = 0;
  #turns = 0;
  #refused = 0;
  #side = 0;
  #failed = 0;
  /** Requests that were served, but never told all that they used. */
  #uncounted = 0;
  #hasCounts = false;
  #requested: string | undefined;
  #lastFailure: LastFailure | undefined;

  /** Returns what people should know at once. */
  responded(event: Responded, at: number | undefined): string | undefined {
    const { model, model_served: served, usage, ended, is_side: isSide = false } = event;
    if (ended === 'refused' && event.status === undefined) {
      this.#refused += 1;
      return undefined;
    }
    this.#requests += 1;
    if (isSide) this.#side += 1;
    else {
      this.#turns += usage === undefined ? 0 : 1;
      this.#requested = model ?? served ?? this.#requested;
      this.#lastFailure = failureOf(event) ?? (ended === 'cut_by_agent' ? this.#lastFailure : undefined);
    }
    if (event.code !== undefined) this.#failed += 1;
    for (const tool of event.hosted_tools ?? []) if (this.#hosted.size < mostModels) this.#hosted.add(tool);
    if (usage !== undefined) this.#count(event, usage, at);
    return usage === undefined || served === undefined ? undefined : this.#serve(model, served);
  }

  #count(event: Responded, usage: NonNullable<Responded['usage']>, at: number | undefined): void {
    const {
      model,
      model_served: served = model,
      cache_write_1h_tokens,
      web_searches,
      service_tier,
      cost_usd,
      cost_computed,
    } = event;
    const counts = present(Object.fromEntries(tokenFields.map((name) => [name, event[name]])));
    if (usage !== 'final') this.#uncounted += 1;
    if (usage !== 'unknown') this.#hasCounts = true;
    const cost_is = usage === 'final' ? undefined : ('at_least' as const);
    this.#usage.report(
      {
        type: 'usage.reported',
        scope: 'step',
        ...counts,
        ...present({
          model: served,
          cache_write_1h_tokens,
          web_searches,
          service_tier,
          cost_usd,
          cost_computed,
          cost_is,
        }),
      },
      at,
    );
  }

  #serve(requested: string | undefined, served: string): string | undefined {
    if (this.#served.size < mostModels) this.#served.add(served);
    if (requested === undefined || isSameModel(requested, served)) return undefined;
    const key = JSON.stringify([requested, served]);
    const known = this.#swaps.get(key);
    if (known !== undefined) {
      known.count += 1;
      return undefined;
    }
    if (this.#swaps.size < mostModels) this.#swaps.set(key, { requested, served, count: 1 });
    return `${requested} was asked for, and ${served} answered`;
  }

  /** Whether what passed says how much was used: then it counts, and not what the agent says. */
  get counts(): boolean {
    return this.#hasCounts;
  }

  get usage(): UsageTotals {
    return this.#usage;
  }

  /** How often a model was asked for more than a title. */
  get turns(): number {
    return this.#turns;
  }

  /** The model that was asked last, by its name in the request. */
  get model(): string | undefined {
    return this.#requested;
  }

  /** Set while the last request of the agent's own work failed, and nothing came after it. */
  get lastFailure(): LastFailure | undefined {
    return this.#lastFailure;
  }

  /** The agent is started again: what failed before is judged. */
  nextAttempt(): void {
    this.#lastFailure = undefined;
  }

  /** A sentence for each pair of models, the one that was asked and another one that answered. */
  get swaps(): string[] {
    return [...this.#swaps.values()].map(
      ({ requested, served, count }) =>
        `${requested} was asked for, and ${served} answered ${count === 1 ? 'one request' : `${count} requests`}`,
    );
  }

  /** What the agent says and the wire does not; nothing where either of them is silent. */
  contradictions(wire: Figures, agent: Figures): string[] {
    if (!this.#hasCounts) return [];
    const differ = (own: number | undefined, real: number | undefined, least: number): boolean => {
      if (own === undefined || real === undefined || Math.abs(own - real) <= Math.max(least, rounding * real))
        return false;
      // Where not all is known, only less than what is known is wrong.
      return this.#uncounted === 0 || own < real;
    };
    const warnings: string[] = [];
    for (const [name, words] of [
      ['input', 'input tokens'],
      ['output', 'output tokens'],
    ] as const) {
      const [own, real] = [agent.tokens[name], wire.tokens[name]];
      if (differ(own, real, 2)) warnings.push(`the agent reported ${own} ${words}; ${real} were served`);
    }
    // Where tokens differ, cost does too.
    const [own, real] = [agent.cost, wire.cost];
    if (warnings.length === 0 && own.source === 'reported' && differ(own.cost, real.cost, 0.001))
      warnings.push(`the agent reported a cost of $${own.cost}; its requests cost $${real.cost}`);
    return warnings;
  }

  /** A sentence where not all that was used is known. */
  get gaps(): string[] {
    if (this.#uncounted === 0) return [];
    const [subject, verb] = this.#uncounted === 1 ? ['one request', 'it'] : [`${this.#uncounted} requests`, 'they'];
    return [
      `${subject} of ${this.#requests} ended before ${verb} told what was used: tokens and cost are lower bounds`,
    ];
  }

  get modelsServed(): string[] | undefined {
    return this.#served.size === 0 ? undefined : [...this.#served];
  }

  report(agent: Figures): RunOutcome['wire'] {
    if (this.#requests + this.#refused === 0) return undefined;
    const some = (count: number): number | undefined => (count === 0 ? undefined : count);
    const { input, output } = agent.tokens;
    const own = present({ input_tokens: input, output_tokens: output, cost: agent.cost.cost });
    return {
      requests: this.#requests,
      ...present({
        side: some(this.#side),
        failed: some(this.#failed),
        refused: some(this.#refused),
        uncounted: some(this.#uncounted),
        hosted_tools: this.#hosted.size === 0 ? undefined : [...this.#hosted],
        agent_reported: Object.keys(own).length === 0 ? undefined : own,
      }),
    };
  }
}

/** An agent that hung up may have had enough; whatever else ended a request badly was not its own doing. */
function failureOf({ code, error, status, ended }: Responded): LastFailure | undefined {
  if (ended === 'cut_by_agent' || (code === undefined && ended === 'complete')) return undefined;
  const what = error ?? (status === undefined ? 'no answer came' : 'the answer stopped in the middle');
  return { code: code ?? 'network', detail: status === undefined || status < 400 ? what : `HTTP ${status}: ${what}` };
}
