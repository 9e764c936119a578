import type { EventRecord } from '../events/event.ts';
import { present } from '../json/present.ts';
import type { Sink } from '../run/sinks/sink.ts';

/** What an agent is doing while it works: a few counts, its last call and its last words. */
export class Progress implements Sink {
  #turns = 0;
  #calls = 0;
  #files = 0;
  #lastCall: string | undefined;
  #lastWords: string | undefined;

  record(record: EventRecord): void {
    if (record.type === 'turn.started') this.#turns += 1;
    else if (record.type === 'file.edited') this.#files += 1;
    else if (record.type === 'text.completed') this.#lastWords = record.text;
    else if (record.type === 'item.started') {
      this.#calls += 1;
      this.#lastCall = `${record.name} ${JSON.stringify(record.args)}`;
    }
  }

  get state(): { turns: number; tool_calls: number; edits: number; last_call?: string; last_words?: string } {
    return {
      turns: this.#turns,
      tool_calls: this.#calls,
      edits: this.#files,
      ...present({ last_call: this.#lastCall, last_words: this.#lastWords }),
    };
  }
}
