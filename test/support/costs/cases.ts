import type { Call, StreamName } from './streams.ts';

/** A stream, and what it cost. The arithmetic is written out: USD per million tokens × tokens. */
export interface Case {
  title: string;
  stream: StreamName;
  model: string;
  calls: readonly Call[];
  /** In millionths of a dollar. */
  micro: number;
  is?: 'at_least';
}

/*
 * List prices, in USD per million tokens:
 *                    input  cache read  write  write 1 h  output    above   input  cache read  write  write 1 h  output
 * claude-sonnet-4-5    3       0.30      3.75      6        15     200,000    6       0.60      7.50      12      22.50
 * claude-haiku-4-5     1       0.10      1.25      2         5
 * gemini-2.5-pro       1.25    0.125                        10     200,000    2.50    0.25                        15
 * gpt-5.5              5       0.50                         30     271,999   10       1                           45
 * gpt-5-mini           0.25    0.025                         2
 * Web searches of claude models cost $10 per thousand.
 */
const sonnet = 'claude-sonnet-4-5';
const haiku = 'claude-haiku-4-5';
const gemini = 'gemini-2.5-pro';
const gpt = 'gpt-5.5';
const mini = 'gpt-5-mini';

/** 90,000 tokens each, 540,000 in all. */
export const six: readonly Call[] = Array.from({ length: 6 }, () => ({ fresh: 30_000, read: 60_000, output: 200 }));
export const sixCost = {
  [sonnet]: 6 * (30_000 * 3 + 60_000 * 0.3 + 200 * 15), // 666,000
  [gemini]: 6 * (30_000 * 1.25 + 60_000 * 0.125 + 200 * 10), // 282,000
  [gpt]: 6 * (30_000 * 5 + 60_000 * 0.5 + 200 * 30), // 1,116,000
} as const;

/** One call above the tier of every model here, and one below. */
const high: Call = { fresh: 290_000, output: 1000 };
const low: Call = { fresh: 100_000, output: 1000 };

/** Streams that name their model and report every call. */
const byCall = [
  'claude stream',
  'claude stream without modelUsage',
  'claude stream that was cut off',
  'claude partial messages',
  'claude session',
  'codex session',
  'qwen stream',
  'qwen session',
  'cline',
  'pi stream',
  'pi session',
  'copilot',
  'amp',
  'atif',
  'the tape of the built-in agent',
] as const satisfies readonly StreamName[];
const byTotal = ['claude result alone', 'gemini stream', 'droid', 'cursor'] as const satisfies readonly StreamName[];

const each = (streams: readonly StreamName[], title: string, rest: Omit<Case, 'title' | 'stream'>): Case[] =>
  streams.map((stream) => ({ title: `${stream}: ${title}`, stream, ...rest }));

