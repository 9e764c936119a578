import { z } from 'zod';
import { piecesOf, type Answer } from '../answer.ts';
import { created, type Format, type Frame } from '../format.ts';
import { Content, joinEntries, resultText, textOf, type Entry } from '../request.ts';
import type { Usage } from '../script.ts';
import { openaiError, openaiModel, openaiModelList } from './openai-error.ts';

const Body = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: Content.nullish(),
      tool_call_id: z.string().nullish(),
      tool_calls: z.array(z.looseObject({ id: z.string(), function: z.looseObject({ name: z.string() }) })).nullish(),
    }),
  ),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }).optional() })).nullish(),
});

function entryOf({ role, content, tool_call_id, tool_calls }: z.infer<typeof Body>['messages'][number]): Entry[] {
  switch (role) {
    case 'system':
    case 'developer':
      return [];
    case 'assistant': {
      const calls = tool_calls ?? [];
      return [
        {
          role,
          text: textOf(content),
          calls: calls.map((call) => call.function.name),
          ids: calls.map((call) => call.id),
        },
      ];
    }
    case 'tool':
      return [{ role, results: [{ call: tool_call_id ?? '', result: resultText(content ?? '') }] }];
    default:
      return [{ role: 'user', text: textOf(content) }];
  }
}

const usageOf = ({ input, cached, cacheWrite, output, reasoning }: Usage): object => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: {
    cached_tokens: cached,
    ...(cacheWrite === undefined ? {} : { cache_write_tokens: cacheWrite }),
  },
  completion_tokens_details: { reasoning_tokens: reasoning },
});

// A refusal is an ordinary stop: only the field `refusal` tells it.
const finishReasons = {
  stop: 'stop',
  tool: 'tool_calls',
  length: 'length',
  refusal: 'stop',
  content_filter: 'content_filter',
};

const callOf = ({ id, name, args }: Answer['calls'][number]): object => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

export const chat: Format = {
  id: 'chat',
  basePath: '/v1',
  callPrefix: 'call',
  lineEnd: '\n',
  decode(wire) {
    const body = Body.parse(wire);
    const systems = body.messages.filter(({ role }) => role === 'system' || role === 'developer');
    return {
      format: 'chat',
      model: body.model,
      stream: body.stream === true,
      system: systems.map(({ content }) => textOf(content)).join('\n'),
      tools: (body.tools ?? []).flatMap((tool) => (tool.function === undefined ? [] : [tool.function.name])),
      entries: joinEntries(body.messages.flatMap(entryOf)),
      body,
    };
  },
  frames(answer, { body }) {
    const { id, model, text, reasoning, calls, usage, finish, chunkSize } = answer;
    const chunk = (delta: object, finish_reason: string | null = null): Frame => ({
      data: {
        id: `chatcmpl_${id}`,
        object: 'chat.completion.chunk',
        created,
        model,
        choices: [{ index: 0, delta, finish_reason }],
      },
    });
    const piece = (delta: object): Frame => ({ ...chunk(delta), delta: true });
    const field = finish === 'refusal' ? 'refusal' : 'content';
    const wantsUsage = Body.parse(body).stream_options?.include_usage === true;
    return [
      chunk({ role: 'assistant', content: field === 'content' && text !== '' ? '' : null, refusal: null }),
      ...piecesOf(reasoning, chunkSize).map((each) => piece({ reasoning_content: each })),
      ...piecesOf(text, chunkSize).map((each) => piece({ [field]: each })),
      ...calls.flatMap((call, index) => [
        piece({ tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }] }),
        ...piecesOf(call.args, chunkSize).map((each) =>
          piece({ tool_calls: [{ index, function: { arguments: each } }] }),
        ),
      ]),
      chunk({}, finishReasons[finish]),
      ...(wantsUsage
        ? [
            {
              data: {
                id: `chatcmpl_${id}`,
                object: 'chat.completion.chunk',
                created,
                model,
                choices: [],
                usage: usageOf(usage),
              },
            },
          ]
        : []),
      { data: '[DONE]' },
    ];
  },
  body({ id, model, text, reasoning, calls, usage, finish }) {
    const message = {
      role: 'assistant',
      content: finish === 'refusal' || text === '' ? null : text,
      refusal: finish === 'refusal' ? text : null,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map(callOf) }),
    };
    return {
      id: `chatcmpl_${id}`,
      object: 'chat.completion',
      created,
      model,
      choices: [{ index: 0, message, finish_reason: finishReasons[finish] }],
      usage: usageOf(usage),
    };
  },
  errorBody: (error) => ({ error: openaiError(error) }),
  streamError: (error) => [{ data: { error: openaiError(error) } }],
  modelList: openaiModelList,
  model: openaiModel,
  tokenCount: (tokens) => ({ input_tokens: tokens }),
};
