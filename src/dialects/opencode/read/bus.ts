import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText, filled, isObject, list, object, string, whole } from '../../../json/read.ts';
import { readFault } from '../../shared/opencode/read/ending.ts';
import { tellTime } from '../../kit/time.ts';
import { ignoredFamilies, ignoredTypes } from '../words.ts';
import { tellingAnswers } from './answers.ts';
import { Authors } from './authors.ts';
import { Edits } from './edits.ts';
import { Ending } from './ending.ts';
import type { Lane } from './lane.ts';
import { permissionAsked, permissionReplied } from './permissions.ts';
import { Recent } from '../../kit/recent.ts';
import type { Sessions } from './sessions.ts';
import { Texts } from './texts.ts';
import { Tools } from './tools.ts';
import { Turns } from './turns.ts';

/** The events of `opencode serve`, old and new, and those documented for `opencode run`. */
export class Bus {
  readonly #sink: DecoderSink;
  readonly #sessions: Sessions;
  readonly #authors = new Authors();
  readonly #texts: Texts;
  readonly #edits: Edits;
  readonly #tools: Tools;
  readonly #ending: Ending;
  readonly #turns: Turns;
  #lastPrompt: string | undefined;

  constructor(sink: DecoderSink, sessions: Sessions) {
    this.#sink = sink;
    this.#sessions = sessions;
    const done = new Recent<true>(200);
    this.#texts = new Texts(sink, done);
    this.#edits = new Edits(sink);
    this.#tools = new Tools(sink, sessions, this.#edits, done);
    this.#ending = new Ending(tellingAnswers(sink, sessions.main));
    this.#turns = new Turns(sink, { sessions, texts: this.#texts, edits: this.#edits, ending: this.#ending, done });
  }

  /** false: not a bus event that we know. */
  event(type: string, properties: JsonObject): boolean {
    const family = type.slice(0, Math.max(0, type.indexOf('.')));
    if (ignoredFamilies.has(family)) return true;
    const info = object(properties.info);
    const part = object(properties.part);
    const session = string(properties.sessionID);
    this.#texts.settle(string(part.id) ?? string(properties.partID));
    switch (type) {
      case 'message.updated':
        this.#sessions.start(filled(info.sessionID) ?? session);
        this.#message(info, session);
        return true;
      case 'message.part.updated':
        this.#sessions.start(filled(part.sessionID) ?? session);
        this.#part(part, properties);
        return true;
      case 'message.part.delta':
        this.#sessions.start(session);
        this.#delta(properties);
        return true;
    }
    this.#turns.settle();
    return family === 'session' ? this.#session(type, properties) : this.#other(family, type, properties);
  }

  /** The run's session has finished its work. */
  get isIdle(): boolean {
    return this.#ending.isIdle;
  }

