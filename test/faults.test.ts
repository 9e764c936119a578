import { expect, it } from 'vitest';
import { codeOfMessage } from '../src/faults.ts';

it.each([
  ['[API Error: 400 that field is odd]', undefined, 'refused'],
  ['400 The request is not valid.', undefined, 'refused'],
  ['that field is odd', 400, 'refused'],
  ['This model has a maximum context length of 8192 tokens', 400, 'context_overflow'],
  ['HTTP 422: no', undefined, 'refused'],
  ['[API Error: 401 no]', undefined, 'auth'],
  ['[API Error: 500 no luck]', undefined, 'server'],
  ['the model gpt-x was not found', 404, 'model_not_found'],
  ['request aborted (status 499)', undefined, 'cancelled'],
  ['something odd', undefined, 'unknown'],
  ['Error code: 429 - insufficient_quota', 429, 'quota'],
  ['You exceeded your current quota, please check your plan and billing details.', 429, 'quota'],
  ['You exceeded your current quota, please check your plan and billing details. Please retry in 25.3s.', 429, 'rate_limit'],
  ['You exceeded your current quota, please check your plan and billing details. Please retry in 25.3s.', undefined, 'rate_limit'],
  ['{"message":"You exceeded your current quota","details":[{"retryDelay":"7s"}]}', undefined, 'rate_limit'],
  ['insufficient_quota: You exceeded your current quota. Please retry in 20s.', 429, 'quota'],
  ['Your credit balance is too low; try again in 2 hours', 400, 'quota'],
  ["You've hit your usage limit. Try again in 3 days.", 429, 'quota'],
  ["Quota exceeded for quota metric 'Requests' and limit 'Requests per minute'", 429, 'rate_limit'],
  ['Rate limit reached for requests', 429, 'rate_limit'],
  ['Rate limit reached on tokens per min. You can raise it at https://example.com/account/billing', 429, 'rate_limit'],
  ['Rate limit reached on tokens per min. You can raise it at https://example.com/account/billing', undefined, 'rate_limit'],
  ['Billing hard limit has been reached', 429, 'quota'],
  ['429 {"type":"billing_error"}', undefined, 'quota'],
  ['check your billing', undefined, 'quota'],
  ['Quota exceeded for requests. Please try again in 20s.', 429, 'rate_limit'],
  ["Invalid value: 'low'. The socket was closed because of a network error", 400, 'refused'],
  ['API key not valid. Please pass a valid API key. API_KEY_INVALID', 400, 'auth'],
  ['gone', 410, 'refused'],
  ['client closed the request: aborted', 499, 'cancelled'],
  ['a conflict', 409, 'network'],
] as const)('%j with status %j is %s', (message, status, code) => {
  expect(codeOfMessage(message, status)).toBe(code);
});
