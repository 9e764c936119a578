import type { ItemStatus } from '../events/event.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { present } from '../json/present.ts';
import { asText, count, filled, isObject, object, string } from '../json/read.ts';
import type { Decoder, DecoderSink, Dialect } from './dialect.ts';
import { Calls, editsIn } from './kit/calls.ts';
import { Ending, type Fault, faultOf } from './kit/ending.ts';
import { readInit } from './kit/init.ts';
import { surest } from './kit/surest.ts';
import { tellTime } from './kit/time.ts';
import { kindIn, kindsOf } from './kit/tool-kinds.ts';
import { readMessagesUsage } from './kit/messages-usage.ts';
import { tierOfMessages } from '../outcome/service-tier.ts';
import { reportUsage } from './kit/usage.ts';

const toolKinds = kindsOf({
  command: ['Execute'],
  read: ['Read'],
  search: ['LS', 'Grep', 'Glob'],
  file_edit: ['Edit', 'MultiEdit', 'Create', 'ApplyPatch'],
  web: ['WebSearch', 'FetchUrl'],
  plan: ['TodoWrite'],
  subagent: ['Task'],
});

export const droid: Dialect = {
  id: 'droid',
  about: {
    agent: 'Factory Droid, `droid exec --output-format stream-json`',
    reads: 'stream-json, and the one object of `json`',
  },
  detect,
  decoder,
  toolKinds,
  schema,
};

function detect(head: readonly JsonObject[], stderr: readonly string[]): number {
  if (head.length === 0) return stderr.some((text) => /\bdroid exec\b/.test(text)) ? 0.8 : 0;
  return surest(head, sure);
}

function sure(wire: JsonObject): number {
  switch (wire.type) {
    case 'system':
      if (wire.subtype !== 'init' || typeof wire.session_id !== 'string' || isOthers(wire)) return 0;
      if ('reasoning_effort' in wire) return 1;
      // Any agent may begin like this: the lines that follow decide.
      return 'cwd' in wire && 'tools' in wire && 'model' in wire ? 0.55 : 0;
    case 'message':
      return typeof wire.role === 'string' && typeof wire.text === 'string' && typeof wire.session_id === 'string'
        ? 0.95
        : 0;
    case 'tool_call':
    case 'tool_result':
      return typeof wire.toolId === 'string' && ('toolName' in wire || 'isError' in wire) ? 1 : 0;
    case 'completion':
      return typeof wire.finalText === 'string' ? 1 : 0;
    case 'result':
      return typeof wire.subtype === 'string' && 'num_turns' in wire && !('duration_api_ms' in wire) && !isOthers(wire)
        ? 0.95
        : 0;
    default:
      return 0;
  }
}

const othersKeys = `apiKeySource claude_code_version qwen_code_version permissionMode permission_mode permission_denials
  mcp_servers slash_commands total_cost_usd cost_usd uuid`.split(/\s+/);

/** Claude Code, Qwen Code, Cursor and Amp start and end their streams with lines of the same types. */
function isOthers(wire: JsonObject): boolean {
  return (
    othersKeys.some((key) => key in wire) || (typeof wire.session_id === 'string' && wire.session_id.startsWith('T-'))
  );
}

/** Tools of MCP servers are named `server___tool`. */
const mcpName = /___/;

/** With nobody to ask, anything above the `--auto` level is refused, and the run often ends there. */
const refusal =
  /insufficient permission|permission (?:to proceed|level)|--auto (?:low|medium|high)|--skip-permissions-unsafe|rejected by (?:the )?user/i;

