import type { DecoderSink, Json, JsonObject } from '../dialect.ts';
import { codeOfMessage } from '../faults.ts';
import { asText, compact, filled, integer, isObject, list, object, string, time } from '../read.ts';
import {
  claimOf,
  type Counts,
  countsOf,
  type Edit,
  editsOf,
  endOf,
  type Fault,
  faultOf,
  finishOf,
  type Habit,
  habitOf,
  inclusive,
  kindOf,
  sizeOf,
} from '../shared/opencode/parts.ts';
import { permissionAsked, permissionReplied } from './permission.ts';
import { Recent } from './recent.ts';
import { TextParts } from './text-parts.ts';

/** One session on the bus: the run's own, or that of a sub-agent. A turn of it is one assistant message. */
interface Lane {
  /** The tool call that this session works for; undefined for the run's own session. */
  readonly parent: string | undefined;
  message: string | undefined;
  /** A turn is open. */
  open: boolean;
  /** The message of the open turn is complete: the next line that is not about it ends the turn. */
  done: boolean;
  stepped: boolean;
  /** How often the message has been begun: a retry speaks anew in the same message. */
  attempt: number;
  model: string | undefined;
  tokens: JsonObject;
  cost: Json | undefined;
  /** What has been reported of this message; true: its steps reported themselves. */
  reported: Counts | true | undefined;
  completedAt: number | undefined;
  finish: string | undefined;
  denied: boolean;
}

interface OpenTool {
  shown: number;
  children: string[];
}

/** Parts whose author is not known yet; more than these are not waited for. */
const heldParts = 100;

