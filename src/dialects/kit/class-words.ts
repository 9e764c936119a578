import type { ErrorCode } from '../../events/event.ts';

/** How a class for which a wire has no code is written into the message, and read back from it. */
export const classWords: Readonly<Record<string, { words: string; code: ErrorCode }>> = {
  tool: { words: 'Tool failed', code: 'tool' },
  input: { words: 'Bad input', code: 'input' },
  cost_limit: { words: 'Cost limit reached', code: 'cost_limit' },
  turn_limit: { words: 'Turn limit reached', code: 'turn_limit' },
  time_limit: { words: 'Time limit reached', code: 'time_limit' },
  expectation: { words: 'Expectation not met', code: 'expectation' },
  output: { words: 'Output not written', code: 'output' },
  permission: { words: 'Permission denied', code: 'permission' },
  cancelled: { words: 'Cancelled', code: 'cancelled' },
};
