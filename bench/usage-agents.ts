// The tokens and the cost of made-up sessions of several agents, beside those that ccusage finds.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const cli = join(import.meta.dirname, '..', 'bin', 'runwire.js');
const calls = 200;

interface Call {
  at: string;
  ms: number;
  fresh: number;
  read: number;
  output: number;
}

/** The files of one session with these calls, by their path in a home. */
const agents: Record<string, (calls: readonly Call[]) => Record<string, unknown>> = {
  claude: (all) => ({
    '.claude/projects/-w/s1.jsonl': all.map(({ at, fresh, read, output }, index) => ({
      type: 'assistant',
      sessionId: 's1',
      cwd: '/w',
      timestamp: at,
      requestId: `r${index}`,
      uuid: `u${index}`,
      message: {
        id: `m${index}`,
        role: 'assistant',
        model: 'claude-sonnet-4-5-20250929',
        usage: { input_tokens: fresh, cache_read_input_tokens: read, output_tokens: output },
      },
    })),
  }),
  codex: (all) => {
    const total = {
      input_tokens: 0,
      cached_input_tokens: 0,
      output_tokens: 0,
      reasoning_output_tokens: 0,
      total_tokens: 0,
    };
    return {
      '.codex/sessions/2026/10/01/rollout-2026-10-01T10-00-00-s1.jsonl': [
        { timestamp: all[0]?.at, type: 'session_meta', payload: { id: 's1', cwd: '/w' } },
        { timestamp: all[0]?.at, type: 'turn_context', payload: { turn_id: 't1', model: 'gpt-5' } },
        ...all.map(({ at, fresh, read, output }) => {
          const last = {
            input_tokens: fresh + read,
            cached_input_tokens: read,
            output_tokens: output,
            reasoning_output_tokens: 0,
            total_tokens: fresh + read + output,
          };
          for (const name of Object.keys(last) as (keyof typeof last)[]) total[name] += last[name];
          const info = { total_token_usage: { ...total }, last_token_usage: last };
          return { timestamp: at, type: 'event_msg', payload: { type: 'token_count', info } };
        }),
      ],
    };
  },
  opencode: (all) =>
    Object.fromEntries(
      all.map(({ ms, fresh, read, output }, index) => [
        `.local/share/opencode/storage/message/s1/msg_${index}.json`,
        {
          id: `msg_${index}`,
          sessionID: 's1',
          role: 'assistant',
          modelID: 'claude-sonnet-4-5',
          providerID: 'anthropic',
          time: { created: ms, completed: ms },
          cost: 0,
          tokens: { input: fresh, output, reasoning: 0, cache: { read, write: 0 } },
        },
      ]),
    ),
  pi: (all) => ({
    '.pi/agent/sessions/--w--/2026-10-01T10-00-00-000Z_s1.jsonl': [
      { type: 'session', version: 3, id: 's1', timestamp: all[0]?.at, cwd: '/w' },
      ...all.map(({ at, ms, fresh, read, output }, index) => ({
        type: 'message',
        id: `e${index}`,
        timestamp: at,
        message: {
          role: 'assistant',
          model: 'claude-sonnet-4-5',
          provider: 'anthropic',
          timestamp: ms,
          usage: { input: fresh, output, cacheRead: read, cacheWrite: 0, totalTokens: fresh + read + output },
        },
      })),
    ],
  }),
  gemini: (all) => ({
    '.gemini/tmp/p1/chats/session-1.json': {
      sessionId: 's1',
      startTime: all[0]?.at,
      lastUpdated: all.at(-1)?.at,
      messages: all.map(({ at, fresh, read, output }, index) => ({
        id: `m${index}`,
        type: 'gemini',
        timestamp: at,
        model: 'gemini-2.5-pro',
        tokens: { input: fresh + read, output, cached: read, thoughts: 0, tool: 0, total: fresh + read + output },
      })),
    },
  }),
  qwen: (all) => ({
    '.qwen/projects/-w/chats/s1.jsonl': all.map(({ at, fresh, read, output }, index) => ({
      uuid: `u${index}`,
      sessionId: 's1',
      cwd: '/w',
      timestamp: at,
      type: 'assistant',
      model: 'qwen3-coder-plus',
      usageMetadata: {
        promptTokenCount: fresh + read,
        candidatesTokenCount: output,
        cachedContentTokenCount: read,
        totalTokenCount: fresh + read + output,
      },
    })),
  }),
  kimi: (all) => ({
    '.kimi/sessions/g1/s1/wire.jsonl': all.map(({ ms, fresh, read, output }, index) => ({
      timestamp: ms / 1000,
      message: {
        type: 'StatusUpdate',
        payload: {
          token_usage: { input_other: fresh, output, input_cache_read: read, input_cache_creation: 0 },
          message_id: `m${index}`,
        },
      },
    })),
  }),
  droid: (all) => ({
    '.factory/sessions/-w/s1.settings.json': {
      model: 'claude-sonnet-4-5-20250929',
      providerLock: 'anthropic',
      providerLockTimestamp: all.at(-1)?.at,
      tokenUsage: {
        inputTokens: sum(all, 'fresh'),
        outputTokens: sum(all, 'output'),
        cacheCreationTokens: 0,
        cacheReadTokens: sum(all, 'read'),
        thinkingTokens: 0,
      },
    },
  }),
};

