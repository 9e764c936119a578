/** More sub-agents than twice this are not at work at once. */
const generation = 5000;

/** What is known of each conversation: of the main thread, and of sub-agents by the call that they work for. */
export class Lanes<State> {
  #main: State | undefined;
  #recent = new Map<string, State>();
  /** Nothing says that a sub-agent is done if its call never ends, so who was silent for long enough is forgotten. */
  #earlier = new Map<string, State>();

  get(parent: string | undefined): State | undefined {
    if (parent === undefined) return this.#main;
    const recent = this.#recent.get(parent);
    if (recent !== undefined) return recent;
    const earlier = this.#earlier.get(parent);
    if (earlier !== undefined) this.set(parent, earlier);
    return earlier;
  }

  set(parent: string | undefined, state: State): void {
    if (parent === undefined) {
      this.#main = state;
      return;
    }
    if (this.#recent.size >= generation) {
      this.#earlier = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(parent, state);
  }

  delete(parent: string | undefined): void {
    if (parent === undefined) this.#main = undefined;
    else {
      this.#recent.delete(parent);
      this.#earlier.delete(parent);
    }
  }
}
