import type { Draft } from '../../../events/event.ts';
import { eventIn } from '../../../events/check.ts';
import type { DecoderSink, Json, JsonObject } from '../../dialect.ts';
import { asText, compact, filled, isObject, list, object, string, wordIn } from '../../read.ts';
import { Recent } from '../../recent.ts';
import { agentIds } from '../words.ts';
import { claimOf, type Fault, faultOf, finishReason, isAuthRequired, tellFault } from './ending.ts';
import { carriedEvent, ownMetaOf } from './meta.ts';
import { Permissions, type Question } from './permissions.ts';
import { Prompts } from './prompts.ts';
import { Texts } from './texts.ts';
import { Tools } from './tools.ts';
import { Usage } from './usage.ts';

/** Requests without which there is no run. */
const needed = new Set(['initialize', 'authenticate', 'session/new', 'session/load', 'session/resume', 'session/prompt']);

/** Sessions that are known to be of this run. */
const mostSessions = 1000;

/** What client and agent say to each other, as drafts. */
export class Conversation {
  readonly #sink: DecoderSink;
  readonly #texts: Texts;
  readonly #tools: Tools;
  readonly #permissions: Permissions;
  readonly #usage: Usage;
  readonly #prompts = new Prompts();
  #agent: { agent?: string; agent_version?: string } = {};
  /** The session that was introduced last; calls of others are told apart from its own. */
  #session: string | undefined;
  /** Those that were opened or asked here: an agent may speak in others, which nobody asked. */
  readonly #sessions = new Recent<true>(mostSessions);
  /** Whose words came last. */
  #speaker: string | undefined;
  /** Prompts are seen: what comes outside of one is no part of the work. */
  #hearsClient = false;
  #isLoaded = false;
  #wasPrompted = false;
  #isCancelled = false;
  /** Runwire wrote it: its turns are told. */
  #tellsTurns = false;
  /** That it asks for a login is no failure if it then gets one. */
  #held: Fault | undefined;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
    this.#texts = new Texts(sink);
    this.#tools = new Tools(sink);
    this.#permissions = new Permissions(sink, this.#tools);
    this.#usage = new Usage(sink);
  }

  /** A prompt that was seen has no answer yet. */
  get waits(): boolean {
    return this.#prompts.areOpen;
  }

  clientAsks(method: string, params: JsonObject): void {
    this.#hearsClient = true;
    if (method === 'authenticate') this.#held = undefined;
    else this.#release();
    if (method === 'session/prompt') this.#prompt(params);
  }

  #prompt(params: JsonObject): void {
    const own = ownMetaOf(params);
    const session = filled(params.sessionId);
    if (session !== undefined) this.#sessions.set(session, true);
    if (session !== undefined && this.#session === undefined) this.#introduce({ session_id: session });
    this.#prompts.begin();
    this.#wasPrompted = true;
    this.#usage.begin();
    this.#isCancelled = false;
    this.#tellsTurns = own !== undefined;
    const text = list(params.prompt).map(promptText).join('\n\n');
    if (own === undefined || own.submitted !== undefined)
      this.#sink.emit({ type: 'prompt.submitted', text, ...compact({ message_id: filled(object(own?.submitted).message_id) }) });
    if (own === undefined) this.#sink.emit({ type: 'turn.started' });
  }

  agentAsks(method: string, params: JsonObject, id: Json | undefined): Question | undefined {
    if (method !== 'session/request_permission') return undefined;
    const call = object(params.toolCall);
    if (!this.#isWork) {
      this.#outside('asked for', call);
      return undefined;
    }
    this.#texts.close();
    return this.#permissions.ask(id, params, this.#itemId(params, call), this.#agent.agent);
  }

  clientAnswers(method: string, params: JsonObject, question: Question | undefined, { result, error }: JsonObject): void {
    if (question !== undefined) return this.#permissions.answer(question, object(result));
    const path = filled(params.path);
    if (method === 'fs/write_text_file' && error === undefined && path !== undefined)
      this.#sink.emit({ type: 'file.edited', path, operation: 'modified' });
  }

  agentAnswers(method: string, params: JsonObject, { result, error }: JsonObject): void {
    if (error !== undefined && error !== null) return this.#failed(object(error), method);
    const answer = object(result);
    switch (method) {
      case 'initialize': {
        const { name, version } = object(answer.agentInfo);
        const agent = filled(name);
        this.#agent = compact({
          agent: agent === undefined ? undefined : (wordIn(agentIds, agent) ?? agent),
          agent_version: filled(version),
        });
        return;
      }
      case 'session/new':
      case 'session/load':
      case 'session/resume':
        return this.#begin(params, answer, method !== 'session/new');
      case 'session/prompt':
        return this.#end(answer);
    }
  }

  #begin(params: JsonObject, answer: JsonObject, resumed: boolean): void {
    const session_id = filled(answer.sessionId) ?? filled(params.sessionId);
    if (session_id !== undefined) this.#sessions.set(session_id, true);
    this.#isLoaded = resumed;
    if (resumed) this.#usage.resumed();
    const told = ownMetaOf(answer)?.thread;
    const own = isObject(told) ? eventIn({ ...told, type: 'thread.started' }) : undefined;
    if (own?.type !== 'thread.started')
      return this.#introduce({
        ...compact({ session_id, model: modelOf(answer), cwd: filled(params.cwd) }),
        ...(resumed ? { resumed } : {}),
      });
    this.#tellsTurns = true;
    this.#introduce(own, true);
  }

  #introduce(thread: Omit<Extract<Draft, { type: 'thread.started' }>, 'type'>, isWhole = false): void {
    this.#session = thread.session_id ?? '';
    this.#sessions.set(this.#session, true);
    this.#sink.emit({ ...(isWhole ? {} : this.#agent), ...thread, type: 'thread.started' });
  }

  get #isWork(): boolean {
    return this.#prompts.areOpen || !this.#hearsClient;
  }

  /** False: it is of a kind that is not known, or of a session that is not. */
  update(params: JsonObject): boolean {
    const update = object(params.update);
    const session = filled(params.sessionId);
    if (this.#session === undefined && !this.#hearsClient) this.#introduce(compact({ session_id: session }));
    if (session !== undefined && this.#session !== undefined && !this.#sessions.has(session)) return this.#elsewhere(params, update);
    return this.#told(params, update, session);
  }

  /** What the agent does in a session that nobody asked is its doing; what it says there is no answer. */
  #elsewhere(params: JsonObject, update: JsonObject): boolean {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
      case 'agent_thought_chunk':
        this.#aside(object(update.content));
        return true;
      case 'tool_call':
      case 'tool_call_update':
        return this.#tool(params, update);
      default:
        return false;
    }
  }

  #told(params: JsonObject, update: JsonObject, session: string | undefined): boolean {
    const isWork = this.#isWork;
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
      case 'agent_thought_chunk':
        this.#chunk(update, isWork, session);
        return true;
      case 'user_message_chunk':
        if (!this.#hearsClient) this.#sink.emit({ type: 'prompt.submitted', text: promptText(update.content ?? null) });
        return true;
      case 'tool_call':
      case 'tool_call_update':
        return this.#tool(params, update);
      case 'plan':
        if (isWork && ownMetaOf(update) === undefined) this.#tools.planned([...list(update.entries)]);
        return true;
      case 'usage_update':
        this.#usage.update(update, isWork);
        return true;
      case 'session_info_update': {
        const own = ownMetaOf(update);
        const event = carriedEvent(own?.event);
        if (own?.ends === true) this.#texts.close();
        if (event !== undefined) this.#sink.emit(event);
        return true;
      }
      case 'notice':
        this.#notice(update);
        return true;
      case 'current_mode_update':
        this.#sink.emit({ type: 'log', stream: 'agent', level: 'info', text: `mode: ${asText(update.currentModeId)}` });
        return true;
      case 'compaction_update':
        this.#sink.emit({ type: 'log', stream: 'agent', level: 'info', text: `compaction: ${asText(update.status)}` });
        return true;
      case 'available_commands_update':
      case 'config_option_update':
      case 'compaction_summary_chunk':
        return true;
      default:
        return false;
    }
  }

  #chunk(update: JsonObject, isWork: boolean, session: string | undefined): void {
    const content = object(update.content);
    const kind = update.sessionUpdate === 'agent_message_chunk' ? 'text' : 'reasoning';
    const own = ownMetaOf(update);
    if (!isWork) return this.#aside(content);
    const isAnother = this.#speaker !== undefined && this.#speaker !== session && asText(content.text) !== '';
    this.#speaker = session;
    if (content.type === 'text')
      this.#texts.say({
        kind,
        text: asText(content.text),
        messageId: filled(update.messageId),
        parent: filled(own?.parent),
        isNew: own?.isNew === true || isAnother,
      });
    else this.#sink.emit({ type: 'log', stream: 'agent', level: 'info', text: promptText(content) });
    this.#usage.step(object(update._meta).usage);
  }

  /** Words outside of a prompt: what was said before in a session that is loaded, or a greeting. */
  #aside(content: JsonObject): void {
    const text = promptText(content);
    if (!this.#isLoaded && text !== '') this.#sink.emit({ type: 'log', stream: 'agent', level: 'info', text });
  }

  #tool(params: JsonObject, update: JsonObject): boolean {
    const id = this.#itemId(params, update);
    if (id === undefined) return false;
    if (!this.#isWork) {
      if (update.sessionUpdate === 'tool_call') this.#outside('called', update);
      return true;
    }
    if (update.sessionUpdate === 'tool_call') this.#texts.close();
    this.#tools.tell(id, update, this.#agent.agent);
    return true;
  }

  /** Nobody asked for anything, or all is answered: it says nothing of the work. */
  #outside(what: string, call: JsonObject): void {
    if (this.#isLoaded && !this.#wasPrompted) return;
    const text = `${what} outside of a prompt: ${filled(call.title) ?? filled(call.toolCallId) ?? 'a tool'}`;
    this.#sink.emit({ type: 'log', stream: 'agent', level: 'warning', text });
  }

  #itemId(params: JsonObject, call: JsonObject): string | undefined {
    const [id, session] = [filled(call.toolCallId), filled(params.sessionId)];
    return id === undefined || session === undefined || session === this.#session ? id : `${session}:${id}`;
  }

  #notice({ severity, title, description }: JsonObject): void {
    const level = severity === 'error' || severity === 'warning' ? severity : 'info';
    const text = [asText(title), asText(description)].filter((each) => each !== '').join(': ');
    this.#sink.emit({ type: 'log', stream: 'agent', level, text });
  }

  cancelled(): void {
    this.#hearsClient = true;
    this.#isCancelled = true;
    this.#tools.cancel();
  }

  #end(answer: JsonObject): void {
    const claim = claimOf(answer, this.#sink);
    this.#usage.end(answer, this.#agent.agent);
    this.#close(string(answer.stopReason) ?? '', claim);
  }

  #failed(error: JsonObject, method: string): void {
    const fault = faultOf(error, method);
    if (!needed.has(method))
      return this.#sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: `${method}: ${fault.message}` });
    if (method !== 'session/prompt' && isAuthRequired(error)) {
      this.#held = fault;
      return;
    }
    this.#fail(this.#isCancelled ? { ...fault, code: 'cancelled' } : fault, method === 'session/prompt' ? 'provider' : 'agent');
  }

  #release(): void {
    const fault = this.#held;
    this.#held = undefined;
    if (fault !== undefined) this.#fail(fault, 'agent');
  }

  #fail(fault: Fault, scope: 'agent' | 'provider'): void {
    if (this.#session === undefined) this.#introduce({});
    const isOpen = this.#prompts.areOpen;
    const claim = tellFault(fault, this.#sink, scope);
    if (isOpen) this.#close('error', claim);
    else this.#sink.emit(claim);
  }

  #close(reason: string, claim: Parameters<Prompts['end']>[0]): void {
    const all = this.#prompts.end(claim);
    if (all === undefined) return;
    this.#texts.closeAll();
    this.#tools.endTurn();
    if (!this.#tellsTurns)
      this.#sink.emit({
        type: 'turn.completed',
        finish_reason: reason === 'error' ? 'error' : finishReason(reason),
        raw_finish_reason: reason,
      });
    this.#sink.emit(all);
  }

  end(): void {
    this.#release();
    this.#texts.closeAll();
    this.#tools.endTurn();
  }
}

/** Content for a model, as text. */
function promptText(content: Json): string {
  const { type, text, uri, name, mimeType, resource } = object(content);
  if (type === 'text') return asText(text);
  if (type === 'resource_link') return `[${asText(name)}](${asText(uri)})`;
  if (type === 'resource') return `${asText(object(resource).uri)}\n${asText(object(resource).text)}`.trim();
  return `[${[asText(type), asText(mimeType)].filter((each) => each !== '').join(' ')}]`;
}

/** The model that a session begins with: agents had a place of their own for it before the protocol did. */
function modelOf({ models, configOptions }: JsonObject): string | undefined {
  const { currentModelId, availableModels } = object(models);
  const told = filled(currentModelId);
  // Qwen Code makes up an id for a model that its configuration names.
  const named = told?.startsWith('$') === true ? list(availableModels).find((each) => object(each).modelId === told) : undefined;
  if (told !== undefined) return filled(object(named).name) ?? told;
  const option = list(configOptions).find((each) => object(each).category === 'model');
  return filled(object(option).currentValue);
}