/** The same calls with so much more from the cache that some are above 200,000 tokens of input. */
const above = 'claude, calls above 200,000';
agents[above] = (all) => agents['claude']?.(all.map((call) => ({ ...call, read: call.read * 2 }))) ?? {};

/** Why figures differ. */
const rules: Record<string, string> = {
  [above]: 'such a call has the higher price as a whole; in ccusage, only what is beyond 200,000 of each kind',
  qwen: '`promptTokenCount` includes the cache, ccusage adds it once more; the model is not in our table of prices',
  kimi: 'Kimi CLI names no model; ccusage assumes one',
  droid: 'only a total is known: its lowest price, as a lower bound; ccusage prices it like a single call',
};

function sum(all: readonly Call[], field: 'fresh' | 'read' | 'output'): number {
  return all.reduce((whole, call) => whole + call[field], 0);
}

export function compareAgents(ccusage: string): void {
  console.log('\n| agent | input | cached | output | cost | ccusage: input | cached | output | cost | |');
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |');
  const start = Date.UTC(2026, 9, 1, 10);
  const all = Array.from({ length: calls }, (_, index): Call => {
    const ms = start + index * 45 * 60_000;
    return { at: new Date(ms).toISOString(), ms, fresh: 300 + index * 7, read: 900 * index, output: 50 + index * 3 };
  });
  for (const [agent, filesOf] of Object.entries(agents)) {
    const home = mkdtempSync(join(tmpdir(), 'runwire-agents-'));
    try {
      for (const [name, content] of Object.entries(filesOf(all))) {
        mkdirSync(dirname(join(home, name)), { recursive: true });
        const lines = Array.isArray(content) ? content.map((line) => `${JSON.stringify(line)}\n`).join('') : undefined;
        writeFileSync(join(home, name), lines ?? JSON.stringify(content));
      }
      console.log(rowOf(agent, home, ccusage));
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }
}

function rowOf(agent: string, home: string, ccusage: string): string {
  const env = { PATH: process.env['PATH'], HOME: home, TZ: 'UTC' };
  const read = (command: string, args: readonly string[]): Record<string, Record<string, number>> =>
    JSON.parse(execFileSync(command, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })) as never;
  const { total = {} } = read(process.execPath, [cli, 'usage', 'daily', '--time-zone', 'UTC', '--json']);
  const { totals = {} } = read(ccusage, ['daily', '--offline', '--json']);
  const { input_tokens = 0, cache_read_tokens = 0, output_tokens = 0, cost } = total;
  const { inputTokens = 0, cacheReadTokens = 0, cacheCreationTokens = 0, outputTokens = 0, totalCost = 0 } = totals;
  const ours = [input_tokens, cache_read_tokens, output_tokens];
  const theirs = [inputTokens + cacheReadTokens + cacheCreationTokens, cacheReadTokens, outputTokens];
  const isEqual = ours.every((tokens, index) => tokens === theirs[index]);
  const isNear = Math.abs((cost ?? 0) - totalCost) < 0.01;
  const word = isEqual && isNear ? 'equal' : (rules[agent] ?? (isEqual ? 'COST DIFFERS' : 'TOKENS DIFFER'));
  return `| ${[agent, ...ours, cost?.toFixed(2) ?? 'unknown', ...theirs, totalCost.toFixed(2), word].join(' | ')} |`;
}
