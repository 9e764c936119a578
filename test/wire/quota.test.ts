import { expect, it } from 'vitest';
import { quotasIn } from '../../src/wire/quota.ts';

const now = Date.parse('2026-11-18T10:00:00Z');
const at = (time: string): number => Date.parse(`2026-11-18T${time}Z`);

it.each([
  [
    'Anthropic, a key',
    {
      'anthropic-ratelimit-input-tokens-limit': '1000',
      'anthropic-ratelimit-input-tokens-remaining': '250',
      'anthropic-ratelimit-input-tokens-reset': '2026-11-18T10:01:00Z',
    },
    [{ window: 'input-tokens', utilization: 0.75, resetsAtMs: at('10:01:00') }],
  ],
  [
    'Anthropic, a plan',
    {
      'anthropic-ratelimit-unified-5h-utilization': '0.42',
      'anthropic-ratelimit-unified-5h-reset': String(at('12:00:00') / 1000),
    },
    [{ window: '5h', utilization: 0.42, resetsAtMs: at('12:00:00') }],
  ],
  [
    'OpenAI',
    {
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-reset-requests': '1s',
      'x-ratelimit-limit-tokens': '100',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '6m0.5s',
    },
    [
      { window: 'requests', utilization: 0.0167, resetsAtMs: at('10:00:01') },
      { window: 'tokens', utilization: 1, resetsAtMs: at('10:06:00.500') },
    ],
  ],
  [
    'ChatGPT',
    { 'x-codex-primary-used-percent': '12.5', 'x-codex-primary-window-minutes': '300' },
    [{ window: 'primary', utilization: 0.125 }],
  ],
  [
    'nonsense',
    { 'x-ratelimit-remaining-tokens': 'many', 'x-ratelimit-limit-tokens': '0', 'x-codex-primary-used-percent': '' },
    [],
  ],
  ['nothing', { 'content-type': 'application/json' }, []],
])('%s', (_name, headers, quotas) => expect(quotasIn(headers, now)).toEqual(quotas));
