import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import { findDialect } from '../../src/dialects/registry.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import { writable, Writer } from '../../src/pipeline/writer.ts';
import { steepest, steepnessOf } from '../support/growth.ts';
import { steepnessOfReading } from '../support/reading-growth.ts';
import { numbered } from '../support/records.ts';
import { sweep } from '../support/sweep.ts';

type Lines = (size: number) => Iterable<JsonObject>;

/** One for each number below `size`, from the first or from the last. */
function* each<T>(size: number, make: (index: number) => T): Iterable<T> {
  for (let index = 0; index < size; index += 1) yield make(index);
}

function* backwards<T>(size: number, make: (index: number) => T): Iterable<T> {
  for (let index = size - 1; index >= 0; index -= 1) yield make(index);
}

interface Talk {
  /** A piece of one text that goes on. */
  piece(index: number): JsonObject;
  start(index: number): JsonObject;
  end(index: number): JsonObject;
}

const said = (text: string): JsonObject => ({ type: 'text', text });

const gooseMessage = (role: string, ...content: JsonObject[]): JsonObject => ({
  type: 'message',
  message: { id: 'm', role, created: 1000, content },
});

const miniAnswer = { role: 'assistant', content: 'THOUGHT: I look.\n```bash\nls\n```' };
const miniOutput = { role: 'user', content: '<returncode>0</returncode>\n<output>\na\n</output>' };

const exported = (messages: JsonObject[]): JsonObject => ({ info: { id: 's', version: '1.18.33' }, messages });
const exportedMessage = (index: number, parts: number): JsonObject => ({
  info: {
    id: `m${index}`,
    sessionID: 's',
    role: 'assistant',
    time: { created: 1, completed: 2 },
    finish: 'tool-calls',
  },
  parts: [
    ...each(parts, (part) => ({ id: `t${index}.${part}`, type: 'text', text: 'words', time: { start: 1, end: 2 } })),
    ...each(parts, (part) => ({
      id: `p${index}.${part}`,
      type: 'tool',
      callID: `c${index}.${part}`,
      tool: 'bash',
      state: { status: 'completed', input: { command: 'ls' }, output: 'a' },
    })),
  ],
});

const clineEvent = (event: JsonObject): JsonObject => ({ ts: '2026-05-01T10:00:00.000Z', type: 'agent_event', event });
const clineTool = (type: string, index: number): JsonObject =>
  clineEvent({
    type,
    contentType: 'tool',
    toolCallId: `t${index}`,
    toolName: 'editor',
    input: { path: 'a' },
    output: { success: true },
  });

const copilotEvent = (type: string, data: JsonObject): JsonObject => ({ type, data, id: 'x', parentId: null });

const cursorTool = (subtype: string, index: number): JsonObject => ({
  type: 'tool_call',
  subtype,
  call_id: `t${index}`,
  tool_call: { writeToolCall: { args: { path: 'a' }, result: { success: {} } } },
});

const ampMessage = (id: string, ...content: JsonObject[]): JsonObject => ({
  type: 'assistant',
  message: { id, content },
});

const openhandsEvent = (kind: string, fields: JsonObject): JsonObject => ({
  kind,
  id: 'e',
  source: 'agent',
  ...fields,
});

const droidCall = (tool: string, id?: string): JsonObject => ({
  type: 'tool_call',
  toolId: tool,
  toolName: tool,
  parameters: { file_path: 'a' },
  ...(id === undefined ? {} : { id }),
});
const droidResult = (tool: string, id?: string): JsonObject => ({
  type: 'tool_result',
  toolId: tool,
  isError: false,
  value: 'ok',
  ...(id === undefined ? {} : { id }),
});

const piCall = (type: string, index: number): JsonObject => ({
  type,
  toolCallId: `t${index}`,
  toolName: 'write',
  args: { path: 'a' },
});

const acpUpdate = (sessionUpdate: string, fields: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId: 's', update: { sessionUpdate, ...fields } },
});

