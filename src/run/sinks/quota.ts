import type { QuotaFact } from '../../agents/quota/fact.ts';
import type { EventRecord } from '../../events/event.ts';
import type { RunFacts, Sink } from './sink.ts';

/** Enough for every window that a provider has. */
const mostWindows = 40;

/** Keeps what a run is told of the windows of its agent, for `doctor --quota` and for runs that want to know before they begin. */
export class QuotaSink implements Sink {
  readonly #facts: Pick<RunFacts, 'id' | 'env' | 'clock'>;
  #agent: string | undefined;
  #provider: string | undefined;
  readonly #windows = new Map<string, QuotaFact>();

  constructor(facts: Pick<RunFacts, 'id' | 'agent' | 'env' | 'clock'>) {
    this.#facts = facts;
    this.#agent = facts.agent;
  }

  record(record: EventRecord): void {
    switch (record.type) {
      case 'model.requested':
        this.#provider = record.route;
        return;
      case 'retry.scheduled':
        this.#agent = record.agent ?? this.#agent;
        return;
      case 'rate_limit.reported':
        // Our own word on what was known before is nothing new.
        return record.source === 'runner' ? undefined : this.#see(record);
      default:
    }
  }

  #see(record: EventRecord & { type: 'rate_limit.reported' }): void {
    const { window = 'limit', status, utilization, resets_at_ms: resets, source } = record;
    const isUsedUp = status !== undefined && !/^allowed/i.test(status);
    const used = isUsedUp ? 1 : utilization;
    if (used === undefined || this.#agent === undefined) return;
    const provider = source === 'wire' ? this.#provider : undefined;
    const key = `${this.#agent} ${provider ?? ''} ${window}`;
    if (this.#windows.size >= mostWindows && !this.#windows.has(key)) return;
    this.#windows.set(key, {
      agent: this.#agent,
      ...(provider === undefined ? {} : { provider }),
      window,
      used: Math.min(1, Math.max(0, used)),
      ...(resets === undefined ? {} : { resets_at_ms: resets }),
      seen_at_ms: this.#facts.clock(),
      from: 'run',
      run_id: this.#facts.id,
    });
  }

  async close(): Promise<void> {
    if (this.#windows.size === 0) return;
    const [{ keepQuota }, { windowName }] = await Promise.all([
      import('../../agents/quota/kept.ts'),
      import('../../agents/quota/fact.ts'),
    ]);
    const facts = [...this.#windows.values()].map((fact) => ({ ...fact, window: windowName(fact.window) }));
    await keepQuota(facts, this.#facts.env);
  }
}
