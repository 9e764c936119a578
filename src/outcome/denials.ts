import type { ItemKind, ItemStatus } from '../events/event.ts';

/** Calls that only look, or only arrange the agent's own thoughts: an agent that may do these may still not be allowed to act. */
export const looking: ReadonlySet<ItemKind> = new Set<ItemKind>(['read', 'search', 'web', 'plan', 'branch_poll']);

/** What an agent tried to do, and how much of it was denied. */
export class Attempted {
  #ran = 0;
  #acted = 0;
  #deniedCalls = 0;
  #deniedActs = 0;
  /** Acts of sub-agents, whose own calls nobody reports. */
  #delegated = 0;
  /** Acts that failed and may not have run. */
  #failedActs = 0;
  /** Denials that name no call; most agents report them in addition to the denied call. */
  #deniedRequests = 0;
  /** Some denials name a call that was never reported: then other calls may not have been reported either. */
  #hasUntoldCalls = false;
  /** How many calls there were at least, if that is all that is known of them. */
  #fewestCalls: number | undefined;

  /**
   * A call ended; a cancelled or abandoned call is not an attempt. A call that failed without an exit code may not have run at all: it does
   * not show that the agent was allowed to do anything, and a denial that cannot be recognised looks the same. `kind`: undefined for a call
   * without a name, which shows no act either.
   */
  called(kind: ItemKind | undefined, status: ItemStatus, exitCode: number | undefined): void {
    const acts = kind === undefined || looking.has(kind) ? 0 : 1;
    if (status === 'denied') {
      this.#deniedCalls += 1;
      this.#deniedActs += acts;
    } else if (status === 'success' || (status === 'error' && exitCode !== undefined)) {
      this.#ran += 1;
      this.#acted += acts;
      if (kind === 'subagent') this.#delegated += acts;
    } else if (status === 'error') this.#failedActs += acts;
  }

  /** The agent told no call, only how often it called the model: every time but the last for the sake of at least one call. */
  toldTurns(turns: number): void {
    this.#fewestCalls = Math.max(0, turns - 1);
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

  /** It tried to act, and nothing shows that any of it was done. */
  get isAllInVain(): boolean {
    return this.hasNotActed && this.denied + this.#failedActs > 0;
  }

  /** None of what it did was an act that anybody saw. */
  get hasNotActed(): boolean {
    return this.#acted === this.#delegated;
  }

  /** The agent tried to act, something was denied and nothing was done; looking around does not count, unless that was denied as well. */
  get isAllDenied(): boolean {
    if (this.#hasUntoldCalls && this.#ran === 0 && this.#deniedCalls === 0)
      return this.#fewestCalls !== undefined && this.#deniedRequests >= this.#fewestCalls;
    const deniedActs = this.#deniedActs + Math.max(0, this.#deniedRequests - this.#deniedCalls);
    return this.denied > 0 && (this.#ran === 0 || (deniedActs > 0 && this.#acted === 0));
  }
}

/** Agents that `--permission-mode full` lets do everything. */
const withFullMode: ReadonlySet<string> = new Set(
  'agent-code amp antigravity auggie claude cline codex continue copilot cursor droid gemini goose kilo kimi opencode pi qwen'.split(
    ' ',
  ),
);

/** The flag of `runwire run` that lets this agent do what was denied. */
export function allowingFlag(agent: string | undefined): string | undefined {
  if (agent === undefined) return undefined;
  if (agent === 'runwire') return '--allow RULE';
  return withFullMode.has(agent) ? '--permission-mode full' : undefined;
}
