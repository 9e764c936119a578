import type { Dialect, Encoder, EncoderSink, Variant } from '../../src/dialects/dialect.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';
import { dialects, findDialect, readable } from '../../src/dialects/registry.ts';
import type { EventOf, EventRecord } from '../../src/events/event.ts';

// Lines that look like those of agents which Runwire reads and does not write, as simple as a decoder needs them.

type Saying = (record: EventRecord) => JsonObject | undefined;

const session = 'T-0001';
const at = Date.parse('2026-11-15T10:00:00.000Z');
const timestamp = new Date(at).toISOString();

/** What a call was, for formats that tell it only when it ends. */
class Calls {
  readonly #open = new Map<string, EventOf<'item.started'>>();

  started(event: EventOf<'item.started'>): void {
    this.#open.set(event.item_id, event);
  }

  ended({ item_id }: EventOf<'item.completed'>): EventOf<'item.started'> | undefined {
    const start = this.#open.get(item_id);
    this.#open.delete(item_id);
    return start;
  }
}

function goose(): Saying {
  const message = (role: string, id: string | null, content: JsonObject): JsonObject => ({
    type: 'message',
    message: { id, role, created: at / 1000, content: [content], metadata: { userVisible: true, agentVisible: true } },
  });
  return (record) => {
    switch (record.type) {
      case 'prompt.submitted':
        return message('user', null, { type: 'text', text: record.text });
      case 'text.delta':
        return message('assistant', record.message_id, { type: 'text', text: record.text });
      case 'reasoning.delta':
        return message('assistant', record.message_id, { type: 'thinking', thinking: record.text, signature: '' });
      case 'item.started':
        return message('assistant', `message_of_${record.turn_id}`, {
          type: 'toolRequest',
          id: record.item_id,
          toolCall: { status: 'success', value: { name: 'developer__shell', arguments: record.args as Json } },
        });
      case 'item.output':
        return { type: 'notification', extension_id: 'developer', log: { message: record.chunk } };
      case 'item.completed': {
        const value = { content: [{ type: 'text', text: textOf(record.output) }], isError: false };
        return message('user', null, {
          type: 'toolResponse',
          id: record.item_id,
          toolResult: { status: 'success', value },
        });
      }
      case 'permission.requested':
        return message('assistant', null, {
          type: 'toolConfirmationRequest',
          id: record.permission_id,
          toolName: record.what,
        });
      case 'agent.finished':
        return { type: 'complete', total_tokens: 1234 };
      default:
        return undefined;
    }
  };
}

function cursor(): Saying {
  const tool = (subtype: string, id: string, body: JsonObject): JsonObject => ({
    type: 'tool_call',
    subtype,
    call_id: id,
    tool_call: { shellToolCall: body },
    session_id: session,
    timestamp_ms: at,
  });
  const words = (text: string, fields: JsonObject = {}): JsonObject => ({
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'text', text }] },
    session_id: session,
    ...fields,
  });
  const calls = new Calls();
  return (record) => {
    switch (record.type) {
      case 'thread.started':
        return {
          type: 'system',
          subtype: 'init',
          apiKeySource: 'login',
          cwd: '/w',
          session_id: session,
          model: 'm',
          permissionMode: 'default',
        };
      case 'text.delta':
        return words(record.text, { timestamp_ms: at });
      case 'text.completed':
        return words(record.text);
      case 'reasoning.delta':
        return { type: 'thinking', subtype: 'delta', text: record.text, session_id: session, timestamp_ms: at };
      case 'reasoning.completed':
        return { type: 'thinking', subtype: 'completed', session_id: session, timestamp_ms: at };
      case 'item.started':
        calls.started(record);
        return tool('started', record.item_id, { args: record.args as Json });
      case 'item.completed': {
        const result = { success: { exitCode: 0, stdout: textOf(record.output) } };
        return tool('completed', record.item_id, { args: (calls.ended(record)?.args as Json) ?? {}, result });
      }
      case 'agent.finished':
        return {
          type: 'result',
          subtype: 'success',
          is_error: false,
          duration_ms: 9,
          duration_api_ms: 9,
          result: '',
          session_id: session,
        };
      default:
        return undefined;
    }
  };
}