  end(): void {
    for (const { part } of this.#authors.end()) this.#part(part, {});
    this.#texts.settle(undefined);
    this.#edits.settle([]);
    this.#tools.end();
    this.#ending.endRetries(this.#sessions.main);
    this.#turns.endAll();
    this.#ending.end(this.#sessions.main);
  }

  #message(info: JsonObject, session: string | undefined): void {
    const id = string(info.id) ?? '';
    const lane = this.#sessions.laneOf(filled(info.sessionID) ?? session);
    if (lane === undefined) return;
    if (info.role === 'user') this.#authors.prompted(id, filled(info.system));
    else if (info.role === 'assistant') {
      this.#authors.set(id, 'assistant');
      this.#turns.update(lane, id, info);
    }
    for (const { part, properties } of this.#authors.release(id)) this.#part(part, properties);
  }

  #part(part: JsonObject, properties: JsonObject): void {
    const lane = this.#sessions.laneOf(filled(part.sessionID) ?? string(properties.sessionID));
    if (lane === undefined) return;
    const message = string(part.messageID) ?? '';
    const role = this.#authors.roleOf(message);
    const type = string(part.type);
    if (role === undefined && (type === 'text' || type === 'file') && !isObject(part.time))
      return this.#authors.hold(part, properties);
    if (role === 'user') return this.#prompt(lane, part);
    tellTime(this.#sink, properties.time);
    switch (type) {
      case 'text':
      case 'reasoning':
        return this.#texts.update(lane, type, part, string(properties.delta));
      case 'tool':
        return this.#tools.update(lane, part);
      case 'file':
        return this.#edits.handOver(part);
      case 'step-start':
        return this.#turns.startStep(lane, message);
      case 'step-finish':
        return this.#turns.endStep(lane, part);
      case 'retry':
        return this.#ending.retry(whole(part.attempt), readFault(part.error).message);
      case 'patch':
        return this.#edits.changed(list(part.files));
    }
  }

  #delta(properties: JsonObject): void {
    const lane = this.#sessions.laneOf(string(properties.sessionID));
    if (lane === undefined || this.#authors.roleOf(string(properties.messageID) ?? '') === 'user') return;
    this.#texts.delta(lane, properties);
  }

  #prompt(lane: Lane, part: JsonObject): void {
    const text = filled(part.text);
    if (!lane.isMain || part.type !== 'text' || text === undefined || part.synthetic === true || part.ignored === true)
      return;
    if (this.#lastPrompt !== undefined && this.#lastPrompt === part.id) return;
    this.#lastPrompt = string(part.id);
    const message_id = filled(part.messageID);
    this.#sink.emit({
      type: 'prompt.submitted',
      text,
      ...present({ message_id, system: this.#authors.systemOf(message_id) }),
    });
  }

  #session(type: string, properties: JsonObject): boolean {
    switch (type) {
      case 'session.created':
      case 'session.updated': {
        const info = object(properties.info);
        const id = filled(info.id) ?? filled(properties.sessionID);
        if (!this.#sessions.isStarted) this.#sessions.start(id, info);
        else if (type === 'session.created' && id !== undefined && filled(info.parentID) !== undefined)
          this.#tools.adoptByLast(id);
        return true;
      }
      case 'session.status':
      case 'session.idle':
      case 'session.error': {
        const session = string(properties.sessionID);
        this.#sessions.start(session);
        const lane = this.#sessions.laneOf(session);
        if (lane === undefined) return true;
        if (type === 'session.status') this.#status(lane, object(properties.status));
        else if (type === 'session.idle') this.#idle(lane);
        else if (properties.error !== undefined && properties.error !== null)
          this.#ending.raise(lane, readFault(properties.error));
        return true;
      }
    }
    return ignoredTypes.has(type) || type.startsWith('session.next.') || type.startsWith('session.network.');
  }

  #status(lane: Lane, status: JsonObject): void {
    if (status.type === 'idle') return this.#idle(lane);
    if (!lane.isMain) return;
    if (status.type === 'busy') this.#ending.stopRetrying();
    else if (status.type === 'retry') this.#ending.retry(whole(status.attempt), asText(status.message));
  }

  #idle(lane: Lane): void {
    if (lane.open) this.#turns.end(lane);
    if (lane.isMain) this.#ending.idle(lane);
  }

  #other(family: string, type: string, properties: JsonObject): boolean {
    switch (family) {
      case 'permission':
      case 'question':
        this.#sessions.start(string(properties.sessionID));
        if (!type.endsWith('.asked') && type !== 'permission.updated')
          return permissionReplied(this.#sink, type, properties);
        permissionAsked(this.#sink, type, properties);
        return true;
      case 'command':
        this.#tools.command(properties);
        return true;
    }
    switch (type) {
      case 'file.edited':
        this.#edits.tell(properties);
        return true;
      case 'file.watcher.updated':
        this.#edits.watch(filled(properties.file), properties.event);
        return true;
    }
    return ignoredTypes.has(type);
  }
}
