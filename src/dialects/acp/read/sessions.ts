import { eventIn } from '../../../events/check.ts';
import type { Draft } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { filled, isObject, list, object, wordIn } from '../../../json/read.ts';
import { Recent } from '../../kit/recent.ts';
import { agentIds } from '../words.ts';
import { ownMetaOf } from './meta.ts';

/** How many sessions are remembered as belonging to this run. */
const mostSessions = 1000;

type Thread = Omit<Extract<Draft, { type: 'thread.started' }>, 'type'>;

/** Who is at work, and in which sessions. */
export class Sessions {
  readonly #sink: DecoderSink;
  #agent: { agent?: string; agent_version?: string } = {};
  /** The session that was introduced last; calls in other sessions get ids that differ from its own. */
  #current: string | undefined;
  /** Sessions that were opened or prompted here: an agent may also write in others, which nobody prompted. */
  readonly #known = new Recent<true>(mostSessions);
  #isLoaded = false;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  get agent(): string | undefined {
    return this.#agent.agent;
  }

  get isIntroduced(): boolean {
    return this.#current !== undefined;
  }

  /** The session existed before: what it sends without a prompt is history. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** The answer to `initialize`. */
  meet(answer: JsonObject): void {
    const { name, version } = object(answer.agentInfo);
    const agent = filled(name);
    this.#agent = present({
      agent: agent === undefined ? undefined : (wordIn(agentIds, agent) ?? agent),
      agent_version: filled(version),
    });
  }

  /** The answer to a request for a session. True: Runwire wrote it, with all details. */
  open(params: JsonObject, answer: JsonObject, resumed: boolean): boolean {
    const session_id = filled(answer.sessionId) ?? filled(params.sessionId);
    if (session_id !== undefined) this.#known.set(session_id, true);
    this.#isLoaded = resumed;
    const thread = ownMetaOf(answer)?.thread;
    const own = isObject(thread) ? eventIn({ ...thread, type: 'thread.started' }) : undefined;
    if (own?.type === 'thread.started') {
      this.#start(own);
      return true;
    }
    this.introduce({
      ...present({ session_id, model: modelOf(answer), cwd: filled(params.cwd) }),
      ...(resumed ? { resumed } : {}),
    });
    return false;
  }

  /** A prompt goes to this session. */
  enter(session: string | undefined): void {
    if (session === undefined) return;
    this.#known.set(session, true);
    if (!this.isIntroduced) this.introduce({ session_id: session });
  }

  introduce(thread: Thread): void {
    this.#start({ ...this.#agent, ...thread });
  }

  #start(thread: Thread): void {
    this.#current = thread.session_id ?? '';
    this.#known.set(this.#current, true);
    this.#sink.emit({ ...thread, type: 'thread.started' });
  }

  isAnother(session: string | undefined): boolean {
    return session !== undefined && this.isIntroduced && !this.#known.has(session);
  }

  itemId(params: JsonObject, call: JsonObject): string | undefined {
    const [id, session] = [filled(call.toolCallId), filled(params.sessionId)];
    return id === undefined || session === undefined || session === this.#current ? id : `${session}:${id}`;
  }
}

/** The model with which a session begins: agents had their own field for it before the protocol did. */
function modelOf({ models, configOptions }: JsonObject): string | undefined {
  const { currentModelId, availableModels } = object(models);
  const current = filled(currentModelId);
  // Qwen Code makes up an id for a model that is named in its configuration.
  const named =
    current?.startsWith('$') === true
      ? list(availableModels).find((each) => object(each).modelId === current)
      : undefined;
  if (current !== undefined) return filled(object(named).name) ?? current;
  const option = list(configOptions).find((each) => object(each).category === 'model');
  return filled(object(option).currentValue);
}