/** Amp, and the session files of Claude Code: whole blocks in messages. */
function messages(envelope: () => JsonObject): Saying {
  const assistant = (id: string, parent: string | undefined, block: JsonObject): JsonObject => ({
    type: 'assistant',
    ...envelope(),
    parent_tool_use_id: parent ?? null,
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [block],
      stop_reason: null,
      usage: { input_tokens: 12, output_tokens: 3 },
    },
  });
  const user = (content: Json): JsonObject => ({
    type: 'user',
    ...envelope(),
    parent_tool_use_id: null,
    message: { role: 'user', content },
  });
  return (record) => {
    switch (record.type) {
      case 'prompt.submitted':
        return user([{ type: 'text', text: record.text }]);
      case 'text.completed':
        return assistant(record.message_id, record.parent_item_id, { type: 'text', text: record.text });
      case 'text.delta':
        // There are no pieces; what is never completed is a message of its own.
        return record.parent_item_id === undefined
          ? undefined
          : assistant(record.message_id, record.parent_item_id, { type: 'text', text: record.text });
      case 'reasoning.completed':
        return assistant(record.message_id, record.parent_item_id, { type: 'thinking', thinking: record.text });
      case 'item.started':
        return assistant(`m_${record.turn_id}`, undefined, {
          type: 'tool_use',
          id: record.item_id,
          name: 'Bash',
          input: record.args as Json,
        });
      case 'item.completed':
        return user([
          { type: 'tool_result', tool_use_id: record.item_id, content: textOf(record.output), is_error: false },
        ]);
      default:
        return undefined;
    }
  };
}

function amp(): Saying {
  const say = messages(() => ({ session_id: session }));
  return (record) => {
    if (record.type === 'thread.started')
      return { type: 'system', subtype: 'init', session_id: session, cwd: '/w', tools: ['Bash'], mcp_servers: [] };
    if (record.type !== 'agent.finished') return say(record);
    return {
      type: 'result',
      subtype: 'success',
      session_id: session,
      is_error: false,
      duration_ms: 9,
      num_turns: 2,
      result: 'Done.',
    };
  };
}

function claudeTranscript(): Saying {
  let lines = 0;
  return messages(() => ({
    parentUuid: `u-${lines}`,
    uuid: `u-${++lines}`,
    sessionId: 's-1',
    isSidechain: false,
    timestamp,
    version: '2.0.0',
    cwd: '/w',
  }));
}

/** Results without an id of their own, as some versions print them: the decoder has to find the call. */
function droid(): Saying {
  const base = { timestamp: at, session_id: 'd-1' };
  return (record) => {
    switch (record.type) {
      case 'thread.started':
        return {
          type: 'system',
          subtype: 'init',
          session_id: 'd-1',
          cwd: '/w',
          tools: ['Read'],
          model: 'm',
          reasoning_effort: 'low',
        };
      case 'prompt.submitted':
        return { type: 'message', role: 'user', id: 'u1', text: record.text, ...base };
      case 'text.completed':
        return { type: 'message', role: 'assistant', id: record.message_id, text: record.text, ...base };
      case 'reasoning.completed':
        return { type: 'reasoning', id: record.block_id, text: record.text, ...base };
      case 'item.started':
        return {
          type: 'tool_call',
          id: record.item_id,
          messageId: record.turn_id,
          toolId: toolOf(record.item_id),
          toolName: 'Execute',
          parameters: record.args as Json,
          ...base,
        };
      case 'item.completed':
        return {
          type: 'tool_result',
          messageId: 'm',
          toolId: toolOf(record.item_id),
          isError: false,
          value: textOf(record.output),
          ...base,
        };
      case 'agent.finished':
        return { type: 'completion', finalText: 'Done.', numTurns: 2, durationMs: 9, ...base };
      default:
        return undefined;
    }
  };
}

function antigravity(): Saying {
  const conversation_id = 'a-1';
  const numbers = new Map<string, number>();
  const numberOf = (id: string): number => numbers.get(id) ?? (numbers.set(id, numbers.size + 1), numbers.size);
  const step = (step_index: number, step_type: string, state: string, fields: JsonObject): JsonObject => ({
    event: 'step_update',
    step_update: { conversation_id, step_index, state, step_type, ...fields },
  });
  const info = (args: Json): JsonObject => ({
    tool_name: 'run_command',
    tool_info: { name: 'run_command', parameters: args },
  });
  return (record) => {
    switch (record.type) {
      case 'thread.started':
        return { event: 'init', conversation_id, init: { cwd: '/w', model: 'm' } };
      case 'prompt.submitted':
        return step(0, 'user_input', 'DONE', { text_delta: record.text });
      case 'text.completed':
        return step(numberOf(`text ${record.block_id}`), 'agent_response', 'DONE', { text_delta: record.text });
      case 'item.started':
        return step(numberOf(record.item_id), 'tool', 'ACTIVE', info(record.args as Json));
      case 'item.completed':
        return step(numberOf(record.item_id), 'tool', 'DONE', {
          tool_name: 'run_command',
          tool_info: { name: 'run_command', output: textOf(record.output) },
        });
      case 'agent.finished':
        return {
          event: 'result',
          result: { conversation_id, status: 'SUCCESS', response: 'Done.', num_turns: 2, duration_seconds: 1 },
        };
      default:
        return undefined;
    }
  };
}

