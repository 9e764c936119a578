import { streams } from './streams.ts';

/** Sessions as an agent keeps them, several files or the same call several times, and what they cost. The arithmetic is written out. */
export interface StoredCase {
  title: string;
  agent: 'claude' | 'codex';
  /** Below the home of the user. */
  files: Readonly<Record<string, readonly object[]>>;
  /** In millionths of a dollar. */
  micro: number;
  /** Model calls that are counted. */
  calls: number;
  /** Model calls that are left out, since they stand elsewhere. */
  repeated?: number;
  is?: 'at_least';
}

interface Used {
  fresh: number;
  read?: number;
  write?: number;
  hour?: number;
  output: number;
}

const projects = '.claude/projects/-w';
const first = `${projects}/s-one.jsonl`;
const second = `${projects}/s-two.jsonl`;
const at = (seconds: number): string => new Date(Date.UTC(2026, 10, 1, 10, 0, seconds)).toISOString();

/** A model call of Claude Code: its number is its identity. */
function call(number: number, model: string, used: Used, more: object = {}): object {
  const { fresh, read = 0, write = 0, hour = 0, output } = used;
  return {
    type: 'assistant',
    sessionId: 's-one',
    uuid: `a${number}`,
    parentUuid: null,
    isSidechain: false,
    version: '2.1.63',
    cwd: '/w',
    timestamp: at(number),
    requestId: `req_${number}`,
    message: {
      id: `msg_${number}`,
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text: `Part ${number}.` }],
      stop_reason: 'end_turn',
      usage: {
        input_tokens: fresh,
        cache_creation_input_tokens: write + hour,
        cache_read_input_tokens: read,
        cache_creation: { ephemeral_5m_input_tokens: write, ephemeral_1h_input_tokens: hour },
        output_tokens: output,
        service_tier: 'standard',
      },
    },
    ...more,
  };
}

/** USD per million tokens: fresh input, read from the cache, written for five minutes, for an hour, output. */
type Tariff = readonly [fresh: number, read: number, write: number, hour: number, output: number];
const sonnet = 'claude-sonnet-4-5';
const haiku = 'claude-haiku-4-5';
const low = { fresh: 1000, read: 50_000, write: 2000, hour: 3000, output: 400 };
const high = { fresh: 1000, read: 250_000, write: 2000, hour: 3000, output: 400 };
const costOf = ([fresh, read, write, hour, output]: Tariff, used: Used): number =>
  used.fresh * fresh +
  (used.read ?? 0) * read +
  (used.write ?? 0) * write +
  (used.hour ?? 0) * hour +
  used.output * output;

const claudeModels: readonly { model: string; below: Tariff; above: Tariff }[] = [
  { model: sonnet, below: [3, 0.3, 3.75, 6, 15], above: [6, 0.6, 7.5, 12, 22.5] },
  { model: haiku, below: [1, 0.1, 1.25, 2, 5], above: [1, 0.1, 1.25, 2, 5] },
];

