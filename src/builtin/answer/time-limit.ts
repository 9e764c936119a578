import { timeInWords } from '../../time/duration.ts';

/**
 * Stops synchronous work that takes too long: a regular expression, or code compiled from a schema. What counts is the time of the
 * processor: on a busy machine the work is begun again with more patience, so that it comes to the same everywhere.
 */
export function withinMs<Value>(ms: number, work: () => Value): Value {
  const { createContext, Script } = process.getBuiltinModule('node:vm');
  for (let timeout = ms; ; timeout *= 4) {
    const before = processorMs();
    try {
      return new Script('work()').runInContext(createContext({ work }), { timeout }) as Value;
    } catch (error) {
      if (!isTimeout(error)) throw error;
      if (processorMs() - before >= ms) throw new Error(`it takes longer than ${timeInWords(ms)}`, { cause: error });
    }
  }
}

/** Of this thread where Node.js tells it, else of the process. */
function processorMs(): number {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage)();
  return (user + system) / 1000;
}

/** It is an Error of another context, so instanceof does not recognise it. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