function kimi(): Saying {
  return (record) => {
    switch (record.type) {
      case 'text.completed':
        return { role: 'assistant', content: record.text };
      case 'reasoning.completed':
        return { role: 'assistant', content: [{ type: 'think', think: record.text }] };
      case 'item.started': {
        const called = { name: 'Shell', arguments: JSON.stringify(record.args) };
        return {
          role: 'assistant',
          content: '',
          tool_calls: [{ type: 'function', id: record.item_id, function: called }],
        };
      }
      case 'item.completed':
        return { role: 'tool', content: textOf(record.output), tool_call_id: record.item_id };
      default:
        return undefined;
    }
  };
}

function openhands(): Saying {
  const event = (kind: string, source: string, fields: JsonObject): JsonObject => ({
    kind,
    id: 'e',
    timestamp: '2026-11-15T10:00:00.000000',
    source,
    ...fields,
  });
  const message = (role: string, text: string): JsonObject => ({
    llm_message: { role, content: [{ type: 'text', text }] },
  });
  return (record) => {
    switch (record.type) {
      case 'prompt.submitted':
        return event('MessageEvent', 'user', message('user', record.text));
      case 'text.completed':
        return event('MessageEvent', 'agent', message('assistant', record.text));
      case 'item.started':
        return event('ActionEvent', 'agent', {
          thought: [],
          action: { kind: 'TerminalAction', ...(record.args as JsonObject) },
          tool_name: 'terminal',
          tool_call_id: record.item_id,
          tool_call: { id: record.item_id, name: 'terminal', arguments: '{}' },
          llm_response_id: record.turn_id ?? 'r',
        });
      case 'item.completed':
        return event('ObservationEvent', 'environment', {
          observation: { content: [{ type: 'text', text: textOf(record.output) }], is_error: false },
          action_id: 'e',
          tool_name: 'terminal',
          tool_call_id: record.item_id,
        });
      default:
        return undefined;
    }
  };
}

/** The lines of a file in `chats/`. */
function geminiSession(): Saying {
  let told = 0;
  const answer = (fields: JsonObject): JsonObject => ({
    id: `m-${++told}`,
    timestamp,
    type: 'gemini',
    content: '',
    model: 'm',
    ...fields,
  });
  return (record) => {
    switch (record.type) {
      case 'thread.started':
        return { sessionId: 'g-1', projectHash: 'h', startTime: timestamp, lastUpdated: timestamp, kind: 'main' };
      case 'prompt.submitted':
        return { id: `m-${++told}`, timestamp, type: 'user', content: [{ text: record.text }] };
      case 'text.completed':
        return answer({ content: record.text });
      case 'item.started':
        return answer({
          toolCalls: [
            { id: record.item_id, name: 'run_shell_command', args: record.args as Json, status: 'executing' },
          ],
        });
      case 'item.completed':
        return answer({
          toolCalls: [
            {
              id: record.item_id,
              name: 'run_shell_command',
              args: {},
              status: 'success',
              result: [{ functionResponse: { response: { output: textOf(record.output) } } }],
            },
          ],
        });
      default:
        return undefined;
    }
  };
}

