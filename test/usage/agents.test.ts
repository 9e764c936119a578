import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { folder } from '../cli/run/scripted.ts';
import { homeWith, usageOf } from './stores.ts';

const at = '2026-11-01T10:00:00.000Z';
const ms = Date.parse(at);

/** A database below a home. */
function databaseIn(home: string, path: string, statements: readonly string[]): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  for (const each of statements) database.exec(each);
  database.close();
  return home;
}

interface Store {
  agent: string;
  title: string;
  home: () => string;
  session: string;
  project?: string;
  model?: string;
  /** Input, output, read from the cache, written to it. */
  tokens: readonly [number, number, number, number];
  calls: number;
  /** In USD, where the agent tells it. */
  cost?: number;
}

const openCodeInfo = {
  role: 'assistant',
  modelID: 'gpt-5.5',
  providerID: 'openai',
  path: { cwd: '/w', root: '/w' },
  time: { created: ms, completed: ms + 1000 },
  cost: 0,
  tokens: { total: 1130, input: 100, output: 20, reasoning: 10, cache: { read: 800, write: 200 } },
};
const clineMessages = [
  { ts: ms, type: 'say', say: 'task', text: 'Go' },
  {
    ts: ms + 1,
    type: 'say',
    say: 'api_req_started',
    text: JSON.stringify({ request: 'x', tokensIn: 100, tokensOut: 30, cacheWrites: 200, cacheReads: 800, cost: 0 }),
    modelInfo: { modelId: 'gpt-5.5' },
  },
];

