import { type Place, Queues } from '../queues.ts';

/** A call that can wait for its result; `places` is where it does. */
export interface Waiting<Call> {
  readonly tool: string;
  readonly turn: number;
  places?: { readonly ofTool: Place<Call>; readonly ofTurn: Place<Call> };
}

/** No ids on this wire: a result belongs to the first open call of its tool, of this turn if there is one. */
export class OpenCalls<Call extends Waiting<Call>> {
  readonly #ofTool = new Queues<Call>();
  readonly #ofTurn = new Queues<Call>();

  open(call: Call): void {
    call.places = { ofTool: this.#ofTool.join(call.tool, call), ofTurn: this.#ofTurn.join(inTurn(call), call) };
  }

  /** The call that a reader takes the next result of this tool for. */
  first(awaited: Pick<Call, 'tool' | 'turn'>): Call | undefined {
    return this.#ofTurn.first(inTurn(awaited)) ?? this.#ofTool.first(awaited.tool);
  }

  close({ places }: Call): void {
    if (places === undefined) return;
    this.#ofTool.leave(places.ofTool);
    this.#ofTurn.leave(places.ofTurn);
  }
}

function inTurn({ tool, turn }: { tool: string; turn: number }): string {
  return `${turn} ${tool}`;
}