function copilot(): Saying {
  let events = 0;
  const event = (type: string, data: JsonObject): JsonObject => ({
    type,
    data,
    id: `e-${++events}`,
    parentId: null,
    timestamp,
  });
  return (record) => {
    switch (record.type) {
      case 'thread.started':
        return event('session.start', {
          sessionId: 's-1',
          copilotVersion: '1.0.14',
          selectedModel: 'm',
          context: { cwd: '/w' },
        });
      case 'prompt.submitted':
        return event('user.message', { content: record.text });
      case 'turn.started':
        return event('assistant.turn_start', { turnId: record.turn_id });
      case 'turn.completed':
        return event('assistant.turn_end', { turnId: record.turn_id });
      case 'text.delta':
        return event('assistant.message_delta', {
          messageId: record.message_id,
          deltaContent: record.text,
          ...parentOf(record),
        });
      case 'text.completed':
        return event('assistant.message', {
          messageId: record.message_id,
          content: record.text,
          outputTokens: 4,
          ...parentOf(record),
        });
      case 'reasoning.delta':
        return event('assistant.reasoning_delta', { reasoningId: record.block_id, deltaContent: record.text });
      case 'reasoning.completed':
        return event('assistant.reasoning', { reasoningId: record.block_id, content: record.text });
      case 'item.started':
        return event('tool.execution_start', {
          toolCallId: record.item_id,
          toolName: 'bash',
          arguments: record.args as Json,
        });
      case 'item.output':
        return event('tool.execution_partial_result', { toolCallId: record.item_id, partialOutput: record.chunk });
      case 'item.completed':
        return event('tool.execution_complete', {
          toolCallId: record.item_id,
          success: true,
          result: { content: textOf(record.output) },
        });
      case 'permission.requested':
        return event('permission.requested', {
          requestId: record.permission_id,
          permissionRequest: { kind: 'shell', fullCommandText: 'ls' },
        });
      case 'agent.finished':
        return { type: 'result', timestamp, sessionId: 's-1', exitCode: 0, usage: { sessionDurationMs: 9 } };
      default:
        return undefined;
    }
  };
}

function cline(): Saying {
  const event = (fields: JsonObject): JsonObject => ({ ts: timestamp, type: 'agent_event', event: fields });
  return (record) => {
    switch (record.type) {
      case 'thread.started':
        return { ts: timestamp, type: 'run_start', providerId: 'p', modelId: 'm', sessionId: 's-1' };
      case 'turn.started':
        return event({ type: 'iteration_start', iteration: record.iteration });
      case 'turn.completed':
        return event({ type: 'iteration_end', iteration: record.iteration, hadToolCalls: true });
      case 'text.delta':
        return event({ type: 'content_start', contentType: 'text', text: record.text });
      case 'text.completed':
        return event({ type: 'content_end', contentType: 'text', text: record.text });
      case 'reasoning.delta':
        return event({ type: 'content_start', contentType: 'reasoning', reasoning: record.text, redacted: false });
      case 'reasoning.completed':
        return event({ type: 'content_end', contentType: 'reasoning', reasoning: record.text });
      case 'item.started':
        return event({
          type: 'content_start',
          contentType: 'tool',
          toolName: 'run_commands',
          toolCallId: record.item_id,
          input: record.args as Json,
        });
      case 'item.output':
        return event({
          type: 'content_update',
          contentType: 'tool',
          toolCallId: record.item_id,
          update: { stream: 'stdout', chunk: record.chunk },
        });
      case 'item.completed':
        return event({
          type: 'content_end',
          contentType: 'tool',
          toolCallId: record.item_id,
          output: textOf(record.output),
          durationMs: 3,
        });
      case 'usage.reported':
        return event({ type: 'usage', inputTokens: 12, outputTokens: 3 });
      case 'agent.finished':
        return {
          ts: timestamp,
          type: 'run_result',
          finishReason: 'completed',
          iterations: 2,
          usage: { inputTokens: 12, outputTokens: 3 },
          text: 'Done.',
        };
      default:
        return undefined;
    }
  };
}

/** 2.x: a text that grows is printed again and again, whole. */
function clineLegacy(): Saying {
  let ts = at;
  const say = (kind: string, text: string): JsonObject => ({ type: 'say', say: kind, ts: ++ts, text });
  return (record) => {
    switch (record.type) {
      case 'prompt.submitted':
        return say('task', record.text);
      case 'text.delta':
        return { type: 'say', say: 'text', ts, text: record.text, partial: true };
      case 'text.completed':
        return say('text', record.text);
      case 'reasoning.completed':
        return say('reasoning', record.text);
      case 'item.started':
        return say('command', record.item_id);
      case 'item.output':
        return say('command_output', record.chunk);
      case 'item.completed':
        return say('command_output', textOf(record.output));
      case 'usage.reported':
        return say('api_req_started', '{"tokensIn":12,"tokensOut":3}');
      case 'agent.finished':
        return say('completion_result', 'Done.');
      default:
        return undefined;
    }
  };
}

