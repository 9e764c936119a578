import type { Address, Format } from './format.ts';
import { anthropic } from './formats/anthropic.ts';
import { chat } from './formats/chat.ts';
import { gemini } from './formats/gemini.ts';
import { responses } from './formats/responses.ts';
import type { FormatId } from './request.ts';

export const formats: Record<FormatId, Format> = { chat, responses, anthropic, gemini };

export type Route =
  | { to: 'answer'; format: Format; address: Address }
  | { to: 'tokens'; format: Format }
  | { to: 'models'; format: Format; name?: string };

/**
 * Addresses are known by how they end: some clients add `/v1` to a base URL and some do not, and Azure puts deployments in between.
 */
const posts: readonly [RegExp, (found: RegExpExecArray) => Route][] = [
  [/\/chat\/completions$/, ({ input }) => ({ to: 'answer', format: chat, address: { path: input } })],
  [/\/responses\/input_tokens$/, () => ({ to: 'tokens', format: responses })],
  [/\/responses$/, ({ input }) => ({ to: 'answer', format: responses, address: { path: input } })],
  [/\/messages\/count_tokens$/, () => ({ to: 'tokens', format: anthropic })],
  [/\/messages$/, ({ input }) => ({ to: 'answer', format: anthropic, address: { path: input } })],
  [/\/models\/([^/]+):countTokens$/, () => ({ to: 'tokens', format: gemini })],
  [
    /\/models\/([^/]+):(generateContent|streamGenerateContent)$/,
    ({ input, 1: model = '', 2: verb }) => ({
      to: 'answer',
      format: gemini,
      address: { path: input, model: decodeURIComponent(model), stream: verb === 'streamGenerateContent' },
    }),
  ],
];

export function routeOf(method: string, url: URL, headers: Record<string, string>): Route | undefined {
  const { pathname } = url;
  if (method === 'POST') {
    for (const [pattern, make] of posts) {
      const found = pattern.exec(pathname);
      if (found !== null) return make(found);
    }
  }
  const listed = method === 'GET' ? /\/models(?:\/([^/]+))?$/.exec(pathname) : null;
  if (listed === null) return undefined;
  const other = headers['anthropic-version'] === undefined ? chat : anthropic;
  const format = pathname.startsWith('/v1beta') ? gemini : other;
  return { to: 'models', format, ...(listed[1] === undefined ? {} : { name: decodeURIComponent(listed[1]) }) };
}

/** The key a client sent, wherever its provider wants it. */
export function keyOf(url: URL, headers: Record<string, string>): string | undefined {
  return (
    headers['authorization']?.replace(/^Bearer /, '') ??
    headers['x-api-key'] ??
    headers['api-key'] ??
    headers['x-goog-api-key'] ??
    url.searchParams.get('key') ??
    undefined
  );
}
