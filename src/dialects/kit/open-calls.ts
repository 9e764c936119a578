import { OpenIds } from '../../ids/open-ids.ts';

/** A call that waits for its result, linked to the calls of the same tool before and after it. */
export interface Waiting<Call> {
  readonly tool: string;
  before?: Call | undefined;
  after?: Call | undefined;
}

interface Queue<Call> {
  first: Call;
  last: Call;
  /** The turn in which the last call was opened, and the first open call of that turn. */
  turn: number;
  firstOfTurn: Call | undefined;
}

/**
 * Calls on a wire without call ids: a result belongs to the first open call of its tool, preferably one of this turn. A run may
 * have a hundred thousand calls open, and they may end in any order, so nothing is ever searched.
 */
export class OpenCalls<Call extends Waiting<Call>> {
  readonly #queues = new OpenIds<Queue<Call>>();

  open(call: Call, turn = 0): void {
    const queue = this.#queues.get(call.tool);
    if (queue === undefined) {
      this.#queues.set(call.tool, { first: call, last: call, turn, firstOfTurn: call });
      return;
    }
    call.before = queue.last;
    queue.last.after = call;
    queue.last = call;
    if (queue.turn !== turn) queue.firstOfTurn = undefined;
    queue.firstOfTurn ??= call;
    queue.turn = turn;
  }

  first(tool: string, turn = 0): Call | undefined {
    const queue = this.#queues.get(tool);
    return (queue?.turn === turn ? queue.firstOfTurn : undefined) ?? queue?.first;
  }

  /** Call it once per call. */
  close(call: Call): void {
    const queue = this.#queues.get(call.tool);
    if (queue === undefined) return;
    const { before, after } = call;
    if (queue.firstOfTurn === call) queue.firstOfTurn = after;
    if (before !== undefined) before.after = after;
    if (after !== undefined) after.before = before;
    if (before === undefined && after === undefined) this.#queues.delete(call.tool);
    else if (before === undefined) queue.first = after ?? queue.first;
    else if (after === undefined) queue.last = before;
  }
}
