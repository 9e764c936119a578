import type { AgentEvent, Claim } from '../events/event.ts';

/** The agent's last claim about how it ended; it does not apply to a run that continues, or begins again, afterwards. */
export class LastClaim {
  #claim: Claim | undefined;
  /** A turn was opened only because something was reported outside of one: perhaps a last line that was duplicated. */
  #isBegunAgain = false;

  /** Returns the claim that this event makes obsolete. */
  see(event: AgentEvent, synthetic: boolean): Claim | undefined {
    const before = this.#claim;
    const isBegunAgain = this.#isBegunAgain;
    if (event.type === 'agent.finished') {
      this.#claim = event;
      this.#isBegunAgain = false;
      return isBegunAgain && before?.status !== event.status ? before : undefined;
    }
    if (before === undefined) return undefined;
    if (event.type === 'retry.scheduled' && event.scope === 'run') {
      this.#forget();
      return undefined;
    }
    if (!isWork(event)) return undefined;
    if (synthetic && event.type === 'turn.started') {
      this.#isBegunAgain = true;
      return undefined;
    }
    return this.#forget();
  }

  /** The stream is over, or the new work has its own end: returns the claim if work began again after it. */
  settle(): Claim | undefined {
    return this.#isBegunAgain ? this.#forget() : undefined;
  }

  get current(): Claim | undefined {
    return this.#isBegunAgain ? undefined : this.#claim;
  }

  #forget(): Claim | undefined {
    const before = this.#claim;
    this.#claim = undefined;
    this.#isBegunAgain = false;
    return before;
  }
}

/** Events that only a working agent emits; events of a sub-agent may still arrive when the main one has ended. */
function isWork(event: AgentEvent): boolean {
  switch (event.type) {
    case 'thread.started':
    case 'prompt.submitted':
    case 'turn.started':
      return true;
    case 'text.delta':
    case 'reasoning.delta':
    case 'item.started':
      return event.parent_item_id === undefined;
    default:
      return false;
  }
}
