import type { EventOf } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { EncoderSink, Loss } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';

/** Where the lines of a run go, each with its own id. */
export class Output {
  /** Whether the run is Qwen Code's own. */
  isOwn = false;
  model = '';
  readonly variant: string;
  readonly #sink: EncoderSink;
  #session = '';
  #lines = 0;
  #opening: EventOf<'thread.started'> | undefined;

  constructor(sink: EncoderSink, variant: string) {
    this.#sink = sink;
    this.variant = variant;
  }

  start(session: string, event: EventOf<'thread.started'>): void {
    this.#session = session;
    this.#opening = event;
    this.isOwn = event.agent === 'qwen';
    this.model = event.model ?? '';
  }

  get isOpen(): boolean {
    return this.#opening === undefined;
  }

  /** The first line waits for a second: nothing is written for a run that printed nothing. */
  open(): void {
    const first = this.#opening;
    if (first === undefined) return;
    this.#opening = undefined;
    this.#sink.line({
      type: 'system',
      subtype: 'init',
      uuid: this.#session,
      session_id: this.#session,
      cwd: first.cwd ?? '',
      tools: [],
      mcp_servers: [],
      model: this.model,
      permission_mode: 'default',
      slash_commands: [],
      qwen_code_version: (this.isOwn ? first.agent_version : undefined) ?? 'unknown',
      agents: [],
    });
  }

  nextId(): string {
    this.#lines += 1;
    return `${this.#session}:${this.#lines}`;
  }

  line(type: string, fields: JsonObject, parent: string | null = null, uuid = this.nextId()): void {
    const { subtype, ...rest } = fields;
    this.#sink.line({
      type,
      ...present({ subtype }),
      uuid,
      session_id: this.#session,
      ...(type === 'result' ? {} : { parent_tool_use_id: parent }),
      ...rest,
    });
  }

  /** A line without the envelope. */
  bare(wire: JsonObject): void {
    this.#sink.line(wire);
  }

  lose(what: Loss): void {
    this.#sink.lose(what);
  }
}
