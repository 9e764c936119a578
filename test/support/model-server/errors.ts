import type { ProviderError } from './format.ts';
import type { ErrorKind, StatusFault } from './script.ts';

const kindOfStatus: Record<number, ErrorKind> = {
  400: 'context_length',
  401: 'bad_key',
  402: 'quota',
  403: 'forbidden',
  404: 'not_found',
  413: 'context_length',
  429: 'rate_limit',
  503: 'overloaded',
  529: 'overloaded',
};

const messages: Record<ErrorKind, string> = {
  bad_key: 'The API key is not valid.',
  context_length: 'The prompt is too long.',
  forbidden: 'This key may not use this model.',
  invalid_request: 'The request is not valid.',
  not_found: 'There is no such model.',
  overloaded: 'The model is overloaded, try again later.',
  quota: 'The quota of this account is used up.',
  rate_limit: 'Too many requests, slow down.',
  server_error: 'Something went wrong on the side of the server.',
};

/** What a provider says with a status. */
export function errorOf({ status, kind, retryAfter }: StatusFault, message?: string): ProviderError {
  const what = kind ?? kindOfStatus[status] ?? (status < 500 ? 'invalid_request' : 'server_error');
  return { status, kind: what, message: message ?? messages[what], ...(retryAfter === undefined ? {} : { retryAfter }) };
}
