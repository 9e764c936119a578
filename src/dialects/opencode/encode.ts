import type { EventOf, EventRecord } from '../../events/event.ts';
import type { Encoder, EncoderSink, JsonObject } from '../dialect.ts';
import { lossOf } from '../losses.ts';
import { asText, isObject, object, string } from '../read.ts';
import { type Fault, readEnding as claimOf, readFault as faultOf } from '../shared/opencode/read/ending.ts';
import { decisionOf } from './read/permissions.ts';
import {
  assistantInfo,
  codeOfLimit,
  endedState,
  errorName,
  errorOf,
  fileDiff,
  finishWord,
  type MessageState,
  type OpenItem,
  runningState,
  sessionInfo,
  splitModel,
} from './shapes.ts';
import { addTotals, noTokens, Tally, type Totals, totalsOf } from './tally.ts';

type Finished = EventOf<'agent.finished'>;
type TextRecord = Extract<EventRecord, { type: 'text.delta' | 'text.completed' | 'reasoning.delta' | 'reasoning.completed' }>;

/** OpenCode itself shows no more than this of a command that still runs. */
const shownOutput = 30_000;
/** Classes of a verdict that are codes of an error as well: somebody else made an end of the run. */
const stops = ['cancelled', 'time_limit', 'turn_limit', 'cost_limit'] as const;

/** Records that say nothing about the order of the run. */
const besides = new Set(['process.ended', 'thread.completed', 'log', 'usage.reported', 'rate_limit.reported']);

