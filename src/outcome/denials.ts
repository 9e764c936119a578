import type { ItemKind, ItemStatus } from '../events/event.ts';

/** Calls that only look, or only arrange the agent's own thoughts: an agent that may do these may still not be allowed to act. */
const looking: ReadonlySet<ItemKind> = new Set<ItemKind>(['read', 'search', 'web', 'plan', 'branch_poll']);

/** What an agent tried to do, and what of it was denied. */
export class Attempted {
  #ran = 0;
  #acted = 0;
  #deniedCalls = 0;
  #deniedActs = 0;
  /** Denials that name no call; most agents tell these beside the call that was denied. */
  #deniedRequests = 0;
  /** Some name a call that nobody told of: then others may not have been told either. */
  #hasUntoldCalls = false;

  /** A call ended; what was cancelled or abandoned is no attempt. */
  called(kind: ItemKind, status: ItemStatus): void {
    const acts = looking.has(kind) ? 0 : 1;
    if (status === 'denied') {
      this.#deniedCalls += 1;
      this.#deniedActs += acts;
    } else if (status === 'success' || status === 'error') {
      this.#ran += 1;
      this.#acted += acts;
    }
  }

  edited(): void {
    this.#ran += 1;
    this.#acted += 1;
  }

  requestDenied(namesCall: boolean): void {
    this.#deniedRequests += 1;
    this.#hasUntoldCalls ||= namesCall;
  }

  get denied(): number {
    return Math.max(this.#deniedCalls, this.#deniedRequests);
  }

  /** The agent tried to do something and nothing of it was allowed; looking around does not count, unless that was denied as well. */
  get isAllDenied(): boolean {
    if (this.#hasUntoldCalls && this.#ran === 0 && this.#deniedCalls === 0) return false;
    const deniedActs = this.#deniedActs + Math.max(0, this.#deniedRequests - this.#deniedCalls);
    return this.denied > 0 && (this.#ran === 0 || (deniedActs > 0 && this.#acted === 0));
  }
}

/** Agents that `--permission-mode full` lets do everything. */
const withFullMode: ReadonlySet<string> = new Set(
  'agent-code amp claude cline codex continue copilot cursor droid gemini goose kilo opencode pi qwen'.split(' '),
);

/** The flag of `runwire run` that lets this agent do what was denied. */
export function allowingFlag(agent: string | undefined): string | undefined {
  if (agent === undefined) return undefined;
  if (agent === 'runwire') return '--allow RULE';
  return withFullMode.has(agent) ? '--permission-mode full' : undefined;
}