/** The parts that `opencode run` prints when they are finished; Kilo's are the same. */
function opencodeRun(): Saying {
  const calls = new Calls();
  const part = (type: string, messageID: string, fields: JsonObject): JsonObject => ({
    type,
    timestamp: at,
    sessionID: 'ses_1',
    part: { messageID, sessionID: 'ses_1', type: type.replace('_', '-'), ...fields },
  });
  return (record) => {
    switch (record.type) {
      case 'turn.started':
        return part('step_start', record.turn_id, { id: `prt_${record.sequence}` });
      case 'turn.completed':
        return part('step_finish', record.turn_id, {
          id: `prt_${record.sequence}`,
          reason: 'stop',
          tokens: { input: 12, output: 3 },
          cost: 0.01,
        });
      case 'text.completed':
        return part('text', record.message_id, {
          id: `prt_${record.sequence}`,
          text: record.text,
          time: { start: at, end: at },
        });
      case 'reasoning.completed':
        return part('reasoning', record.message_id, {
          id: `prt_${record.sequence}`,
          text: record.text,
          time: { start: at, end: at },
        });
      case 'item.started':
        calls.started(record);
        return undefined;
      case 'item.completed': {
        const input = (calls.ended(record)?.args as Json) ?? {};
        const state = {
          status: 'completed',
          input,
          output: textOf(record.output),
          title: '',
          metadata: { exit: 0 },
          time: { start: at, end: at },
        };
        return part('tool_use', 'msg_1', { id: `prt_${record.sequence}`, callID: record.item_id, tool: 'bash', state });
      }
      default:
        return undefined;
    }
  };
}

/** The events of the version 2 server. */
function opencodeNative(): Saying {
  const event = (type: string, data: JsonObject): JsonObject => ({
    id: 'evt_1',
    type: `session.${type}`,
    created: at,
    data: { sessionID: 'ses_1', ...data },
  });
  return (record) => {
    switch (record.type) {
      case 'turn.started':
        return event('step.started', { agent: 'build', model: { providerID: 'p', id: 'm' } });
      case 'turn.completed':
        return event('step.ended', {
          finish: 'stop',
          cost: 0.01,
          tokens: { input: 12, output: 3, reasoning: 0, cache: { read: 0, write: 0 } },
        });
      case 'text.delta':
        return event('text.delta', { assistantMessageID: record.message_id, ordinal: 0, delta: record.text });
      case 'text.completed':
        return event('text.ended', { assistantMessageID: record.message_id, ordinal: 0, text: record.text });
      case 'item.started':
        return event('tool.called', { id: record.item_id, name: 'bash', input: record.args as Json });
      case 'item.completed':
        return event('tool.success', {
          id: record.item_id,
          metadata: { exit: 0 },
          content: [{ type: 'text', text: textOf(record.output) }],
        });
      case 'agent.finished':
        return event('execution.succeeded', {});
      default:
        return undefined;
    }
  };
}

function codexLegacy(): Saying {
  const line = (msg: JsonObject): JsonObject => ({ id: '0', msg });
  return (record) => {
    switch (record.type) {
      case 'thread.started':
        return line({ type: 'session_configured', session_id: 's-1', model: 'm' });
      case 'turn.started':
        return line({ type: 'task_started' });
      case 'text.completed':
        return line({ type: 'agent_message', message: record.text });
      case 'reasoning.completed':
        return line({ type: 'agent_reasoning', text: record.text });
      case 'item.started':
        return line({
          type: 'exec_command_begin',
          call_id: record.item_id,
          command: ['bash', '-lc', 'npm test'],
          cwd: '/w',
        });
      case 'item.output':
        return line({
          type: 'exec_command_output_delta',
          call_id: record.item_id,
          stream: 'stdout',
          chunk: record.chunk,
        });
      case 'item.completed':
        return line({
          type: 'exec_command_end',
          call_id: record.item_id,
          aggregated_output: textOf(record.output),
          exit_code: 0,
        });
      default:
        return undefined;
    }
  };
}

