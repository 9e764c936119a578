import type { ErrorCode } from '../events/event.ts';
import { parseObject } from '../json/parse.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { asText, filled, isObject, list, object } from '../json/read.ts';
import type { Decoder, DecoderSink, Dialect } from './dialect.ts';
import { Calls, editsIn } from './kit/calls.ts';
import { faultOf, finish } from './kit/ending.ts';
import { textOf } from './kit/texts.ts';
import { kindIn, kindsOf } from './kit/tool-kinds.ts';

const toolKinds = kindsOf({
  command: ['Shell', 'Bash'],
  read: ['ReadFile', 'ReadMediaFile'],
  search: ['Glob', 'Grep'],
  file_edit: ['WriteFile', 'StrReplaceFile'],
  web: ['SearchWeb', 'FetchURL'],
  subagent: ['Task', 'Agent', 'CreateSubagent'],
  plan: ['SetTodoList', 'Think', 'EnterPlanMode', 'ExitPlanMode'],
});

export const kimi: Dialect = {
  id: 'kimi',
  about: {
    agent: 'Kimi CLI, `kimi --print --output-format stream-json`',
    reads:
      'messages, notifications and the sentence it ends with when it fails, by its documents: never tried against the program',
  },
  detect,
  decoder,
  toolKinds,
  hasNoLastWord: true,
  exitMeaning: (code) => (code === retryable ? 'server' : undefined),
  schema,
};

/** What it exits with after a failure that a retry may help with. */
const retryable = 75;

/** Its message may be any program's: it is sure only of one that calls tools, or of one that answers such a call. */
function detect(head: readonly JsonObject[]): number {
  let best = 0;
  for (const wire of head) {
    if (!isMessage(wire)) {
      if (best === 0) return 0;
      continue;
    }
    const isCall = wire.role === 'assistant' && list(wire.tool_calls).some((call) => isCallOf(object(call)));
    const isAnswer = wire.role === 'tool' && typeof wire.tool_call_id === 'string';
    best = Math.max(best, isCall || isAnswer ? 0.9 : 0.6);
  }
  return best;
}

/** A message and nothing around it: no id, no type, no session. */
function isMessage(wire: JsonObject): boolean {
  if (wire.role !== 'assistant' && wire.role !== 'tool' && wire.role !== 'user') return false;
  return Object.keys(wire).every((key) => messageFields.has(key)) && 'content' in wire;
}

const messageFields = new Set(['role', 'content', 'name', 'tool_calls', 'tool_call_id', 'partial']);

const isCallOf = ({ type, function: called }: JsonObject): boolean => type === 'function' && isObject(called);

/** Sentences that it prints instead of an answer, each with what it means. */
const lastWords: readonly (readonly [start: string, code: ErrorCode | undefined])[] = [
  ['Max number of steps reached', 'turn_limit'],
  ['Interrupted by user', 'cancelled'],
  ['LLM not set', 'config'],
  ['LLM model', 'config'],
  ['Unknown error:', undefined],
  ['Error code:', undefined],
];

/** A result that begins with this tells of a call that failed. */
const failing = /^(?:<system>)?(?:ERROR:|Error:|Command failed|The tool call is rejected)/;
const rejected = /^(?:<system>)?(?:ERROR: )?The tool call (?:is|was) rejected/i;

