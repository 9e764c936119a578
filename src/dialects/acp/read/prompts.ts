import type { Claim } from '../../../events/event.ts';

const badness: Readonly<Record<Claim['status'], number>> = { ok: 0, cancelled: 1, failed: 2 };

/** Prompts that wait for their answers. Several sessions may be at work at once: their common outcome is the worst of them. */
export class Prompts {
  #open = 0;
  #worst: Claim | undefined;
  #areSeen = false;
  #wasAny = false;
  #isCancelled = false;
  /** Runwire wrote the stream, so it contains its turns. */
  tellsTurns = false;

  get areOpen(): boolean {
    return this.#open > 0;
  }

  /** The stream includes the client's side: anything outside a prompt is not part of the work. */
  get areSeen(): boolean {
    return this.#areSeen;
  }

  get wasAny(): boolean {
    return this.#wasAny;
  }

  get isWork(): boolean {
    return this.areOpen || !this.#areSeen;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  hearClient(): void {
    this.#areSeen = true;
  }

  begin(isOwn: boolean): void {
    this.#open += 1;
    this.#wasAny = true;
    this.#isCancelled = false;
    this.tellsTurns = isOwn;
  }

  cancel(): void {
    this.#isCancelled = true;
  }

  /** Returns the common outcome when the last prompt has ended. */
  end(claim: Claim): Claim | undefined {
    this.#open = Math.max(0, this.#open - 1);
    if (this.#worst === undefined || badness[claim.status] >= badness[this.#worst.status]) this.#worst = claim;
    if (this.#open > 0) return undefined;
    const all = this.#worst;
    this.#worst = undefined;
    return all;
  }
}
