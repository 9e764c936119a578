import { expect, it } from 'vitest';
import { codeOfMessage } from '../../src/outcome/faults.ts';

/** A wait begins with knowing that a limit was hit, in the words of whoever says so. */
it.each([
  "You've hit your session limit · resets 8:30pm (Asia/Tokyo)",
  "You've hit your limit · resets 10am (UTC)",
  "You've hit your weekly limit · resets Nov 22 at 9:30am (Europe/Rome)",
  "You've hit your Opus limit · resets 9pm",
  'You’ve hit your limit for Claude messages. Limits will reset at 9:30 AM. View your usage details.',
  '5-hour limit reached ∙ resets 6pm',
  'Opus weekly limit reached, resets Mon 9:00 AM',
  'Opus limit reached ∙ resets 9pm',
  'Claude AI usage limit reached|1795017600',
  "You're out of extra usage · resets 3pm",
  "You've hit your usage limit. Try again in 3 hours 2 minutes.",
  '{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","resets_at":1795027872}}',
  'You have exhausted your capacity on this model. Your quota will reset after 12h34m16s.',
  'Individual quota reached. Resets in 4h59m32s.',
  'You have reached the quota limit for this model. You can resume using this model at 11/19/2026, 3:12:45 PM.',
  'Daily free limit exceeded. Resets at midnight Pacific time.',
  "You've reached your daily usage limit. Please return tomorrow to continue building",
  "You've reached your monthly chat messages quota. Upgrade to Copilot Pro",
  'Qwen OAuth quota exceeded: your free daily quota has been reached. It resets daily at 00:00 UTC.',
])('%s is a quota that is used up', (words) => expect(codeOfMessage(words)).toBe('quota'));

it.each([
  'Rate limit reached. Please try again in 6m0s.',
  'Sorry, your request was rate-limited. Please wait 71 minutes before trying again.',
  "You've hit your global rate limit. Please upgrade your plan or wait 6 seconds for your limit to reset.",
  "Sorry, you've hit a rate limit that restricts the number of Copilot model requests. Please try again in 58 hours.",
  "We're receiving too many requests at the moment (429). Please wait a moment and try again.",
])('%s is a rate limit', (words) => expect(codeOfMessage(words)).toBe('rate_limit'));

it.each([
  ['You have reached your maximum number of turns', 'turn_limit'],
  ['Reached the turn limit', 'turn_limit'],
  ['You have reached the limit of 10 files', undefined],
  ['Your prompt hit your context limit of 200000 tokens', 'context_overflow'],
])('%s is neither', (words, code) => {
  expect(['quota', 'rate_limit']).not.toContain(codeOfMessage(words));
  if (code === 'context_overflow') expect(codeOfMessage(words)).toBe(code);
});