/** Messages, one after the other; the last one without a call is the answer. */
function decoder(sink: DecoderSink): Decoder {
  const calls = new Calls(sink);
  let isIntroduced = false;
  let isTurnOpen = false;
  let answers = 0;
  /** The last message called nothing. */
  let isAnswered = false;
  let hasFailed = false;

  function line(wire: JsonObject): void {
    introduce();
    switch (wire.role) {
      case 'assistant':
        return readMessage(wire);
      case 'tool':
        return readResult(wire);
      case 'user': {
        const text = textIn(wire.content);
        return text === '' ? undefined : sink.emit({ type: 'prompt.submitted', text });
      }
      default:
        return readNotice(wire);
    }
  }

  function introduce(): void {
    if (!isIntroduced) sink.emit({ type: 'thread.started', agent: 'kimi' });
    isIntroduced = true;
  }

  /** Each message is one answer of a model. */
  function readMessage(wire: JsonObject): void {
    closeTurn();
    // Nothing says where a run begins: a message after an answer is of the next one, or of a later turn.
    if (isAnswered && !hasFailed) finish(sink, undefined, {});
    sink.emit({ type: 'turn.started' });
    isTurnOpen = true;
    const parts = typeof wire.content === 'string' ? [{ type: 'text', text: wire.content }] : list(wire.content);
    for (const part of parts.map(object)) readPart(part);
    const called = list(wire.tool_calls).map(object);
    for (const call of called) startCall(call);
    isAnswered = called.length === 0;
    if (isAnswered) closeTurn();
  }

  function readPart(part: JsonObject): void {
    const id = `block_${answers + 1}`;
    const text = asText(part.text ?? part.think);
    if (text === '') return;
    answers += 1;
    if (part.type === 'think') return sink.emit({ type: 'reasoning.completed', text, block_id: id });
    if (part.type === 'text') return sink.emit({ type: 'text.completed', text, block_id: id });
    sink.unknown(part);
  }

  function startCall({ id: given, function: called }: JsonObject): void {
    const id = filled(given);
    const { name: word, arguments: text } = object(called);
    if (id === undefined || calls.isOpen(id)) return;
    const name = filled(word) ?? 'unknown';
    const args = typeof text === 'string' ? (parseObject(text) ?? text) : (text ?? {});
    const kind = kindIn(toolKinds, name);
    calls.start(id, {
      kind,
      name,
      args,
      edits: editsIn(kind, args, ['path'], name === 'WriteFile' ? undefined : 'modified'),
    });
  }

  function readResult(wire: JsonObject): void {
    const id = filled(wire.tool_call_id);
    if (id === undefined || !calls.isOpen(id)) return sink.unknown(wire);
    const output = textIn(wire.content);
    const status = rejected.test(output.trimStart())
      ? 'denied'
      : failing.test(output.trimStart())
        ? 'error'
        : 'success';
    calls.end(id, { status, output });
    if (!calls.areOpen) closeTurn();
  }

  /** A notification, a plan, an answer to a question on the side: for people. */
  function readNotice(wire: JsonObject): void {
    const text = filled(wire.body) ?? filled(wire.content) ?? filled(wire.response) ?? filled(wire.title);
    if (text === undefined) return sink.unknown(wire);
    sink.emit({ type: 'log', stream: 'agent', level: wire.severity === 'error' ? 'warning' : 'info', text });
  }

  /** There is no line for a failure: it prints a sentence. */
  function readText(text: string): void {
    const known = lastWords.find(([start]) => text.startsWith(start));
    if (known === undefined || hasFailed) return;
    introduce();
    hasFailed = true;
    const [, code] = known;
    finish(sink, code === undefined ? faultOf(text) : faultOf(text, code), {});
  }

  function closeTurn(): void {
    if (!isTurnOpen) return;
    isTurnOpen = false;
    sink.emit({ type: 'turn.completed', finish_reason: isAnswered ? 'stop' : 'tool_calls' });
  }

  /** There is no closing line either: an answer that calls nothing is a good end. */
  function end(): void {
    closeTurn();
    if (isAnswered && !hasFailed) finish(sink, undefined, {});
  }

  return { line, text: readText, end };
}

function textIn(content: Json | undefined): string {
  return textOf(content);
}

async function schema() {
  const { z } = await import('zod');
  const content = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]);
  const call = z.looseObject({
    type: z.literal('function'),
    id: z.string(),
    function: z.looseObject({ name: z.string(), arguments: z.string().nullish() }),
  });
  return z.union([
    z.looseObject({ role: z.literal('assistant'), content, tool_calls: z.array(call).optional() }),
    z.looseObject({ role: z.literal('tool'), content, tool_call_id: z.string() }),
    z.looseObject({ role: z.literal('user'), content }),
    z.looseObject({ category: z.string(), title: z.string(), body: z.string() }),
  ]);
}
