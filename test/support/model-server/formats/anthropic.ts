import { z } from 'zod';
import { piecesOf, type Answer } from '../answer.ts';
import { uncached, type Format, type Frame, type ProviderError } from '../format.ts';
import { Content, joinEntries, resultText, textOf, type Entry } from '../request.ts';
import type { ErrorKind, Usage } from '../script.ts';

const Block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
  is_error: z.boolean().nullish(),
});
const Body = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish(),
  system: Content.nullish(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(Block)]) })),
  tools: z.array(z.looseObject({ name: z.string() })).nullish(),
});

function entriesOf({ role, content }: z.infer<typeof Body>['messages'][number]): Entry[] {
  if (role === 'system') return [];
  const blocks = typeof content === 'string' ? [] : content;
  if (role === 'assistant') {
    const calls = blocks.filter(({ type }) => type === 'tool_use');
    return [
      { role, text: textOf(content), calls: calls.map(({ name = '' }) => name), ids: calls.map(({ id = '' }) => id) },
    ];
  }
  const results = blocks
    .filter(({ type }) => type === 'tool_result')
    .map(({ tool_use_id = '', content: result, is_error }) => ({
      call: tool_use_id,
      result: resultText(result ?? ''),
      ...(is_error === true ? { error: true as const } : {}),
    }));
  const text = textOf(content);
  return [
    ...(results.length > 0 ? [{ role: 'tool' as const, results }] : []),
    ...(text !== '' ? [{ role: 'user' as const, text }] : []),
  ];
}

const inputUsage = (usage: Usage): object => ({
  input_tokens: uncached(usage),
  cache_creation_input_tokens: usage.cacheWrite ?? 0,
  cache_read_input_tokens: usage.cached,
});
const usageOf = (usage: Usage): object => ({
  ...inputUsage(usage),
  output_tokens: usage.output,
  output_tokens_details: { thinking_tokens: usage.reasoning },
});

const stopReasons = {
  stop: 'end_turn',
  tool: 'tool_use',
  length: 'max_tokens',
  refusal: 'refusal',
  content_filter: 'refusal',
};

/** Arguments that are no JSON object reach the client as they are in a stream, and as nothing in one piece. */
function inputOf(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return {};
  }
}

interface Part {
  begun: object;
  whole: object;
  deltas: object[];
  closing?: object;
}

function partsOf({ id, text, reasoning, calls, chunkSize }: Answer): Part[] {
  const signature = `signed_${id}`;
  const thinking: Part = {
    begun: { type: 'thinking', thinking: '', signature: '' },
    whole: { type: 'thinking', thinking: reasoning, signature },
    deltas: piecesOf(reasoning, chunkSize).map((each) => ({ type: 'thinking_delta', thinking: each })),
    closing: { type: 'signature_delta', signature },
  };
  const spoken: Part = {
    begun: { type: 'text', text: '' },
    whole: { type: 'text', text },
    deltas: piecesOf(text, chunkSize).map((each) => ({ type: 'text_delta', text: each })),
  };
  const used = calls.map((call): Part => ({
    begun: { type: 'tool_use', id: call.id, name: call.name, input: {} },
    whole: { type: 'tool_use', id: call.id, name: call.name, input: inputOf(call.args) },
    deltas: piecesOf(call.args, chunkSize).map((each) => ({ type: 'input_json_delta', partial_json: each })),
  }));
  return [...(reasoning === '' ? [] : [thinking]), ...(text === '' ? [] : [spoken]), ...used];
}

const errorTypes: Record<ErrorKind, string> = {
  bad_key: 'authentication_error',
  context_length: 'invalid_request_error',
  forbidden: 'permission_error',
  invalid_request: 'invalid_request_error',
  not_found: 'not_found_error',
  overloaded: 'overloaded_error',
  quota: 'billing_error',
  rate_limit: 'rate_limit_error',
  server_error: 'api_error',
};

function errorBody({ kind, message }: ProviderError): object {
  // There is no code for it: clients know a full context by the words "prompt is too long".
  const text = kind === 'context_length' ? 'prompt is too long: 250000 tokens > 200000 maximum' : message;
  return { type: 'error', error: { type: errorTypes[kind], message: text }, request_id: 'req_scripted' };
}

const model = (id: string): object => ({ type: 'model', id, display_name: id, created_at: '2026-01-01T00:00:00Z' });

const messageOf = ({ id, model: name, finish, usage }: Answer, content: object[]): object => ({
  id: `msg_${id}`,
  type: 'message',
  role: 'assistant',
  model: name,
  content,
  stop_reason: stopReasons[finish],
  stop_sequence: null,
  usage: usageOf(usage),
});

/** Every event is named after its type. */
const named = (frame: Frame): Frame => ({ ...frame, event: (frame.data as { type: string }).type });

export const anthropic: Format = {
  id: 'anthropic',
  basePath: '/v1',
  callPrefix: 'toolu',
  lineEnd: '\n',
  decode(wire) {
    const body = Body.parse(wire);
    const systems = body.messages.filter(({ role }) => role === 'system').map(({ content }) => textOf(content));
    return {
      format: 'anthropic',
      model: body.model,
      stream: body.stream === true,
      system: [textOf(body.system), ...systems].filter((text) => text !== '').join('\n'),
      tools: (body.tools ?? []).map(({ name }) => name),
      entries: joinEntries(body.messages.flatMap(entriesOf)),
      body,
    };
  },
  frames(answer) {
    const opening = {
      ...messageOf(answer, []),
      stop_reason: null,
      usage: { ...inputUsage(answer.usage), output_tokens: 1 },
    };
    return [
      { data: { type: 'message_start', message: opening } },
      { data: { type: 'ping' } },
      ...partsOf(answer).flatMap(({ begun, deltas, closing }, index): Frame[] => [
        { data: { type: 'content_block_start', index, content_block: begun } },
        ...deltas.map((delta): Frame => ({ data: { type: 'content_block_delta', index, delta }, delta: true })),
        ...(closing === undefined ? [] : [{ data: { type: 'content_block_delta', index, delta: closing } }]),
        { data: { type: 'content_block_stop', index } },
      ]),
      {
        data: {
          type: 'message_delta',
          delta: { stop_reason: stopReasons[answer.finish], stop_sequence: null },
          usage: usageOf(answer.usage),
        },
      },
      { data: { type: 'message_stop' } },
    ].map(named);
  },
  body: (answer) =>
    messageOf(
      answer,
      partsOf(answer).map(({ whole }) => whole),
    ),
  errorBody,
  streamError: (error) => [{ event: 'error', data: errorBody(error) }],
  modelList: (names) => ({
    data: names.map(model),
    has_more: false,
    first_id: names[0] ?? null,
    last_id: names.at(-1) ?? null,
  }),
  model,
  tokenCount: (tokens) => ({ input_tokens: tokens }),
};
