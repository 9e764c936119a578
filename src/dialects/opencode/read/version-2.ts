import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { codeOfMessage } from '../../../outcome/faults.ts';
import { asText, filled, integer, object, whole } from '../../../json/read.ts';
import { type Fault, readEnding, readFault, readFinish } from '../../shared/opencode/read/ending.ts';
import { exclusive, readUsage } from '../../shared/opencode/read/usage.ts';
import { familiesOfVersion2 } from '../words.ts';
import { modelOf } from './lane.ts';
import type { Sessions } from './sessions.ts';
import { reportStep } from './usage.ts';
import { ToolsOfVersion2 } from './version-2-tools.ts';

/** The events of the version 2 server, `{id, type, created, data}`, that version 1 does not have. */
export class Version2 {
  readonly #sink: DecoderSink;
  readonly #sessions: Sessions;
  readonly #tools: ToolsOfVersion2;
  #root: string | undefined;
  #isDenied = false;
  #fault: Fault | undefined;

  constructor(sink: DecoderSink, sessions: Sessions) {
    this.#sink = sink;
    this.#sessions = sessions;
    this.#tools = new ToolsOfVersion2(sink);
  }

  /** false: not an event that only version 2 has. */
  event(type: string, data: JsonObject): boolean {
    const [, family = '', ...rest] = type.split('.');
    if (!familiesOfVersion2.has(family)) return false;
    const session = filled(data.sessionID);
    this.#root ??= session;
    // Sub-agents have their own sessions, and nothing says which call started them.
    if (session !== undefined && session !== this.#root) return true;
    this.#sessions.start(session);
    const phase = rest.join('.');
    switch (family) {
      case 'step':
        this.#step(phase, data);
        break;
      case 'text':
      case 'reasoning':
        this.#text(family, phase, data);
        break;
      case 'tool':
        if (this.#tools.update(phase, data)) this.#isDenied = true;
        break;
      case 'execution':
        this.#execution(phase, data);
        break;
      case 'retried':
        this.#retried(data);
    }
    return true;
  }

  #step(phase: string, data: JsonObject): void {
    switch (phase) {
      case 'started': {
        this.#fault = undefined;
        this.#isDenied = false;
        const model = object(data.model);
        return this.#sink.emit({ type: 'turn.started', ...present({ model: modelOf(model.providerID, model.id) }) });
      }
      case 'ended': {
        const counts = readUsage(object(data.tokens), data.cost, exclusive);
        if (counts !== undefined) reportStep(this.#sink, undefined, counts);
        return this.#sink.emit({ type: 'turn.completed', ...readFinish(filled(data.finish)) });
      }
      case 'failed':
        this.#raise(data.error);
        return this.#sink.emit({ type: 'turn.completed', finish_reason: 'error' });
    }
  }

  #text(type: 'text' | 'reasoning', phase: string, data: JsonObject): void {
    const message = asText(data.assistantMessageID);
    const place = { block_id: `${message}_${type}-${integer(data.ordinal) ?? 0}`, message_id: message || 'message' };
    const text = asText(phase === 'delta' ? data.delta : data.text);
    if (text === '') return;
    if (phase === 'delta') this.#sink.emit({ type: `${type}.delta`, text, ...place });
    else if (phase === 'ended') this.#sink.emit({ type: `${type}.completed`, text, ...place });
  }

  #raise(error: Json | undefined): void {
    const next = readFault(error);
    const repeated = this.#fault?.message === next.message;
    this.#fault = next;
    if (!repeated) this.#sink.emit({ type: 'error', scope: 'session', fatal: true, ...next });
  }

  #retried(data: JsonObject): void {
    const cause = readFault(data.error).message;
    this.#sink.emit({
      type: 'retry.scheduled',
      cause,
      code: codeOfMessage(cause),
      ...present({ attempt: whole(data.attempt) }),
    });
  }

  #execution(phase: string, data: JsonObject): void {
    switch (phase) {
      case 'succeeded':
        return this.#sink.emit({ type: 'agent.finished', status: 'ok', raw_status: phase });
      case 'failed': {
        this.#raise(data.error);
        const claim = readEnding(undefined, this.#isDenied, this.#fault) ?? { status: 'failed' };
        return this.#sink.emit({ type: 'agent.finished', ...claim, raw_status: phase });
      }
      case 'interrupted':
        if (this.#isDenied)
          return this.#sink.emit({ type: 'agent.finished', status: 'failed', code: 'permission', raw_status: phase });
        return this.#sink.emit({
          type: 'agent.finished',
          status: 'cancelled',
          raw_status: phase,
          ...present({ message: filled(data.reason) }),
        });
    }
  }
}
