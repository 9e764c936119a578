import type { ErrorCode } from '../events/event.ts';
import type { JsonObject } from '../json/json.ts';
import { present } from '../json/present.ts';
import { asText, count, filled, isObject, list, number, object, string, whole, wordIn } from '../json/read.ts';
import type { Decoder, DecoderSink, Dialect } from './dialect.ts';
import { type CallEnd, Calls, editsIn } from './kit/calls.ts';
import { deny, faultOf, finish } from './kit/ending.ts';
import { surest } from './kit/surest.ts';
import { Block } from './kit/texts.ts';
import { kindIn, kindsOf } from './kit/tool-kinds.ts';
import { type Counting, reportUsage, tokensIn } from './kit/usage.ts';

const toolKinds = kindsOf({
  command: ['run_command', 'send_command_input', 'command_status'],
  read: ['view_file', 'view_file_outline', 'view_code_item'],
  search: ['list_dir', 'find_by_name', 'grep_search', 'codebase_search'],
  file_edit: ['write_to_file', 'replace_file_content', 'multi_replace_file_content'],
  web: ['search_web', 'read_url_content'],
  mcp: ['call_mcp_tool'],
  subagent: ['invoke_subagent', 'browser_subagent'],
});

export const antigravity: Dialect = {
  id: 'antigravity',
  about: {
    agent: 'Antigravity CLI, `agy -p … --output-format stream-json` or `json`',
    reads: 'stream-json of 1.2, and the one object of `json`, as others describe them: never tried against the program',
  },
  detect: (head) => surest(head, sure),
  decoder,
  toolKinds,
  schema,
};

function sure(wire: JsonObject): number {
  switch (wire.event) {
    case 'init':
      return isObject(wire.init) && typeof wire.conversation_id === 'string' ? 1 : 0;
    case 'step_update':
      return isObject(wire.step_update) && 'state' in wire.step_update ? 1 : 0;
    case 'result':
      return isObject(wire.result) && typeof wire.result.status === 'string' ? 1 : 0;
    case undefined:
      return isResult(wire) && 'response' in wire && ('num_turns' in wire || 'duration_seconds' in wire) ? 0.95 : 0;
    default:
      return 0;
  }
}

/** The one object of `json`. */
function isResult(wire: JsonObject): boolean {
  return typeof wire.conversation_id === 'string' && typeof wire.status === 'string' && !('type' in wire);
}

/** The arguments that name a file. */
const pathFields = ['TargetFile', 'AbsolutePath', 'target_file'] as const;

/** With nobody to ask, what needs a permission is refused. */
const refusal = /permission check failed|denied permission|permission denied|user denied|auto[- ]?denied/i;

/** What a result says that is neither good nor simply an error. */
const statusCodes: Readonly<Record<string, ErrorCode>> = {
  CANCELLED: 'cancelled',
  CANCELED: 'cancelled',
  INTERRUPTED: 'cancelled',
  ABORTED: 'cancelled',
  TIMEOUT: 'time_limit',
  TIMED_OUT: 'time_limit',
  MAX_TURNS: 'turn_limit',
  WAITING: 'permission',
  WAITING_FOR_USER: 'permission',
  BLOCKED: 'permission',
};

const counting: Counting = {
  fields: {
    input_tokens: 'input_tokens',
    output_tokens: 'output_tokens',
    thinking_tokens: 'reasoning_tokens',
    cache_read_tokens: 'cache_read_tokens',
  },
};

const countingApart: Counting = { ...counting, reasoningIsApart: true };

const mostDenials = 1000;

