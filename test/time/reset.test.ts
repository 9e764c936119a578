import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resetIn } from '../../src/time/reset/reset.ts';

/** A Wednesday afternoon, 15:30 in Zurich. */
const now = Date.parse('2026-11-18T14:30:00Z');
const zurich = { now, timeZone: 'Europe/Zurich' };
const s = 1000;
const m = 60 * s;
const h = 60 * m;
const d = 24 * h;

const at = (iso: string): number => Date.parse(iso);

/** How agents and providers say it; a number is how long from now. */
const phrasings: readonly (readonly [text: string, when: number | string | undefined])[] = [
  // Claude Code.
  ['Claude AI usage limit reached|1795017600', '2026-11-18T16:00:00Z'],
  ['Claude usage limit reached. Your limit will reset at 7pm.', '2026-11-18T18:00:00Z'],
  ['Claude usage limit reached. Your limit will reset at 12am.', '2026-11-18T23:00:00Z'],
  ['Claude usage limit reached. Your limit will reset at 1pm (Etc/GMT+5)', '2026-11-18T18:00:00Z'],
  ["You've hit your session limit · resets 8:30pm (Asia/Tokyo)", '2026-11-19T11:30:00Z'],
  ["You've hit your session limit · resets 12:50am (America/Los_Angeles)", '2026-11-19T08:50:00Z'],
  ["You've hit your session limit · resets 3:20am (Asia/Calcutta)", '2026-11-18T21:50:00Z'],
  ['5-hour limit reached ∙ resets 6pm', '2026-11-18T17:00:00Z'],
  ['Session limit reached ∙ resets 11:00 PM', '2026-11-18T22:00:00Z'],
  ["You've hit your limit · resets 10am (UTC)", '2026-11-19T10:00:00Z'],
  ['Weekly limit reached ∙ resets Nov 20, 5pm', '2026-11-20T16:00:00Z'],
  ["You've hit your weekly limit · resets Nov 22 at 9:30am (Europe/Rome)", '2026-11-22T08:30:00Z'],
  ['Weekly limit reached ∙ resets Nov 21', '2026-11-20T23:00:00Z'],
  [
    'You’ve hit your limit for Claude messages. Limits will reset at 9:30 AM. View your usage details.',
    '2026-11-19T08:30:00Z',
  ],
  ['Approaching usage limit · resets at 12pm', '2026-11-19T11:00:00Z'],
  ['Opus weekly limit reached, resets Mon 9:00 AM', '2026-11-23T08:00:00Z'],
  // Codex and ChatGPT.
  [
    "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 5 days 22 hours 11 minutes.",
    5 * d + 22 * h + 11 * m,
  ],
  [
    "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 5 days 22 hours 11\nminutes.",
    5 * d + 22 * h + 11 * m,
  ],
  ["You've hit your usage limit. Try again in 3 hours 2 minutes.", 3 * h + 2 * m],
  ["You've hit your usage limit, try again in 4 days 2 hours 46 minutes.", 4 * d + 2 * h + 46 * m],
  ["■ You've hit your usage limit. Try again at 3:51 PM.", '2026-11-18T14:51:00Z'],
  [
    "You've hit your usage limit. Upgrade to Plus to continue using Codex (https://chatgpt.com/explore/plus), or try again at Nov 20th, 2026 8:19 PM.",
    '2026-11-20T19:19:00Z',
  ],
  ["You've hit your usage limit or try again at Nov 20, 2026, 7:38 AM", '2026-11-20T06:38:00Z'],
  [
    '{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus","resets_at":1795027872,"resets_in_seconds":13872},"status_code":429}',
    '2026-11-18T18:51:12Z',
  ],
  ['{"type":"usage_limit_reached","resets_in_seconds":13872}', 13872 * s],
  ['"X-Codex-Primary-Reset-After-Seconds":"13873"', 13873 * s],
  // OpenAI and those who word it alike.
  [
    'Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 10000, Used 8782, Requested 8172. Please try again in 41.724s. Visit https://platform.openai.com/account/rate-limits',
    41_724,
  ],
  ['Rate limit reached. Please try again in 6m0s.', 6 * m],
  [
    'Rate limit reached for model `llama` on tokens per day (TPD): Please try again in 7m12.48s. Need more tokens?',
    432_480,
  ],
  ['Please try again in 857ms.', 857],
  ['x-ratelimit-reset-requests: 1h2m3s', h + 2 * m + 3 * s],
  ['Requests have exceeded the call rate limit of your current tier. Please retry after 26 seconds.', 26 * s],
  // Gemini, Antigravity and Google's services.
  ['You have exhausted your capacity on this model. Your quota will reset after 12h34m16s.', 12 * h + 34 * m + 16 * s],
  ['Your quota will reset after 42h1m20s.', 42 * h + m + 20 * s],
  ['TerminalQuotaError: Your quota will reset after 1h0m0s.', h],
  [
    '* Quota exceeded for metric: generate_content_paid_tier_input_token_count, limit: 4000000\nPlease retry in 47.434392449s.',
    47_434,
  ],
  ['Quota exceeded for quota metric.\nSuggested retry after 60s.', 60 * s],
  ['"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.074824224s"}]', 34_075],
  ['"metadata":{"quotaResetDelay":"373.801628ms"}', 374],
  ['"quotaResetTimeStamp": "2026-11-19T07:06:58Z"', '2026-11-19T07:06:58Z'],
  ['retryDelayMs: 1500', 1500],
  [
    'You have reached the quota limit for this model. You can resume using this model at 11/19/2026, 3:12:45 PM.',
    '2026-11-19T14:12:45Z',
  ],
  ['RESOURCE_EXHAUSTED: quota reached. Resets in 2h13m', 2 * h + 13 * m],
  // Qwen, GLM, Kimi.
  [
    'Qwen OAuth quota exceeded: your free daily quota has been reached. It resets daily at 00:00 UTC.',
    '2026-11-19T00:00:00Z',
  ],
  ['Usage limit reached for 5 hour. Your limit will reset at 2026-11-18 20:43:57', '2026-11-18T19:43:57Z'],
  ['Your limit will reset at 2026-11-19 02:43:57 UTC+8', '2026-11-18T18:43:57Z'],
  ["You've reached your usage limit for this period. It will be refreshed in 3 hours and 20 minutes.", 3 * h + 20 * m],
  ['Your quota refreshes in 3 hours and 20 minutes.', 3 * h + 20 * m],
  // Copilot and Cursor.
  [
    "Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period. Please try again in 58 hours. Please review our Terms of Service",
    58 * h,
  ],
  ['Sorry, your request was rate-limited. Please wait 71 minutes before trying again.', 71 * m],
  ["You've hit your global rate limit. Please upgrade your plan or wait 6 seconds for your limit to reset.", 6 * s],
  [
    "You've hit your usage limit. Your usage limits will reset when your monthly cycle ends on 11/24/2026.",
    '2026-11-23T23:00:00Z',
  ],
  ['Too many requests. Try again in about 2 hours', 2 * h],
  ['Please try again in an hour.', h],
  ['try again in half an hour', 30 * m],
  ['retry in 1 week', 7 * d],
  // OpenCode, OpenRouter, headers.
  ['rate limited, retrying in 30s - attempt #2', 30 * s],
  ['Retry-After: 120', 120 * s],
  ['Retry-After: Thu, 19 Nov 2026 07:28:00 GMT', '2026-11-19T07:28:00Z'],
  ['retry_after_ms=2500', 2500],
  ['X-RateLimit-Reset: 1795046400000', '2026-11-19T00:00:00Z'],
  ['anthropic-ratelimit-requests-reset: 2026-11-18T15:12:30Z', '2026-11-18T15:12:30Z'],
  ['anthropic-ratelimit-unified-reset: 1795017600', '2026-11-18T16:00:00Z'],
  ['Daily free limit exceeded. Resets at midnight Pacific time.', '2026-11-19T08:00:00Z'],
  ['Quota resets at 2026-11-18T20:00:00+05:30', '2026-11-18T14:30:00Z'],
  // In other forms of the same.
  ['available again at 15:40', '2026-11-18T14:40:00Z'],
  ['blocked until 16:00 CET', '2026-11-18T15:00:00Z'],
  ['Come back at noon (America/New_York)', '2026-11-18T17:00:00Z'],
  ['try again tomorrow at 9am', '2026-11-19T08:00:00Z'],
  ['resets tomorrow', '2026-11-18T23:00:00Z'],
  ['try again at 4:05 p.m. EST', '2026-11-18T21:05:00Z'],
  ['limit resets on 20 Nov 2026 17:00', '2026-11-20T16:00:00Z'],
  ['resets in 02:13:00', 2 * h + 13 * m],
  ['resets 15:30', '2026-11-18T14:30:00Z'],
  ['usage resets at 3:30pm', '2026-11-18T14:30:00Z'],
  ['resets Wednesday 9am', '2026-11-25T08:00:00Z'],
  // Over, or far away: told as it stands, and refused by whoever reads it.
  ['resets_at: 1000000000', '2001-09-09T01:46:40Z'],
  ['try again at Aug 20, 2026, 7:38 AM', '2026-08-20T05:38:00Z'],
  ['Please wait 587 hours 33 minutes before trying again.', 587 * h + 33 * m],
  ['the limit was reset 2 hours ago', -2 * h],
  ['reset 2 hours ago', -2 * h],
  // More of what people reported, word for word but for the days.
  ['Claude usage limit reached. Your limit will reset at 9am (America/Chicago).', '2026-11-18T15:00:00Z'],
  ['Claude usage limit reached. Your limit will reset at 3pm (Asia/Saigon).', '2026-11-19T08:00:00Z'],
  ["You've hit your limit · resets 1:30am (Asia/Dhaka)", '2026-11-18T19:30:00Z'],
  ["You've hit your limit · resets 8pm (America/New_York)", '2026-11-19T01:00:00Z'],
  ["You've hit your session limit · resets 5pm", '2026-11-18T16:00:00Z'],
  [
    "You've hit your session limit · resets 10:30pm (Europe/Berlin)\n/login to switch to an API usage-billed account.",
    '2026-11-18T21:30:00Z',
  ],
  ['5-hour limit reached ∙ resets 12am\n     /upgrade to increase your usage limit.', '2026-11-18T23:00:00Z'],
  ['Claude AI usage limit reached|1795046400', '2026-11-19T00:00:00Z'],
  ["Claude AI usage limit reached and won't reset|1766502000", '2025-12-23T15:00:00Z'],
  [
    "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 2 days 17 hours 14 minutes.",
    2 * d + 17 * h + 14 * m,
  ],
  ["You've hit your usage limit. Try again in 4 days 20 hours 9 minutes.", 4 * d + 20 * h + 9 * m],
  [
    "ERROR: You've hit your usage limit. Visit https://chatgpt.com/codex/settings/usage or try again at 7:58 PM.",
    '2026-11-18T18:58:00Z',
  ],
  [
    '{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"free","resets_at":1795057531,"resets_in_seconds":45331}}',
    45_331 * s,
  ],
  [
    'Error: Codex error: {"error":{"type":"usage_limit_reached","message":"The usage limit has been\n reached","resets_at":1795026072,"eligible_promo":null},"headers":{"X-Codex-Secondary-Reset-After-Seconds":"316705"}}',
    13_872 * s,
  ],
  [
    "Error code: 429 - {'error': {'message': 'Rate limit reached for model `llama3-70b-8192` in organization `org_x` on tokens per minute (TPM): Limit 7000, Used 0, Requested ~12903. Please try again in 50.597142857s. Visit https://console.groq.com/docs/rate-limits', 'code': 'rate_limit_exceeded'}}",
    50_597,
  ],
  ['Limit 6000, Used 3513, Requested 3166. Please try again in 6.780999999s.', 6781],
  ['Individual quota reached. Resets in 4h59m32s.', 4 * h + 59 * m + 32 * s],
  ['"resetTime":"2026-11-18T20:13:09Z"', '2026-11-18T20:13:09Z'],
  ['"resetsAt":1795017600000', '2026-11-18T16:00:00Z'],
  ['"reset_at":"1795017600"', '2026-11-18T16:00:00Z'],
  ['"reset_at":"2026-11-18T15:00:00.123Z"', '2026-11-18T15:00:00Z'],
  ['retry-after: Wed, 18 Nov 2026 14:35:00 GMT', 5 * m],
  ['retry-after-ms: 1234', 1234],
  ['x-ratelimit-reset-tokens: 6ms', 6],
  ['Limits will reset on June 4, 2025', '2025-06-03T22:00:00Z'],
  ['Your free quota renews on Nov 19, 2026 at 00:00 UTC', '2026-11-19T00:00:00Z'],
  ['Next available at 2026-11-18 16:00 UTC', '2026-11-18T16:00:00Z'],
  ['You can try again after 4:15 PM.', '2026-11-18T15:15:00Z'],
  ['resets 3pm PST', '2026-11-18T23:00:00Z'],
  ['resets 3pm JST', '2026-11-19T06:00:00Z'],
  ['resets 3pm AEST', '2026-11-19T05:00:00Z'],
  ['resets 3pm GMT+2', '2026-11-19T13:00:00Z'],
  ['resets 3pm Pacific Time', '2026-11-18T23:00:00Z'],
  ['try again in 2-5 minutes', undefined],
  ['retry in 5 to 10 minutes', undefined],
  // Nobody says when, or it could be several times.
  [
    'Please wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method',
    undefined,
  ],
  ['Please wait as the service is busy', undefined],
  ["We're receiving too many requests at the moment. Please wait a moment and try again.", undefined],
  [
    'Resource exhausted. Please try again later. Please refer to https://example.com/error-code-429 for more details.',
    undefined,
  ],
  ['Resource has been exhausted (e.g. check quota).', undefined],
  ["You've reached your daily usage limit. Please return tomorrow to continue building", undefined],
  ["You've reached your monthly chat messages quota. Upgrade or wait for your allowance to renew.", undefined],
  ['Too many tokens per day, please wait before trying again.', undefined],
  ['Upgrade your plan to continue, or try again at 10 de jul. de 2026, 11:52.', undefined],
  ['Seu limite de uso será redefinido em 10 de jul. de 2026, 11:52.', undefined],
  ['已达到 5 小时的使用上限。您的限额将在 2026-11-18 20:43:57 重置。', undefined],
  ['resets at 15h30', undefined],
  ['resets in -5 minutes', undefined],
  ['Retry-After: -1', undefined],
  ['resets 3pm CST', undefined],
  ['resets 3pm BST', undefined],
  ['resets Nov 31', undefined],
  ['resets at 25:00', undefined],
  ['resets at 12:60', undefined],
  ['resets 13pm', undefined],
  ['resets_at: 99999999999999999', undefined],
  ['resets in 999999999999 days', undefined],
  ['try again at 10', undefined],
  ["You've hit your usage limit. Upgrade to Pro, or wait for limits to reset (every 5h and every week.).", undefined],
  ["You've hit your usage limit. Please try again later.", undefined],
  ['Rate limit exceeded. Please retry after a brief wait.', undefined],
  ["This request would exceed your account's rate limit. Please try again later.", undefined],
  ['Please try again later. Request id 1795017600', undefined],
  ['429 Too Many Requests', undefined],
  ['resets at 3pm IST', undefined],
  ['resets at 3pm (Mars/Olympus)', undefined],
  ['resets on 11/12/2026', undefined],
  ['reset at 99:99', undefined],
  ['resets Feb 31', undefined],
  ['try again in a few minutes', undefined],
  ['I reset 3 files, then ran the tests 5 times at 3pm', undefined],
  ['', undefined],
];

