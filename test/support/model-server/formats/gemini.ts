import { z } from 'zod';
import { piecesOf, type Answer, type AnswerCall } from '../answer.ts';
import type { Format, Frame, ProviderError } from '../format.ts';
import { joinEntries, resultText, textOf, type Entry } from '../request.ts';
import type { ErrorKind, Usage } from '../script.ts';

const Part = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().nullish(),
  functionCall: z.looseObject({ id: z.string().nullish(), name: z.string() }).optional(),
  functionResponse: z
    .looseObject({ id: z.string().nullish(), name: z.string(), response: z.unknown().optional() })
    .optional(),
});
const Contents = z.looseObject({ role: z.string().nullish(), parts: z.array(Part).nullish() });
const Body = z.looseObject({
  contents: z.array(Contents),
  systemInstruction: Contents.nullish(),
  tools: z
    .array(z.looseObject({ functionDeclarations: z.array(z.looseObject({ name: z.string() })).optional() }))
    .nullish(),
});

function entriesOf({ role, parts }: z.infer<typeof Contents>): Entry[] {
  const all = parts ?? [];
  const text = textOf(all.filter(({ thought }) => thought !== true));
  if (role === 'model') {
    const calls = all.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]));
    return [
      {
        role: 'assistant',
        text,
        calls: calls.map(({ name }) => name),
        ids: calls.flatMap(({ id }) => (id ? [id] : [])),
      },
    ];
  }
  const results = all.flatMap(({ functionResponse }) =>
    functionResponse === undefined
      ? []
      : [{ call: functionResponse.id ?? functionResponse.name, result: resultText(functionResponse.response) }],
  );
  return [
    ...(results.length > 0 ? [{ role: 'tool' as const, results }] : []),
    ...(text !== '' ? [{ role: 'user' as const, text }] : []),
  ];
}

const usageOf = ({ input, cached, output, reasoning }: Usage): object => ({
  promptTokenCount: input,
  candidatesTokenCount: output - reasoning,
  totalTokenCount: input + output,
  ...(cached > 0 ? { cachedContentTokenCount: cached } : {}),
  ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
});

const Args = z.record(z.string(), z.unknown());

/** Arguments are an object on this wire; a call whose arguments are broken is never said, the answer ends as malformed instead. */
function argsOf({ args }: AnswerCall): Record<string, unknown> | undefined {
  try {
    return Args.safeParse(JSON.parse(args)).data;
  } catch {
    return undefined;
  }
}

const isBlocked = ({ finish }: Answer): boolean => finish === 'refusal' || finish === 'content_filter';

function endOf(answer: Answer): { finishReason: string; finishMessage?: string } {
  const broken = answer.calls.find((call) => argsOf(call) === undefined);
  if (broken !== undefined)
    return { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: `Malformed function call: ${broken.name}` };
  if (isBlocked(answer)) return { finishReason: 'SAFETY' };
  return { finishReason: answer.finish === 'length' ? 'MAX_TOKENS' : 'STOP' };
}

/** The parts of the answer, each as the parts that stream it. */
function partsOf({ id, text, reasoning, calls }: Answer, chunkSize: number): object[] {
  // Models that think sign their first call, and want the signature back with it.
  const signature = reasoning === '' ? {} : { thoughtSignature: btoa(`signed_${id}`) };
  return [
    ...piecesOf(reasoning, chunkSize).map((each) => ({ text: each, thought: true })),
    ...piecesOf(text, chunkSize).map((each) => ({ text: each })),
    ...calls
      .flatMap((call) => {
        const args = argsOf(call);
        return args === undefined ? [] : [{ functionCall: { id: call.id, name: call.name, args } }];
      })
      .map((part, index) => (index === 0 ? { ...part, ...signature } : part)),
  ];
}

/** A prompt that is blocked before anything is said has feedback and no candidate. */
const blockedPrompt = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } };
const isPromptBlocked = (answer: Answer): boolean => isBlocked(answer) && answer.text === '';

