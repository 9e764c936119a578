/** One model call. The input is `fresh` + `read` + `write` + `hour`. */
export interface Call {
  fresh: number;
  output: number;
  /** Read from the cache. */
  read?: number;
  /** Written to the cache for five minutes. */
  write?: number;
  /** Written to the cache for an hour. */
  hour?: number;
  searches?: number;
  tier?: string;
  /** Anthropic: `fast`, at several times the price. */
  speed?: string;
  /** Anthropic: where the model ran. */
  place?: string;
  /** Default: the model of the stream. */
  model?: string;
  /** Claude: of a sub-agent, whose call has this id. */
  parent?: string;
}

type Line = Record<string, unknown>;
/** A stream in which an agent reports these calls, and no cost. */
export type Stream = (model: string, calls: readonly Call[]) => Line[];

const input = ({ fresh, read = 0, write = 0, hour = 0 }: Call): number => fresh + read + write + hour;
const sum = (calls: readonly Call[], of: (call: Call) => number): number =>
  calls.reduce((total, call) => total + of(call), 0);
const inputOf = (calls: readonly Call[]): number => sum(calls, input);
const readOf = (calls: readonly Call[]): number => sum(calls, ({ read = 0 }) => read);
const writeOf = (calls: readonly Call[]): number => sum(calls, ({ write = 0, hour = 0 }) => write + hour);
const outputOf = (calls: readonly Call[]): number => sum(calls, ({ output }) => output);
const at = (second: number): string => new Date(Date.UTC(2026, 10, 1, 10, 0, second)).toISOString();

const claudeUsage = (call: Call) => ({
  input_tokens: call.fresh,
  cache_creation_input_tokens: (call.write ?? 0) + (call.hour ?? 0),
  cache_read_input_tokens: call.read ?? 0,
  cache_creation: { ephemeral_5m_input_tokens: call.write ?? 0, ephemeral_1h_input_tokens: call.hour ?? 0 },
  output_tokens: call.output,
  service_tier: call.tier ?? 'standard',
  ...(call.speed === undefined ? {} : { speed: call.speed }),
  ...(call.place === undefined ? {} : { inference_geo: call.place }),
  ...(call.searches === undefined ? {} : { server_tool_use: { web_search_requests: call.searches } }),
});
const claudeMessage = (model: string, call: Call, index: number) => ({
  id: `msg_${index}`,
  type: 'message',
  role: 'assistant',
  model: call.model ?? model,
  content: [{ type: 'text', text: `Part ${index}.` }],
  stop_reason: 'end_turn',
  usage: claudeUsage(call),
});
const claudeInit = (model: string): Line => ({
  type: 'system',
  subtype: 'init',
  session_id: 's-claude',
  cwd: '/w',
  tools: [],
  model,
  claude_code_version: '2.1.63',
});
const claudeEnd = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  duration_ms: 9,
  duration_api_ms: 9,
  num_turns: 1,
  result: 'Done.',
  session_id: 's-claude',
};
const claudeLines: Stream = (model, calls) => [
  claudeInit(model),
  ...calls.map((call, index) => ({
    type: 'assistant',
    session_id: 's-claude',
    parent_tool_use_id: call.parent ?? null,
    message: claudeMessage(model, call, index),
  })),
];
function claudeModelUsage(model: string, calls: readonly Call[]): Line {
  const models = Map.groupBy(calls, (call) => call.model ?? model);
  return Object.fromEntries(
    [...models].map(([name, own]) => [
      name,
      {
        inputTokens: sum(own, ({ fresh }) => fresh),
        outputTokens: outputOf(own),
        cacheReadInputTokens: readOf(own),
        cacheCreationInputTokens: writeOf(own),
        webSearchRequests: sum(own, ({ searches = 0 }) => searches),
        costUSD: 0,
      },
    ]),
  );
}
/** The main loop alone: sub-agents are not in it. */
function claudeTotal(all: readonly Call[]): Line {
  const calls = all.filter(({ parent }) => parent === undefined);
  return {
    input_tokens: sum(calls, ({ fresh }) => fresh),
    cache_creation_input_tokens: writeOf(calls),
    cache_read_input_tokens: readOf(calls),
    output_tokens: outputOf(calls),
  };
}

