import type { DecoderSink, Json, JsonObject } from '../dialect.ts';
import { codeOfMessage } from '../faults.ts';
import { asText, compact, filled, integer, isObject, list, object, string, time } from '../read.ts';
import { claimOf, type Counts, countsOf, type Fault, faultOf, finishOf, type Habit, habitOf, inclusive } from '../shared/opencode/parts.ts';
import { Edits } from './edits.ts';
import { type Lane, modelOf, moreThan, newLane, startMessage, startTurn, voiceOf } from './lane.ts';
import { permissionAsked, permissionReplied } from './permission.ts';
import { Recent } from './recent.ts';
import { TextParts } from './text-parts.ts';
import { ToolParts } from './tool-parts.ts';

/** Parts whose author is not known yet; more than these are not waited for. */
const heldParts = 100;

const ignoredFamilies = new Set(
  'account catalog form global ide installation integration lsp mcp models-dev plugin project pty reference server storage suggestion todo tui vcs workspace worktree'.split(
    ' ',
  ),
);
const ignoredTypes = new Set(['session.deleted', 'session.diff', 'session.compacted', 'message.removed', 'message.part.removed']);

export interface Bus {
  /** false: not an event of the bus that we know. */
  event(type: string, properties: JsonObject): boolean;
  start(sessionId: string | undefined, info?: JsonObject): void;
  end(): void;
}