export const cases: readonly Case[] = [
  ...each(byCall, 'six calls, each below the tier', { model: sonnet, calls: six, micro: sixCost[sonnet] }),
  ...each(
    ['qwen stream', 'qwen session', 'cline', 'pi stream', 'codex session'],
    'six calls, each below the tier of gpt',
    {
      model: gpt,
      calls: six,
      micro: sixCost[gpt],
    },
  ),
  ...each(['pi stream', 'the tape of the built-in agent'], 'six calls, each below the tier of gemini', {
    model: gemini,
    calls: six,
    micro: sixCost[gemini],
  }),
  ...each(byCall, 'a call above the tier and one below', {
    model: sonnet,
    calls: [high, low],
    micro: 290_000 * 6 + 1000 * 22.5 + 100_000 * 3 + 1000 * 15, // 2,077,500
  }),
  ...each(byTotal, 'a total above the tier has the base price at least', {
    model: sonnet,
    calls: six,
    micro: sixCost[sonnet],
    is: 'at_least',
  }),
  ...each(byTotal, 'a total below the tier is exact', {
    model: sonnet,
    calls: six.slice(0, 2),
    micro: sixCost[sonnet] / 3,
  }),
  ...each(byTotal, 'a total of a model without tiers is exact', {
    model: haiku,
    calls: six,
    micro: 6 * (30_000 * 1 + 60_000 * 0.1 + 200 * 5),
  }),
  ...each(['codex session', 'pi session'], 'exactly at the tier, and one token above it', {
    model: gpt,
    calls: [
      { fresh: 271_999, output: 0 },
      { fresh: 272_000, output: 0 },
    ],
    micro: 271_999 * 5 + 272_000 * 10,
  }),
  ...each(
    ['claude stream', 'claude session', 'the tape of the built-in agent'],
    'exactly 200,000 tokens are not above 200,000',
    {
      model: sonnet,
      calls: [
        { fresh: 200_000, output: 10 },
        { fresh: 1, read: 200_000, output: 10 },
      ],
      micro: 200_000 * 3 + 10 * 15 + (1 * 6 + 200_000 * 0.6 + 10 * 22.5),
    },
  ),
  ...each(
    [
      'claude stream',
      'claude stream without modelUsage',
      'claude session',
      'claude partial messages',
      'the tape of the built-in agent',
    ],
    'the cache of five minutes and of an hour',
    {
      model: sonnet,
      calls: [
        { fresh: 1000, write: 12_000, hour: 15_000, output: 500 },
        { fresh: 500, read: 27_000, output: 500 },
      ],
      micro: 1000 * 3 + 12_000 * 3.75 + 15_000 * 6 + 500 * 15 + (500 * 3 + 27_000 * 0.3 + 500 * 15), // 162,600
    },
  ),
  ...each(['claude stream', 'claude session'], 'the cache of an hour above the tier', {
    model: sonnet,
    calls: [{ fresh: 10_000, hour: 200_000, output: 100 }],
    micro: 10_000 * 6 + 200_000 * 12 + 100 * 22.5,
  }),
  ...each(
    ['claude stream', 'claude result alone', 'claude session', 'the tape of the built-in agent'],
    'web searches',
    {
      model: sonnet,
      calls: [{ fresh: 1000, output: 100, searches: 3 }],
      micro: 1000 * 3 + 100 * 15 + 3 * 10_000,
    },
  ),
  ...each(
    ['claude stream', 'claude session', 'the tape of the built-in agent'],
    'a batch costs half, its searches do not',
    {
      model: sonnet,
      calls: [{ fresh: 10_000, read: 20_000, output: 1000, searches: 1, tier: 'batch' }],
      micro: (10_000 * 3 + 20_000 * 0.3 + 1000 * 15) / 2 + 10_000,
    },
  ),
  ...each(['the tape of the built-in agent'], 'flex costs half', {
    model: gpt,
    calls: [{ ...high, tier: 'flex' }],
    micro: (290_000 * 10 + 1000 * 45) / 2,
  }),
  ...each(['claude session', 'the tape of the built-in agent'], 'priority costs more, nobody knows how much', {
    model: sonnet,
    calls: [{ fresh: 10_000, output: 1000, tier: 'priority' }],
    micro: 10_000 * 3 + 1000 * 15,
    is: 'at_least',
  }),
  ...each(['claude stream', 'claude session', 'amp'], 'a fast call costs more, nobody knows how much', {
    model: 'claude-opus-4-6',
    calls: [{ fresh: 10_000, output: 1000, speed: 'fast', place: 'not_available' }],
    micro: 10_000 * 5 + 1000 * 25,
    is: 'at_least',
  }),
  ...each(['claude stream', 'claude session', 'amp'], 'a tenth more where the model may run in one country only', {
    model: 'claude-opus-4-6',
    calls: [{ fresh: 10_000, read: 20_000, write: 1000, output: 1000, speed: 'standard', place: 'us' }],
    micro: 1.1 * (10_000 * 5 + 20_000 * 0.5 + 1000 * 6.25 + 1000 * 25),
  }),
  ...each(['claude stream', 'claude session'], 'an hour in the cache, in one country, by a table without its price', {
    model: 'openrouter/anthropic/claude-opus-4.6',
    calls: [{ fresh: 10_000, hour: 100_000, output: 1000, place: 'us' }],
    micro: 1.1 * (10_000 * 5 + 100_000 * 10 + 1000 * 25),
  }),
  ...each(['claude stream', 'claude session'], 'half of that tenth more in a batch', {
    model: 'claude-opus-4-6',
    calls: [{ fresh: 10_000, output: 1000, tier: 'batch', place: 'us' }],
    micro: 0.5 * 1.1 * (10_000 * 5 + 1000 * 25),
  }),
  ...each(['claude stream', 'claude session'], 'wherever the model may run, it costs the same', {
    model: 'claude-opus-4-6',
    calls: [{ fresh: 10_000, output: 1000, place: 'global' }],
    micro: 10_000 * 5 + 1000 * 25,
  }),
  ...each(
    [
      'claude stream',
      'claude session',
      'codex session',
      'qwen stream',
      'pi stream',
      'copilot',
      'the tape of the built-in agent',
    ],
    'two models',
    {
      model: gpt,
      calls: [high, { ...low, model: mini }, { ...high, model: mini }],
      micro: 290_000 * 10 + 1000 * 45 + (100_000 * 0.25 + 1000 * 2) + (290_000 * 0.25 + 1000 * 2),
    },
  ),
  ...each(['claude stream', 'claude stream without modelUsage'], 'a sub-agent with a model of its own', {
    model: sonnet,
    calls: [low, { fresh: 250_000, output: 500, model: haiku, parent: 'toolu_1' }],
    micro: 100_000 * 3 + 1000 * 15 + (250_000 * 1 + 500 * 5),
  }),
  ...each(['pi stream', 'the tape of the built-in agent', 'claude stream'], 'a model that is given away', {
    model: 'deepseek-r1-free',
    calls: six,
    micro: 0,
  }),
  ...each(['pi stream', 'copilot'], 'a model that is given away, as a router names it', {
    model: 'openrouter/qwen/qwen3-coder:free',
    calls: six,
    micro: 0,
  }),
];
