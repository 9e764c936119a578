import type { EventOf } from '../../../events/event.ts';

type Claim = EventOf<'agent.finished'>;

const badness: Readonly<Record<Claim['status'], number>> = { ok: 0, cancelled: 1, failed: 2 };

/** Prompts that wait for their answers. Several sessions may be at work at once: what they come to is what the worst of them came to. */
export class Prompts {
  #open = 0;
  #worst: Claim | undefined;

  get areOpen(): boolean {
    return this.#open > 0;
  }

  begin(): void {
    this.#open += 1;
  }

  /** Answers what all of them came to, when the last has ended. */
  end(claim: Claim): Claim | undefined {
    this.#open = Math.max(0, this.#open - 1);
    if (this.#worst === undefined || badness[claim.status] >= badness[this.#worst.status]) this.#worst = claim;
    if (this.#open > 0) return undefined;
    const all = this.#worst;
    this.#worst = undefined;
    return all;
  }
}
