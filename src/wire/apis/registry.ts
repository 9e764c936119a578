import type { Api } from './api.ts';
import { chat } from './chat.ts';
import { gemini } from './gemini.ts';
import { messages } from './messages.ts';
import { responses } from './responses.ts';

const apis: readonly Api[] = [messages, responses, chat, gemini];

/** What an agent may ask besides answers, which costs nothing: lists of models, and how many tokens a request has. */
const free: Readonly<Record<string, RegExp>> = {
  GET: /\/models(?:\/\w[\w.:@-]*)?$/,
  POST: /\/(?:messages\/count_tokens|responses\/input_tokens|models\/[\w.-]+(?::|%3A)countTokens)$/i,
};

/** What clients put before the last words of a path: a version, or the deployment of Azure. */
const before = /^(?:\/openai)?(?:\/v\d\w*)?(?:\/deployments\/\w[\w.-]*)?\//;

/** Which API a request belongs to; `free`: it is none that a model answers; undefined: it is not passed on at all. */
export function apiOf(method: string, path: string): Api | 'free' | undefined {
  const start = before.exec(path)?.[0];
  if (start === undefined) return undefined;
  const rest = path.slice(start.length - 1);
  const isRest = (pattern: RegExp): boolean => pattern.exec(rest)?.index === 0;
  const api = method === 'POST' ? apis.find((each) => isRest(each.path)) : undefined;
  if (api !== undefined) return api;
  return free[method] !== undefined && isRest(free[method]) ? 'free' : undefined;
}
