import type { EventOf, EventRecord } from '../../../events/event.ts';
import type { EncoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';

/** The lines of a stream: each has a type and a time, and the first introduces the session. */
export class Lines {
  readonly #sink: EncoderSink;
  /** The introduction of a thread that had none is held until another line follows. */
  #introduction: (EventOf<'thread.started'> & EventRecord) | undefined;
  /** The task that was written with the introduction; it may also be submitted as a prompt. */
  #task: string | undefined;
  #isTimeless = false;

  constructor(sink: EncoderSink) {
    this.#sink = sink;
  }

  start(event: EventOf<'thread.started'> & EventRecord): void {
    this.#introduction = event;
    if (!event.synthetic) this.#introduce();
  }

  prompt(event: EventOf<'prompt.submitted'> & EventRecord): void {
    const isTask = event.text === this.#task;
    if (isTask) this.#task = undefined;
    else this.write('message', event.timestamp, { role: 'user', content: event.text });
  }

  write(type: string, timestamp: string | null, fields: JsonObject): void {
    this.#introduce();
    if (timestamp !== null) return this.#sink.line({ type, timestamp, ...fields });
    if (!this.#isTimeless) this.#sink.lose('time');
    this.#isTimeless = true;
    this.#sink.line({ type, ...fields });
  }

  #introduce(): void {
    const event = this.#introduction;
    if (event === undefined) return;
    this.#introduction = undefined;
    this.write('init', event.timestamp, { session_id: event.session_id ?? event.thread_id, model: event.model ?? '' });
    if (event.task === undefined) return;
    this.#task = event.task;
    this.write('message', event.timestamp, { role: 'user', content: event.task });
  }
}
