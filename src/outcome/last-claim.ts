import type { AgentEvent, EventOf } from '../events/event.ts';

type Claim = EventOf<'agent.finished'>;

/** What the agent last said of its end; it says nothing of a run that goes on, or begins again, after it. */
export class LastClaim {
  #claim: Claim | undefined;
  /** A turn was opened only because something was told without one: perhaps a last line that came twice. */
  #isBegunAgain = false;

  /** Answers the claim that this makes a thing of the past. */
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

  /** Nothing more comes, or an end of its own: answers the claim if it was begun again after it. */
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

/** What only an agent at work does; a sub-agent may still be told of when the main one has ended. */
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