function decoder(sink: DecoderSink): Decoder {
  const calls = new Calls(sink);
  const ending = new Ending(sink, 'agent');
  let turn: string | undefined;
  let isThinking = false;
  let hasSpoken = false;
  let unnamed = 0;

  function line(wire: JsonObject): void {
    tellTime(sink, wire.timestamp);
    switch (wire.type) {
      case 'system':
        return readInit(sink, 'droid', wire);
      case 'message':
        return readMessage(wire);
      case 'reasoning':
        return readReasoning(wire);
      case 'tool_call':
        openTurn(filled(wire.messageId));
        return startCall(wire);
      case 'tool_result':
        return endCall(wire);
      case 'error':
        return ending.fail(droidFault(asText(wire.message)));
      case 'completion': {
        const isGood = typeof wire.finalText === 'string' && (wire.isError === undefined || wire.isError === false);
        return readEnding(isGood, asText(wire.finalText), wire, wire.durationMs);
      }
      case 'result':
        return readEnding(
          wire.subtype === 'success' && wire.is_error === false,
          asText(wire.result),
          wire,
          wire.duration_ms,
        );
      default:
        if (!readLog(wire)) sink.unknown(wire);
    }
  }

  function readMessage(wire: JsonObject): void {
    const text = asText(wire.text);
    const id = filled(wire.id);
    if (wire.role === 'user') return sink.emit({ type: 'prompt.submitted', text, ...present({ message_id: id }) });
    openTurn(id);
    if (text === '') return;
    hasSpoken = true;
    sink.emit({ type: 'text.completed', text, ...present({ message_id: id, block_id: id }) });
  }

  /** Reasoning comes before the message to which it belongs, and does not name it. */
  function readReasoning(wire: JsonObject): void {
    if (!isThinking) sink.emit({ type: 'turn.started' });
    isThinking = true;
    sink.emit({ type: 'reasoning.completed', text: asText(wire.text) });
  }

  function openTurn(id: string | undefined): void {
    ending.recover();
    if (id === undefined || id === turn) return;
    if (!isThinking) sink.emit({ type: 'turn.started' });
    isThinking = false;
    turn = id;
  }

  function startCall({ id, toolId, toolName, parameters }: JsonObject): void {
    const name = filled(toolName) ?? filled(toolId) ?? 'unknown';
    const kind = kindIn(toolKinds, name, mcpName);
    const edits = editsIn(kind, parameters, ['file_path', 'path'], name === 'Create' ? 'created' : 'modified');
    calls.start(filled(id) ?? `call_${++unnamed}`, {
      kind,
      name,
      args: parameters,
      edits,
      tool: filled(toolId) ?? name,
    });
  }

  function endCall(wire: JsonObject): void {
    const id = filled(wire.id) ?? calls.oldestOf(string(wire.toolId) ?? '');
    if (id === undefined) return sink.unknown(wire);
    if (wire.isError === false) return calls.end(id, { status: 'success', output: wire.value ?? undefined });
    const error = filled(object(wire.error).message) ?? asText(wire.error ?? wire.value);
    calls.end(id, { status: failureOf(error, object(wire.error).type), error });
  }

  /** The last line; `text`: the answer, or why there is none. */
  function readEnding(
    isGood: boolean,
    text: string,
    { usage, type, subtype }: JsonObject,
    duration: Json | undefined,
  ): void {
    const counts = object(usage);
    const tokens = { ...readMessagesUsage(counts), ...present({ reasoning_tokens: count(counts.thinking_tokens) }) };
    reportUsage(sink, 'turn', tokens, { service_tier: tierOfMessages(counts) });
    if (isGood && !hasSpoken && text !== '') sink.emit({ type: 'text.completed', text });
    const raw_status = type === 'result' ? string(subtype) : undefined;
    ending.read(isGood ? undefined : droidFault(text), present({ raw_status, duration_ms: count(duration) }));
  }

  /** A failed start prints a log line instead of an event. */
  function readLog(wire: JsonObject): boolean {
    if (typeof wire.level !== 'string' || wire.type !== undefined) return false;
    const text = filled(object(wire.error).message) ?? filled(wire.error) ?? filled(wire.msg) ?? asText(wire.error);
    if (wire.level === 'error' || wire.level === 'fatal' || isObject(wire.error)) ending.fail(droidFault(text));
    else sink.emit({ type: 'log', stream: 'agent', level: wire.level === 'warn' ? 'warning' : 'info', text });
    return true;
  }

  function stderr(text: string, wire: JsonObject | undefined): boolean {
    if (wire !== undefined) return readLog(wire);
    if (!refusal.test(text)) return false;
    ending.fail(droidFault(text));
    return true;
  }

  return { line, stderr, end() {} };
}

function droidFault(message: string): Required<Fault> {
  return refusal.test(message) ? faultOf(message, 'permission') : faultOf(message);
}

function failureOf(message: string, type: Json | undefined): ItemStatus {
  if (type === 'permission_denied' || refusal.test(message.slice(0, 1000))) return 'denied';
  return /^(?:cancell?ed|aborted|interrupted)\b/i.test(message) ? 'cancelled' : 'error';
}

/** One line of stream-json (the object of `json` is a `result`), or a log line of a failed start. */
async function schema() {
  const { z } = await import('zod');
  const session_id = z.string();
  const event = z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('system'), subtype: z.literal('init'), session_id }),
    z.looseObject({ type: z.literal('message'), role: z.enum(['user', 'assistant']), text: z.string(), session_id }),
    z.looseObject({ type: z.literal('reasoning'), text: z.string() }),
    z.looseObject({ type: z.literal('tool_call'), toolId: z.string(), toolName: z.string(), parameters: z.json() }),
    z.looseObject({ type: z.literal('tool_result'), toolId: z.string(), isError: z.boolean() }),
    z.looseObject({ type: z.literal('error'), message: z.string() }),
    z.looseObject({ type: z.literal('completion'), finalText: z.string(), session_id }),
    z.looseObject({
      type: z.literal('result'),
      subtype: z.string(),
      is_error: z.boolean(),
      result: z.string(),
      session_id,
    }),
  ]);
  return z.union([event, z.looseObject({ level: z.string() })]);
}
