/** How many texts are remembered, and how much of each. */
const remembered = 20;
const longest = 65_536;

/** What the agent was given to read: the prompt, and what its tools returned. */
export class Heard {
  #texts: string[] = [];

  hear(text: string): void {
    if (text === '') return;
    if (this.#texts.length === remembered) this.#texts.shift();
    this.#texts.push(text.slice(0, longest));
  }

  /** Whether an answer only repeats what was read: then it is a quotation. */
  isQuoted(answer: string): boolean {
    const text = answer.trim();
    return this.#texts.some((each) => each.includes(text));
  }
}
