import type { EventOf } from '../events/event.ts';

export type Refusal = Omit<EventOf<'network.refused'>, 'type' | 'count'>;
type Draft = EventOf<'network.refused'>;

/** Hosts that are told apart; a program may ask for any number. */
const mostHosts = 100;

/** What was stopped at a border. A host is told of when it is first asked for, and how often it was in all at the end. */
export class Refusals {
  readonly #untold = new Map<string, { refusal: Refusal; count: number }>();
  readonly #tell: (draft: Draft) => void;
  #others = 0;

  constructor(tell: (draft: Draft) => void) {
    this.#tell = tell;
  }

  /** `find` names the process; it is asked only if that is told. */
  add(refusal: Refusal, find?: () => string | undefined): void {
    const key = `${refusal.via} ${refusal.host ?? ''} ${refusal.port ?? ''}`;
    const known = this.#untold.get(key);
    if (known !== undefined) known.count += 1;
    else if (this.#untold.size >= mostHosts) this.#others += 1;
    else {
      this.#untold.set(key, { refusal, count: 0 });
      const process = find?.();
      this.#tell({ type: 'network.refused', ...refusal, ...(process === undefined ? {} : { process }), count: 1 });
    }
  }

  /** Attempts of which only the number is known. */
  addUnseen(count: number): void {
    if (count > 0)
      this.#tell({ type: 'network.refused', via: 'direct', reason: 'there is no network that leads there', count });
  }

  /** Tells what was only counted so far. */
  flush(): void {
    for (const entry of this.#untold.values()) {
      if (entry.count > 0) this.#tell({ type: 'network.refused', ...entry.refusal, count: entry.count });
      entry.count = 0;
    }
    if (this.#others > 0)
      this.#tell({
        type: 'network.refused',
        via: 'other',
        reason: `more than ${mostHosts} hosts were asked for`,
        count: this.#others,
      });
    this.#others = 0;
  }
}
