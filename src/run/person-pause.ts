import type { Draft } from '../events/event.ts';
import { present } from '../json/present.ts';
import type { Stop } from './stop.ts';

interface Parts {
  stop: Pick<Stop, 'standstill' | 'whenIdle'>;
  clock: () => number;
  tell(draft: Draft): void;
}

/** A person stops the agent where it is, and lets it go on. */
export class PersonPause {
  readonly #parts: Parts;
  #since: number | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get isOn(): boolean {
    return this.#since !== undefined;
  }

  begin(by: string): void {
    const { stop, clock, tell } = this.#parts;
    this.#since = clock();
    stop.whenIdle(() => {
      tell({ type: 'run.paused', reason: 'person', by });
      stop.standstill.begin('person');
    });
  }

  end(by: string): void {
    const { stop } = this.#parts;
    stop.whenIdle(() => {
      this.tellEnd(by);
      stop.standstill.end('person');
    });
  }

  /** Without anybody who ended it: the run is over, or about to be. */
  tellEnd(by?: string): void {
    if (this.#since === undefined) return;
    const paused_ms = Math.max(0, this.#parts.clock() - this.#since);
    this.#since = undefined;
    this.#parts.tell({ type: 'run.resumed', reason: 'person', paused_ms, ...present({ by }) });
  }
}
