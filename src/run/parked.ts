/** What a run has used; a start of it, or all together. */
interface UsedSoFar {
  cost?: number | undefined;
  tokens: number;
  turns: number;
  active_ms: number;
}

/** What a run that waits for a limit needs to go on somewhere else. */
export interface Parked {
  until: number;
  cause: string;
  /** Its session, and the agent that can resume it. */
  session?: string | undefined;
  agent: string;
  /** How many agents of the run had their turn before it; unset: none. */
  fallbacks?: number | undefined;
  /** So far, in all starts of the run. */
  waits: number;
  waited_ms: number;
  /** In this start alone. */
  used: UsedSoFar;
}

/** A wait that another process began, and that this one goes on with. */
export interface BegunWait {
  since: number;
  until: number;
  cause: string;
  session?: string | undefined;
}

export function addUsed(one: UsedSoFar, other: UsedSoFar | undefined): UsedSoFar {
  if (other === undefined) return one;
  return {
    cost: one.cost === undefined && other.cost === undefined ? undefined : (one.cost ?? 0) + (other.cost ?? 0),
    tokens: one.tokens + other.tokens,
    turns: one.turns + other.turns,
    active_ms: one.active_ms + other.active_ms,
  };
}
