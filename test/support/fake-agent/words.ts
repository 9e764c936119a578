import { writeSync } from 'node:fs';

export const session = '0199a213-81c0-7800-8aa1-bbab2a035a53';
export const answer = 'All done.';

/** Straight to the file descriptor: what was said has been said when the process dies in the next moment. */
export function write(bytes: string | Uint8Array, stream: 1 | 2 = 1): void {
  const rest = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  for (let at = 0; at < rest.length;) at += writeSync(stream, rest, at);
}

export const line = (wire: object): string => `${JSON.stringify(wire)}\n`;
export const say = (...wires: object[]): void => write(wires.map(line).join(''));

/** The lines of `codex exec --json`. */
export const codex = {
  begin: [{ type: 'thread.started', thread_id: session }, { type: 'turn.started' }],
  text: (text: string, id = 'item_9') => ({ type: 'item.completed', item: { id, type: 'agent_message', text } }),
  command: (command: string, output: string, id = 'item_0') => ({
    type: 'item.completed',
    item: { id, type: 'command_execution', command, aggregated_output: output, exit_code: 0, status: 'completed' },
  }),
  running: (command: string, id = 'item_0') => ({
    type: 'item.started',
    item: { id, type: 'command_execution', command, aggregated_output: '', exit_code: null, status: 'in_progress' },
  }),
  end: (input = 100, output = 10) => ({
    type: 'turn.completed',
    usage: { input_tokens: input, cached_input_tokens: 0, output_tokens: output },
  }),
  error: (message: string) => ({ type: 'error', message }),
  fail: (message: string) => ({ type: 'turn.failed', error: { message } }),
};

export const goodRun: readonly object[] = [
  ...codex.begin,
  codex.command('ls', 'a.txt\n'),
  codex.text(answer),
  codex.end(),
];

let parts = 0;
const part = (type: string, rest: object): object => {
  parts += 1;
  return {
    type: type.replace('-', '_'),
    timestamp: 1_794_771_207_000 + parts,
    sessionID: 'ses_1',
    part: { id: `prt_${parts}`, messageID: 'msg_1', sessionID: 'ses_1', type, ...rest },
  };
};

/** The lines of `opencode run --format json`. */
export const opencode = {
  start: () => part('step-start', {}),
  text: (text: string) => part('text', { text }),
  finish: (reason: string, input = 100) =>
    part('step-finish', {
      reason,
      cost: 0.001,
      tokens: { input, output: 10, reasoning: 0, cache: { read: 0, write: 0 } },
    }),
  asked: (id: string) => ({
    type: 'permission.asked',
    properties: { id, sessionID: 'ses_1', permission: 'bash', patterns: ['rm -rf build'], metadata: {}, always: [] },
  }),
};

const streamed = (event: object): object => ({
  type: 'stream_event',
  event,
  session_id: session,
  parent_tool_use_id: null,
  uuid: 'u-1',
});

/** The lines of `claude --print --output-format stream-json --include-partial-messages`. */
export const claude = {
  begin: {
    type: 'system',
    subtype: 'init',
    session_id: session,
    model: 'claude-fake',
    cwd: '/',
    tools: [],
    permissionMode: 'default',
  },
  deltas: (...pieces: string[]): object[] => [
    streamed({
      type: 'message_start',
      message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-fake', content: [], usage: {} },
    }),
    streamed({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ...pieces.map((text) => streamed({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    streamed({ type: 'content_block_stop', index: 0 }),
    streamed({ type: 'message_stop' }),
  ],
  text: (text: string) => ({
    type: 'assistant',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-fake',
      content: [{ type: 'text', text }],
      usage: {},
    },
    session_id: session,
    parent_tool_use_id: null,
    uuid: 'u-2',
  }),
  asked: {
    type: 'control_request',
    request_id: 'req_1',
    request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'rm -rf build' }, tool_use_id: 'toolu_1' },
  },
  end: (result: string) => ({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result,
    session_id: session,
    num_turns: 1,
    duration_ms: 10,
    duration_api_ms: 5,
    total_cost_usd: 0.01,
    usage: { input_tokens: 100, output_tokens: 10 },
    permission_denials: [],
    uuid: 'u-3',
  }),
};
