import http from 'node:http';
import type { FormatId } from '../../support/model-server/index.ts';
import type { ModelApi } from '../../../src/words/vocabulary.ts';

/** How each API is asked: what comes after a base address, and the body. */
export const apis: Record<
  ModelApi,
  { format: FormatId; path(isStreamed: boolean): string; body(isStreamed: boolean): Record<string, unknown> }
> = {
  messages: {
    format: 'anthropic',
    path: () => '/messages',
    body: (stream) => ({
      model: 'claude-sonnet-4-5',
      max_tokens: 1000,
      stream,
      messages: [{ role: 'user', content: 'go' }],
    }),
  },
  responses: {
    format: 'responses',
    path: () => '/responses',
    body: (stream) => ({ model: 'gpt-5', stream, input: [{ role: 'user', content: 'go' }] }),
  },
  chat: {
    format: 'chat',
    path: () => '/chat/completions',
    body: (stream) => ({
      model: 'gpt-5',
      ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
      messages: [{ role: 'user', content: 'go' }],
    }),
  },
  gemini: {
    format: 'gemini',
    path: (stream) => `/models/gemini-3-pro:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: () => ({ contents: [{ role: 'user', parts: [{ text: 'go' }] }] }),
  },
};

export interface Received {
  status: number | undefined;
  /** Names and values in turn, without those that a connection or a clock decides. */
  headers: string[];
  body: string;
  /** The connection broke before the answer was whole. */
  isBroken: boolean;
}

const ofConnection = /^(?:date|connection|keep-alive|transfer-encoding|content-length)$/i;

/** Asks, and keeps every byte of the answer. */
export function receive(
  url: string,
  {
    method = 'POST',
    body,
    headers = {},
  }: { method?: string; body?: string | Buffer; headers?: Record<string, string> },
): Promise<Received> {
  return new Promise((resolve) => {
    const request = http.request(url, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      agent: false,
    });
    request.on('error', () => resolve({ status: undefined, headers: [], body: '', isBroken: true }));
    request.on('response', (answer) => {
      const parts: Buffer[] = [];
      const end = (): void => {
        const pairs = answer.rawHeaders.flatMap((name, index, all) =>
          index % 2 === 0 && !ofConnection.test(name) ? [name, all[index + 1] ?? ''] : [],
        );
        resolve({
          status: answer.statusCode,
          headers: pairs,
          body: Buffer.concat(parts).toString('latin1'),
          isBroken: !answer.complete,
        });
      };
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', () => {});
      answer.on('close', end);
    });
    request.end(body);
  });
}