const ignored = new Set(
  'account catalog form global ide installation integration lsp mcp models-dev plugin project pty reference server storage suggestion todo tui vcs workspace worktree'.split(
    ' ',
  ),
);
const quiet = new Set(['session.deleted', 'session.diff', 'session.compacted', 'message.removed', 'message.part.removed']);

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
  /** Sessions of sub-agents, by id. */
  const children = new Map<string, Lane>();
  const roles = new Recent<'user' | 'assistant'>(200);
  const doneParts = new Recent<true>(200);
  const texts = new TextParts(sink);
  const tools = new Map<string, OpenTool>();
  /** Calls announced without their arguments. */
  const announced = new Map<string, JsonObject>();
  const held: { part: JsonObject; properties: JsonObject }[] = [];
  /** Files said to be edited whose tool has not ended, with what the file watcher saw. */
  const edits = new Map<string, Edit['operation'] | undefined>();
  const editedInTurn = new Set<string>();
  let lastCommand: string | undefined;
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
  function laneOf(session: string | undefined): Lane | undefined {
    if (session === undefined || session === '' || session === root) return main;
    if (root === undefined) {
      root = session;
      return main;
    }
    const child = children.get(session);
    if (child === undefined && !strangers) {
      strangers = true;
      sink.note('lost', 'events of another session');
    }
    return child;
  }

  function adopt(session: string, itemId: string): void {
    const known = children.get(session);
    if (known?.parent === itemId || session === root) return;
    children.set(session, newLane(itemId));
    tools.get(itemId)?.children.push(session);
  }

  function startMessage(lane: Lane, id: string): void {
    Object.assign(lane, { message: id, attempt: 1, tokens: {}, cost: undefined, reported: undefined, completedAt: undefined });
  }

  /** The name under which a message speaks: what a retry says does not add to what was cut off. */
  function voiceOf(lane: Lane, owner: string | undefined): string | undefined {
    return owner === lane.message && lane.attempt > 1 ? `${owner}_retry_${lane.attempt}` : owner;
  }

  function beginTurn(lane: Lane, info: JsonObject): void {
    const created = time(object(info.time).created);
    if (created !== undefined) sink.at(created);
    const model = modelOf(info);
    Object.assign(lane, { open: true, done: false, stepped: false, denied: false, finish: undefined });
    if (model !== undefined) lane.model = model;
    if (lane !== main) return;
    active = true;
    fault = undefined;
    retrying = undefined;
    editedInTurn.clear();
    sink.emit({ type: 'turn.started', ...compact({ model: lane.model }) });
  }

  function endTurn(lane: Lane): void {
    texts.flush(voiceOf(lane, lane.message));
    flushEdits();
    if (lane.completedAt !== undefined) sink.at(lane.completedAt);
    reportMessage(lane);
    lane.open = false;
    lane.done = false;
    if (lane === main) sink.emit({ type: 'turn.completed', ...finishOf(lane.finish) });
  }

  /** A complete message ends its turn as soon as something else happens. */
  function settle(): void {
    if (main.open && main.done) endTurn(main);
  }

  /** The tokens of a message that had no steps to report them, or what a later update adds. */
  function reportMessage(lane: Lane): void {
    if (lane.reported === true) return;
    const counts = countsOf(lane.tokens, lane.cost, habit);
    if (counts === undefined) return;
    const more = lane.reported === undefined ? counts : difference(counts, lane.reported);
    lane.reported = counts;
    if (more !== undefined) report(lane, more);
  }

  function report(lane: Lane, counts: Counts): void {
    sink.emit({ type: 'usage.reported', scope: 'step', ...compact({ model: lane.model }), ...counts });
  }

  function message(info: JsonObject, session: string | undefined): void {
    const id = string(info.id) ?? '';
    const lane = laneOf(filled(info.sessionID) ?? session);
    if (lane === undefined) return;
    if (info.role === 'user') roles.set(id, 'user');
    else if (info.role === 'assistant') {
      roles.set(id, 'assistant');
      assistantMessage(lane, id, info);
    }
    release(id);
  }

  function assistantMessage(lane: Lane, id: string, info: JsonObject): void {
    const known = lane.message === id;
    const completed = object(info.time).completed;
    const finish = filled(info.finish);
    const hasError = info.error !== undefined && info.error !== null;
    const counted = countsOf(object(info.tokens), undefined, habit) !== undefined;
    const begins = !known || (typeof completed !== 'number' && finish === undefined && !hasError && !counted);
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
      if (finish === 'stop' && !hasError && lane === main) fault = undefined;
    }
    if (typeof completed === 'number') {
      lane.completedAt = time(completed);
      lane.done = lane.open;
    }
    if (hasError) raise(lane, faultOf(info.error));
    if (!lane.open) reportMessage(lane);
  }

  function raise(lane: Lane, error: Fault): void {
    // The session and its message both tell the same error.
    const key = `${error.name} ${error.message}`;
    if (lane === main) {
      fault = error;
      retrying = undefined;
      if (key === lastFault) return;
      lastFault = key;
      active = true;
    }
    sink.emit({ type: 'error', scope: lane === main ? 'session' : 'sub-agent', fatal: lane === main, ...error });
  }

  function part(wire: JsonObject, properties: JsonObject): void {
    const lane = laneOf(filled(wire.sessionID) ?? string(properties.sessionID));
    if (lane === undefined) return;
    const owner = string(wire.messageID) ?? '';
    const role = roles.get(owner);
    const type = string(wire.type);
    if (role === undefined && (type === 'text' || type === 'file') && !isObject(wire.time)) {
      if (held.length < heldParts) held.push({ part: wire, properties });
      return;
    }
    if (role === 'user') return userPart(lane, wire);
    const at = time(properties.time);
    if (at !== undefined) sink.at(at);
    switch (type) {
      case 'text':
      case 'reasoning':
        if (!doneParts.has(partKey(owner, wire.id))) textPart(lane, type, wire, string(properties.delta));
        return;
      case 'tool':
        return toolPart(lane, wire);
      case 'file':
        return filePart(wire);
      case 'step-start':
        if (lane.open && lane.message === owner && !lane.stepped) lane.stepped = true;
        else {
          if (lane.open) texts.flush(voiceOf(lane, lane.message));
          if (lane.message !== owner) startMessage(lane, owner);
          else lane.attempt += 1;
          beginTurn(lane, {});
          lane.stepped = true;
        }
        return;
      case 'step-finish':
        return stepFinish(lane, wire);
      case 'retry':
        return retry(integer(wire.attempt), faultOf(wire.error).message);
      case 'patch':
        for (const file of list(wire.files)) if (typeof file === 'string' && !editedInTurn.has(file)) edited({ path: file });
    }
  }

  function userPart(lane: Lane, wire: JsonObject): void {
    const text = filled(wire.text);
    if (lane !== main || wire.type !== 'text' || text === undefined || wire.synthetic === true || wire.ignored === true) return;
    if (lastPrompt !== undefined && lastPrompt === wire.id) return;
    lastPrompt = string(wire.id);
    start(root);
    sink.emit({ type: 'prompt.submitted', text, ...compact({ message_id: filled(wire.messageID) }) });
  }

  function release(messageId: string): void {
    for (let index = 0; index < held.length;) {
      const each = held[index];
      if (each !== undefined && each.part.messageID === messageId) {
        held.splice(index, 1);
        part(each.part, each.properties);
      } else index += 1;
    }
  }

  function textPart(lane: Lane, type: 'text' | 'reasoning', wire: JsonObject, delta: string | undefined): void {
    const id = string(wire.id) ?? '';
    const owner = voiceOf(lane, filled(wire.messageID));
    const span = object(wire.time);
    if (delta !== undefined) texts.delta(id, delta, { type, message: owner, parent: lane.parent });
    if (typeof span.end === 'number') {
      const end = time(span.end);
      if (end !== undefined) sink.at(end);
      texts.complete(id, asText(wire.text), { type, message: owner, parent: lane.parent });
      doneParts.set(partKey(string(wire.messageID), wire.id), true);
    } else if (delta === undefined) {
      const from = time(span.start);
      if (from !== undefined) sink.at(from);
      texts.snapshot(id, asText(wire.text), { type, message: owner, parent: lane.parent }, isObject(wire.time));
    }
  }

  function startTool(lane: Lane, id: string, wire: JsonObject, state: JsonObject): void {
    announced.delete(id);
    if (tools.has(id)) return;
    tools.set(id, { shown: 0, children: [] });
    const from = time(object(state.time).start);
    if (from !== undefined) sink.at(from);
    const name = asText(wire.tool);
    sink.emit({
      type: 'item.started',
      item_id: id,
      kind: kindOf(name),
      name,
      args: state.input ?? {},
      ...compact({ parent_item_id: lane.parent }),
    });
  }

  function toolPart(lane: Lane, wire: JsonObject): void {
    const partId = string(wire.id) ?? '';
    // Providers number calls anew in every session, so a sub-agent's call is known by its part.
    const id = (lane === main ? filled(wire.callID) : undefined) ?? filled(wire.id) ?? filled(wire.callID);
    if (id === undefined || doneParts.has(partId)) return;
    const state = object(wire.state);
    const name = asText(wire.tool);
    if (state.status === 'pending' && Object.keys(object(state.input)).length === 0) {
      if (!tools.has(id)) announced.set(id, wire);
      return;
    }
    startTool(lane, id, wire, state);
    const child = filled(object(state.metadata).sessionId);
    if (child !== undefined) adopt(child, id);
    const end = endOf(name, state);
    if (end === undefined) return progress(id, state);
    const to = time(object(state.time).end);
    if (to !== undefined) sink.at(to);
    sink.emit({ type: 'item.completed', item_id: id, ...end });
    doneParts.set(partId, true);
    for (const session of tools.get(id)?.children ?? []) children.delete(session);
    tools.delete(id);
    if (end.status === 'denied') lane.denied = true;
    if (name === 'bash' || end.exit_code !== undefined) lastCommand = string(object(state.input).command);
    if (end.status === 'success') for (const edit of editsOf(name, state, id)) if (edits.has(edit.path)) edited(edit);
    flushEdits();
  }

  function progress(id: string, state: JsonObject): void {
    const tool = tools.get(id);
    const output = string(object(state.metadata).output);
    if (tool === undefined || output === undefined || output.length <= tool.shown) return;
    sink.emit({ type: 'item.output', item_id: id, chunk: output.slice(tool.shown) });
    tool.shown = output.length;
  }

  function edited(edit: Pick<Edit, 'path'> & Partial<Edit>): void {
    const seen = edits.get(edit.path);
    edits.delete(edit.path);
    editedInTurn.add(edit.path);
    start(root);
    sink.emit({ ...edit, type: 'file.edited', operation: seen ?? edit.operation ?? 'modified' });
  }

  function flushEdits(): void {
    for (const path of [...edits.keys()]) edited({ path });
  }

  /** A file that the assistant hands over; those of the user are attachments. */
  function filePart(wire: JsonObject): void {
    const url = string(wire.url) ?? '';
    const path =
      filled(object(wire.source).path) ?? (url.startsWith('file://') ? filled(url.slice(7)) : undefined) ?? filled(wire.filename);
    if (path !== undefined) edited({ path, operation: 'created' });
  }

  function stepFinish(lane: Lane, wire: JsonObject): void {
    const id = string(wire.id) ?? '';
    if (id !== '' && doneParts.has(id)) return;
    doneParts.set(id, true);
    texts.flush(voiceOf(lane, lane.message));
    flushEdits();
    const counts = countsOf(object(wire.tokens), wire.cost, habit);
    if (counts !== undefined) report(lane, counts);
    lane.reported = true;
    lane.finish = filled(wire.reason);
    lane.open = false;
    lane.done = false;
    if (lane === main) sink.emit({ type: 'turn.completed', ...finishOf(lane.finish) });
  }

  function retry(attempt: number | undefined, cause: string): void {
    // A retry is told as a status and, in some versions, as a part.
    if (retrying === cause && attempt !== undefined && attempt === lastAttempt) return;
    retrying = cause;
    lastAttempt = attempt;
    start(root);
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
    if (lane.completedAt !== undefined) sink.at(lane.completedAt);
    const claim = claimOf(lane.finish, lane.denied, fault);
    if (claim !== undefined) sink.emit({ type: 'agent.finished', ...claim });
  }

  function status(lane: Lane, wire: JsonObject): void {
    switch (wire.type) {
      case 'idle':
        return idle(lane);
      case 'busy':
        if (lane === main) retrying = undefined;
        return;
      case 'retry':
        if (lane === main) retry(integer(wire.attempt), asText(wire.message));
    }
  }

  function command(properties: JsonObject): void {
    const text = string(properties.command);
    // Really a slash command; only the seed tells of commands of the shell.
    if (text === undefined) return;
    // A tool part has told it already.
    if (text === lastCommand) return void (lastCommand = undefined);
    const output = [asText(properties.stdout), asText(properties.stderr)].filter((each) => each !== '').join('\n');
    const ended = integer(properties.exitCode) === undefined ? '' : ` (exit code ${integer(properties.exitCode)})`;
    sink.emit({ type: 'log', stream: 'agent', level: 'info', text: `$ ${text}${ended}${output === '' ? '' : `\n${output}`}` });
  }

  function session(type: string, properties: JsonObject): boolean {
    const info = object(properties.info);
    const id = filled(info.id) ?? filled(properties.sessionID);
    switch (type) {
      case 'session.created':
      case 'session.updated':
        if (!started) start(id ?? root, info);
        else if (id !== undefined && id !== root && filled(info.parentID) !== undefined && !children.has(id)) {
          const open = [...tools.keys()].at(-1);
          if (open !== undefined && type === 'session.created') adopt(id, open);
        }
        return true;
      case 'session.status':
      case 'session.idle':
      case 'session.error': {
        const lane = laneOf(string(properties.sessionID));
        if (lane === undefined) return true;
        if (type === 'session.status') status(lane, object(properties.status));
        else if (type === 'session.idle') idle(lane);
        else if (properties.error !== undefined && properties.error !== null) raise(lane, faultOf(properties.error));
        return true;
      }
    }
    return quiet.has(type) || type.startsWith('session.next.') || type.startsWith('session.network.');
  }

  function event(type: string, properties: JsonObject): boolean {
    const family = type.slice(0, Math.max(0, type.indexOf('.')));
    if (ignored.has(family)) return true;
    if (family === 'session' && !type.startsWith('session.error') && !started && type !== 'session.created' && type !== 'session.updated') {
      if (filled(properties.sessionID) !== undefined) start(string(properties.sessionID));
    }
    if (family !== 'session' && family !== 'file' && !started) {
      const about = object(properties.info ?? properties.part ?? properties);
      start(filled(about.sessionID) ?? string(properties.sessionID));
    }
    texts.settle(string(object(properties.part).id) ?? string(properties.partID));
    switch (type) {
      case 'message.updated':
        message(object(properties.info), string(properties.sessionID));
        return true;
      case 'message.part.updated':
        part(object(properties.part), properties);
        return true;
      case 'message.part.delta': {
        const lane = laneOf(string(properties.sessionID));
        const id = string(properties.partID) ?? '';
        const delta = asText(properties.delta);
        if (lane === undefined || properties.field !== 'text' || delta === '') return true;
        if (doneParts.has(partKey(string(properties.messageID), id))) return true;
        if (roles.get(string(properties.messageID) ?? '') === 'user') return true;
        texts.delta(id, delta, { type: 'text', message: voiceOf(lane, filled(properties.messageID)), parent: lane.parent });
        return true;
      }
    }
    settle();
    switch (family) {
      case 'session':
        if (type === 'session.error' && !started) start(string(properties.sessionID));
        return session(type, properties);
      case 'permission':
      case 'question':
        if (type.endsWith('.asked') || type === 'permission.updated') permissionAsked(sink, type, properties);
        else if (!permissionReplied(sink, type, properties)) return false;
        return true;
      case 'command':
        command(properties);
        return true;
      case 'file':
        return file(type, properties);
    }
    return quiet.has(type);
  }

  function file(type: string, properties: JsonObject): boolean {
    const path = filled(properties.path) ?? filled(properties.file);
    if (type === 'file.watcher.updated') {
      const seen = properties.event === 'add' ? 'created' : properties.event === 'unlink' ? 'deleted' : undefined;
      if (path !== undefined && edits.has(path) && seen !== undefined) edits.set(path, seen);
      return true;
    }
    if (type !== 'file.edited') return false;
    if (path === undefined) return true;
    if (properties.path === undefined) edits.set(path, edits.get(path));
    else edited({ path, ...compact({ item_id: filled(properties.callID) }), ...toldEdit(object(properties.diff)) });
    return true;
  }

  function end(): void {
    for (const { part: wire } of held.splice(0)) {
      roles.set(string(wire.messageID) ?? '', 'assistant');
      part(wire, {});
    }
    texts.settle(undefined);
    flushEdits();
    for (const [id, wire] of [...announced]) startTool(main, id, wire, {});
    if (retrying !== undefined) raise(main, { name: 'APIError', message: retrying, code: codeOfMessage(retrying), retryable: true });
    if (main.open && main.done) endTurn(main);
    else if (main.open) {
      texts.flush(voiceOf(main, main.message));
      reportMessage(main);
    }
    for (const lane of children.values()) reportMessage(lane);
    // The last message says itself that it is the last one.
    if (active && !main.open && fault === undefined && main.finish === 'stop') sink.emit({ type: 'agent.finished', status: 'ok' });
  }

  return { event, start, end };
}

