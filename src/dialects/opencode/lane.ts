import type { Json, JsonObject } from '../dialect.ts';
import { filled } from '../read.ts';
import type { Counts } from '../shared/opencode/parts.ts';

/** One session on the bus: the run's own, or that of a sub-agent. A turn of it is one assistant message. */
export interface Lane {
  /** The tool call that this session works for; undefined for the run's own session. */
  readonly parent: string | undefined;
  message: string | undefined;
  /** How often the message has been begun: a retry speaks anew in the same message. */
  attempt: number;
  /** A turn is open. */
  open: boolean;
  /** The message of the open turn is complete: the next line that is not about it ends the turn. */
  done: boolean;
  stepped: boolean;
  model: string | undefined;
  tokens: JsonObject;
  cost: Json | undefined;
  /** What has been reported of this message; true: its steps reported themselves. */
  reported: Counts | true | undefined;
  completedAt: number | undefined;
  finish: string | undefined;
  denied: boolean;
}

export function newLane(parent: string | undefined): Lane {
  return {
    parent,
    message: undefined,
    attempt: 1,
    open: false,
    done: false,
    stepped: false,
    model: undefined,
    tokens: {},
    cost: undefined,
    reported: undefined,
    completedAt: undefined,
    finish: undefined,
    denied: false,
  };
}

export function startMessage(lane: Lane, id: string): void {
  lane.message = id;
  lane.attempt = 1;
  lane.tokens = {};
  lane.cost = undefined;
  lane.reported = undefined;
  lane.completedAt = undefined;
}

export function startTurn(lane: Lane, model: string | undefined): void {
  lane.open = true;
  lane.done = false;
  lane.stepped = false;
  lane.denied = false;
  lane.finish = undefined;
  if (model !== undefined) lane.model = model;
}

/** The name under which a message speaks: what a retry says does not add to what was cut off. */
export function voiceOf(lane: Lane, owner: string | undefined): string | undefined {
  return owner === lane.message && lane.attempt > 1 ? `${owner}_retry_${lane.attempt}` : owner;
}

export function modelOf(provider: Json | undefined, model: Json | undefined): string | undefined {
  const names = [filled(provider), filled(model)].filter((name) => name !== undefined);
  return names.length === 0 ? undefined : names.join('/');
}

const fields = ['input_tokens', 'output_tokens', 'reasoning_tokens', 'cache_read_tokens', 'cache_write_tokens', 'cost_usd'] as const;

/** What a later count adds to an earlier one; undefined when it adds nothing. */
export function moreThan(before: Counts, now: Counts): Counts | undefined {
  const more: Counts = {};
  for (const field of fields) {
    const value = (now[field] ?? 0) - (before[field] ?? 0);
    if (value < 0) return undefined;
    if (value > 0) more[field] = value;
  }
  return Object.keys(more).length === 0 ? undefined : more;
}