/** Steps that begin, grow and end, and one result for each prompt. */
function decoder(sink: DecoderSink): Decoder {
  const calls = new Calls(sink);
  let session: string | undefined;
  let model: string | undefined;
  /** The open answer. */
  let answer: Block | undefined;
  let answers = 0;
  let lastText: string | undefined;
  let isTurnOpen = false;
  let steps = 0;
  let callCount = 0;

  function line(wire: JsonObject): void {
    switch (wire.event) {
      case 'init':
        return introduce(filled(wire.conversation_id) ?? '', object(wire.init));
      case 'step_update':
        return readStep(object(wire.step_update));
      case 'result':
        return readResult(object(wire.result));
      default:
        return isResult(wire) ? readResult(wire) : sink.unknown(wire);
    }
  }

  function introduce(id: string, init: JsonObject): void {
    if (session !== undefined && session === id) return;
    session = id;
    model = filled(init.model) ?? model;
    sink.emit({
      type: 'thread.started',
      agent: 'antigravity',
      ...present({ session_id: filled(id), model, cwd: filled(init.cwd) }),
    });
  }

  function readStep(step: JsonObject): void {
    steps += 1;
    switch (step.step_type) {
      case 'user_input':
        if (filled(step.text_delta) !== undefined)
          sink.emit({ type: 'prompt.submitted', text: asText(step.text_delta) });
        return;
      case 'tool':
        closeAnswer();
        openTurn();
        return readCall(step);
      case 'error_message': {
        const message = filled(step.error) ?? filled(step.text_delta);
        if (message !== undefined) sink.emit({ type: 'error', scope: 'agent', ...faultOf(message), fatal: false });
        return;
      }
      case 'agent_response':
        openTurn();
        return readAnswer(step);
      case undefined:
        // The end of an answer may name its step alone.
        if (answer !== undefined) readAnswer(step);
    }
  }

  function openTurn(): void {
    if (!isTurnOpen) sink.emit({ type: 'turn.started', ...present({ model }) });
    isTurnOpen = true;
  }

  function readAnswer({ state, text_delta }: JsonObject): void {
    const text = string(text_delta) ?? '';
    // Some builds repeat the whole text at its end.
    const isRepeated = state === 'DONE' && answer?.text === text;
    if (text !== '' && !isRepeated) (answer ??= newAnswer()).add(text);
    if (state === 'DONE') closeAnswer();
  }

  function newAnswer(): Block {
    const id = `message_${answers + 1}`;
    return new Block(sink, 'text', { message_id: id, block_id: id });
  }

  function closeAnswer(): void {
    if (answer === undefined) return;
    answers += 1;
    answer.complete();
    lastText = answer.text;
    answer = undefined;
  }

  /** A call is one step: it is told when it begins, and again when it has ended. Without a number it is the open one of its tool. */
  function readCall(step: JsonObject): void {
    const info = object(step.tool_info);
    const name = filled(step.tool_name) ?? filled(info.name) ?? 'unknown';
    const index = whole(step.step_index);
    let id = index === undefined ? calls.oldestOf(name) : `step_${index}`;
    if (id === undefined || !calls.isOpen(id)) {
      callCount += 1;
      id ??= `call_${callCount}`;
      const kind = kindIn(toolKinds, name);
      const args = info.parameters ?? {};
      calls.start(id, {
        kind,
        name,
        args,
        edits: editsIn(kind, args, pathFields),
        tool: index === undefined ? name : undefined,
      });
    }
    if (step.state === 'DONE' || step.state === 'ERROR' || info.error !== undefined) calls.end(id, endOf(step, info));
  }

  function readResult(wire: JsonObject): void {
    if (session === undefined) introduce(filled(wire.conversation_id) ?? '', wire);
    closeAnswer();
    readDenials(wire);
    const response = filled(wire.response);
    if (response !== undefined && response.trim() !== lastText?.trim()) {
      openTurn();
      answer = newAnswer();
      answer.keep(response);
      closeAnswer();
    }
    readUsage(object(wire.usage));
    if (isTurnOpen) sink.emit({ type: 'turn.completed', finish_reason: wire.status === 'SUCCESS' ? 'stop' : 'error' });
    isTurnOpen = false;
    lastText = undefined;
    readEnding(wire);
  }

  /** What was refused: the status is `SUCCESS` all the same. */
  function readDenials(wire: JsonObject): void {
    for (const [index, denied] of list(wire.denied_actions).slice(0, mostDenials).entries()) {
      const what = isObject(denied)
        ? (filled(denied.action) ?? filled(denied.display_name) ?? 'an action')
        : asText(denied);
      deny(sink, `denied_${index + 1}`, what);
    }
  }

  /** The totals of the run. */
  function readUsage(usage: JsonObject): void {
    const total =
      (count(usage.input_tokens) ?? 0) + (count(usage.output_tokens) ?? 0) + (count(usage.thinking_tokens) ?? 0);
    if (total === 0) return;
    // Whether thoughts are part of the output shows in the total.
    const tokens = tokensIn(count(usage.total_tokens) === total ? countingApart : counting, usage);
    reportUsage(sink, 'thread', { input_tokens: 0, output_tokens: 0, ...tokens }, { model });
  }

  function readEnding(wire: JsonObject): void {
    const raw_status = filled(wire.status) ?? '';
    const message = filled(wire.error);
    // Told only if no step was.
    const turns = steps === 0 ? whole(wire.num_turns) || undefined : undefined;
    const more = present({
      raw_status,
      turns,
      duration_ms: Math.round((count(wire.duration_seconds) ?? 0) * 1000) || undefined,
    });
    if (raw_status === 'SUCCESS' && message === undefined) return finish(sink, undefined, more);
    const code = wordIn(statusCodes, raw_status);
    if (code !== undefined) return finish(sink, { code, ...present({ message }) }, more);
    sink.emit({
      type: 'agent.finished',
      status: 'failed',
      code: faultOf(message ?? '').code,
      ...present({ message }),
      ...more,
    });
  }

  return { line, end: closeAnswer };
}

function endOf(step: JsonObject, info: JsonObject): CallEnd {
  const seconds = number(step.duration_seconds);
  const duration_ms = seconds === undefined || seconds < 0 ? undefined : seconds * 1000;
  const fault = info.error ?? (step.state === 'ERROR' ? (step.error ?? null) : undefined);
  if (fault === undefined) return { status: 'success', output: info.output ?? info.result, duration_ms };
  const error = filled(object(fault).message) ?? asText(fault);
  const isDenied = /permission/i.test(asText(object(fault).type)) || refusal.test(error.slice(0, 1000));
  return { status: isDenied ? 'denied' : 'error', error, duration_ms };
}

/** One line of stream-json, or the one object of `json`. */
async function schema() {
  const { z } = await import('zod');
  const result = z.looseObject({ status: z.string(), response: z.string().optional(), error: z.string().optional() });
  return z.union([
    z.looseObject({ event: z.literal('init'), conversation_id: z.string(), init: z.looseObject({}) }),
    z.looseObject({ event: z.literal('step_update'), step_update: z.looseObject({ state: z.string().optional() }) }),
    z.looseObject({ event: z.literal('result'), result }),
    result.extend({ conversation_id: z.string() }),
  ]);
}