export function encoder(sink: EncoderSink): Encoder {
  let thread: Partial<EventOf<'thread.started'>> = {};
  let session = '';
  let createdAt = 0;
  let now = 0;
  let opened = false;
  let busy = false;
  let prompt: string | undefined;
  let userMessage = '';
  let userMessages = 0;
  let parts = 0;
  let childSessions = 0;
  /** A turn that has begun but whose message has no name yet. */
  let unnamedTurn: string | undefined;
  let turnAt = 0;
  let model: string | undefined;
  let message: MessageState | undefined;
  let open = false;
  /** A turn that only repair ended: left open when nothing follows. */
  let heldEnd: EventOf<'turn.completed'> | undefined;
  let claim: Finished | undefined;
  let fault: Fault | undefined;
  let denied = false;
  /** What was said of a limit is the reason of the end, whatever else ended with it. */
  let limited = false;
  let broken = false;
  const tally = new Tally();
  const edits = { additions: 0, deletions: 0, files: 0 };
  const items = new Map<string, OpenItem>();
  const textStarts = new Map<string, number>();

  function openSession(): void {
    if (opened) return;
    opened = true;
    const info = sessionInfo(thread, session, { created: createdAt, updated: createdAt }, { additions: 0, deletions: 0, files: 0 });
    sink.line({ type: 'session.created', properties: { info } });
  }

  function write(type: string, properties: JsonObject): void {
    openSession();
    sink.line({ type, properties });
  }

  function writeStatus(status: JsonObject): void {
    write('session.status', { sessionID: session, status });
  }

  function announce(id: string): void {
    if (!busy) writeStatus({ type: 'busy' });
    busy = true;
    message = {
      id,
      session,
      parent: userMessage,
      model: model ?? thread.model,
      cwd: thread.cwd ?? '',
      created: unnamedTurn === undefined ? now : turnAt,
      totals: noTokens,
    };
    write('message.updated', { info: assistantInfo(message) });
  }

  /** The message that the open turn speaks through now. */
  function currentMessage(wanted?: string): string {
    const id = wanted ?? (unnamedTurn === undefined ? message?.id : undefined) ?? unnamedTurn ?? 'message';
    if (unnamedTurn !== undefined || !open || message?.id !== id) {
      announce(id);
      unnamedTurn = undefined;
      open = true;
    }
    return id;
  }

  function submit(text: string, id: string | undefined): void {
    if (prompt !== undefined && text === prompt) return;
    prompt = text;
    userMessage = id ?? `user_${++userMessages}`;
    const [providerID, modelID] = splitModel(thread.model);
    write('message.updated', {
      info: { id: userMessage, sessionID: session, role: 'user', time: { created: now }, agent: 'build', model: { providerID, modelID } },
    });
    write('message.part.updated', {
      part: { id: `prt_${++parts}`, sessionID: session, messageID: userMessage, type: 'text', text, synthetic: false, ignored: false },
    });
  }

  function writeText(record: TextRecord): void {
    const whole = record.type === 'text.completed' || record.type === 'reasoning.completed';
    // A delta that repair made up follows from the whole text.
    if (!whole && record.synthetic) {
      textStarts.set(record.block_id, textStarts.get(record.block_id) ?? now);
      return;
    }
    const place = placeOf(record.parent_item_id, record.message_id);
    const start = textStarts.get(record.block_id) ?? now;
    if (whole) textStarts.delete(record.block_id);
    else textStarts.set(record.block_id, start);
    const type = record.type.startsWith('text') ? 'text' : 'reasoning';
    write('message.part.updated', {
      part: {
        id: record.block_id,
        sessionID: place.session,
        messageID: place.message,
        type,
        text: whole ? record.text : '',
        ...(type === 'text' ? { synthetic: false, ignored: false } : {}),
        time: { start, ...(whole ? { end: Math.max(start, now) } : {}) },
        metadata: {},
      },
      ...(whole ? {} : { delta: record.text }),
    });
  }

  /** Where the words and calls of the main thread, or of a sub-agent, belong. */
  function placeOf(parent: string | undefined, messageId?: string): { session: string; message: string } {
    const owner = parent === undefined ? undefined : items.get(parent);
    if (parent !== undefined && owner === undefined) sink.lose('sub_agent');
    if (owner === undefined) return { session, message: currentMessage(messageId) };
    if (owner.child === undefined) {
      const id = `${session}_${++childSessions}`;
      owner.child = { session: id, message: '' };
      write('session.created', {
        info: sessionInfo(
          { ...(thread.cwd === undefined ? {} : { cwd: thread.cwd }), parent_session_id: owner.session },
          id,
          { created: now, updated: now },
          { additions: 0, deletions: 0, files: 0 },
        ),
      });
      writeTool(owner, runningState(owner));
    }
    const wanted = messageId ?? (owner.child.message || `${owner.child.session}_message`);
    if (owner.child.message !== wanted) {
      owner.child.message = wanted;
      write('message.updated', {
        info: assistantInfo({
          id: wanted,
          session: owner.child.session,
          parent: '',
          model: model ?? thread.model,
          cwd: thread.cwd ?? '',
          created: now,
          totals: noTokens,
        }),
      });
    }
    return { session: owner.child.session, message: wanted };
  }

  function writeTool(item: OpenItem, state: JsonObject): void {
    write('message.part.updated', {
      part: {
        id: item.part,
        sessionID: item.session,
        messageID: item.message,
        type: 'tool',
        callID: item.start.item_id,
        tool: item.start.name,
        state,
      },
    });
  }

  function startItem(event: EventOf<'item.started'>): void {
    const place = placeOf(event.parent_item_id);
    // A reader knows the calls of a sub-agent by their parts.
    const part = place.session === session ? `prt_${++parts}` : event.item_id;
    const item: OpenItem = { start: event, ...place, part, from: now, output: '' };
    items.set(event.item_id, item);
    writeTool(item, runningState(item));
  }

  function progress(event: EventOf<'item.output'>): void {
    const item = items.get(event.item_id);
    if (item === undefined || item.output.length + event.chunk.length > shownOutput) return sink.lose('tool_progress');
    item.output += event.chunk;
    writeTool(item, runningState(item));
  }

  function endItem(event: EventOf<'item.completed'>, synthetic: boolean): void {
    const item = items.get(event.item_id);
    if (item === undefined) return;
    // An item that never ended stays open on this wire too.
    if (synthetic && event.status === 'abandoned') return;
    items.delete(event.item_id);
    if (event.status === 'denied' && item.session === session) denied = true;
    const state = endedState(item.start, event, item.from, now);
    if (event.exit_code !== undefined && object(state.metadata).exit === undefined) sink.lose('exit_code');
    writeTool(item, state);
    const command = string(object(item.start.args).command);
    if (item.start.kind !== 'command' || command === undefined || state.status !== 'completed') return;
    write('command.executed', {
      command,
      exitCode: event.exit_code ?? (event.status === 'success' ? 0 : 1),
      stdout: asText(event.output),
      stderr: '',
      time: state.time ?? {},
    });
  }

  function endTurn(event: EventOf<'turn.completed'>): void {
    currentMessage();
    if (message === undefined) return;
    message = {
      ...message,
      model: model ?? message.model,
      completed: Math.max(now, message.created),
      totals: tally.take(),
      finish: finishWord(event),
    };
    open = false;
    write('message.updated', { info: assistantInfo(message) });
  }

  /** What the steps did not say of the totals goes to the last message. */
  function balance(totals: Totals | undefined): void {
    const missing = totals === undefined ? undefined : tally.missing(totals);
    if (missing === undefined) return;
    if (missing === 'too much') return sink.lose('usage');
    if (message === undefined) currentMessage();
    if (message === undefined) return;
    message = { ...message, model: model ?? message.model, totals: addTotals(message.totals, missing) };
    write('message.updated', { info: assistantInfo(message) });
  }

  function raise(error: JsonObject): void {
    fault = faultOf(error);
    write('session.error', { sessionID: session, error });
  }

  function writeIdle(): void {
    if (edits.files > 0)
      write('session.updated', { info: sessionInfo(thread, session, { created: createdAt, updated: now }, { ...edits }) });
    writeStatus({ type: 'idle' });
    write('session.idle', { sessionID: session });
    busy = false;
  }

  function finishMessage(finish: string): void {
    if (message === undefined) return;
    message = { ...message, completed: Math.max(now, message.created), finish };
    open = false;
    write('message.updated', { info: assistantInfo(message) });
  }

  function writeClaim(finished: Finished): void {
    const said = claimOf(message?.finish, denied, fault);
    if (finished.status === 'ok') {
      if (broken) raise({ name: 'UnknownError', message: 'the run did not end well, though the agent says so' });
      else if (said?.status !== 'ok' || open) finishMessage('stop');
    } else if (!limited && (said?.status !== finished.status || said.code !== finished.code || said.message !== finished.message)) {
      raise({
        name: errorName(finished.status === 'cancelled' ? 'cancelled' : finished.code),
        message: finished.message ?? finished.status,
      });
    }
    writeIdle();
  }

  function end(report: JsonObject): void {
    const failed = object(report.verdict).class !== 'success';
    if (unnamedTurn !== undefined) currentMessage();
    balance(totalsOf(report));
    broken &&= failed;
    const stopped = stops.find((code) => code === object(report.verdict).class);
    if (claim !== undefined) writeClaim(claim);
    // What was said after an error reads as if it had been got over; and a process may have been stopped without a word.
    else if (stopped !== undefined && (fault === undefined || message?.finish === 'stop')) {
      raise({ name: errorName(stopped), message: fault?.message ?? 'the run was stopped' });
    }
    // A finished message alone reads as a good end, which this was not.
    else if (failed && fault === undefined && message?.finish === 'stop') finishMessage('other');
    claim = undefined;
  }

  return {
    record(event: EventRecord) {
      now = event.timestamp === null ? now : Date.parse(event.timestamp);
      if (!besides.has(event.type)) {
        if (claim !== undefined && !(event.type === 'turn.completed' && event.synthetic) && event.type !== 'item.completed') {
          writeClaim(claim);
          claim = undefined;
        }
        if (heldEnd !== undefined && event.type !== 'agent.finished') {
          endTurn(heldEnd);
          heldEnd = undefined;
        }
      }
      switch (event.type) {
        case 'thread.started':
          thread = event;
          session = event.session_id ?? event.thread_id;
          createdAt = now;
          if (!event.synthetic) openSession();
          if (event.task !== undefined) submit(event.task, undefined);
          return;
        case 'prompt.submitted':
          return submit(event.text, event.message_id);
        case 'turn.started':
          unnamedTurn = event.turn_id;
          turnAt = now;
          if (event.model !== undefined) model = event.model;
          fault = undefined;
          denied = false;
          limited = false;
          return;
        case 'text.delta':
        case 'text.completed':
        case 'reasoning.delta':
        case 'reasoning.completed':
          return writeText(event);
      }
      if (unnamedTurn !== undefined && !besides.has(event.type) && event.type !== 'turn.completed') currentMessage();
      switch (event.type) {
        case 'item.started':
          return startItem(event);
        case 'item.output':
          return progress(event);
        case 'item.completed':
          return endItem(event, event.synthetic);
        case 'usage.reported':
          if (event.model !== undefined) model = event.model;
          return tally.count(event);
        case 'turn.completed':
          if (!event.synthetic || finishWord(event) !== undefined || tally.holds) endTurn(event);
          else heldEnd = event;
          return;
        case 'file.edited':
          edits.files += 1;
          edits.additions += event.additions ?? 0;
          edits.deletions += event.deletions ?? 0;
          return write('file.edited', {
            path: event.path,
            ...(event.item_id === undefined ? {} : { callID: event.item_id }),
            diff: fileDiff(event),
          });
        case 'permission.requested':
          return write('permission.updated', {
            id: event.permission_id,
            type: event.what,
            ...(event.pattern === undefined ? {} : { pattern: event.pattern }),
            sessionID: session,
            messageID: message?.id ?? '',
            ...(event.item_id === undefined ? {} : { callID: event.item_id }),
            title: event.title ?? '',
            metadata: {},
            time: { created: now },
          });
        case 'permission.resolved': {
          const raw = event.raw_decision;
          const response = raw !== undefined && decisionOf(raw) === event.decision ? raw : event.decision === 'allowed' ? 'once' : 'reject';
          return write('permission.replied', { sessionID: session, permissionID: event.permission_id, response });
        }
        case 'retry.scheduled':
          return writeStatus({ type: 'retry', attempt: event.attempt ?? 1, message: event.cause, next: now + (event.delay_ms ?? 0) });
        case 'limit.reached':
          sink.lose('limit');
          limited = true;
          return raise({
            name: errorName(codeOfLimit[event.limit]),
            message: event.message ?? `${event.limit.replace(/s$/, '')} limit reached`,
          });
        case 'error':
          if (!event.fatal) return sink.lose('error');
          return raise(errorOf(event));
        case 'agent.finished':
          claim = event;
          return;
        case 'log':
          if (event.cause === 'cut') broken = true;
          return sink.lose('log');
        case 'process.ended':
          if (event.exit_code !== 0) broken = true;
          return sink.lose('process');
        case 'line.unknown':
          if (event.dialect !== 'opencode' || !isObject(event.wire)) return sink.lose('unknown_line');
          return sink.line(event.wire);
        case 'thread.completed':
          return end(event.final_report as JsonObject);
        default:
          return sink.lose(lossOf[event.type]);
      }
    },
    end() {},
  };
}