const codexCounts = (calls: readonly Call[]): Line => ({
  input_tokens: inputOf(calls),
  cached_input_tokens: readOf(calls),
  output_tokens: outputOf(calls),
  reasoning_output_tokens: 0,
  total_tokens: inputOf(calls) + outputOf(calls),
});
const rollout = (second: number, type: string, payload: Line): Line => ({ timestamp: at(second), type, payload });

const openCodeTokens = (call: Call) => ({
  total: input(call) + call.output,
  input: call.fresh,
  output: call.output,
  reasoning: 0,
  cache: { read: call.read ?? 0, write: call.write ?? 0 },
});
const steps: Stream = (_model, calls) =>
  calls.flatMap((call, index) => [
    {
      type: 'step_start',
      timestamp: 1793527200000 + index,
      sessionID: 'ses_1',
      part: { id: `a${index}`, messageID: `m${index}`, sessionID: 'ses_1', type: 'step-start' },
    },
    {
      type: 'text',
      timestamp: 1793527200000 + index,
      sessionID: 'ses_1',
      part: {
        id: `b${index}`,
        messageID: `m${index}`,
        sessionID: 'ses_1',
        type: 'text',
        text: `Part ${index}.`,
        time: { start: 1, end: 2 },
      },
    },
    {
      type: 'step_finish',
      timestamp: 1793527200000 + index,
      sessionID: 'ses_1',
      part: {
        id: `c${index}`,
        messageID: `m${index}`,
        sessionID: 'ses_1',
        type: 'step-finish',
        reason: index === calls.length - 1 ? 'stop' : 'tool-calls',
        tokens: openCodeTokens(call),
        cost: 0,
      },
    },
  ]);
const piMessage = (model: string, call: Call, index: number) => ({
  role: 'assistant',
  content: [{ type: 'text', text: `Part ${index}.` }],
  api: 'x',
  provider: 'x',
  model: call.model ?? model,
  usage: {
    input: call.fresh,
    output: call.output,
    cacheRead: call.read ?? 0,
    cacheWrite: call.write ?? 0,
    totalTokens: input(call) + call.output,
    cost: { total: 0 },
  },
  stopReason: 'stop',
  timestamp: Date.parse(at(index)),
});
const piSession = { type: 'session', version: 3, id: 's-pi', timestamp: at(0), cwd: '/w' };

const acpUpdate = (update: Line): Line => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId: 's-acp', update },
});
const acpBeginning = (model: string): Line[] => [
  { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } },
  {
    jsonrpc: '2.0',
    id: 1,
    result: { protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: 'x', version: '1' } },
  },
  { jsonrpc: '2.0', id: 2, method: 'session/new', params: { cwd: '/w', mcpServers: [] } },
  { jsonrpc: '2.0', id: 2, result: { sessionId: 's-acp', models: { currentModelId: model, availableModels: [] } } },
  {
    jsonrpc: '2.0',
    id: 3,
    method: 'session/prompt',
    params: { sessionId: 's-acp', prompt: [{ type: 'text', text: 'Do it' }] },
  },
];

