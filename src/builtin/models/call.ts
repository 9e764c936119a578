import { InvalidToolInputError, streamText, type FinishReason as SdkFinish, type ModelMessage, type ToolSet } from 'ai';
import type { Draft, FinishReason } from '../../events/event.ts';
import { present } from '../../json/present.ts';
import { endless, mostCharacters } from './bounded-response.ts';
import { type CallUsage, usageOf } from './call-usage.ts';
import { type Fault, FaultError, faultOf } from './fault.ts';
import type { OpenModel } from './model.ts';
import { isTooDeep } from './nesting.ts';

export interface Question {
  system: string;
  messages: readonly ModelMessage[];
  tools: ToolSet;
  /** Nothing more is asked once it is aborted. */
  signal: AbortSignal;
  /** Ends the answer itself. */
  calls: AbortSignal;
  /** The turn and message that the answer belongs to. */
  turnId: string;
  messageId: string;
}

export interface ModelCall {
  id: string;
  name: string;
  input: unknown;
  /** Set when the call cannot be run: no such tool, or arguments that are not JSON. The answer's messages already inform the model. */
  invalid?: string;
}

export interface Answer {
  text: string;
  calls: ModelCall[];
  /** To be added to the conversation unchanged: providers sign parts of it. */
  messages: ModelMessage[];
  finish: FinishReason;
  rawFinish?: string;
  /** Absent when the provider reports no usage. */
  usage?: CallUsage;
}

export type Reply = { answer: Answer } | { fault: Fault; text: string } | { aborted: true; text: string };

const finishes: Record<SdkFinish, FinishReason> = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  'content-filter': 'content_filter',
  error: 'error',
  interrupted: 'error',
  other: 'other',
};

/** One model call: one question, one streamed answer, emitted as it arrives. An answer that did not end properly is a fault. */
export async function callModel(
  { model, options, cacheMark }: OpenModel,
  question: Question,
  emit: (draft: Draft) => void,
): Promise<Reply> {
  const { system, messages, tools, calls: signal } = question;
  const blocks = new Blocks(question, emit);
  const calls: ModelCall[] = [];
  let fault: Fault | undefined;
  let ended: { finish: SdkFinish; raw: string | undefined; usage: CallUsage | undefined } | undefined;
  let aborted = false;
  let characters = 0;
  // Leaving the loop is not enough to end the answer: the SDK reads the stream too.
  const enough = new AbortController();
  const add = (piece: string): void => {
    characters += piece.length;
    if (characters > mostCharacters) throw endless(`${mostCharacters} characters`);
  };
  try {
    const result = streamText({
      model,
      instructions: cacheMark === undefined ? system : { role: 'system', content: system, providerOptions: cacheMark },
      messages: cacheMark === undefined ? [...messages] : markLast(messages, cacheMark),
      tools,
      ...present({ providerOptions: options }),
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, enough.signal]),
      onError: () => {},
    });
    for await (const part of result.stream) {
      switch (part.type) {
        case 'text-delta':
          add(part.text);
          blocks.delta('text', part.id, part.text);
          break;
        case 'reasoning-delta':
          add(part.text);
          blocks.delta('reasoning', part.id, part.text);
          break;
        case 'text-end':
          blocks.end('text', part.id);
          break;
        case 'reasoning-end':
          blocks.end('reasoning', part.id);
          break;
        case 'tool-input-delta':
          add(part.delta);
          break;
        case 'tool-call':
          if (isTooDeep(part.input)) throw tooDeep(part.toolName);
          calls.push({
            id: part.toolCallId,
            name: part.toolName,
            input: part.input,
            ...(part.invalid === true ? { invalid: invalidWords(part.toolName, part.error) } : {}),
          });
          break;
        case 'finish-step':
          ended = {
            finish: part.finishReason,
            raw: part.rawFinishReason,
            usage: usageOf(part.usage, part.providerMetadata),
          };
          break;
        case 'error':
          fault ??= faultOf(part.error);
          break;
        case 'abort':
          aborted = true;
          break;
        default:
      }
    }
    blocks.endAll();
    if (aborted || signal.aborted) return { aborted: true, text: blocks.text };
    fault ??= badEnd(ended);
    if (fault !== undefined || ended === undefined) return { fault: fault ?? silence, text: blocks.text };
    return {
      answer: {
        text: blocks.text,
        calls,
        messages: [...(await result.responseMessages)],
        finish: finishes[ended.finish],
        ...present({ rawFinish: ended.raw, usage: ended.usage }),
      },
    };
  } catch (error) {
    enough.abort();
    blocks.endAll();
    if (signal.aborted) return { aborted: true, text: blocks.text };
    return { fault: fault ?? faultOf(error), text: blocks.text };
  }
}

/** Such a call could not be stored or sent back to the model. */
function tooDeep(name: string): FaultError {
  return new FaultError({
    code: 'server',
    message: `the model called ${name} with arguments that are nested too deeply`,
    retryable: false,
  });
}

const silence: Fault = { code: 'network', message: 'the model ended its answer without an end', retryable: true };

function badEnd(ended: { finish: SdkFinish; raw: string | undefined } | undefined): Fault | undefined {
  if (ended === undefined || ended.finish === 'interrupted') return silence;
  if (ended.finish !== 'error') return undefined;
  return {
    code: 'server',
    message: `the model ended its answer with an error${ended.raw === undefined ? '' : `: ${ended.raw}`}`,
    retryable: true,
  };
}

function markLast(
  messages: readonly ModelMessage[],
  providerOptions: NonNullable<OpenModel['cacheMark']>,
): ModelMessage[] {
  const last = messages.at(-1);
  return last === undefined
    ? []
    : [...messages.slice(0, -1), { ...last, providerOptions: { ...last.providerOptions, ...providerOptions } }];
}

/** The blocks of one message: deltas as they arrive, and each block as a whole when it ends, even if it is cut off. */
class Blocks {
  readonly #ids: { turn_id: string; message_id: string };
  readonly #emit: (draft: Draft) => void;
  readonly #open = new Map<string, { kind: 'text' | 'reasoning'; block_id: string; text: string }>();
  readonly #texts: string[] = [];
  #count = 0;

  constructor({ turnId, messageId }: Question, emit: (draft: Draft) => void) {
    this.#ids = { turn_id: turnId, message_id: messageId };
    this.#emit = emit;
  }

  get text(): string {
    return this.#texts.join('\n');
  }

  delta(kind: 'text' | 'reasoning', id: string, text: string): void {
    if (text === '') return;
    const key = `${kind} ${id}`;
    const block = this.#open.get(key) ?? { kind, block_id: `${this.#ids.message_id}_${++this.#count}`, text: '' };
    this.#open.set(key, block);
    block.text += text;
    this.#emit({ type: `${kind}.delta`, ...this.#ids, block_id: block.block_id, text });
  }

  end(kind: 'text' | 'reasoning', id: string): void {
    this.#close(`${kind} ${id}`);
  }

  endAll(): void {
    for (const key of this.#open.keys()) this.#close(key);
  }

  #close(key: string): void {
    const block = this.#open.get(key);
    if (block === undefined) return;
    this.#open.delete(key);
    if (block.kind === 'text') this.#texts.push(block.text);
    this.#emit({ type: `${block.kind}.completed`, ...this.#ids, block_id: block.block_id, text: block.text });
  }
}

/** The SDK's own message would quote the arguments, which may hold secrets. */
function invalidWords(tool: string, error: unknown): string {
  return InvalidToolInputError.isInstance(error) ? `the arguments of ${tool} are not JSON` : faultOf(error).message;
}
