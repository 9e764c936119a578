import { OpenIds } from '../../../ids/open-ids.ts';
import type { EventOf, EventRecord } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { EncoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText, object } from '../../../json/read.ts';
import { editOf } from '../read/tools.ts';
import type { Lines } from './lines.ts';

/** A batch of calls may be the whole run, so the number of results held back is limited, and so are their characters. */
const maxResults = 1000;
const maxHeld = 1_000_000;

/** The calls of a stream. Results are printed together, when the whole batch of calls is done. */
export class Tools {
  readonly #sink: EncoderSink;
  readonly #lines: Lines;
  /** The open calls, and the file that each edits if it succeeds. */
  readonly #open = new OpenIds<string | undefined>();
  #results: JsonObject[] = [];
  #held = 0;
  /** Some results of this batch have been written: a reader takes the next call for one of another turn. */
  #isSplit = false;
  /** The file that, to a reader, the call that ended last has edited. */
  #edited: string | undefined;

  constructor(sink: EncoderSink, lines: Lines) {
    this.#sink = sink;
    this.#lines = lines;
  }

  start(event: EventOf<'item.started'> & EventRecord): void {
    if (event.parent_item_id !== undefined) this.#sink.lose('sub_agent');
    if (this.#isSplit) this.#sink.lose('turn_boundary');
    this.#open.set(event.item_id, editOf(event.name, object(event.args))?.path);
    this.#lines.write('tool_use', event.timestamp, {
      tool_name: event.name,
      tool_id: event.item_id,
      parameters: event.args,
    });
  }

  end(event: EventOf<'item.completed'> & EventRecord): void {
    // A call that never ended stays open on this wire too.
    if (!this.#open.has(event.item_id) || (event.synthetic && event.status === 'abandoned')) return;
    this.#edited = event.status === 'success' ? this.#open.get(event.item_id) : undefined;
    this.#open.delete(event.item_id);
    if (event.exit_code !== undefined) this.#sink.lose('exit_code');
    if (event.status === 'cancelled' || event.status === 'abandoned') this.#sink.lose('tool_status');
    const output = event.output === undefined ? undefined : asText(event.output);
    this.#results.push(resultOf(event, output));
    this.#held += output?.length ?? 0;
    if (this.#results.length < maxResults && this.#held < maxHeld) return;
    this.flush();
    this.#isSplit = true;
  }

  /** A reader infers the edit from the call; otherwise it is lost. */
  edit(event: EventOf<'file.edited'>): void {
    if (event.path !== this.#edited) this.#sink.lose('file_edit');
  }

  flush(): void {
    const results = this.#results;
    this.#results = [];
    this.#held = 0;
    this.#isSplit = false;
    for (const each of results) this.#sink.line(each);
  }
}

function resultOf(event: EventOf<'item.completed'> & EventRecord, output: string | undefined): JsonObject {
  const failed = event.status !== 'success';
  return {
    type: 'tool_result',
    ...(event.timestamp === null ? {} : { timestamp: event.timestamp }),
    tool_id: event.item_id,
    status: failed ? 'error' : 'success',
    ...present({ output }),
    ...(failed
      ? {
          error: {
            type: event.status === 'denied' ? 'policy_violation' : 'execution_failed',
            ...present({ message: event.error }),
          },
        }
      : {}),
  };
}

interface ToolTotals {
  count: number;
  success: number;
  fail: number;
  durationMs: number;
  rejected: number;
}

/** The calls in the json document, which has only their numbers: neither input, output nor order. */
export class ToolCounts {
  readonly #sink: EncoderSink;
  readonly #names = new Map<string, string>();
  readonly #tools = new Map<string, ToolTotals>();

  constructor(sink: EncoderSink) {
    this.#sink = sink;
  }

  start(event: EventOf<'item.started'>): void {
    this.#names.set(event.item_id, event.name);
  }

  end(event: EventOf<'item.completed'>): void {
    const name = this.#names.get(event.item_id);
    this.#names.delete(event.item_id);
    if (name === undefined) return;
    const sum = this.#tools.get(name) ?? { count: 0, success: 0, fail: 0, durationMs: 0, rejected: 0 };
    sum.count += 1;
    if (event.status === 'success') sum.success += 1;
    else sum.fail += 1;
    if (event.status === 'denied') sum.rejected += 1;
    sum.durationMs += event.duration_ms ?? 0;
    this.#tools.set(name, sum);
    this.#sink.lose('tool_args');
    if (event.output !== undefined || event.error !== undefined) this.#sink.lose('tool_output');
    if (event.status === 'cancelled' || event.status === 'abandoned') this.#sink.lose('tool_status');
  }

  get isEmpty(): boolean {
    return this.#tools.size === 0;
  }

  write(): JsonObject {
    const all = [...this.#tools.values()];
    const sum = (field: keyof ToolTotals): number => all.reduce((total, each) => total + each[field], 0);
    return {
      totalCalls: sum('count'),
      totalSuccess: sum('success'),
      totalFail: sum('fail'),
      totalDurationMs: sum('durationMs'),
      totalDecisions: decisions(sum('rejected')),
      byName: Object.fromEntries(
        [...this.#tools].map(([name, { rejected, ...numbers }]) => [
          name,
          { ...numbers, decisions: decisions(rejected) },
        ]),
      ),
    };
  }
}

function decisions(reject: number): JsonObject {
  return { accept: 0, reject, modify: 0, auto_accept: 0 };
}
