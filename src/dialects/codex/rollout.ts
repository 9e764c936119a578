import type { ItemKind, ItemStatus } from '../../events/event.ts';
import type { DecoderSink, Json, JsonObject } from '../dialect.ts';
import { codeOfMessage } from '../../faults.ts';
import { asText, compact, count, filled, integer, isObject, list, object, string, time } from '../read.ts';

const ignored = new Set([
  'compacted',
  'world_state',
  'inter_agent_communication',
  'inter_agent_communication_metadata',
  'security_risk_score',
]);
const commands = new Set(['shell', 'shell_command', 'exec_command', 'write_stdin', 'local_shell', 'container.exec', 'unified_exec']);

/** A line of a session file, `sessions/YYYY/MM/DD/rollout-*.jsonl`. */
export function isRollout(wire: JsonObject): boolean {
  return typeof wire.timestamp === 'string' && typeof wire.type === 'string' && isObject(wire.payload);
}

/** The session files of Codex: what was said to the model and what it answered, and some events of the program. */
export function rolloutDecoder(sink: DecoderSink): { line(wire: JsonObject): void; end(): void } {
  const open = new Map<string, { name: string; input: Json }>();
  let started = false;
  let model: string | undefined;
  let inTurn = false;
  /** Between the two events that begin and end a task; undefined: this version tells neither. */
  let working: boolean | undefined;
  let answered = false;
  let totals: JsonObject | undefined;
  let lastPrompt: string | undefined;

  function line(wire: JsonObject): void {
    const at = time(wire.timestamp);
    if (at !== undefined) sink.at(at);
    const payload = object(wire.payload);
    switch (wire.type) {
      case 'session_meta':
        return start(payload);
      case 'turn_context':
        model = filled(payload.model) ?? model;
        return;
      case 'response_item':
        return item(payload, wire);
      case 'event_msg':
        return event(payload);
      default:
        if (!ignored.has(asText(wire.type))) sink.unknown(wire);
    }
  }

  /** A fork begins with its own line, and then repeats its parent's. */
  function start(meta: JsonObject): void {
    if (started) return;
    started = true;
    sink.emit({
      type: 'thread.started',
      agent: 'codex',
      ...compact({
        agent_version: filled(meta.cli_version),
        session_id: filled(meta.id) ?? filled(meta.session_id),
        parent_session_id: filled(meta.forked_from_id) ?? filled(meta.parent_thread_id),
        cwd: filled(meta.cwd),
      }),
    });
  }

  function turn(): void {
    if (inTurn) return;
    inTurn = true;
    sink.emit({ type: 'turn.started', ...compact({ model }) });
  }

  function item(payload: JsonObject, wire: JsonObject): void {
    const id = filled(payload.call_id) ?? filled(payload.id);
    switch (payload.type) {
      case 'message':
        return message(payload);
      case 'reasoning': {
        const text = list(payload.summary)
          .map((part) => asText(object(part).text))
          .join('\n\n');
        turn();
        if (text !== '') sink.emit({ type: 'reasoning.completed', text });
        return;
      }
      case 'function_call':
        return call(id, asText(payload.name), parsed(payload.arguments), wire);
      case 'custom_tool_call':
        return call(id, asText(payload.name), payload.input ?? null, wire);
      case 'local_shell_call':
        return call(id, 'local_shell', payload.action ?? null, wire);
      case 'function_call_output':
      case 'custom_tool_call_output':
        return result(id, payload.output);
      case 'web_search_call':
        turn();
        sink.emit({ type: 'item.started', item_id: id ?? 'web_search', kind: 'web', name: 'web_search', args: payload.action ?? null });
        sink.emit({ type: 'item.completed', item_id: id ?? 'web_search', status: payload.status === 'failed' ? 'error' : 'success' });
    }
  }

  function message(payload: JsonObject): void {
    const text = list(payload.content)
      .map((part) => string(object(part).text) ?? '')
      .join('');
    if (payload.role === 'user') return prompt(text);
    if (payload.role !== 'assistant' || text.trim() === '') return;
    turn();
    answered = true;
    const id = filled(payload.id);
    sink.emit({ type: 'text.completed', text, ...compact({ message_id: id, block_id: id }) });
  }

  /** What the program adds to the conversation in the user's name is in tags; what the user said is told twice. */
  function prompt(text: string): void {
    if (text.trim() === '' || text === lastPrompt || /^\s*(?:<[a-z_]+>|# AGENTS\.md instructions)/i.test(text)) return;
    lastPrompt = text;
    sink.emit({ type: 'prompt.submitted', text });
  }

  function call(id: string | undefined, name: string, input: Json, wire: JsonObject): void {
    if (id === undefined) return sink.unknown(wire);
    turn();
    answered = false;
    open.set(id, { name, input });
    sink.emit({ type: 'item.started', item_id: id, kind: kindOf(name), name, args: input });
  }

  function result(id: string | undefined, wire: Json | undefined): void {
    const known = id === undefined ? undefined : open.get(id);
    if (id === undefined || known === undefined) return;
    open.delete(id);
    const { output, exit, seconds } = outputOf(wire);
    const status = statusOf(output, exit, object(wire).success);
    sink.emit({
      type: 'item.completed',
      item_id: id,
      status,
      output,
      ...compact({ exit_code: exit, duration_ms: seconds === undefined ? undefined : seconds * 1000 }),
    });
    if (status === 'success') for (const edit of editsOf(known.name, known.input)) sink.emit({ type: 'file.edited', ...edit, item_id: id });
  }

  function event(payload: JsonObject): void {
    switch (payload.type) {
      case 'task_started':
      case 'turn_started':
        // The model is told after this, and before anything is said.
        inTurn = false;
        working = true;
        return;
      case 'user_message':
        return prompt(asText(payload.message));
      case 'token_count':
        totals = isObject(object(payload.info).total_token_usage) ? object(object(payload.info).total_token_usage) : totals;
        return;
      case 'task_complete':
      case 'turn_complete':
        return finish({ status: 'ok' }, 'stop');
      case 'turn_aborted':
        return finish({ status: 'cancelled', ...compact({ raw_status: filled(payload.reason) }) }, 'aborted');
      case 'error': {
        const words = asText(payload.message);
        return finish({ status: 'failed', code: codeOfMessage(words), message: words }, 'error');
      }
    }
  }

  type Claim = { status: 'ok' | 'cancelled' } | { status: 'failed'; code: ReturnType<typeof codeOfMessage>; message: string };

  function finish(claim: Claim, reason: 'stop' | 'aborted' | 'error'): void {
    usage();
    turn();
    inTurn = false;
    working = false;
    sink.emit({ type: 'turn.completed', finish_reason: reason });
    sink.emit({ type: 'agent.finished', ...claim });
  }

  /** Running totals of the whole thread. */
  function usage(): void {
    if (totals === undefined) return;
    const tokens = compact({
      input_tokens: count(totals.input_tokens),
      output_tokens: count(totals.output_tokens),
      reasoning_tokens: count(totals.reasoning_output_tokens),
      cache_read_tokens: count(totals.cached_input_tokens),
    });
    totals = undefined;
    if (Object.values(tokens).some((value) => value > 0)) sink.emit({ type: 'usage.reported', scope: 'thread', ...tokens });
  }

  return {
    line,
    end() {
      usage();
      // The turns before say nothing of one that was cut.
      if (working === true) sink.emit({ type: 'log', stream: 'agent', cause: 'cut', text: 'the session stops inside a turn' });
      else if (working === undefined && inTurn && answered) sink.emit({ type: 'agent.finished', status: 'ok' });
    },
  };
}

function kindOf(name: string): ItemKind {
  if (commands.has(name)) return 'command';
  if (name === 'apply_patch') return 'file_edit';
  if (name === 'update_plan') return 'plan';
  return name.includes('__') ? 'mcp' : 'tool_call';
}

function parsed(text: Json | undefined): Json {
  if (typeof text !== 'string') return text ?? null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

interface Output {
  output: string;
  exit: number | undefined;
  seconds: number | undefined;
}

/** Plain text with a head that tells the exit code, a JSON text with `metadata`, or a list of blocks: by version and tool. */
function outputOf(wire: Json | undefined): Output {
  const content = isObject(wire) ? (wire.content ?? wire.output) : wire;
  const text = Array.isArray(content) ? content.map((block) => asText(object(block).text)).join('\n') : asText(content);
  const structured = text.startsWith('{') ? object(parsed(text)) : {};
  if (isObject(structured.metadata)) {
    const { exit_code, duration_seconds } = structured.metadata;
    return { output: asText(structured.output), exit: integer(exit_code), seconds: count(duration_seconds) };
  }
  const head = text.slice(0, 400);
  const exit = /^(?:Exit code: |Process exited with code )(-?\d+)/m.exec(head)?.[1];
  const seconds = /^Wall time: ([\d.]+) seconds/m.exec(head)?.[1];
  return {
    output: text,
    exit: exit === undefined ? undefined : Number(exit),
    seconds: seconds === undefined ? undefined : Number(seconds),
  };
}

function statusOf(output: string, exit: number | undefined, success: Json | undefined): ItemStatus {
  if (/^(?:exec command |patch )?rejected by user/i.test(output) || output.startsWith('sandbox denied')) return 'denied';
  if (exit !== undefined) return exit === 0 ? 'success' : 'error';
  return success === false || /^(?:aborted|failed|error)\b/i.test(output) ? 'error' : 'success';
}

const operations = { Add: 'created', Update: 'modified', Delete: 'deleted' } as const;

/** A patch names its files; as a tool of its own, or as a command of the shell. */
function editsOf(name: string, input: Json): { path: string; operation: (typeof operations)[keyof typeof operations] }[] {
  const text = typeof input === 'string' ? input : (string(object(input).input) ?? list(object(input).command).map(asText).join(' '));
  if (name !== 'apply_patch' && !text.startsWith('apply_patch')) return [];
  return [...text.matchAll(/^\*\*\* (Add|Update|Delete) File: (.+)$/gm)].map(([, verb, path]) => ({
    path: (path ?? '').trim(),
    operation: operations[verb === 'Add' || verb === 'Delete' ? verb : 'Update'],
  }));
}
