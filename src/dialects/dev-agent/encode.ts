import type { EventOf, EventRecord } from '../../events/event.ts';
import type { Encoder, EncoderSink, Json, JsonObject } from '../dialect.ts';
import { lossOf } from '../losses.ts';
import { asText, compact, isObject, list, object, string } from '../read.ts';
import { reportMessage } from './report.ts';

const messagePreview = 500;
const promptPreview = 240;

interface Turn {
  id: string;
  iteration: number;
  items: number;
  running: number;
  said: boolean;
  failed: boolean;
  split: boolean;
}

/** Seed 003: one envelope on every line, turns of one reply each, and the outcome inside the final report. */
export function encoder(sink: EncoderSink): Encoder {
  const open = new Map<string, { startedAt: string | null; turn: Turn | undefined }>();
  let sequence = 0;
  let time: string | undefined;
  let task: string | undefined;
  let turn: Turn | undefined;
  let iteration = 0;
  let itemCount = 0;
  let messageCount = 1;
  /** A text waits for the next event, which tells whether tool calls follow it. */
  let pending: string | undefined;
  /** A message that calls tools waits for them all to start, so that it can say how many they are. */
  let held: { message: JsonObject; calls: number; lines: JsonObject[] } | undefined;
  /** A text longer than its preview: lost, unless it is the message of the final report. */
  let cutText: string | undefined;

  function line(record: EventRecord, fields: JsonObject & { type: string }): void {
    const { type, ...rest } = fields;
    if (record.timestamp === null) sink.lose('time');
    else time = record.timestamp;
    sequence += 1;
    const wire = { type, timestamp: time ?? '1970-01-01T00:00:00Z', sequence, thread_id: record.thread_id, ...rest };
    if (held === undefined) sink.line(wire);
    else held.lines.push(wire);
  }

  function release(): void {
    if (held === undefined) return;
    const { message, calls, lines } = held;
    held = undefined;
    message.tool_call_count = calls;
    for (const wire of lines) sink.line(wire);
  }

  function startTurn(record: EventRecord, event?: EventOf<'turn.started'>): void {
    const next = Math.max(event?.iteration ?? 0, iteration + 1);
    iteration = next;
    const id = event !== undefined && event.iteration === next ? event.turn_id : `turn_${next}`;
    turn = { id, iteration: next, items: 0, running: 0, said: false, failed: false, split: event === undefined };
    line(record, {
      type: 'turn.started',
      turn_id: id,
      iteration: next,
      message_count: event?.message_count ?? messageCount,
      tool_count: event?.tool_count ?? itemCount,
    });
  }

  function completeTurn(record: EventRecord, event?: EventOf<'turn.completed'>): void {
    if (turn === undefined) return;
    // A call of the model that failed or was cut off has no message.
    if (pending !== undefined || !(turn.failed || record.synthetic)) speak(record);
    const whole = event !== undefined && !turn.split;
    line(record, {
      type: 'turn.completed',
      turn_id: turn.id,
      iteration: turn.iteration,
      tool_call_count: whole ? event.tool_call_count : turn.items,
      has_final_report: event?.has_final_report ?? false,
    });
    turn = undefined;
  }

  /** Every turn has its message, before its items. */
  function speak(record: EventRecord): void {
    if (turn === undefined || (turn.said && pending === undefined)) return;
    const { text, cut } = shorten(pending ?? '', messagePreview);
    pending = undefined;
    turn.said = true;
    messageCount += 1;
    line(record, {
      type: 'assistant.message',
      turn_id: turn.id,
      preview: text,
      tool_call_count: 0,
      ...(cut ? { truncated: true } : {}),
    });
  }

  function say(record: EventRecord, event: EventOf<'text.completed'>): void {
    if (event.parent_item_id !== undefined) return sink.lose('sub_agent');
    if (event.message_id === reportMessage || event.text.trim() === '') return;
    if (pending !== undefined) speak(record);
    // Words after the tools are another reply of the model, and a reply is a turn here.
    if (turn !== undefined && turn.items > 0 && turn.running === 0) {
      sink.lose('turn_boundary');
      completeTurn(record);
      startTurn(record);
    }
    if (cutText !== undefined) sink.lose('text');
    cutText = shorten(event.text, messagePreview).cut ? event.text : undefined;
    pending = event.text;
  }

  function startItem(record: EventRecord, event: EventOf<'item.started'>): void {
    if (event.parent_item_id !== undefined) sink.lose('sub_agent');
    call(record);
    if (turn !== undefined) {
      turn.items += 1;
      turn.running += 1;
    }
    itemCount += 1;
    open.set(event.item_id, { startedAt: record.timestamp, turn });
    line(record, { type: 'item.started', item_id: event.item_id, kind: event.kind, name: event.name, args: safeArgs(event) });
  }

  /** Calls that start together belong to one message. */
  function call(record: EventRecord): void {
    if (held === undefined && turn !== undefined && (!turn.said || pending !== undefined)) {
      held = { message: {}, calls: 0, lines: [] };
      speak(record);
      held.message = held.lines.at(-1) ?? {};
    }
    if (held !== undefined) held.calls += 1;
  }

  function safeArgs(event: EventOf<'item.started'>): JsonObject {
    let cut = !isObject(event.args);
    const shortened = (value: Json, depth: number): Json => {
      if (typeof value === 'string') {
        const short = shorten(value, promptPreview);
        cut ||= short.cut;
        return short.text;
      }
      if (typeof value !== 'object' || value === null) return value;
      if (depth > 20) {
        cut = true;
        return null;
      }
      if (Array.isArray(value)) return value.map((each) => shortened(each, depth + 1));
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortened(each, depth + 1)]));
    };
    const args = object(shortened(isObject(event.args) ? event.args : { value: event.args }, 0));
    if (cut) sink.lose('tool_args');
    if ((event.name !== 'execute_agent' && event.kind !== 'subagent') || typeof args.prompt !== 'string') return args;
    const { prompt, ...rest } = args;
    return { ...rest, prompt_preview: prompt, ...(cut ? { prompt_truncated: true } : {}) };
  }

  function completeItem(record: Extract<EventRecord, { type: 'item.completed' }>): void {
    const item = open.get(record.item_id);
    open.delete(record.item_id);
    // An item that never ended stays open on this wire too.
    if (item === undefined || (record.synthetic && record.status === 'abandoned')) return;
    if (item.turn !== undefined) item.turn.running -= 1;
    messageCount += 1;
    if (record.status !== 'success' && record.status !== 'error') sink.lose('tool_status');
    if (record.exit_code !== undefined) sink.lose('exit_code');
    const { text, cut } = shorten(record.summary ?? (asText(record.output) || (record.error ?? '')), messagePreview);
    if (cut) sink.lose('tool_output');
    line(record, {
      type: 'item.completed',
      item_id: record.item_id,
      status: record.status === 'success' ? 'success' : 'error',
      duration_ms: Math.round(record.duration_ms ?? elapsed(item.startedAt, record.timestamp)),
      ...compact({ branch_id: record.branch_id }),
      summary: text,
    });
  }

  function elapsed(from: string | null, to: string | null): number {
    if (from !== null && to !== null) return Math.max(0, Date.parse(to) - Date.parse(from));
    sink.lose('time');
    return 0;
  }

  return {
    record(record: EventRecord) {
      if (!startsOrRefuses(record)) release();
      switch (record.type) {
        case 'thread.started':
          task = record.task;
          return line(record, {
            type: 'thread.started',
            task: task ?? '',
            project_name: record.project_name ?? '',
            parent_branch_id: record.parent_branch_id ?? '',
            headless: record.headless ?? true,
          });
        case 'turn.started':
          return startTurn(record, record);
        case 'turn.completed':
          return completeTurn(record, record);
        case 'text.completed':
          return say(record, record);
        case 'item.started':
          return startItem(record, record);
        case 'item.completed':
          return completeItem(record);
        case 'error':
          if (pending !== undefined) speak(record);
          if (turn !== undefined) turn.failed = true;
          return line(record, {
            type: 'error',
            scope: record.scope,
            message: record.message,
            ...compact({ iteration: record.iteration, turn_id: record.turn_id, item_id: record.item_id }),
          });
        case 'prompt.submitted':
          // The first prompt is the task of the final report.
          if (task !== undefined && task !== record.text) sink.lose('prompt');
          task ??= record.text;
          return;
        case 'line.unknown':
          if (record.dialect !== 'dev-agent' || !isObject(record.wire)) return sink.lose('unknown_line');
          return line(record, { ...record.wire, type: asText(record.wire.type), sequence: sequence + 1 });
        case 'thread.completed':
          if (cutText !== undefined && !asText(record.final_report.message).includes(cutText.trim())) sink.lose('text');
          return line(record, { type: 'thread.completed', ...ending(record.final_report as JsonObject) });
        case 'text.delta':
        case 'reasoning.delta':
        case 'usage.reported':
        case 'file.edited':
        case 'limit.reached':
        case 'agent.finished':
          // Whole texts above; totals, files, limits and the verdict in the final report.
          return;
        default:
          return sink.lose(lossOf[record.type]);
      }
    },
    flush: release,
    end: release,
  };
}

