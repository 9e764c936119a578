import type { EventOf, EventRecord, EventType } from '../../../events/event.ts';
import { BoundedList } from '../../../outcome/bounded.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { present } from '../../../json/present.ts';
import type { Encoder, EncoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { lossOf } from '../../kit/losses.ts';
import { unknownVersion } from '../words.ts';
import { writeEnding } from './ending.ts';
import { SizeLimit } from './size-limit.ts';
import { Tools } from './tools.ts';
import { Trajectory } from './trajectory.ts';
import { writeUsage } from './usage.ts';

type Opening = EventOf<'thread.started'> & EventRecord;

/** One document at the end. */
export function encoder(sink: EncoderSink): Encoder {
  const sizeLimit = new SizeLimit(sink.lose);
  const diagnostics = new BoundedList<JsonObject>();
  const unmapped = new Map<EventType, number>();
  let opening: Opening | undefined;
  let sessionId = '';
  /** The task with which the run was started; the agent may repeat it as its first prompt. */
  let task: string | undefined;
  let root = new Trajectory('', sizeLimit, sink.lose);
  let tools = new Tools(sink, sizeLimit, root);
  let retries = new BoundedList<JsonObject>();
  let claim: EventOf<'agent.finished'> | undefined;
  let process: EventOf<'process.ended'> | undefined;

  function open(event: EventRecord): void {
    if (opening !== undefined || sessionId !== '') return;
    opening = event.type === 'thread.started' ? event : undefined;
    sessionId = opening?.session_id ?? event.thread_id;
    root = new Trajectory(`${opening?.run_id ?? sessionId}/main`, sizeLimit, sink.lose);
    tools = new Tools(sink, sizeLimit, root);
    task = opening?.task;
    if (task !== undefined) root.add('user', task, event.timestamp);
  }

  function prompt(event: EventOf<'prompt.submitted'> & EventRecord): void {
    const isTask = event.text === task;
    task = undefined;
    if (!isTask) root.add('user', event.text, event.timestamp);
  }

  /** What follows a retry is another answer. */
  function retry({ scope, resumes, attempt, max_attempts, delay_ms, code, cause }: EventOf<'retry.scheduled'>): void {
    root.close();
    retries.push(present({ scope, resumes, attempt, max_attempts, delay_ms, code, cause }));
  }

  /** Retries are written with the answer that followed them. */
  function takeRetries({
    parent_item_id,
    timestamp,
  }: {
    parent_item_id?: string | undefined;
    timestamp: string | null;
  }): void {
    if (retries.length === 0 || parent_item_id !== undefined) return;
    root.agentStep(timestamp).extra['retries'] = retries.toArray();
    retries = retries.emptied();
  }

  function lose(event: EventRecord): void {
    unmapped.set(event.type, (unmapped.get(event.type) ?? 0) + 1);
    sink.lose(lossOf[event.type]);
  }

  function diagnose(type: string, message: string, more: JsonObject = {}): void {
    diagnostics.push({ type, message: sizeLimit.text(message, 'error'), ...more });
  }

  function record(event: EventRecord): void {
    open(event);
    switch (event.type) {
      case 'thread.started':
      case 'thread.completed':
      case 'text.delta':
      case 'reasoning.delta':
        return;
      case 'prompt.submitted':
        return prompt(event);
      case 'turn.started':
        return root.startTurn(event);
      case 'turn.completed':
        return root.endTurn(event.timestamp);
      case 'text.completed':
      case 'reasoning.completed':
        takeRetries(event);
        return tools.ownerOf(event.parent_item_id).say(event);
      case 'item.started':
        takeRetries(event);
        return tools.start(event);
      case 'item.completed':
        return tools.end(event);
      case 'file.edited':
        return tools.edit(event);
      case 'permission.requested':
        return tools.ask(event);
      case 'permission.resolved':
        if (tools.answer(event)) return;
        sink.lose('permission');
        return diagnose('permission', `${event.decision}: ${event.permission_id}`, {
          level: event.decision === 'denied' ? 'warning' : 'info',
        });
      case 'usage.reported':
        // Usage of the whole run is a total.
        return event.scope === 'thread' ? undefined : root.use(event);
      case 'retry.scheduled':
        return retry(event);
      case 'limit.reached':
        return diagnose('limit', event.message ?? `the ${event.limit} limit was reached`, {
          ...present({ limit: event.limit, value: event.value, maximum: event.maximum }),
        });
      case 'error':
        return diagnose('error', event.message, {
          ...present({ scope: event.scope, code: event.code, name: event.name, http_status: event.http_status }),
          fatal: event.fatal,
        });
      case 'log':
        if (event.stream !== 'agent') return lose(event);
        return diagnose('log', event.text, present({ level: event.level }));
      case 'agent.finished':
        claim = event;
        return;
      case 'process.ended':
        process = event;
        return;
      default:
        return lose(event);
    }
  }

  function end(outcome: RunOutcome): void {
    const { metrics, provenance } = outcome;
    if (root.isEmpty) root.add('system', outcome.error_details?.message ?? '', opening?.timestamp ?? null);
    const agent = present({
      name: opening?.agent ?? provenance.agent ?? 'unknown',
      version: opening?.agent_version ?? provenance.version ?? unknownVersion,
      model_name: opening?.model ?? metrics.model_name,
    });
    const unfinished = [...root.unfinished()];
    const extra = present({
      cwd: opening?.cwd,
      outcome: writeEnding(outcome, claim),
      process: process && present({ exit_code: process.exit_code, signal: process.signal, reason: process.reason }),
      unfinished_tool_call_ids: unfinished.length === 0 ? undefined : unfinished,
      file_changes: tools.edits.length === 0 ? undefined : tools.edits,
      retries: retries.length === 0 ? undefined : retries.toArray(),
      diagnostics: diagnostics.length === 0 ? undefined : diagnostics.toArray(),
      unmapped: unmapped.size === 0 ? undefined : Object.fromEntries(unmapped),
    });
    sink.line(root.wire({ session_id: sessionId, agent }, { final: writeUsage(outcome), extra }));
  }

  return { record, end };
}