/** What a stream is read as, and the wire; `tells`: whether each call is on it, or only a total. */
export const streams = {
  'claude stream': {
    dialect: 'claude',
    tells: 'calls',
    wire: (model, calls) => [
      ...claudeLines(model, calls),
      { ...claudeEnd, usage: claudeTotal(calls), modelUsage: claudeModelUsage(model, calls) },
    ],
  },
  'claude stream without modelUsage': {
    dialect: 'claude',
    tells: 'calls',
    wire: (model, calls) => [...claudeLines(model, calls), { ...claudeEnd, usage: claudeTotal(calls) }],
  },
  'claude stream that was cut off': { dialect: 'claude', tells: 'calls', wire: claudeLines },
  'claude result alone': {
    dialect: 'claude',
    tells: 'total',
    wire: (model, calls) => [{ ...claudeEnd, usage: claudeTotal(calls), modelUsage: claudeModelUsage(model, calls) }],
  },
  'claude partial messages': {
    dialect: 'claude',
    tells: 'calls',
    wire: (model, calls) => [
      claudeInit(model),
      ...calls.flatMap((call, index) => {
        const message = claudeMessage(model, call, index);
        const event = (told: Line): Line => ({
          type: 'stream_event',
          session_id: 's-claude',
          parent_tool_use_id: null,
          event: told,
        });
        return [
          event({
            type: 'message_start',
            message: { ...message, content: [], usage: { ...message.usage, output_tokens: 1 } },
          }),
          {
            type: 'assistant',
            session_id: 's-claude',
            parent_tool_use_id: null,
            message: { ...message, usage: { ...message.usage, output_tokens: 1 } },
          },
          event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: call.output } }),
        ];
      }),
    ],
  },
  'claude session': {
    dialect: 'claude',
    tells: 'calls',
    wire: (model, calls) => [
      {
        type: 'user',
        sessionId: 's-claude',
        uuid: 'u',
        parentUuid: null,
        isSidechain: false,
        version: '2.1.63',
        cwd: '/w',
        timestamp: at(0),
        message: { role: 'user', content: 'Do it' },
      },
      ...calls.map((call, index) => ({
        type: 'assistant',
        sessionId: 's-claude',
        uuid: `a${index}`,
        parentUuid: 'u',
        isSidechain: false,
        version: '2.1.63',
        cwd: '/w',
        timestamp: at(index + 1),
        requestId: `req_${index}`,
        message: claudeMessage(model, call, index),
      })),
    ],
  },
  'codex exec': {
    dialect: 'codex',
    tells: 'total',
    wire: (_model, calls) => [
      { type: 'thread.started', thread_id: 's-codex' },
      { type: 'turn.started' },
      { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'Done.' } },
      { type: 'turn.completed', usage: codexCounts(calls) },
    ],
  },
  'codex session': {
    dialect: 'codex',
    tells: 'calls',
    wire: (model, calls) => [
      rollout(0, 'session_meta', { id: 's-codex', cwd: '/w', cli_version: '0.166.0' }),
      rollout(0, 'event_msg', { type: 'task_started' }),
      ...calls.flatMap((call, index) => [
        rollout(index, 'turn_context', { model: call.model ?? model }),
        rollout(index, 'response_item', {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: `Part ${index}.` }],
        }),
        rollout(index, 'event_msg', {
          type: 'token_count',
          info: { total_token_usage: codexCounts(calls.slice(0, index + 1)), last_token_usage: codexCounts([call]) },
        }),
      ]),
      rollout(99, 'event_msg', { type: 'task_complete', last_agent_message: 'Done.' }),
    ],
  },
  'gemini stream': {
    dialect: 'gemini',
    tells: 'total',
    wire: (model, calls) => [
      { type: 'init', timestamp: at(0), session_id: 's-gemini', model },
      { type: 'message', timestamp: at(1), role: 'assistant', content: 'Done.', delta: true },
      {
        type: 'result',
        timestamp: at(2),
        status: 'success',
        stats: {
          total_tokens: inputOf(calls) + outputOf(calls),
          input_tokens: inputOf(calls),
          output_tokens: outputOf(calls),
          cached: readOf(calls),
          duration_ms: 9,
          tool_calls: 0,
          models: {
            [model]: {
              total_tokens: inputOf(calls) + outputOf(calls),
              input_tokens: inputOf(calls),
              output_tokens: outputOf(calls),
              cached: readOf(calls),
            },
          },
        },
      },
    ],
  },
  'qwen stream': {
    dialect: 'qwen',
    tells: 'calls',
    wire: (model, calls) => [
      {
        type: 'system',
        subtype: 'init',
        uuid: 'u',
        session_id: 's-qwen',
        cwd: '/w',
        tools: [],
        model,
        permission_mode: 'yolo',
        qwen_code_version: '0.24.4',
      },
      ...calls.map((call, index) => ({
        type: 'assistant',
        uuid: `m${index}`,
        session_id: 's-qwen',
        parent_tool_use_id: null,
        message: {
          id: `m${index}`,
          type: 'message',
          role: 'assistant',
          model: call.model ?? model,
          content: [{ type: 'text', text: `Part ${index}.` }],
          stop_reason: null,
          usage: {
            input_tokens: input(call),
            output_tokens: call.output,
            cache_read_input_tokens: call.read ?? 0,
            total_tokens: input(call) + call.output,
          },
        },
      })),
      {
        type: 'result',
        subtype: 'success',
        uuid: 'r',
        session_id: 's-qwen',
        is_error: false,
        duration_ms: 9,
        duration_api_ms: 9,
        num_turns: 1,
        result: 'Done.',
        usage: {
          input_tokens: inputOf(calls),
          output_tokens: outputOf(calls),
          cache_read_input_tokens: readOf(calls),
          total_tokens: inputOf(calls) + outputOf(calls),
        },
        permission_denials: [],
      },
    ],
  },
  'qwen session': {
    dialect: 'qwen',
    tells: 'calls',
    wire: (model, calls) => [
      {
        uuid: 'u',
        parentUuid: null,
        sessionId: 's-qwen',
        timestamp: at(0),
        type: 'user',
        cwd: '/w',
        version: '0.24.4',
        message: { role: 'user', parts: [{ text: 'Do it' }] },
      },
      ...calls.map((call, index) => ({
        uuid: `a${index}`,
        parentUuid: 'u',
        sessionId: 's-qwen',
        timestamp: at(index + 1),
        type: 'assistant',
        cwd: '/w',
        version: '0.24.4',
        model: call.model ?? model,
        message: { role: 'model', parts: [{ text: `Part ${index}.` }] },
        usageMetadata: {
          promptTokenCount: input(call),
          candidatesTokenCount: call.output,
          cachedContentTokenCount: call.read ?? 0,
          totalTokenCount: input(call) + call.output,
        },
      })),
    ],
  },
  cline: {
    dialect: 'cline',
    tells: 'calls',
    wire: (model, calls) => [
      {
        ts: at(0),
        type: 'hook_event',
        hookEventName: 'agent_start',
        agentId: 'a',
        taskId: 's-cline',
        parentAgentId: null,
      },
      ...calls.map((call, index) => ({
        ts: at(index),
        type: 'agent_event',
        event: {
          type: 'usage',
          inputTokens: input(call),
          outputTokens: call.output,
          cacheReadTokens: call.read ?? 0,
          totalCost: 0,
        },
      })),
      { ts: at(98), type: 'agent_event', event: { type: 'done', reason: 'completed', text: 'Done.', iterations: 1 } },
      {
        ts: at(99),
        type: 'run_result',
        finishReason: 'completed',
        iterations: 1,
        usage: {
          inputTokens: inputOf(calls),
          outputTokens: outputOf(calls),
          cacheReadTokens: readOf(calls),
          cacheWriteTokens: 0,
          totalCost: 0,
        },
        durationMs: 9,
        text: 'Done.',
        model: { id: model, provider: 'x' },
      },
    ],
  },
  'pi stream': {
    dialect: 'pi',
    tells: 'calls',
    wire: (model, calls) => [
      piSession,
      { type: 'agent_start' },
      ...calls.flatMap((call, index) => [
        { type: 'turn_start' },
        { type: 'message_end', message: piMessage(model, call, index) },
        { type: 'turn_end', message: piMessage(model, call, index), toolResults: [] },
      ]),
      { type: 'agent_end', messages: [] },
    ],
  },
  'pi session': {
    dialect: 'pi',
    tells: 'calls',
    wire: (model, calls) => [
      piSession,
      ...calls.map((call, index) => ({
        type: 'message',
        id: `m${index}`,
        parentId: null,
        timestamp: at(index),
        message: piMessage(model, call, index),
      })),
    ],
  },
  opencode: { dialect: 'opencode', tells: 'calls', wire: steps },
  kilo: { dialect: 'kilo', tells: 'calls', wire: steps },
  copilot: {
    dialect: 'copilot',
    tells: 'calls',
    wire: (model, calls) => {
      const event = (index: number, type: string, data: Line): Line => ({
        id: `e${type}${index}`,
        parentId: null,
        timestamp: at(index),
        type,
        data,
      });
      return [
        event(0, 'session.start', { sessionId: 's-copilot', selectedModel: model }),
        ...calls.flatMap((call, index) => [
          event(index, 'assistant.turn_start', { turnId: String(index) }),
          event(index, 'assistant.message', { messageId: `m${index}`, content: `Part ${index}.` }),
          event(index, 'assistant.usage', {
            model: call.model ?? model,
            inputTokens: input(call),
            outputTokens: call.output,
            cacheReadTokens: call.read ?? 0,
            cost: 1,
          }),
          event(index, 'assistant.turn_end', { turnId: String(index) }),
        ]),
        { type: 'result', timestamp: at(99), sessionId: 's-copilot', exitCode: 0, usage: { sessionDurationMs: 9 } },
      ];
    },
  },
  goose: {
    dialect: 'goose',
    tells: 'total',
    wire: (_model, calls) => [
      {
        type: 'message',
        message: { id: 'm', role: 'assistant', created: 1793527200, content: [{ type: 'text', text: 'Done.' }] },
      },
      {
        type: 'complete',
        total_tokens: inputOf(calls) + outputOf(calls),
        input_tokens: inputOf(calls),
        output_tokens: outputOf(calls),
        cache_read_input_tokens: readOf(calls),
      },
    ],
  },
  droid: {
    dialect: 'droid',
    tells: 'total',
    wire: (model, calls) => [
      { type: 'system', subtype: 'init', session_id: 's-droid', cwd: '/w', tools: [], model, reasoning_effort: 'none' },
      { type: 'message', role: 'assistant', id: 'm', text: 'Done.', session_id: 's-droid' },
      {
        type: 'completion',
        finalText: 'Done.',
        numTurns: 1,
        durationMs: 9,
        session_id: 's-droid',
        usage: claudeTotal(calls),
      },
    ],
  },
  amp: {
    dialect: 'amp',
    tells: 'calls',
    wire: (model, calls) => [
      { type: 'system', subtype: 'init', session_id: 'T-1', cwd: '/w', tools: [] },
      ...calls.map((call, index) => ({
        type: 'assistant',
        session_id: 'T-1',
        parent_tool_use_id: null,
        message: claudeMessage(model, call, index),
      })),
      {
        type: 'result',
        subtype: 'success',
        is_error: false,
        duration_ms: 9,
        num_turns: 1,
        result: 'Done.',
        session_id: 'T-1',
        usage: claudeTotal(calls),
      },
    ],
  },
  cursor: {
    dialect: 'cursor',
    tells: 'total',
    wire: (model, calls) => [
      {
        type: 'system',
        subtype: 'init',
        apiKeySource: 'env',
        cwd: '/w',
        session_id: 's-cursor',
        model,
        permissionMode: 'default',
      },
      {
        type: 'assistant',
        message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
        session_id: 's-cursor',
      },
      {
        type: 'result',
        subtype: 'success',
        duration_ms: 9,
        duration_api_ms: 9,
        is_error: false,
        result: 'Done.',
        session_id: 's-cursor',
        request_id: 'r',
        usage: {
          inputTokens: sum(calls, ({ fresh }) => fresh),
          outputTokens: outputOf(calls),
          cacheReadTokens: readOf(calls),
          cacheWriteTokens: 0,
        },
      },
    ],
  },
  atif: {
    dialect: 'atif',
    tells: 'calls',
    wire: (model, calls) => [
      {
        schema_version: 'ATIF-v1.4',
        session_id: 's-atif',
        agent: { name: 'x', version: '1', model_name: model },
        steps: [
          { step_id: 1, source: 'user', message: 'Do it' },
          ...calls.map((call, index) => ({
            step_id: index + 2,
            source: 'agent',
            model_name: call.model ?? model,
            message: `Part ${index}.`,
            metrics: { prompt_tokens: input(call), completion_tokens: call.output, cached_tokens: call.read ?? 0 },
          })),
        ],
        final_metrics: {
          total_prompt_tokens: inputOf(calls),
          total_completion_tokens: outputOf(calls),
          total_cached_tokens: readOf(calls),
        },
      },
    ],
  },
  'acp, a total': {
    dialect: 'acp',
    tells: 'total',
    wire: (model, calls) => [
      ...acpBeginning(model),
      acpUpdate({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Done.' } }),
      {
        jsonrpc: '2.0',
        id: 3,
        result: {
          stopReason: 'end_turn',
          usage: {
            inputTokens: inputOf(calls),
            outputTokens: outputOf(calls),
            cachedReadTokens: readOf(calls),
            totalTokens: inputOf(calls) + outputOf(calls),
          },
        },
      },
    ],
  },
  'acp, each call': {
    dialect: 'acp',
    tells: 'calls',
    wire: (model, calls) => [
      ...acpBeginning(model),
      ...calls.map((call, index) =>
        acpUpdate({
          sessionUpdate: 'agent_message_chunk',
          content: { type: 'text', text: `Part ${index}.` },
          _meta: {
            usage: {
              inputTokens: input(call),
              outputTokens: call.output,
              cachedReadTokens: call.read ?? 0,
              totalTokens: input(call) + call.output,
            },
          },
        }),
      ),
      { jsonrpc: '2.0', id: 3, result: { stopReason: 'end_turn' } },
    ],
  },
  'dev-agent, a report of ours': {
    dialect: 'dev-agent',
    tells: 'total',
    wire: (model, calls) => {
      const metrics = {
        input_tokens: inputOf(calls),
        output_tokens: outputOf(calls),
        cache_read_tokens: readOf(calls),
        cost_source: 'unknown',
        model_name: model,
      };
      const report = { status: 'completed', is_finished: true, summary: 'Done.', message: 'Done.', metrics };
      return [
        { type: 'thread.started', task: 'Do it' },
        { type: 'turn.started', turn_id: 'turn_1', iteration: 1, message_count: 1, tool_count: 1 },
        { type: 'assistant.message', turn_id: 'turn_1', preview: 'Done.', tool_call_count: 0 },
        { type: 'turn.completed', turn_id: 'turn_1', iteration: 1, tool_call_count: 0, has_final_report: true },
        {
          type: 'thread.completed',
          status: 'completed',
          summary: 'Done.',
          duration_ms: 9,
          final_report: { ...report, verdict: { class: 'success', exit_code: 0, evidence: [] } },
        },
      ].map((line, index) => ({ ...line, timestamp: at(index), sequence: index + 1, thread_id: 't' }));
    },
  },
  'the tape of the built-in agent': {
    dialect: 'runwire',
    tells: 'calls',
    wire: (model, calls) => {
      const record = (index: number, event: Line): Line => ({
        ...event,
        sequence: index + 1,
        timestamp: at(index),
        thread_id: 't',
        source: 'agent',
        synthetic: false,
      });
      return [
        { type: 'thread.started', agent: 'runwire', model },
        ...calls.flatMap((call, index) => [
          { type: 'turn.started', turn_id: `turn_${index}`, iteration: index + 1 },
          {
            type: 'usage.reported',
            scope: 'step',
            model: call.model ?? model,
            input_tokens: input(call),
            output_tokens: call.output,
            cache_read_tokens: call.read ?? 0,
            cache_write_tokens: (call.write ?? 0) + (call.hour ?? 0),
            ...(call.hour === undefined ? {} : { cache_write_1h_tokens: call.hour }),
            ...(call.searches === undefined ? {} : { web_searches: call.searches }),
            ...(call.tier === undefined ? {} : { service_tier: call.tier }),
          },
          {
            type: 'text.completed',
            turn_id: `turn_${index}`,
            message_id: `m${index}`,
            block_id: `b${index}`,
            text: `Part ${index}.`,
          },
          {
            type: 'turn.completed',
            turn_id: `turn_${index}`,
            iteration: index + 1,
            tool_call_count: 0,
            has_final_report: false,
            finish_reason: 'stop',
          },
        ]),
        { type: 'agent.finished', status: 'ok' },
      ].map((event, index) => record(index, event));
    },
  },
} as const satisfies Record<string, { dialect: string; tells: 'calls' | 'total'; wire: Stream }>;

export type StreamName = keyof typeof streams;

export function textOf(name: StreamName, model: string, calls: readonly Call[]): string {
  return streams[name]
    .wire(model, calls)
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}