const told: readonly Store[] = [
  {
    agent: 'opencode',
    title: 'database',
    home: () =>
      databaseIn(folder(), '.local/share/opencode/opencode.db', [
        'create table session (id text, parent_id text, directory text, version text, time_created int, time_updated int)',
        'create table message (id text, session_id text, data text)',
        `insert into session values ('ses_1', null, '/w', '1.18.33', 1, 2), ('ses_2', 'ses_1', '/w', '1.18.33', 1, 2)`,
        `insert into message values ('msg_1', 'ses_1', '${JSON.stringify(openCodeInfo)}'), ('msg_2', 'ses_1', '{"role":"user"}')`,
      ]),
    session: 'ses_1',
    project: '/w',
    model: 'gpt-5.5',
    tokens: [1100, 30, 800, 200],
    calls: 1,
  },
  {
    agent: 'opencode',
    title: 'files',
    home: () =>
      homeWith({
        '.local/share/opencode/storage/session/p/ses_1.json': '{}',
        '.local/share/opencode/storage/message/ses_1/msg_1.json': JSON.stringify({
          id: 'msg_1',
          sessionID: 'ses_1',
          ...openCodeInfo,
        }),
      }),
    session: 'ses_1',
    project: '/w',
    model: 'gpt-5.5',
    tokens: [1100, 30, 800, 200],
    calls: 1,
  },
  ...['json', 'jsonl'].map((suffix): Store => {
    const head = { sessionId: 's-gemini', projectHash: 'h', startTime: at };
    const answer = {
      id: 'm1',
      type: 'gemini',
      timestamp: at,
      content: 'Done.',
      model: 'gemini-2.5-pro',
      tokens: { input: 1000, output: 20, cached: 800, thoughts: 10, tool: 0, total: 1030 },
    };
    return {
      agent: 'gemini',
      title: suffix,
      home: () =>
        homeWith({
          [`.gemini/tmp/web/chats/session-1.${suffix}`]:
            suffix === 'json' ? JSON.stringify({ ...head, messages: [answer] }) : [head, answer, answer],
        }),
      session: 's-gemini',
      project: 'web',
      model: 'gemini-2.5-pro',
      tokens: [1000, 30, 800, 0],
      calls: 1,
    };
  }),
  ...(
    [
      ['cline', '.cline/data/tasks/17/ui_messages.json'],
      ['cline', '.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/17/ui_messages.json'],
      ['roo', '.config/VSCodium/User/globalStorage/rooveterinaryinc.roo-cline/tasks/17/ui_messages.json'],
      ['kilo', '.config/Cursor/User/globalStorage/kilocode.kilo-code/tasks/17/ui_messages.json'],
    ] as const
  ).map(([agent, path]): Store => ({
    agent,
    title: path,
    home: () => homeWith({ [path]: JSON.stringify(clineMessages) }),
    session: '17',
    model: 'gpt-5.5',
    tokens: [1100, 30, 800, 200],
    calls: 1,
  })),
  {
    agent: 'continue',
    title: 'session',
    home: () =>
      homeWith({
        '.continue/sessions/sessions.json': '[]',
        '.continue/sessions/c1.json': JSON.stringify({
          sessionId: 'c1',
          workspaceDirectory: '/w',
          history: [],
          usage: {
            promptTokens: 1000,
            completionTokens: 30,
            promptTokensDetails: { cachedTokens: 800 },
            totalCost: 0.5,
          },
        }),
      }),
    session: 'c1',
    project: '/w',
    tokens: [1000, 30, 800, 0],
    calls: 0,
  },
  {
    agent: 'goose',
    title: 'database',
    home: () =>
      databaseIn(folder(), '.local/share/goose/sessions/sessions.db', [
        `create table sessions (id text, working_dir text, updated_at timestamp, input_tokens int, output_tokens int,
          accumulated_input_tokens int, accumulated_output_tokens int, model_config_json text)`,
        `insert into sessions values ('20261101_1', '/w', '2026-11-01 10:00:00', 10, 1, 1000, 30, '{"model_name":"gpt-5.5"}')`,
      ]),
    session: '20261101_1',
    project: '/w',
    model: 'gpt-5.5',
    tokens: [1000, 30, 0, 0],
    calls: 0,
  },
  {
    agent: 'crush',
    title: 'database',
    home: () => {
      const home = folder();
      databaseIn(home, 'w/.crush/crush.db', [
        'create table sessions (id text, parent_session_id text, prompt_tokens int, completion_tokens int, cost real, updated_at int)',
        `insert into sessions values ('c1', null, 1000, 30, 0.5, ${ms / 1000})`,
      ]);
      const projects = JSON.stringify({ projects: [{ path: join(home, 'w'), data_dir: join(home, 'w/.crush') }] });
      return homeWith({ '.local/share/crush/projects.json': projects }, home);
    },
    session: 'c1',
    tokens: [1000, 30, 0, 0],
    calls: 0,
  },
  {
    agent: 'copilot',
    title: 'events',
    home: () =>
      homeWith({
        '.copilot/session-state/s1/events.jsonl': [
          { type: 'session.start', id: 'e1', timestamp: at, data: { sessionId: 's1', context: { cwd: '/w' } } },
          {
            type: 'session.shutdown',
            id: 'e2',
            timestamp: at,
            data: {
              shutdownType: 'routine',
              modelMetrics: {
                'gpt-5.5': {
                  usage: { inputTokens: 1000, outputTokens: 30, cacheReadTokens: 800, cacheWriteTokens: 100 },
                },
              },
            },
          },
        ],
      }),
    session: 's1',
    project: '/w',
    model: 'gpt-5.5',
    tokens: [1000, 30, 800, 100],
    calls: 0,
  },
  {
    agent: 'kimi',
    title: 'Kimi Code',
    home: () =>
      homeWith({
        '.kimi-code/sessions/g1/s1/agents/main/wire.jsonl': [
          { type: 'metadata', protocol_version: '1.4' },
          {
            type: 'usage.record',
            model: 'kimi-code/kimi-k2.5',
            usageScope: 'turn',
            time: ms,
            usage: { inputOther: 100, output: 20, inputCacheRead: 800, inputCacheCreation: 0 },
          },
          {
            type: 'usage.record',
            model: 'kimi-code/kimi-k2.5',
            usageScope: 'session',
            time: ms,
            usage: { inputOther: 9000, output: 9000, inputCacheRead: 0, inputCacheCreation: 0 },
          },
        ],
        '.kimi-code/sessions/g1/s1/agents/agent-0/wire.jsonl': [
          {
            type: 'usage.record',
            model: 'kimi-code/kimi-k2.5',
            usageScope: 'turn',
            time: ms,
            usage: { inputOther: 50, output: 10, inputCacheRead: 0, inputCacheCreation: 0 },
          },
        ],
      }),
    session: 's1',
    model: 'kimi-k2.5',
    tokens: [950, 30, 800, 0],
    calls: 2,
  },
  {
    agent: 'grok',
    title: 'updates',
    home: () => {
      const turn = {
        inputTokens: 1000,
        outputTokens: 30,
        cachedReadTokens: 800,
        reasoningTokens: 10,
        costUsdTicks: 25_000_000,
      };
      const line = {
        timestamp: ms / 1000,
        method: '_x.ai/session/update',
        params: {
          sessionId: 's1',
          _meta: { eventId: 'e1', agentTimestampMs: ms },
          update: {
            sessionUpdate: 'turn_completed',
            prompt_id: 'p1',
            usage: { ...turn, modelUsage: { 'grok-4': turn } },
          },
        },
      };
      return homeWith({
        '.grok/sessions/%2Fw/s1/updates.jsonl': [
          {
            timestamp: ms / 1000,
            method: 'session/update',
            params: { sessionId: 's1', update: { sessionUpdate: 'agent_message_chunk' } },
          },
          line,
        ],
        // A session that was forked begins with the turns of the one before.
        '.grok/sessions/%2Fw/s2/updates.jsonl': [line],
      });
    },
    session: 's1',
    project: '/w',
    model: 'grok-4',
    tokens: [1000, 30, 800, 0],
    calls: 0,
    cost: 0.0025,
  },
  {
    agent: 'amp',
    title: 'thread',
    home: () =>
      homeWith({
        '.local/share/amp/threads/T-1.json': JSON.stringify({
          id: 'T-1',
          created: ms,
          env: { initial: { trees: [{ uri: 'file:///w' }] } },
          messages: [
            { role: 'user', content: [] },
            {
              role: 'assistant',
              usage: {
                model: 'claude-sonnet-4-5',
                timestamp: at,
                inputTokens: 100,
                outputTokens: 30,
                cacheReadInputTokens: 800,
                cacheCreationInputTokens: 200,
              },
            },
          ],
        }),
      }),
    session: 'T-1',
    project: '/w',
    model: 'claude-sonnet-4-5',
    tokens: [1100, 30, 800, 200],
    calls: 1,
  },
  {
    agent: 'droid',
    title: 'settings',
    home: () =>
      homeWith({
        '.factory/sessions/-w/d1.settings.json': JSON.stringify({
          model: 'gpt-5.5',
          tokenUsage: {
            inputTokens: 100,
            outputTokens: 20,
            thinkingTokens: 10,
            cacheReadTokens: 800,
            cacheCreationTokens: 200,
          },
        }),
      }),
    session: 'd1',
    project: '-w',
    model: 'gpt-5.5',
    tokens: [1100, 30, 800, 200],
    calls: 0,
  },
  {
    agent: 'kimi',
    title: 'wire log',
    home: () =>
      homeWith({
        '.kimi/sessions/g/k1/wire.jsonl': [
          { timestamp: ms / 1000, message: { type: 'TurnBegin', payload: { user_input: 'Go' } } },
          {
            timestamp: ms / 1000,
            message: {
              type: 'StatusUpdate',
              payload: {
                message_id: 'm1',
                token_usage: { input_other: 100, output: 30, input_cache_read: 800, input_cache_creation: 200 },
              },
            },
          },
        ],
      }),
    session: 'k1',
    tokens: [1100, 30, 800, 200],
    calls: 1,
  },
  ...['.jsonl', '.jsonl.deleted.2026-11-02T00-00-00.000Z'].map((ending): Store => ({
    agent: 'openclaw',
    title: ending,
    home: () =>
      homeWith({
        '.openclaw/agents/main/sessions/sessions.json': '{}',
        [`.openclaw/agents/main/sessions/o1${ending}`]: [
          { type: 'session', version: 3, timestamp: at, cwd: '/w' },
          {
            type: 'message',
            timestamp: at,
            message: {
              role: 'assistant',
              model: 'gpt-5.5',
              timestamp: ms,
              usage: {
                input: 100,
                output: 30,
                cacheRead: 800,
                cacheWrite: 200,
                totalTokens: 1130,
                cost: { total: 0.5 },
              },
            },
          },
        ],
      }),
    session: 'o1',
    project: '/w',
    model: 'gpt-5.5',
    tokens: [1100, 30, 800, 200],
    calls: 1,
  })),
  {
    agent: 'codebuddy',
    title: 'session',
    home: () =>
      homeWith({
        '.codebuddy/projects/-w/b1.jsonl': [
          { id: 't', type: 'topic', timestamp: ms, sessionId: 'b1', cwd: '/w' },
          ...['function_call', 'function_call'].map((type) => ({
            id: 'chatcmpl-1',
            type,
            timestamp: ms,
            sessionId: 'b1',
            cwd: '/w',
            providerData: {
              model: 'gpt-5.5',
              rawUsage: {
                prompt_tokens: 1100,
                completion_tokens: 30,
                cache_read_input_tokens: 800,
                cache_creation_input_tokens: 200,
              },
            },
          })),
        ],
      }),
    session: 'b1',
    project: '/w',
    model: 'gpt-5.5',
    tokens: [1100, 30, 800, 200],
    calls: 1,
  },
  {
    agent: 'hermes',
    title: 'database',
    home: () =>
      databaseIn(folder(), '.hermes/state.db', [
        `create table sessions (id text, model text, started_at real, input_tokens int, output_tokens int, cache_read_tokens int,
          cache_write_tokens int, reasoning_tokens int, estimated_cost_usd real, actual_cost_usd real)`,
        `insert into sessions values ('h1', 'gpt-5.5', ${ms / 1000}, 100, 20, 800, 200, 10, 0.5, 0)`,
      ]),
    session: 'h1',
    model: 'gpt-5.5',
    tokens: [1100, 30, 800, 200],
    calls: 0,
  },
];

describe.each(told)('$agent: $title', ({ agent, home, session, project, model, tokens, calls, cost }) => {
  it('is found, and counted as the agent counts', async () => {
    const { rows, incomplete } = await usageOf(home(), ['session']);
    expect(incomplete).toEqual([]);
    expect(
      rows.map((row) => ({
        agent: row.agent,
        session: row.group,
        calls: row.calls,
        model: row.models.map((each) => each.model),
        tokens: [row.input_tokens, row.output_tokens, row.cache_read_tokens, row.cache_write_tokens],
      })),
    ).toEqual([{ agent, session, calls, model: [model], tokens: [...tokens] }]);
    if (project !== undefined) expect(rows[0]?.project).toBe(project);
    if (cost !== undefined) expect(rows[0]?.cost).toBe(cost);
  });

  it('costs the same when nothing has to be read again', async () => {
    const place = home();
    const first = await usageOf(place);
    expect(await usageOf(place)).toEqual(first);
  });
});
