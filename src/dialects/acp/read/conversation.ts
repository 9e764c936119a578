import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { filled, list, object } from '../../../json/read.ts';
import { textIn } from './content.ts';
import { Ending, readEnding } from './ending.ts';
import { Heard } from './heard.ts';
import { ownMetaOf } from './meta.ts';
import { Permissions, type Question } from './permissions.ts';
import { Prompts } from './prompts.ts';
import { Sessions } from './sessions.ts';
import { Texts } from './texts.ts';
import { Tools } from './tools.ts';
import { Updates } from './updates.ts';
import { Usage } from './usage.ts';

/** The messages between client and agent, as drafts of events. */
export class Conversation {
  readonly #sink: DecoderSink;
  readonly #sessions: Sessions;
  readonly #prompts = new Prompts();
  readonly #heard = new Heard();
  readonly #texts: Texts;
  readonly #tools: Tools;
  readonly #usage: Usage;
  readonly #permissions: Permissions;
  readonly #updates: Updates;
  readonly #ending: Ending;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
    this.#sessions = new Sessions(sink);
    this.#texts = new Texts(sink);
    this.#tools = new Tools(sink, this.#heard);
    this.#usage = new Usage(sink);
    this.#permissions = new Permissions(sink, this.#tools);
    const work = { texts: this.#texts, tools: this.#tools, usage: this.#usage, heard: this.#heard };
    this.#updates = new Updates(sink, this.#sessions, this.#prompts, work);
    this.#ending = new Ending(sink, this.#sessions, this.#prompts, work);
  }

  /** A prompt was seen that has no answer yet. */
  get waits(): boolean {
    return this.#prompts.areOpen;
  }

  clientAsks(method: string, params: JsonObject): void {
    this.#prompts.hearClient();
    if (method === 'authenticate') this.#ending.logIn();
    else this.#ending.release();
    if (method === 'session/prompt') this.#prompt(params);
  }

  #prompt(params: JsonObject): void {
    const own = ownMetaOf(params);
    this.#sessions.enter(filled(params.sessionId));
    this.#prompts.begin(own !== undefined);
    this.#usage.begin();
    this.#texts.begin();
    const text = list(params.prompt).map(textIn).join('\n\n');
    this.#heard.hear(text);
    if (own === undefined || own.submitted !== undefined)
      this.#sink.emit({
        type: 'prompt.submitted',
        text,
        ...present({ message_id: filled(object(own?.submitted).message_id) }),
      });
    if (own === undefined) this.#sink.emit({ type: 'turn.started' });
  }

  agentAsks(method: string, params: JsonObject, id: Json | undefined): Question | undefined {
    if (method !== 'session/request_permission') return undefined;
    const call = object(params.toolCall);
    if (!this.#prompts.isWork) {
      this.#updates.outside('asked for', call);
      return undefined;
    }
    this.#texts.close();
    return this.#permissions.ask(id, params, this.#sessions.itemId(params, call), this.#sessions.agent);
  }

  clientAnswers(
    method: string,
    params: JsonObject,
    question: Question | undefined,
    { result, error }: JsonObject,
  ): void {
    if (question !== undefined) return this.#permissions.answer(question, object(result));
    const path = filled(params.path);
    if (method === 'fs/write_text_file' && error === undefined && path !== undefined)
      this.#sink.emit({ type: 'file.edited', path, operation: 'modified' });
  }

  agentAnswers(method: string, params: JsonObject, { result, error }: JsonObject): void {
    if (error !== undefined && error !== null) return this.#ending.fail(object(error), method);
    const answer = object(result);
    switch (method) {
      case 'initialize':
        return this.#sessions.meet(answer);
      case 'session/new':
      case 'session/load':
      case 'session/resume':
        return this.#open(params, answer, method !== 'session/new');
      case 'session/prompt':
        return this.#end(answer);
    }
  }

  #open(params: JsonObject, answer: JsonObject, resumed: boolean): void {
    if (resumed) this.#usage.resumed();
    if (this.#sessions.open(params, answer, resumed)) this.#prompts.tellsTurns = true;
  }

  #end(answer: JsonObject): void {
    const claim = readEnding(answer, this.#sink);
    this.#usage.end(answer, this.#sessions.agent);
    this.#ending.read(answer, claim);
  }

  update(params: JsonObject): boolean {
    return this.#updates.read(params);
  }

  cancelled(): void {
    this.#prompts.hearClient();
    this.#prompts.cancel();
    this.#tools.cancel();
  }

  end(): void {
    this.#ending.end();
  }
}