const talks: Record<string, Talk> = {
  acp: {
    piece: () => acpUpdate('agent_message_chunk', { content: said('some words ') }),
    start: (index) =>
      acpUpdate('tool_call', { toolCallId: `t${index}`, title: 'Edit', kind: 'edit', status: 'in_progress' }),
    end: (index) =>
      acpUpdate('tool_call_update', { toolCallId: `t${index}`, status: 'completed', locations: [{ path: 'a' }] }),
  },
  pi: {
    piece: () => ({
      type: 'message_update',
      assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'some words ' },
    }),
    start: (index) => piCall('tool_execution_start', index),
    end: (index) => ({ ...piCall('tool_execution_end', index), result: { content: [said('ok')] }, isError: false }),
  },
  cline: {
    piece: () => clineEvent({ type: 'content_start', contentType: 'text', text: 'some words ' }),
    start: (index) => clineTool('content_start', index),
    end: (index) => clineTool('content_end', index),
  },
  goose: {
    piece: () => gooseMessage('assistant', said('some words ')),
    start: (index) =>
      gooseMessage('assistant', {
        type: 'toolRequest',
        id: `t${index}`,
        toolCall: { status: 'success', value: { name: 'write', arguments: { path: 'a' } } },
      }),
    end: (index) =>
      gooseMessage('user', {
        type: 'toolResponse',
        id: `t${index}`,
        toolResult: { status: 'success', value: { content: [said('ok')] } },
      }),
  },
  copilot: {
    piece: () => copilotEvent('assistant.message_delta', { messageId: 'm', deltaContent: 'some words ' }),
    start: (index) =>
      copilotEvent('tool.execution_start', { toolCallId: `t${index}`, toolName: 'create', arguments: { path: 'a' } }),
    end: (index) => copilotEvent('tool.execution_complete', { toolCallId: `t${index}`, success: true }),
  },
  cursor: {
    piece: () => ({ type: 'assistant', message: { content: [said('some words ')] } }),
    start: (index) => cursorTool('started', index),
    end: (index) => cursorTool('completed', index),
  },
  amp: {
    piece: (index) => ampMessage('m', said(`text ${index}`)),
    start: (index) => ampMessage('m', { type: 'tool_use', id: `t${index}`, name: 'edit_file', input: { path: 'a' } }),
    end: (index) => ({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: `t${index}`, content: 'ok' }] },
    }),
  },
  kimi: {
    piece: (index) => ({ role: 'assistant', content: `text ${index}` }),
    start: (index) => ({
      role: 'assistant',
      content: '',
      tool_calls: [{ type: 'function', id: `t${index}`, function: { name: 'WriteFile', arguments: '{"path":"a"}' } }],
    }),
    end: (index) => ({ role: 'tool', content: 'ok', tool_call_id: `t${index}` }),
  },
  openhands: {
    piece: (index) => openhandsEvent('MessageEvent', { llm_message: { content: [said(`text ${index}`)] } }),
    start: (index) =>
      openhandsEvent('ActionEvent', {
        tool_name: 'file_editor',
        tool_call_id: `t${index}`,
        action: { command: 'create', path: 'a' },
        llm_response_id: 'r',
      }),
    end: (index) =>
      openhandsEvent('ObservationEvent', { tool_call_id: `t${index}`, observation: { content: [said('ok')] } }),
  },
  droid: {
    piece: () => ({ type: 'message', role: 'assistant', id: 'm', text: 'some words ' }),
    start: (index) => droidCall('Edit', `t${index}`),
    end: (index) => droidResult('Edit', `t${index}`),
  },
};

const shapes: Record<string, (talk: Talk) => Lines> = {
  'one text in many pieces': (talk) => (size) => each(size, talk.piece),
  'many calls at once, closed in order and in reverse': (talk) =>
    function* (size) {
      yield* each(3 * size, talk.start);
      yield* each(size, talk.end);
      yield* backwards(size, (index) => talk.end(2 * size + index));
    },
};

const readings = sweep(Object.entries(shapes), Object.entries(talks)).map(
  ([[title, shape], [id, talk]]) => [id, title, shape(talk)] as const,
);
it.each(readings)('%s: %s', (id, _title, lines) => {
  expect(steepnessOfReading(id, lines)).toBeLessThan(steepest);
});

