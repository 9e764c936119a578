import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText, filled, list, object } from '../../../json/read.ts';
import { textIn } from './content.ts';
import { carriedEvent, ownMetaOf } from './meta.ts';
import type { Prompts } from './prompts.ts';
import type { Sessions } from './sessions.ts';
import type { Texts } from './texts.ts';
import type { Tools } from './tools.ts';
import type { Usage } from './usage.ts';

/** What the agent reports about its work, in `session/update`. */
export class Updates {
  readonly #sink: DecoderSink;
  readonly #sessions: Sessions;
  readonly #prompts: Prompts;
  readonly #texts: Texts;
  readonly #tools: Tools;
  readonly #usage: Usage;
  /** The session whose text came last. */
  #speaker: string | undefined;

  constructor(
    sink: DecoderSink,
    sessions: Sessions,
    prompts: Prompts,
    work: { texts: Texts; tools: Tools; usage: Usage },
  ) {
    this.#sink = sink;
    this.#sessions = sessions;
    this.#prompts = prompts;
    this.#texts = work.texts;
    this.#tools = work.tools;
    this.#usage = work.usage;
  }

  /** False: the kind of update is not known, or its session is not. */
  read(params: JsonObject): boolean {
    const update = object(params.update);
    const session = filled(params.sessionId);
    if (!this.#sessions.isIntroduced && !this.#prompts.areSeen)
      this.#sessions.introduce(present({ session_id: session }));
    return this.#sessions.isAnother(session)
      ? this.#elsewhere(params, update)
      : this.#ownUpdate(params, update, session);
  }

  /** In a session that nobody prompted, the agent's tool calls count, but its text is not an answer. */
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

  #ownUpdate(params: JsonObject, update: JsonObject, session: string | undefined): boolean {
    const isWork = this.#prompts.isWork;
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
      case 'agent_thought_chunk':
        this.#chunk(update, isWork, session);
        return true;
      case 'user_message_chunk':
        if (!this.#prompts.areSeen) this.#sink.emit({ type: 'prompt.submitted', text: textIn(update.content ?? null) });
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
    else this.#sink.emit({ type: 'log', stream: 'agent', level: 'info', text: textIn(content) });
    this.#usage.step(object(update._meta).usage);
  }

  /** Text outside a prompt: the history of a loaded session, or a greeting. */
  #aside(content: JsonObject): void {
    const text = textIn(content);
    if (!this.#sessions.isLoaded && text !== '') this.#sink.emit({ type: 'log', stream: 'agent', level: 'info', text });
  }

  #tool(params: JsonObject, update: JsonObject): boolean {
    const id = this.#sessions.itemId(params, update);
    if (id === undefined) return false;
    if (!this.#prompts.isWork) {
      if (update.sessionUpdate === 'tool_call') this.outside('called', update);
      return true;
    }
    if (update.sessionUpdate === 'tool_call') this.#texts.interrupt();
    this.#tools.tell(id, update, this.#sessions.agent);
    return true;
  }

  /** No prompt is open: the call is not part of the work. */
  outside(what: string, call: JsonObject): void {
    if (this.#sessions.isLoaded && !this.#prompts.wasAny) return;
    const text = `${what} outside of a prompt: ${filled(call.title) ?? filled(call.toolCallId) ?? 'a tool'}`;
    this.#sink.emit({ type: 'log', stream: 'agent', level: 'warning', text });
  }

  #notice({ severity, title, description }: JsonObject): void {
    const level = severity === 'error' || severity === 'warning' ? severity : 'info';
    const text = [asText(title), asText(description)].filter((each) => each !== '').join(': ');
    this.#sink.emit({ type: 'log', stream: 'agent', level, text });
  }
}
