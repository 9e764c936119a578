import type { ProviderError } from './format.ts';
import type { ErrorKind, StatusFault, StreamFault } from './script.ts';

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

const statusOfKind: Record<ErrorKind, number> = {
  bad_key: 401,
  context_length: 400,
  forbidden: 403,
  invalid_request: 400,
  not_found: 404,
  overloaded: 529,
  quota: 429,
  rate_limit: 429,
  server_error: 500,
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
  return {
    status,
    kind: what,
    message: message ?? messages[what],
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

/** What a provider says after it began to answer. */
export function streamErrorOf({ kind = 'overloaded' }: StreamFault): ProviderError {
  return errorOf({ status: statusOfKind[kind], kind });
}
