import { Generations } from './generations.ts';

/** No more than twice this many sub-agents are ever at work at once. */
const generation = 5000;

/** What is known about each conversation: the main thread, and the sub-agents by the call that started them. */
export class Lanes<State> {
  #main: State | undefined;
  /** Nothing reports that a sub-agent is done if its call never ends, so one that has been silent for long enough is forgotten. */
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