function newLane(parent: string | undefined): Lane {
  return {
    parent,
    message: undefined,
    open: false,
    done: false,
    stepped: false,
    attempt: 1,
    model: undefined,
    tokens: {},
    cost: undefined,
    reported: undefined,
    completedAt: undefined,
    finish: undefined,
    denied: false,
  };
}

function partKey(message: string | undefined, id: Json | undefined): string {
  return `${message ?? ''} ${string(id) ?? ''}`;
}

function modelOf(info: JsonObject): string | undefined {
  const names = [filled(info.providerID), filled(info.modelID)].filter((name) => name !== undefined);
  return names.length === 0 ? undefined : names.join('/');
}

function difference(now: Counts, before: Counts): Counts | undefined {
  const more: Counts = {};
  let any = false;
  for (const field of [
    'input_tokens',
    'output_tokens',
    'reasoning_tokens',
    'cache_read_tokens',
    'cache_write_tokens',
    'cost_usd',
  ] as const) {
    const value = (now[field] ?? 0) - (before[field] ?? 0);
    if (value < 0) return undefined;
    if (value > 0) {
      more[field] = value;
      any = true;
    }
  }
  return any ? more : undefined;
}

/** What a diff on the bus says of an edit: by a status, or by what is missing before or after. */
function toldEdit(diff: JsonObject): Partial<Edit> {
  const size = sizeOf(diff, diff.patch);
  const [before, after] = [string(diff.before), string(diff.after)];
  if (diff.status === 'added' || (diff.status === undefined && before === '' && after !== undefined && after !== ''))
    return { operation: 'created', ...size };
  if (diff.status === 'deleted' || (diff.status === undefined && after === '' && before !== undefined && before !== ''))
    return { operation: 'deleted', ...size };
  return { operation: 'modified', ...size };
}