describe('when a limit resets', () => {
  it.each(phrasings)('%s', (text, when) => {
    const found = resetIn(text, zurich);
    const expected = typeof when === 'string' ? at(when) : when === undefined ? undefined : now + when;
    expect(found === undefined ? undefined : new Date(found).toISOString()).toBe(
      expected === undefined ? undefined : new Date(expected).toISOString(),
    );
  });

  it.each([
    // Clocks go forward at 2 in New York on 8 March 2026: there is no half past two.
    ['2026-03-08T05:00:00Z', 'America/New_York', 'resets 2:30am', '2026-03-08T07:30:00Z'],
    ['2026-03-08T05:00:00Z', 'America/New_York', 'resets 3:30am', '2026-03-08T07:30:00Z'],
    // They go back at 2 on 1 November: half past one comes twice.
    ['2026-11-01T05:00:00Z', 'America/New_York', 'resets 1:30am', '2026-11-01T05:30:00Z'],
    ['2026-11-01T05:45:00Z', 'America/New_York', 'resets 1:30am', '2026-11-01T06:30:00Z'],
    ['2026-11-01T05:00:00Z', 'America/New_York', 'resets 9am', '2026-11-01T14:00:00Z'],
    // The evening before, in hours that are not as long as they look.
    ['2026-03-28T22:00:00Z', 'Europe/Berlin', 'resets 6am', '2026-03-29T04:00:00Z'],
    // Around midnight and the turn of the year.
    ['2026-12-31T22:30:00Z', 'Europe/Zurich', 'resets 12:10am', '2026-12-31T23:10:00Z'],
    ['2026-12-31T22:30:00Z', 'Europe/Zurich', 'resets Jan 2, 5pm', '2027-01-02T16:00:00Z'],
    ['2026-12-31T23:59:30Z', 'UTC', 'resets at midnight', '2027-01-01T00:00:00Z'],
    // Far from UTC, where the day is another one.
    ['2026-11-18T11:00:00Z', 'Pacific/Kiritimati', 'resets tomorrow at 1am', '2026-11-19T11:00:00Z'],
    ['2026-11-18T20:00:00Z', 'Asia/Kathmandu', 'resets 6:15am', '2026-11-19T00:30:00Z'],
  ])('%s in %s: %s', (from, timeZone, text, when) => {
    expect(new Date(resetIn(text, { now: at(from), timeZone }) ?? 0).toISOString()).toBe(
      at(when) && new Date(when).toISOString(),
    );
  });

  it('reads any length of time that it is told', () => {
    fc.assert(
      fc.property(fc.nat(6), fc.nat(23), fc.nat(59), fc.nat(59), (days, hours, minutes, seconds) => {
        const total = days * d + hours * h + minutes * m + seconds * s;
        fc.pre(total > 0);
        for (const words of [
          `try again in ${days} days ${hours} hours ${minutes} minutes ${seconds} seconds`,
          `resets in ${days}d ${hours}h ${minutes}m ${seconds}s`,
          `quota will reset after ${days}d${hours}h${minutes}m${seconds}s.`,
        ])
          expect(resetIn(words, zurich)).toBe(now + total);
      }),
    );
  });

  it('reads any moment in any zone, wherever the reader is', () => {
    const zones = ['UTC', 'America/St_Johns', 'Asia/Kolkata', 'Australia/Lord_Howe', 'America/Santiago'];
    fc.assert(
      fc.property(
        fc.integer({ min: now, max: now + 8 * d }),
        fc.constantFrom(...zones),
        fc.constantFrom(...zones),
        (ms, timeZone, there) => {
          const moment = Math.floor(ms / s) * s;
          const here = { now, timeZone };
          expect(resetIn(`resets_at: ${moment / s}`, here)).toBe(moment);
          expect(resetIn(`resets at ${new Date(moment).toISOString()}`, here)).toBe(moment);
          expect(resetIn(`Retry-After: ${new Date(moment).toUTCString()}`, here)).toBe(moment);
          const shown = new Date(moment).toLocaleString('en-US', { timeZone: there });
          expect(resetIn(`try again at ${shown} (${there})`, here)).toBe(moment);
        },
      ),
    );
  });

  it('takes any text', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom(...phrasings.map(([text]) => text)))), (texts) => {
        const found = resetIn(texts.join(' '), zurich);
        expect(found === undefined || Number.isFinite(found)).toBe(true);
      }),
    );
  });
});
