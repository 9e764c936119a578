import { z } from 'zod';
import { piecesOf, type Answer, type AnswerCall } from '../answer.ts';
import { created, type Format, type Frame } from '../format.ts';
import { Content, joinEntries, resultText, textOf, type Entry } from '../request.ts';
import type { Usage } from '../script.ts';
import { openaiError, openaiModel, openaiModelList } from './openai-error.ts';

const Item = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  id: z.string().nullish(),
  content: Content.nullish(),
  name: z.string().optional(),
  call_id: z.string().nullish(),
  output: z.unknown().optional(),
});
const Body = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish(),
  instructions: z.string().nullish(),
  input: z.union([z.string(), z.array(Item)]),
  tools: z.array(z.looseObject({ type: z.string(), name: z.string().optional() })).nullish(),
  previous_response_id: z.string().nullish(),
});

const isSystem = ({ role }: z.infer<typeof Item>): boolean => role === 'system' || role === 'developer';

function entryOf({ type = 'message', role, id, content, name, call_id, output }: z.infer<typeof Item>): Entry {
  switch (type) {
    case 'message':
      return role === 'assistant'
        ? { role, text: textOf(content), calls: [], ids: id ? [id] : [] }
        : { role: 'user', text: textOf(content) };
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { role: 'tool', results: [{ call: call_id ?? '', result: resultText(output) }] };
    default:
      return {
        role: 'assistant',
        text: '',
        calls: name === undefined ? [] : [name],
        ids: [id, call_id].filter((each) => typeof each === 'string'),
      };
  }
}

const usageOf = ({ input, cached, cacheWrite, output, reasoning }: Usage): object => ({
  input_tokens: input,
  input_tokens_details: {
    cached_tokens: cached,
    ...(cacheWrite === undefined ? {} : { cache_write_tokens: cacheWrite }),
  },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
});

const incompleteReasons: Record<string, string> = { length: 'max_output_tokens', content_filter: 'content_filter' };

type Output = { item: object; begun: object; middle: Frame[] };

function reasoningOutput({ id, reasoning, chunkSize }: Answer): Output[] {
  if (reasoning === '') return [];
  const item_id = `rs_${id}`;
  const item = (summary: object[]): object => ({
    id: item_id,
    type: 'reasoning',
    encrypted_content: `sealed_${id}`,
    summary,
  });
  const at = { item_id, output_index: 0, summary_index: 0 };
  const part = { type: 'summary_text', text: reasoning };
  return [
    {
      item: item([part]),
      begun: item([]),
      middle: [
        { data: { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } } },
        ...piecesOf(reasoning, chunkSize).map((delta): Frame => ({
          data: { type: 'response.reasoning_summary_text.delta', ...at, delta },
          delta: true,
        })),
        { data: { type: 'response.reasoning_summary_text.done', ...at, text: reasoning } },
        { data: { type: 'response.reasoning_summary_part.done', ...at, part } },
      ],
    },
  ];
}

function messageOutput({ id, text, finish, chunkSize }: Answer, output_index: number): Output[] {
  if (text === '') return [];
  const refused = finish === 'refusal';
  const item_id = `msg_${id}`;
  const at = { item_id, output_index, content_index: 0 };
  const part = (said: string): object =>
    refused ? { type: 'refusal', refusal: said } : { type: 'output_text', text: said, annotations: [], logprobs: [] };
  const name = refused ? 'response.refusal' : 'response.output_text';
  const item = (status: string, content: object[]): object => ({
    id: item_id,
    type: 'message',
    status,
    role: 'assistant',
    content,
  });
  return [
    {
      item: item('completed', [part(text)]),
      begun: item('in_progress', []),
      middle: [
        { data: { type: 'response.content_part.added', ...at, part: part('') } },
        ...piecesOf(text, chunkSize).map((delta): Frame => ({
          data: { type: `${name}.delta`, ...at, delta },
          delta: true,
        })),
        { data: { type: `${name}.done`, ...at, [refused ? 'refusal' : 'text']: text } },
        { data: { type: 'response.content_part.done', ...at, part: part(text) } },
      ],
    },
  ];
}

