type Wire = Record<string, unknown>;

const session_id = 's-1';
const timestamp = '2026-11-15T10:00:00.000Z';
const text = (words: string): Wire => ({ type: 'text', text: words });

const piece = (role: string, id: string | null, ...content: Wire[]): Wire => ({
  type: 'message',
  message: { id, role, created: 1_700_000_000, content },
});
const goose: Wire[] = [
  piece('user', null, text('List it.')),
  piece('assistant', 'm1', text('I look.')),
  piece('assistant', 'm1', {
    type: 'toolRequest',
    id: 't1',
    toolCall: { status: 'success', value: { name: 'shell', arguments: {} } },
  }),
  piece('user', null, {
    type: 'toolResponse',
    id: 't1',
    toolResult: { status: 'success', value: { content: [text('a')], isError: false } },
  }),
  piece('assistant', 'm2', text('One file.')),
  { type: 'complete', total_tokens: 1234 },
];

const said = (role: string, words: string): Wire => ({
  type: role,
  message: { role, content: [text(words)] },
  session_id,
});
const shell = { args: { command: 'ls' } };
const cursor: Wire[] = [
  {
    type: 'system',
    subtype: 'init',
    apiKeySource: 'env',
    cwd: '/w',
    session_id,
    model: 'm',
    permissionMode: 'default',
  },
  said('user', 'List it.'),
  said('assistant', 'I look.'),
  { type: 'tool_call', subtype: 'started', call_id: 't1', tool_call: { shellToolCall: shell }, session_id },
  {
    type: 'tool_call',
    subtype: 'completed',
    call_id: 't1',
    tool_call: { shellToolCall: { ...shell, result: { success: { stdout: 'a', stderr: '', exitCode: 0 } } } },
    session_id,
  },
  said('assistant', 'One file.'),
  {
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: 9,
    duration_api_ms: 8,
    result: 'One file.',
    session_id,
    request_id: 'r',
  },
];

const thread = { session_id: 'T-1', parent_tool_use_id: null };
const amp: Wire[] = [
  { type: 'system', subtype: 'init', session_id: 'T-1', cwd: '/w', tools: ['Bash'], mcp_servers: [] },
  { type: 'user', ...thread, message: { role: 'user', content: [text('List it.')] } },
  {
    type: 'assistant',
    ...thread,
    message: {
      id: 'm1',
      role: 'assistant',
      content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }],
      stop_reason: 'tool_use',
    },
  },
  {
    type: 'user',
    ...thread,
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'a', is_error: false }] },
  },
  {
    type: 'assistant',
    ...thread,
    message: { id: 'm2', role: 'assistant', content: [text('One file.')], stop_reason: 'end_turn' },
  },
  {
    type: 'result',
    session_id: 'T-1',
    duration_ms: 9,
    num_turns: 2,
    subtype: 'success',
    is_error: false,
    result: 'One file.',
  },
];

const droid: Wire[] = [
  { type: 'system', subtype: 'init', session_id, cwd: '/w', tools: ['Read'], model: 'm' },
  { type: 'message', role: 'user', id: 'u1', text: 'List it.', session_id },
  { type: 'message', role: 'assistant', id: 'm1', text: 'I look.', session_id },
  { type: 'tool_call', id: 't1', messageId: 'm1', toolId: 'LS', toolName: 'LS', parameters: {}, session_id },
  { type: 'tool_result', id: 't1', messageId: 'm2', toolId: 'LS', isError: false, value: 'a', session_id },
  { type: 'message', role: 'assistant', id: 'm3', text: 'One file.', session_id },
  { type: 'completion', finalText: 'One file.', numTurns: 2, durationMs: 9, session_id },
];

const step = (step_index: number, step_type: string, state: string, fields: Wire): Wire => ({
  event: 'step_update',
  step_update: { conversation_id: session_id, step_index, state, step_type, ...fields },
});
const listing = { name: 'run_command', parameters: { CommandLine: 'ls' } };
const antigravity: Wire[] = [
  { event: 'init', conversation_id: session_id, init: { cwd: '/w', model: 'm' } },
  step(0, 'user_input', 'DONE', { text_delta: 'List it.' }),
  step(1, 'agent_response', 'DONE', { text_delta: 'I look.' }),
  step(2, 'tool', 'ACTIVE', { tool_name: 'run_command', tool_info: listing }),
  step(2, 'tool', 'DONE', { tool_name: 'run_command', tool_info: { ...listing, output: 'a' } }),
  step(3, 'agent_response', 'DONE', { text_delta: 'One file.' }),
  {
    event: 'result',
    result: {
      conversation_id: session_id,
      status: 'SUCCESS',
      response: 'One file.',
      duration_seconds: 1,
      num_turns: 1,
    },
  },
];

