import type { IncomingHttpHeaders } from 'node:http';
import { present } from '../json/present.ts';

/** How much of something that a provider limits is used up, as the headers of an answer tell it. */
export interface Quota {
  /** What is limited: `requests`, `input-tokens`, `5h`, … */
  window: string;
  /** 0 to 1. */
  utilization: number;
  resetsAtMs?: number;
}

/** Names of the headers: Anthropic's for its keys and its plans, OpenAI's, and those of a ChatGPT plan. */
const shapes: readonly {
  name: RegExp;
  quota(get: (last: string) => string | undefined, now: number): Omit<Quota, 'window'> | undefined;
}[] = [
  {
    name: /^(anthropic-ratelimit-)([\w-]+)-remaining$/,
    quota: (get) => share(get('limit'), get('remaining'), dateOf(get('reset'))),
  },
  {
    name: /^(anthropic-ratelimit-unified-)(\w+)-utilization$/,
    quota: (get) => used(numberOf(get('utilization')), secondsOf(get('reset'))),
  },
  {
    name: /^(x-codex-)(\w+)-used-percent$/,
    quota(get) {
      const percent = numberOf(get('used-percent'));
      return used(percent === undefined ? undefined : percent / 100, secondsOf(get('reset-at')));
    },
  },
];

/** In the headers of OpenAI, what is limited comes last. */
const trailing = /^x-ratelimit-remaining-([\w-]+)$/;

export function quotasIn(headers: IncomingHttpHeaders, now: number): Quota[] {
  const value = (name: string): string | undefined => (typeof headers[name] === 'string' ? headers[name] : undefined);
  return Object.keys(headers).flatMap((header): Quota[] => {
    const last = trailing.exec(header)?.[1];
    if (last !== undefined) {
      const quota = share(
        value(`x-ratelimit-limit-${last}`),
        value(header),
        laterBy(value(`x-ratelimit-reset-${last}`), now),
      );
      return quota === undefined ? [] : [{ window: last, ...quota }];
    }
    for (const { name, quota } of shapes) {
      const [, prefix, window] = name.exec(header) ?? [];
      if (prefix === undefined || window === undefined) continue;
      const found = quota((word) => value(`${prefix}${window}-${word}`), now);
      return found === undefined ? [] : [{ window, ...found }];
    }
    return [];
  });
}

function share(
  limit: string | undefined,
  remaining: string | undefined,
  resetsAtMs: number | undefined,
): Omit<Quota, 'window'> | undefined {
  const [most, left] = [numberOf(limit), numberOf(remaining)];
  return most === undefined || left === undefined || most <= 0 ? undefined : used(1 - left / most, resetsAtMs);
}

function used(part: number | undefined, resetsAtMs: number | undefined): Omit<Quota, 'window'> | undefined {
  if (part === undefined || !(part >= 0)) return undefined;
  return { utilization: Number(Math.min(1, part).toFixed(4)), ...present({ resetsAtMs }) };
}

function numberOf(text: string | undefined): number | undefined {
  const value = text === undefined || text === '' ? NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function dateOf(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

function secondsOf(text: string | undefined): number | undefined {
  const seconds = numberOf(text);
  return seconds === undefined ? undefined : seconds * 1000;
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `6m0s`, `120ms`: how long from now. */
function laterBy(text: string | undefined, now: number): number | undefined {
  const parts = [...(text ?? '').matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)/g)];
  if (parts.length === 0) return undefined;
  return Math.round(now + parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (unitMs[unit] ?? 0), 0));
}
