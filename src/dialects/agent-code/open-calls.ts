import { type Place, Queues } from '../queues.ts';

interface Open {
  readonly tool: string;
  readonly turn: number;
}

/** Calls that wait for their result. No ids on this wire: it belongs to the first open call of its tool, of this turn if there is one. */
export class OpenCalls<Call extends Open> {
  readonly #ofTool = new Queues<Call>();
  readonly #ofTurn = new Queues<Call>();
  readonly #places = new Map<Call, [Place<Call>, Place<Call>]>();

  open(call: Call): void {
    this.#places.set(call, [this.#ofTool.join(call.tool, call), this.#ofTurn.join(inTurn(call), call)]);
  }

  /** The call that a reader takes the next result of this tool for. */
  first(awaited: Open): Call | undefined {
    return this.#ofTurn.first(inTurn(awaited)) ?? this.#ofTool.first(awaited.tool);
  }

  close(call: Call): void {
    const places = this.#places.get(call);
    if (places === undefined) return;
    this.#places.delete(call);
    this.#ofTool.leave(places[0]);
    this.#ofTurn.leave(places[1]);
  }
}

function inTurn({ tool, turn }: Open): string {
  return `${turn} ${tool}`;
}