const ofClaude = claudeModels.flatMap(({ model, below, above }): StoredCase[] => {
  const [one, other] = [call(1, model, low), call(2, model, high)];
  const both = costOf(below, low) + costOf(above, high);
  const asTwo = (line: object): object => ({ ...line, sessionId: 's-two' });
  const claude = { agent: 'claude' } as const;
  return [
    {
      ...claude,
      title: `${model}: both tiers and all caches`,
      files: { [first]: [one, other] },
      micro: both,
      calls: 2,
    },
    {
      ...claude,
      title: `${model}: a call whose line comes three times`,
      files: { [first]: [one, { ...one, uuid: 'b1' }, { ...one, uuid: 'c1' }, other] },
      micro: both,
      calls: 2,
    },
    {
      ...claude,
      title: `${model}: resumed, with the calls so far in the new file`,
      files: { [first]: [one, other], [second]: [one, other, call(3, model, low)].map(asTwo) },
      micro: both + costOf(below, low),
      calls: 3,
      repeated: 2,
    },
    {
      ...claude,
      title: `${model}: a copy of the whole file`,
      files: { [first]: [one, other], '.claude/projects/-copy/s-one.jsonl': [one, other] },
      micro: both,
      calls: 2,
      repeated: 2,
    },
    {
      ...claude,
      title: `${model}: a side chain in the session`,
      files: { [first]: [one, call(2, model, high, { isSidechain: true })] },
      micro: both,
      calls: 2,
    },
    {
      ...claude,
      title: `${model}: a sub-agent with a file of its own and the other model`,
      files: {
        [first]: [one],
        [`${projects}/s-one/subagents/agent-a1.jsonl`]: [
          call(4, model === sonnet ? haiku : sonnet, low, { isSidechain: true, agentId: 'a1' }),
        ],
      },
      micro: costOf(below, low) + costOf(model === sonnet ? [1, 0.1, 1.25, 2, 5] : [3, 0.3, 3.75, 6, 15], low),
      calls: 2,
    },
    {
      ...claude,
      title: `${model}: resumed, with a side chain that is repeated too`,
      files: {
        [first]: [one, call(2, model, low, { isSidechain: true })],
        [second]: [one, call(2, model, low, { isSidechain: true }), call(3, model, high)].map(asTwo),
      },
      micro: 2 * costOf(below, low) + costOf(above, high),
      calls: 3,
      repeated: 2,
    },
  ];
});

const rollout = (name: string): string => `.codex/sessions/2026/11/01/rollout-2026-11-01T10-00-00-${name}.jsonl`;
const line = (seconds: number, type: string, payload: object): object => ({ timestamp: at(seconds), type, payload });
const counts = (input: number, cached: number, output: number): object => ({
  input_tokens: input,
  cached_input_tokens: cached,
  output_tokens: output,
  reasoning_output_tokens: 0,
  total_tokens: input + output,
});
const codexCalls = [
  { fresh: 30_000, read: 60_000, output: 200 },
  { fresh: 290_000, output: 1000 },
];

/** gpt-5.5: 5, 0.50, 30 up to 271,999 tokens of input, 10, 1, 45 above. gpt-5-mini: 0.25, 0.025, 2. */
const ofCodex = (
  [
    ['gpt-5.5', 30_000 * 5 + 60_000 * 0.5 + 200 * 30 + (290_000 * 10 + 1000 * 45), 5, 0.5, 30],
    ['gpt-5-mini', 30_000 * 0.25 + 60_000 * 0.025 + 200 * 2 + (290_000 * 0.25 + 1000 * 2), 0.25, 0.025, 2],
  ] as const
).flatMap(([model, both, fresh, read, output]): StoredCase[] => {
  const codex = { agent: 'codex' } as const;
  const session = streams['codex session'].wire(model, codexCalls);
  const total = (seconds: number, info: object): object => line(seconds, 'event_msg', { type: 'token_count', info });
  return [
    { ...codex, title: `${model}: both tiers`, files: { [rollout('s-codex')]: session }, micro: both, calls: 2 },
    {
      ...codex,
      title: `${model}: a total that is told again`,
      files: { [rollout('s-codex')]: session.flatMap((each) => [each, each]) },
      micro: both,
      calls: 2,
    },
    {
      ...codex,
      title: `${model}: a total alone`,
      files: {
        [rollout('s-codex')]: [
          line(0, 'session_meta', { id: 's-codex', cwd: '/w', cli_version: '0.166.0' }),
          line(0, 'turn_context', { model }),
          line(1, 'response_item', {
            type: 'message',
            role: 'assistant',
            content: [{ type: 'output_text', text: 'Done.' }],
          }),
          total(2, { total_token_usage: counts(380_000, 60_000, 1200) }),
          line(3, 'event_msg', { type: 'task_complete', last_agent_message: 'Done.' }),
        ],
      },
      micro: 320_000 * fresh + 60_000 * read + 1200 * output,
      calls: 0,
      // Of several calls each may have been below the tier.
      ...(model === 'gpt-5.5' ? { is: 'at_least' } : {}),
    },
  ];
});

export const storedCases: readonly StoredCase[] = [...ofClaude, ...ofCodex];
