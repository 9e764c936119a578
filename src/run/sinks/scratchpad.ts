import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EventOf, EventRecord } from '../../events/event.ts';
import { Failure } from '../../failure.ts';

const folder = join('.dexter', 'scratchpad');

/** `2026-02-22-101500_<12 hex of the query's md5>`: two equal queries in one second share a file. */
export function scratchpadName(query: string, at: number): string {
  const stamp = new Date(at).toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '');
  return `${stamp}_${createHash('md5').update(query).digest('hex').slice(0, 12)}`;
}

/** The log that Dexter keeps of a query: appended line by line, without starts, answer, tokens or end. */
export class Scratchpad {
  readonly #path: string;
  readonly #onError: (message: string) => void;
  readonly #calls = new Map<string, EventOf<'item.started'>>();
  #begun = false;
  /** Words that are a thought if calls follow them, and the answer if not. */
  #text: string | undefined;

  constructor(cwd: string, name: string, onError: (message: string) => void) {
    this.#onError = onError;
    this.#path = join(cwd, folder, `${name}.jsonl`);
    try {
      mkdirSync(join(cwd, folder), { recursive: true });
      appendFileSync(this.#path, '');
    } catch (error) {
      throw new Failure('config', `cannot write ${this.#path}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  }

  record(record: EventRecord): void {
    const timestamp = record.timestamp ?? new Date(0).toISOString();
    switch (record.type) {
      case 'thread.started':
        if (!this.#begun) this.#line({ type: 'init', content: record.task ?? '', timestamp });
        this.#begun = true;
        return;
      case 'turn.started':
        this.#text = undefined;
        return;
      case 'text.completed':
        if (record.parent_item_id === undefined && record.text.trim() !== '') this.#text = record.text;
        return;
      case 'item.started':
        if (this.#text !== undefined) this.#line({ type: 'thinking', content: this.#text, timestamp });
        this.#text = undefined;
        this.#calls.set(record.item_id, record);
        return;
      case 'item.completed': {
        const call = this.#calls.get(record.item_id);
        this.#calls.delete(record.item_id);
        // A call that was denied, or that never ended, leaves no line.
        if (call === undefined || record.status === 'denied' || record.status === 'abandoned') return;
        return this.#line({ type: 'tool_result', timestamp, toolName: call.name, args: argsOf(call.args), result: resultOf(record) });
      }
      default:
    }
  }

  #line(line: object): void {
    try {
      appendFileSync(this.#path, `${JSON.stringify(line)}\n`);
    } catch (error) {
      this.#onError(`${this.#path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

function argsOf(args: unknown): object {
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? args : { value: args };
}

/** JSON where the result is JSON, else text; a failure begins with `Error: `. */
function resultOf(end: EventOf<'item.completed'>): unknown {
  const output = end.output ?? end.error ?? '';
  if (end.status !== 'success') return `Error: ${end.error ?? (typeof output === 'string' ? output : JSON.stringify(output))}`;
  if (typeof output !== 'string') return output;
  try {
    return JSON.parse(output) as unknown;
  } catch {
    return output;
  }
}