/** A call that starts, or is refused before the next one starts. */
function startsOrRefuses(record: EventRecord): boolean {
  return (
    record.type === 'item.started' ||
    record.type.startsWith('permission.') ||
    (record.type === 'item.completed' && record.status === 'denied')
  );
}

const statusOf: Record<string, string> = { success: 'completed', turn_limit: 'iteration_limit', tool: 'FINISHED_WITH_ERROR' };

export function ending(outcome: JsonObject): JsonObject {
  const verdict = object(outcome.verdict);
  const status = statusOf[asText(verdict.class)] ?? 'error';
  const message = asText(outcome.message);
  const failure = string(object(outcome.error_details).message) || asText(object(list(verdict.evidence)[0]).detail);
  const finished = status === 'completed';
  const summary = shorten(finished ? message || 'Completed without a message.' : failure, messagePreview).text;
  return {
    status,
    summary,
    final_report: {
      task: asText(object(outcome.metadata).initial_prompt),
      status,
      summary,
      is_finished: finished,
      ...(finished ? {} : { error: { message: failure } }),
      message,
      metrics: object(outcome.metrics),
      artifacts: [...list(outcome.artifacts)],
      tool_calls: list(outcome.tool_calls).map(toolSummary),
      warnings: [...list(outcome.warnings)],
      limits_hit: [...list(outcome.limits_hit)],
      verdict,
    },
  };
}

function toolSummary(call: Json): JsonObject {
  const { name, status, reason, duration_ms } = object(call);
  return compact({ name, status, reason, duration_ms }) as JsonObject;
}

/** The first characters of a text, whole ones. */
function shorten(text: string, limit: number): { text: string; cut: boolean } {
  if (text.length <= limit) return { text, cut: false };
  const characters = Array.from(text.slice(0, limit * 2));
  const cut = characters.length > limit || text.length > limit * 2;
  return cut ? { text: characters.slice(0, limit).join(''), cut } : { text, cut };
}
