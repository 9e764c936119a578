import type { EventOf } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { count, filled, object, string } from '../../../json/read.ts';
import { codeOfError, isApiError, limits, unwrapApiError } from '../words.ts';
import type { Conversation } from './conversation.ts';
import type { Permissions } from './permissions.ts';
import type { Tools } from './tools.ts';
import { readModelUsage, readUsage } from './usage.ts';

type Limit = EventOf<'limit.reached'>['limit'];

export function limitIn(message: string): Limit | undefined {
  return limits.find(([mark]) => message.includes(mark))?.[1];
}

/** How the run ended: what its results claim, and the limits that it reported on stderr or stdout. */
export class Ending {
  readonly #sink: DecoderSink;
  readonly #talk: Conversation;
  readonly #tools: Tools;
  readonly #permissions: Permissions;
  /** How many turns there were at the last result. */
  #turns: number | undefined;
  #isLimited = false;

  constructor(sink: DecoderSink, talk: Conversation, tools: Tools, permissions: Permissions) {
    this.#sink = sink;
    this.#talk = talk;
    this.#tools = tools;
    this.#permissions = permissions;
  }

  /** A session with several prompts has several results. */
  get hasResult(): boolean {
    return this.#turns !== undefined;
  }

  get isTold(): boolean {
    return this.#isLimited || this.#turns === this.#talk.turns;
  }

  /** A `result` line. */
  read(wire: JsonObject): void {
    const fault = object(wire.error);
    const result = string(wire.result);
    const message = string(fault.message) ?? (result !== undefined && isApiError(result) ? result : undefined);
    if (this.#isOfSubAgent(wire)) return this.#failSubAgent(message ?? '');
    this.#permissions.refuseAll(wire.permission_denials);
    if (result !== undefined) this.#talk.lastWords(result, filled(wire.uuid));
    const isOk =
      wire.subtype === 'success' &&
      wire.is_error === false &&
      result !== undefined &&
      message === undefined &&
      !this.#talk.isFailed;
    this.#talk.endRun(isOk);
    if (!readModelUsage(object(wire.stats).models, this.#sink)) {
      const usage = readUsage(wire.usage);
      if (usage !== undefined)
        this.#sink.emit({ type: 'usage.reported', scope: 'thread', whole_session: true, ...usage });
    }
    this.#turns = this.#talk.turns;
    const raw = present({
      raw_status: string(wire.subtype),
      message,
      duration_ms: count(wire.duration_ms) || undefined,
    });
    if (isOk) return this.#sink.emit({ type: 'agent.finished', status: 'ok', ...raw });
    const limit = limitIn(message ?? '') ?? (wire.subtype === 'error_max_turns' ? 'turns' : undefined);
    if (limit !== undefined) return this.failAtLimit(limit, message, raw);
    const code = codeOfError(unwrapApiError(message ?? ''), fault.type);
    this.#sink.emit({ type: 'agent.finished', status: code === 'cancelled' ? 'cancelled' : 'failed', code, ...raw });
  }

  failAtLimit(limit: Limit, message: string | undefined, raw: { raw_status?: string } = {}): void {
    if (!this.#isLimited) this.#sink.emit({ type: 'limit.reached', limit, ...present({ message }) });
    this.#isLimited = true;
    const code = limit === 'time' ? 'time_limit' : 'turn_limit';
    this.#sink.emit({ type: 'agent.finished', status: 'failed', code, ...present({ message }), ...raw });
  }

  /** A limit that the stream itself reported. */
  reach(event: EventOf<'limit.reached'>): void {
    this.#isLimited = true;
    this.#sink.emit(event);
  }

  end(): void {
    // The session went on after its last result, so that result does not say how it ended.
    if (this.hasResult && !this.isTold)
      this.#sink.emit({
        type: 'agent.finished',
        status: 'failed',
        code: 'unknown',
        message: 'no result for the last turn',
      });
  }

  /** A failing sub-agent prints a result as if the run were over; nothing was measured for it. */
  #isOfSubAgent(wire: JsonObject): boolean {
    return wire.is_error === true && wire.duration_ms === 0 && wire.duration_api_ms === 0 && this.#tools.hasSubAgent;
  }

  #failSubAgent(error: string): void {
    const message = unwrapApiError(error);
    this.#sink.emit({ type: 'error', scope: 'subagent', code: codeOfError(message), message, fatal: false });
  }
}
