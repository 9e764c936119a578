import { timeInWords } from '../../duration.ts';

/** Ends work that takes too long although it never waits: a regular expression, or code that was made from a schema. */
export function withinMs<Value>(ms: number, work: () => Value): Value {
  const { createContext, Script } = process.getBuiltinModule('node:vm');
  try {
    return new Script('work()').runInContext(createContext({ work }), { timeout: ms }) as Value;
  } catch (error) {
    // It is an Error of that context, none of ours.
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      throw new Error(`it takes longer than ${timeInWords(ms)}`, { cause: error });
    throw error;
  }
}