function callOutput({ id, name, args, input }: AnswerCall, output_index: number, chunkSize: number): Output {
  const free = input !== undefined;
  const said = input ?? args;
  const field = free ? 'input' : 'arguments';
  const item_id = id.replace('call_', free ? 'ctc_' : 'fc_');
  const event = free ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
  const at = { item_id, output_index };
  const item = (status: string, text: string): object => ({
    id: item_id,
    type: free ? 'custom_tool_call' : 'function_call',
    status,
    call_id: id,
    name,
    [field]: text,
  });
  return {
    item: item('completed', said),
    begun: item('in_progress', ''),
    middle: [
      ...piecesOf(said, chunkSize).map((delta): Frame => ({
        data: { type: `${event}.delta`, ...at, delta },
        delta: true,
      })),
      { data: { type: `${event}.done`, ...at, [field]: said } },
    ],
  };
}

function outputsOf(answer: Answer): Output[] {
  const before = reasoningOutput(answer);
  const spoken = [...before, ...messageOutput(answer, before.length)];
  return [...spoken, ...answer.calls.map((call, index) => callOutput(call, spoken.length + index, answer.chunkSize))];
}

function responseOf({ id, model, usage, finish }: Answer, output: object[], ended: boolean): object {
  const reason = incompleteReasons[finish];
  const status = reason === undefined ? 'completed' : 'incomplete';
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: created,
    status: ended ? status : 'in_progress',
    error: null,
    incomplete_details: ended && reason !== undefined ? { reason } : null,
    model,
    output,
    usage: ended ? usageOf(usage) : null,
  };
}

/** Names every event after its type and numbers it. */
const numbered = (frames: readonly Frame[]): Frame[] =>
  frames.map((frame, sequence_number) => {
    const data = frame.data as { type: string };
    return { ...frame, event: data.type, data: { ...data, sequence_number } };
  });

export const responses: Format = {
  id: 'responses',
  basePath: '/v1',
  callPrefix: 'call',
  lineEnd: '\n',
  decode(wire) {
    const body = Body.parse(wire);
    const items = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input;
    const previous: Entry[] = body.previous_response_id
      ? [{ role: 'assistant', text: '', calls: [], ids: [body.previous_response_id] }]
      : [];
    const systems = [body.instructions ?? '', ...items.filter(isSystem).map(({ content }) => textOf(content))];
    return {
      format: 'responses',
      model: body.model,
      stream: body.stream === true,
      system: systems.filter((text) => text !== '').join('\n'),
      tools: (body.tools ?? []).map((tool) => tool.name ?? tool.type),
      entries: joinEntries([...previous, ...items.filter((item) => !isSystem(item)).map(entryOf)]),
      body,
    };
  },
  frames(answer) {
    const outputs = outputsOf(answer);
    const opening = responseOf(answer, [], false);
    const closing = responseOf(
      answer,
      outputs.map(({ item }) => item),
      true,
    );
    return numbered([
      { data: { type: 'response.created', response: opening } },
      { data: { type: 'response.in_progress', response: opening } },
      ...outputs.flatMap(({ item, begun, middle }, output_index): Frame[] => [
        { data: { type: 'response.output_item.added', output_index, item: begun } },
        ...middle,
        { data: { type: 'response.output_item.done', output_index, item } },
      ]),
      {
        data: {
          type: incompleteReasons[answer.finish] === undefined ? 'response.completed' : 'response.incomplete',
          response: closing,
        },
      },
    ]);
  },
  body: (answer) =>
    responseOf(
      answer,
      outputsOf(answer).map(({ item }) => item),
      true,
    ),
  errorBody: (error) => ({ error: openaiError(error) }),
  streamError(error) {
    const { message, code } = openaiError(error);
    const failed = {
      id: 'resp_failed',
      object: 'response',
      created_at: created,
      status: 'failed',
      error: { code, message },
    };
    return [{ event: 'response.failed', data: { type: 'response.failed', sequence_number: 0, response: failed } }];
  },
  modelList: openaiModelList,
  model: openaiModel,
  tokenCount: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
};
