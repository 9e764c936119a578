import { timeInWords } from '../../time/duration.ts';

/** Stops synchronous work that takes too long: a regular expression, or code compiled from a schema. */
export function withinMs<Value>(ms: number, work: () => Value): Value {
  const { createContext, Script } = process.getBuiltinModule('node:vm');
  try {
    return new Script('work()').runInContext(createContext({ work }), { timeout: ms }) as Value;
  } catch (error) {
    // It is an Error of that context, so instanceof does not recognise it.
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      throw new Error(`it takes longer than ${timeInWords(ms)}`, { cause: error });
    throw error;
  }
}
