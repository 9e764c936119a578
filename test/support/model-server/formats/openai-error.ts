import type { ProviderError } from '../format.ts';
import type { ErrorKind } from '../script.ts';

const codes: Record<ErrorKind, { type: string; code: string | null }> = {
  bad_key: { type: 'invalid_request_error', code: 'invalid_api_key' },
  context_length: { type: 'invalid_request_error', code: 'context_length_exceeded' },
  forbidden: { type: 'invalid_request_error', code: 'model_not_allowed' },
  invalid_request: { type: 'invalid_request_error', code: null },
  not_found: { type: 'invalid_request_error', code: 'model_not_found' },
  overloaded: { type: 'server_error', code: 'server_is_overloaded' },
  quota: { type: 'insufficient_quota', code: 'insufficient_quota' },
  rate_limit: { type: 'requests', code: 'rate_limit_exceeded' },
  server_error: { type: 'server_error', code: 'server_error' },
};

export function openaiError({ kind, message }: ProviderError): {
  message: string;
  type: string;
  param: null;
  code: string | null;
} {
  // Clients that compact their context look for the words "maximum context length" as well as for the code.
  const text =
    kind === 'context_length'
      ? "This model's maximum context length is 128000 tokens; the messages have 200000."
      : message;
  return { message: text, param: null, ...codes[kind] };
}

export const openaiModel = (id: string): object => ({
  id,
  object: 'model',
  created: 1_767_225_600,
  owned_by: 'scripted',
});
export const openaiModelList = (names: readonly string[]): object => ({ object: 'list', data: names.map(openaiModel) });