function codexRollout(): Saying {
  const item = (payload: JsonObject): JsonObject => ({ timestamp, type: 'response_item', payload });
  return (record) => {
    switch (record.type) {
      case 'thread.started':
        return { timestamp, type: 'session_meta', payload: { id: 's-1', cwd: '/w', cli_version: '0.60.0' } };
      case 'turn.started':
        return { timestamp, type: 'event_msg', payload: { type: 'task_started' } };
      case 'turn.completed':
        return { timestamp, type: 'event_msg', payload: { type: 'task_complete' } };
      case 'text.completed':
        return item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: record.text }] });
      case 'reasoning.completed':
        return item({ type: 'reasoning', summary: [{ type: 'summary_text', text: record.text }], content: null });
      case 'item.started':
        return item({
          type: 'function_call',
          name: 'shell',
          arguments: JSON.stringify(record.args),
          call_id: record.item_id,
        });
      case 'item.completed':
        return item({ type: 'function_call_output', call_id: record.item_id, output: textOf(record.output) });
      default:
        return undefined;
    }
  };
}

/** One answer is all that it prints; notes may come before it. */
function continueCli(): Saying {
  return (record) => {
    switch (record.type) {
      case 'text.completed':
        return {
          response: record.text,
          status: 'success',
          note: 'Response was not valid JSON, so it was wrapped in a JSON object',
        };
      case 'item.completed':
        return { status: 'info', message: textOf(record.output) };
      default:
        return undefined;
    }
  };
}

/** The log file of one query. */
function dexterScratchpad(): Saying {
  const calls = new Calls();
  return (record) => {
    switch (record.type) {
      case 'prompt.submitted':
        return { type: 'init', content: record.text, timestamp };
      case 'text.completed':
        return { type: 'thinking', content: record.text, timestamp };
      case 'item.started':
        calls.started(record);
        return undefined;
      case 'item.completed':
        return {
          type: 'tool_result',
          toolName: 'shell',
          args: (calls.ended(record)?.args as Json) ?? {},
          result: textOf(record.output),
          timestamp,
        };
      default:
        return undefined;
    }
  };
}

function textOf(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output ?? '');
}

function parentOf({ parent_item_id: parent }: EventOf<'text.delta' | 'text.completed'>): JsonObject {
  return parent === undefined ? {} : { parentToolCallId: parent };
}

/** Several tools, so that the oldest open call is seldom the one that a result belongs to. */
function toolOf(id: string): string {
  return `Tool${Number(id.slice(id.lastIndexOf('_') + 1)) % 7}`;
}

const lookalikes: Record<string, () => Saying> = {
  'codex:legacy': codexLegacy,
  'codex:rollout': codexRollout,
  'claude:transcript': claudeTranscript,
  'opencode:run': opencodeRun,
  'opencode:native': opencodeNative,
  'dexter:scratchpad': dexterScratchpad,
  'cline:3': cline,
  'cline:2': clineLegacy,
  continue: continueCli,
  kilo: opencodeRun,
  goose,
  cursor,
  amp,
  droid,
  copilot,
  antigravity,
  kimi,
  openhands,
  'gemini:session': geminiSession,
};

type Writable = Dialect & Required<Pick<Dialect, 'encoder'>>;

/** How a dialect is written for the sake of reading it: by its own encoder, or by the lookalike here. */
export function writerOf(name: string): [dialect: Writable, variant: Variant] {
  const [id = '', wanted] = name.split(':', 2);
  const dialect = findDialect(id);
  const lookalike = lookalikes[name];
  if (lookalike !== undefined)
    return [
      { ...dialect, encoder: (sink) => encoderOf(lookalike(), sink) },
      { name, layout: 'lines' },
    ];
  const { encoder } = dialect;
  const variant = dialect.variants?.find((each) => each.name === wanted);
  if (encoder === undefined || variant === undefined) throw new Error(`nobody can write ${name}`);
  return [{ ...dialect, encoder }, variant];
}

function encoderOf(say: Saying, sink: EncoderSink): Encoder {
  return {
    record(record) {
      const line = say(record);
      if (line !== undefined) sink.line(line);
    },
    end() {},
  };
}

/** Every dialect and variant with an encoder: `claude:partial`. */
export const writtenNames: readonly string[] = dialects.flatMap(({ id, encoder, variants }) =>
  encoder === undefined ? [] : (variants ?? []).map(({ name }) => `${id}:${name}`),
);

/** The same, and every form that is only read. */
export const readNames: readonly string[] = readable.flatMap(({ id }) =>
  [...writtenNames, ...Object.keys(lookalikes)].filter((name) => name === id || name.startsWith(`${id}:`)),
);
