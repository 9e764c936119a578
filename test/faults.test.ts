import { expect, it } from 'vitest';
import { codeOfMessage } from '../src/faults.ts';

it.each([
  ['[API Error: 400 that field is odd]', undefined, 'refused'],
  ['that field is odd', 400, 'refused'],
  ['This model has a maximum context length of 8192 tokens', 400, 'context_overflow'],
  ['HTTP 422: no', undefined, 'refused'],
  ['[API Error: 401 no]', undefined, 'auth'],
  ['[API Error: 500 no luck]', undefined, 'server'],
  ['the model gpt-x was not found', 404, 'model_not_found'],
  ['request aborted (status 499)', undefined, 'cancelled'],
  ['something odd', undefined, 'unknown'],
] as const)('%j with status %j is %s', (message, status, code) => {
  expect(codeOfMessage(message, status)).toBe(code);
});