const sweAgent: Wire[] = [
  {
    trajectory: [
      { thought: 'I look.', action: 'ls', observation: 'a' },
      { thought: 'One file.', action: 'submit', observation: 'diff' },
    ],
    history: [{ role: 'user', content: 'List it.' }],
    info: { exit_status: 'submitted', submission: 'diff', model_stats: { tokens_sent: 9, tokens_received: 3 } },
  },
];

const event = (type: string, data: Wire): Wire => ({ type, data, id: 'e', parentId: null, timestamp });
const copilot: Wire[] = [
  event('session.start', { sessionId: session_id, copilotVersion: '1', selectedModel: 'm', context: { cwd: '/w' } }),
  event('user.message', { content: 'List it.' }),
  event('assistant.turn_start', { turnId: '0' }),
  event('assistant.message', {
    messageId: 'm1',
    content: 'I look.',
    toolRequests: [{ toolCallId: 't1', name: 'view', arguments: {} }],
  }),
  event('tool.execution_start', { toolCallId: 't1', toolName: 'view', arguments: {} }),
  event('tool.execution_complete', { toolCallId: 't1', success: true, result: { content: 'a' } }),
  event('assistant.turn_end', { turnId: '0' }),
  event('assistant.turn_start', { turnId: '1' }),
  event('assistant.message', { messageId: 'm2', content: 'One file.' }),
  event('assistant.turn_end', { turnId: '1' }),
  { type: 'result', timestamp, sessionId: session_id, exitCode: 0, usage: { premiumRequests: 1 } },
];

const acpUpdate = (update: Wire): Wire => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId: session_id, update },
});
const acp: Wire[] = [
  { jsonrpc: '2.0', id: 1, method: 'session/new', params: { cwd: '/w', mcpServers: [] } },
  { jsonrpc: '2.0', id: 1, result: { sessionId: session_id } },
  { jsonrpc: '2.0', id: 2, method: 'session/prompt', params: { sessionId: session_id, prompt: [text('List it.')] } },
  acpUpdate({ sessionUpdate: 'agent_message_chunk', content: text('I look.') }),
  acpUpdate({
    sessionUpdate: 'tool_call',
    toolCallId: 't1',
    title: 'ls',
    kind: 'execute',
    status: 'pending',
    rawInput: { command: 'ls' },
  }),
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'session/request_permission',
    params: {
      sessionId: session_id,
      toolCall: { toolCallId: 't1' },
      options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
    },
  },
  { jsonrpc: '2.0', id: 1, result: { outcome: { outcome: 'selected', optionId: 'yes' } } },
  acpUpdate({
    sessionUpdate: 'tool_call_update',
    toolCallId: 't1',
    status: 'completed',
    content: [{ type: 'content', content: text('a') }],
  }),
  acpUpdate({ sessionUpdate: 'agent_message_chunk', content: text('One file.') }),
  { jsonrpc: '2.0', id: 2, result: { stopReason: 'end_turn' } },
];

/** The smallest whole runs of dialects that there are no recordings of. */
const kimi: Wire[] = [
  {
    role: 'assistant',
    content: 'I look.',
    tool_calls: [{ type: 'function', id: 't1', function: { name: 'Shell', arguments: '{"command":"ls"}' } }],
  },
  { role: 'tool', content: 'a', tool_call_id: 't1' },
  { role: 'assistant', content: 'One file.' },
];

const openhandsEvent = (kind: string, source: string, fields: Wire): Wire => ({
  kind,
  id: `${kind} of ${source}`,
  timestamp: '2026-11-15T10:00:00.000000',
  source,
  ...fields,
});
const openhands: Wire[] = [
  openhandsEvent('MessageEvent', 'user', { llm_message: { role: 'user', content: [text('List it.')] } }),
  openhandsEvent('ActionEvent', 'agent', {
    thought: [text('I look.')],
    action: { kind: 'TerminalAction', command: 'ls' },
    tool_name: 'terminal',
    tool_call_id: 't1',
    tool_call: { id: 't1', name: 'terminal', arguments: '{}' },
    llm_response_id: 'r1',
  }),
  openhandsEvent('ObservationEvent', 'environment', {
    observation: { kind: 'TerminalObservation', content: [text('a')], is_error: false, exit_code: 0 },
    action_id: 'x',
    tool_name: 'terminal',
    tool_call_id: 't1',
  }),
  openhandsEvent('MessageEvent', 'agent', { llm_message: { role: 'assistant', content: [text('One file.')] } }),
];

export const handWritten = {
  goose,
  cursor,
  amp,
  droid,
  antigravity,
  copilot,
  acp,
  kimi,
  openhands,
  'swe-agent': sweAgent,
};
