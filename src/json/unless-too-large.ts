/**
 * Undefined: what is worked on is nested too deeply for the stack, or longer than V8 lets a text be. JSON.parse reads any depth, but
 * JSON.stringify and schemas need the stack, and one absurd value must not cost the run.
 */
export function unlessTooLarge<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}