it.each<[string, string, Lines]>([
  [
    'goose',
    "its own words, said in the model's name, in many pieces",
    (size) => each(size, () => gooseMessage('assistant', said('Network error: '))),
  ],
  [
    'droid',
    'results that name only the tool, of tools called in between',
    function* (size) {
      yield* each(size, () => droidCall('Edit'));
      yield* each(size, () => droidCall('Read'));
      yield* each(size, () => droidResult('Read'));
    },
  ],
  [
    'droid',
    'results that name only the tool, the last called first',
    function* (size) {
      yield* each(size, (index) => droidCall(`Tool${index}`));
      yield* backwards(size, (index) => droidResult(`Tool${index}`));
    },
  ],
  [
    'droid',
    'results of no call',
    function* (size) {
      yield* each(size, () => droidCall('Edit'));
      yield* each(size, () => droidResult('Read'));
    },
  ],
  [
    'droid',
    'results that name only the tool, in order',
    function* (size) {
      yield* each(size, () => droidCall('Edit'));
      yield* each(size, () => droidResult('Edit'));
    },
  ],
  [
    'swe-agent',
    'a document of many steps',
    function* (size) {
      yield {
        environment: 'swe_main',
        trajectory: [
          ...each(size, (index) => ({ action: `open ${index}`, observation: 'a', thought: 'I look.', state: '{}' })),
        ],
        history: [...each(size, () => ({ role: 'assistant', content: 'I look.' }))],
        info: { exit_status: 'submitted' },
      };
    },
  ],
  [
    'swe-agent',
    "mini's document of many messages",
    function* (size) {
      const messages = [...each(2 * size, (index) => (index % 2 === 0 ? miniAnswer : miniOutput))];
      yield {
        info: { mini_version: '1.9.0', exit_status: 'Submitted' },
        messages,
        trajectory_format: 'mini-swe-agent-1',
      };
    },
  ],
  [
    'opencode',
    'an export of many messages',
    (size) => [exported([...each(size, (index) => exportedMessage(index, 1))])],
  ],
  ['opencode', 'an export of one message with many parts', (size) => [exported([exportedMessage(0, size)])]],
])('%s: %s', (id, _, lines) => {
  expect(steepnessOfReading(id, lines)).toBeLessThan(steepest);
});

const turn = { turn_id: 'turn_1' };
const textAt = (index: number): AgentEvent => ({
  type: 'text.delta',
  ...turn,
  message_id: 'message_1',
  block_id: `message_1.${index}`,
  text: 'some words ',
});
const started = (index: number): AgentEvent => ({
  type: 'item.started',
  ...turn,
  item_id: `item_${index}`,
  kind: 'command',
  name: 'bash',
  args: { command: 'make' },
});
const printed = (index: number): AgentEvent => ({
  type: 'item.output',
  item_id: `item_${index}`,
  chunk: 'a line of output\n',
});
const ended = (index: number): AgentEvent => ({
  type: 'item.completed',
  item_id: `item_${index}`,
  status: 'success',
  output: 'ok',
});

/** Long arguments, and as many pieces of output: a writer that repeats both must not repeat them each time. */
const largeCall = (size: number): AgentEvent => ({
  type: 'item.started',
  ...turn,
  item_id: 'item_0',
  kind: 'file_edit',
  name: 'write',
  args: { path: 'a', content: 'x'.repeat(10 * size) },
});

describe.each(['pi', 'acp'])('written as %s', (id) => {
  it.each<[string, (size: number) => Iterable<AgentEvent>]>([
    ['one text in many pieces', (size) => each(size, () => textAt(0))],
    ['a message of many texts', (size) => each(size, textAt)],
    ['a message of many texts, the last first', (size) => backwards(size, textAt)],
    [
      'many calls at once, closed in reverse',
      function* (size) {
        yield* each(size, started);
        yield* backwards(size, ended);
      },
    ],
    [
      'one call that prints much',
      function* (size) {
        yield started(0);
        yield* each(size, () => printed(0));
        yield ended(0);
      },
    ],
    [
      'one large call that prints much',
      function* (size) {
        yield largeCall(size);
        yield* each(size, () => printed(0));
        yield ended(0);
      },
    ],
    ['prompts', (size) => each(size, (index) => ({ type: 'prompt.submitted', text: `Do ${index}.` }))],
  ])('%s', (_, events) => {
    const steepness = steepnessOf((size) => {
      const writer = new Writer(...writable(findDialect(id)));
      const place = numbered();
      for (const event of events(size)) {
        writer.record(place(event));
        writer.take();
      }
    });
    expect(steepness).toBeLessThan(steepest);
  });
});