/** Google's JSON has no raw line or paragraph separators; a client that finds lines with a pattern relies on it. */
const escaped = (data: object): string =>
  JSON.stringify(data).replace(/[\u2028\u2029]/g, (each) => (each === '\u2028' ? '\\u2028' : '\\u2029'));

const envelope = ({ id, model }: Answer): object => ({ modelVersion: model, responseId: `resp_${id}` });
const candidate = (parts: object[], end: object = {}): object => ({
  candidates: [{ content: { parts, role: 'model' }, ...end, index: 0 }],
});

const statuses: Record<ErrorKind, string> = {
  bad_key: 'UNAUTHENTICATED',
  context_length: 'INVALID_ARGUMENT',
  forbidden: 'PERMISSION_DENIED',
  invalid_request: 'INVALID_ARGUMENT',
  not_found: 'NOT_FOUND',
  overloaded: 'UNAVAILABLE',
  quota: 'RESOURCE_EXHAUSTED',
  rate_limit: 'RESOURCE_EXHAUSTED',
  server_error: 'INTERNAL',
};

function detailsOf({ status, kind, retryAfter }: ProviderError): object {
  // A wrong key is a bad request here: status 400, and only the reason tells it from others.
  if (kind === 'bad_key' && status === 400)
    return {
      details: [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
      ],
    };
  if (retryAfter === undefined) return {};
  return { details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfter}s` }] };
}

function errorBody(error: ProviderError): object {
  const { status, kind, message } = error;
  // There is no code for it: clients know a full context by these words.
  const text =
    kind === 'context_length'
      ? 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'
      : message;
  const name = kind === 'bad_key' && status === 400 ? 'INVALID_ARGUMENT' : statuses[kind];
  return { error: { code: status, message: text, status: name, ...detailsOf(error) } };
}

const model = (name: string): object => ({
  name: `models/${name}`,
  displayName: name,
  inputTokenLimit: 1_048_576,
  outputTokenLimit: 65_536,
  supportedGenerationMethods: ['generateContent', 'countTokens'],
});

export const gemini: Format = {
  id: 'gemini',
  basePath: '/v1beta',
  callPrefix: 'fn',
  lineEnd: '\r\n',
  decode(wire, address) {
    const body = Body.parse(wire);
    return {
      format: 'gemini',
      model: address.model ?? '',
      stream: address.stream === true,
      system: textOf(body.systemInstruction?.parts),
      tools: (body.tools ?? []).flatMap((tool) => (tool.functionDeclarations ?? []).map(({ name }) => name)),
      entries: joinEntries(body.contents.flatMap(entriesOf)),
      body,
    };
  },
  frames(answer) {
    const closing = { usageMetadata: usageOf(answer.usage), ...envelope(answer) };
    if (isPromptBlocked(answer)) return [{ data: { ...blockedPrompt, ...closing } }];
    // Every event repeats what is counted so far; only the last one is the total.
    const soFar = { usageMetadata: { promptTokenCount: answer.usage.input, totalTokenCount: answer.usage.input } };
    return [
      ...partsOf(answer, answer.chunkSize).map((part): Frame => ({
        data: escaped({ ...candidate([part]), ...soFar, ...envelope(answer) }),
        delta: true,
      })),
      { data: { ...candidate([{ text: '' }], endOf(answer)), ...closing } },
    ];
  },
  body(answer) {
    const said = isPromptBlocked(answer)
      ? blockedPrompt
      : candidate(partsOf(answer, Number.MAX_SAFE_INTEGER), endOf(answer));
    return { ...said, usageMetadata: usageOf(answer.usage), ...envelope(answer) };
  },
  canSay: (call) => argsOf(call) !== undefined,
  errorBody,
  streamError: (error) => [{ data: errorBody(error) }],
  modelList: (names) => ({ models: names.map(model) }),
  model,
  tokenCount: (tokens) => ({ totalTokens: tokens }),
};