/** The events of `opencode serve`, old and new, and those of seed 002. */
export function busDecoder(sink: DecoderSink): Bus {
  let root: string | undefined;
  let started = false;
  let habit: Habit = inclusive;
  const main = newLane(undefined);
  const roles = new Recent<'user' | 'assistant'>(200);
  const doneParts = new Recent<true>(200);
  const texts = new TextParts(sink);
  const edits = new Edits(sink);
  const tools = new ToolParts(sink, doneParts, edits);
  const held: { part: JsonObject; properties: JsonObject }[] = [];
  let lastPrompt: string | undefined;
  let fault: Fault | undefined;
  let lastFault = '';
  let retrying: string | undefined;
  let lastAttempt: number | undefined;
  /** Something happened since the last time the session was idle. */
  let active = false;
  let strangers = false;

  function start(sessionId: string | undefined, info: JsonObject = {}): void {
    if (started) return;
    started = true;
    root = filled(sessionId);
    const version = filled(info.version);
    habit = habitOf(version);
    sink.emit({
      type: 'thread.started',
      agent: 'opencode',
      ...compact({
        agent_version: version,
        session_id: root,
        parent_session_id: filled(info.parentID),
        cwd: filled(info.directory),
      }),
    });
  }

  /** The lane of a session; undefined for sessions that are not of this run. */
  function laneOf(sessionId: string | undefined): Lane | undefined {
    if (sessionId === undefined || sessionId === '' || sessionId === root) return main;
    if (root === undefined) {
      root = sessionId;
      return main;
    }
    const child = tools.children.get(sessionId);
    if (child === undefined && !strangers) {
      strangers = true;
      sink.note('lost', 'events of another session');
    }
    return child;
  }

  function beginTurn(lane: Lane, info: JsonObject): void {
    at(object(info.time).created);
    startTurn(lane, modelOf(info.providerID, info.modelID));
    if (lane !== main) return;
    active = true;
    fault = undefined;
    retrying = undefined;
    edits.startTurn();
    sink.emit({ type: 'turn.started', ...compact({ model: lane.model }) });
  }

  function at(ms: Json | undefined): void {
    const known = time(ms);
    if (known !== undefined) sink.at(known);
  }

  function endTurn(lane: Lane): void {
    texts.flush(voiceOf(lane, lane.message));
    edits.settle([]);
    at(lane.completedAt);
    reportMessage(lane);
    lane.open = false;
    lane.done = false;
    if (lane === main) sink.emit({ type: 'turn.completed', ...finishOf(lane.finish) });
  }

  /** The tokens of a message that had no steps to report them, or what a later update adds. */
  function reportMessage(lane: Lane): void {
    if (lane.reported === true) return;
    const counts = countsOf(lane.tokens, lane.cost, habit);
    if (counts === undefined) return;
    const more = lane.reported === undefined ? counts : moreThan(lane.reported, counts);
    lane.reported = counts;
    if (more !== undefined) report(lane, more);
  }

  function report(lane: Lane, counts: Counts): void {
    sink.emit({ type: 'usage.reported', scope: 'step', ...compact({ model: lane.model }), ...counts });
  }

  function messageUpdated(info: JsonObject, sessionId: string | undefined): void {
    const id = string(info.id) ?? '';
    const lane = laneOf(filled(info.sessionID) ?? sessionId);
    if (lane === undefined) return;
    if (info.role === 'user') roles.set(id, 'user');
    else if (info.role === 'assistant') {
      roles.set(id, 'assistant');
      assistantMessage(lane, id, info);
    }
    release(id);
  }

  function assistantMessage(lane: Lane, id: string, info: JsonObject): void {
    const { completed } = object(info.time);
    const finish = filled(info.finish);
    const failed = info.error !== undefined && info.error !== null;
    const counted = countsOf(object(info.tokens), undefined, habit) !== undefined;
    const begins = lane.message !== id || (typeof completed !== 'number' && finish === undefined && !failed && !counted);
    if (begins && lane.open && lane.done) endTurn(lane);
    if (begins && !lane.open) {
      lane.message = undefined;
      beginTurn(lane, info);
    }
    if (lane.message !== id) startMessage(lane, id);
    if (counted) {
      lane.tokens = object(info.tokens);
      lane.cost = info.cost;
    }
    if (finish !== undefined) {
      lane.finish = finish;
      // A message that ends well after an error: the run went on.
      if (finish === 'stop' && !failed && lane === main) fault = undefined;
    }
    if (typeof completed === 'number') {
      lane.completedAt = time(completed);
      lane.done = lane.open;
    }
    if (failed) raise(lane, faultOf(info.error));
    if (!lane.open) reportMessage(lane);
  }

  function raise(lane: Lane, error: Fault): void {
    if (lane === main) {
      fault = error;
      retrying = undefined;
      // The session and its message both tell the same error.
      const key = `${error.name} ${error.message}`;
      if (key === lastFault) return;
      lastFault = key;
      active = true;
    }
    sink.emit({ type: 'error', scope: lane === main ? 'session' : 'sub-agent', fatal: lane === main, ...error });
  }

  function partUpdated(part: JsonObject, properties: JsonObject): void {
    const lane = laneOf(filled(part.sessionID) ?? string(properties.sessionID));
    if (lane === undefined) return;
    const owner = string(part.messageID) ?? '';
    const role = roles.get(owner);
    const type = string(part.type);
    if (role === undefined && (type === 'text' || type === 'file') && !isObject(part.time)) {
      if (held.length < heldParts) held.push({ part, properties });
      return;
    }
    if (role === 'user') return userPart(lane, part);
    at(properties.time);
    switch (type) {
      case 'text':
      case 'reasoning':
        if (!doneParts.has(`${owner} ${string(part.id) ?? ''}`)) textPart(lane, type, part, string(properties.delta));
        return;
      case 'tool':
        return tools.update(lane, part);
      case 'file':
        return edits.handOver(part);
      case 'step-start':
        return stepStart(lane, owner);
      case 'step-finish':
        return stepFinish(lane, part);
      case 'retry':
        return retry(integer(part.attempt), faultOf(part.error).message);
      case 'patch':
        return edits.changed(list(part.files));
    }
  }

  function userPart(lane: Lane, part: JsonObject): void {
    const text = filled(part.text);
    if (lane !== main || part.type !== 'text' || text === undefined || part.synthetic === true || part.ignored === true) return;
    if (lastPrompt !== undefined && lastPrompt === part.id) return;
    lastPrompt = string(part.id);
    sink.emit({ type: 'prompt.submitted', text, ...compact({ message_id: filled(part.messageID) }) });
  }

  /** More is known of this message: its parts need not wait, unless its author is of a kind that we do not know. */
  function release(messageId: string): void {
    for (const each of held.splice(0)) {
      if (each.part.messageID === messageId) partUpdated(each.part, each.properties);
      else held.push(each);
    }
  }

  function textPart(lane: Lane, type: 'text' | 'reasoning', part: JsonObject, delta: string | undefined): void {
    const id = string(part.id) ?? '';
    const owner = string(part.messageID);
    const place = { type, message: filled(voiceOf(lane, owner)), parent: lane.parent };
    const span = object(part.time);
    if (delta !== undefined) texts.delta(id, delta, place);
    if (typeof span.end === 'number') {
      at(span.end);
      texts.complete(id, asText(part.text), place);
      if (id !== '') doneParts.set(`${owner ?? ''} ${id}`, true);
    } else if (delta === undefined) {
      at(span.start);
      texts.snapshot(id, asText(part.text), place, isObject(part.time));
    }
  }

  function partDelta(properties: JsonObject): void {
    const lane = laneOf(string(properties.sessionID));
    const id = string(properties.partID) ?? '';
    const owner = string(properties.messageID) ?? '';
    const delta = asText(properties.delta);
    if (lane === undefined || properties.field !== 'text' || delta === '') return;
    if (roles.get(owner) === 'user' || doneParts.has(`${owner} ${id}`)) return;
    texts.delta(id, delta, { type: 'text', message: filled(voiceOf(lane, owner)), parent: lane.parent });
  }

  function stepStart(lane: Lane, owner: string): void {
    const begun = lane.open && lane.message === owner && !lane.stepped;
    if (!begun) {
      if (lane.open) texts.flush(voiceOf(lane, lane.message));
      if (lane.message !== owner) startMessage(lane, owner);
      else lane.attempt += 1;
      beginTurn(lane, {});
    }
    lane.stepped = true;
  }

  function stepFinish(lane: Lane, part: JsonObject): void {
    const id = string(part.id) ?? '';
    if (id !== '' && doneParts.has(id)) return;
    doneParts.set(id, true);
    texts.flush(voiceOf(lane, lane.message));
    edits.settle([]);
    const counts = countsOf(object(part.tokens), part.cost, habit);
    if (counts !== undefined) report(lane, counts);
    lane.reported = true;
    lane.finish = filled(part.reason);
    lane.open = false;
    lane.done = false;
    if (lane === main) sink.emit({ type: 'turn.completed', ...finishOf(lane.finish) });
  }

  function retry(attempt: number | undefined, cause: string): void {
    // A retry is told as a status and, in some versions, as a part.
    if (retrying === cause && attempt !== undefined && attempt === lastAttempt) return;
    retrying = cause;
    lastAttempt = attempt;
    sink.emit({
      type: 'retry.scheduled',
      code: codeOfMessage(cause),
      cause,
      ...(attempt === undefined || attempt < 0 ? {} : { attempt }),
    });
  }

  function idle(lane: Lane): void {
    if (lane.open) endTurn(lane);
    if (lane !== main || !active) return;
    active = false;
    retrying = undefined;
    at(lane.completedAt);
    const claim = claimOf(lane.finish, lane.denied, fault);
    if (claim !== undefined) sink.emit({ type: 'agent.finished', ...claim });
  }

  function statusChanged(lane: Lane, status: JsonObject): void {
    if (status.type === 'idle') return idle(lane);
    if (lane !== main) return;
    if (status.type === 'busy') retrying = undefined;
    else if (status.type === 'retry') retry(integer(status.attempt), asText(status.message));
  }

  function sessionEvent(type: string, properties: JsonObject): boolean {
    const info = object(properties.info);
    switch (type) {
      case 'session.created':
      case 'session.updated': {
        const id = filled(info.id) ?? filled(properties.sessionID);
        if (!started) start(id ?? root, info);
        else if (type === 'session.created' && id !== undefined && id !== root && filled(info.parentID) !== undefined)
          tools.adoptByLast(id);
        return true;
      }
      case 'session.status':
      case 'session.idle':
      case 'session.error': {
        start(string(properties.sessionID));
        const lane = laneOf(string(properties.sessionID));
        if (lane === undefined) return true;
        if (type === 'session.status') statusChanged(lane, object(properties.status));
        else if (type === 'session.idle') idle(lane);
        else if (properties.error !== undefined && properties.error !== null) raise(lane, faultOf(properties.error));
        return true;
      }
    }
    return ignoredTypes.has(type) || type.startsWith('session.next.') || type.startsWith('session.network.');
  }

  function otherEvent(family: string, type: string, properties: JsonObject): boolean {
    switch (family) {
      case 'permission':
      case 'question':
        start(string(properties.sessionID));
        if (!type.endsWith('.asked') && type !== 'permission.updated') return permissionReplied(sink, type, properties);
        permissionAsked(sink, type, properties);
        return true;
      case 'command':
        tools.command(properties);
        return true;
    }
    switch (type) {
      case 'file.edited':
        edits.tell(properties);
        return true;
      case 'file.watcher.updated':
        edits.watch(filled(properties.file), properties.event);
        return true;
    }
    return ignoredTypes.has(type);
  }

  function event(type: string, properties: JsonObject): boolean {
    const family = type.slice(0, Math.max(0, type.indexOf('.')));
    if (ignoredFamilies.has(family)) return true;
    const { info, part } = properties;
    texts.settle(string(object(part).id) ?? string(properties.partID));
    switch (type) {
      case 'message.updated':
        start(filled(object(info).sessionID) ?? string(properties.sessionID));
        messageUpdated(object(info), string(properties.sessionID));
        return true;
      case 'message.part.updated':
        start(filled(object(part).sessionID) ?? string(properties.sessionID));
        partUpdated(object(part), properties);
        return true;
      case 'message.part.delta':
        start(string(properties.sessionID));
        partDelta(properties);
        return true;
    }
    // A complete message ends its turn as soon as something else happens.
    if (main.open && main.done) endTurn(main);
    return family === 'session' ? sessionEvent(type, properties) : otherEvent(family, type, properties);
  }

  function end(): void {
    for (const { part } of held.splice(0)) {
      roles.set(string(part.messageID) ?? '', 'assistant');
      partUpdated(part, {});
    }
    texts.settle(undefined);
    edits.settle([]);
    tools.end();
    if (retrying !== undefined) raise(main, { name: 'APIError', message: retrying, code: codeOfMessage(retrying), retryable: true });
    if (main.open && main.done) endTurn(main);
    else if (main.open) {
      texts.flush(voiceOf(main, main.message));
      reportMessage(main);
    }
    for (const lane of tools.children.values()) reportMessage(lane);
    // The last message says itself that it is the last one.
    if (active && !main.open && fault === undefined && main.finish === 'stop') sink.emit({ type: 'agent.finished', status: 'ok' });
  }

  return { event, start, end };
}
