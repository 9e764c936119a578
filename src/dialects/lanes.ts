import { Generations } from './generations.ts';

/** More sub-agents than twice this are not at work at once. */
const generation = 5000;

/** What is known of each conversation: of the main thread, and of sub-agents by the call that they work for. */
export class Lanes<State> {
  #main: State | undefined;
  /** Nothing says that a sub-agent is done if its call never ends, so who was silent for long enough is forgotten. */
  readonly #subAgents = new Generations<State>(generation);

  get(parent: string | undefined): State | undefined {
    return parent === undefined ? this.#main : this.#subAgents.get(parent);
  }

  set(parent: string | undefined, state: State): void {
    if (parent === undefined) this.#main = state;
    else this.#subAgents.set(parent, state);
  }

  delete(parent: string | undefined): void {
    if (parent === undefined) this.#main = undefined;
    else this.#subAgents.delete(parent);
  }
}
