import type { EventOf, ItemKind, ItemStatus } from '../events/event.ts';
import { OpenIds } from '../ids/open-ids.ts';
import { BoundedList, textLimit } from './bounded.ts';
import type { ToolCall } from './outcome.ts';
import type { Shortener } from './shortener.ts';

export interface OpenCall {
  kind: ItemKind;
  name: string;
  args: unknown;
  main: boolean;
  startedAt: number | undefined;
  /** A permission request for it was denied, whatever status it reports at its end. */
  isDenied: boolean;
  /** Calls below it are reported too: they count as the attempts, not this one. */
  delegates: boolean;
}

const mostFailed = 1000;

/** An output that is cut only if its call is shown: of a long run, few are. Longer ones are cut at once, since they take too much memory. */
const cutLater = 4 * textLimit;

interface LongCall {
  readonly call: ToolCall;
  /** Undefined: it has been cut. */
  output: string | undefined;
}

/** The tool calls of a run: those under way, and those that have ended. */
export class Calls {
  readonly #ended: BoundedList<ToolCall | LongCall>;
  readonly #open = new OpenIds<OpenCall>();
  /** The first calls that failed without an exit code, by id: some agents say only at the end that a call was denied. */
  readonly #failed = new Map<string, OpenCall>();
  readonly #short: Pick<Shortener, 'text' | 'json'>;

  constructor(limit: number, short: Pick<Shortener, 'text' | 'json'>) {
    this.#ended = new BoundedList(limit);
    this.#short = short;
  }

  begin(
    { item_id, parent_item_id: parent, kind, name, args }: EventOf<'item.started'>,
    startedAt: number | undefined,
  ): void {
    const above = parent === undefined ? undefined : this.#open.get(parent);
    if (above !== undefined) above.delegates = true;
    this.#open.set(item_id, {
      kind,
      name,
      args,
      main: parent === undefined,
      startedAt,
      isDenied: false,
      delegates: false,
    });
  }

  get isAnyOpen(): boolean {
    return this.#open.size > 0;
  }

  /** False: it is unknown which call was meant. */
  deny(item: string | undefined): boolean {
    const call = item === undefined ? undefined : this.#open.get(item);
    if (call !== undefined) call.isDenied = true;
    return call !== undefined;
  }

  /** The call, if it has failed before it was known to be denied; only once. */
  takeFailed(item: string | undefined): OpenCall | undefined {
    const call = item === undefined ? undefined : this.#failed.get(item);
    if (call !== undefined && item !== undefined) this.#failed.delete(item);
    return call;
  }

  /** Returns the call that has ended; undefined: it never began. */
  end(event: EventOf<'item.completed'>, at: number | undefined): OpenCall | undefined {
    const call = this.#open.get(event.item_id);
    if (call === undefined) return undefined;
    this.#open.delete(event.item_id);
    if (event.status === 'error' && event.exit_code === undefined && this.#failed.size < mostFailed)
      this.#failed.set(event.item_id, call);
    const output = outputText(event.output) ?? event.error;
    const duration = event.duration_ms ?? passed(call.startedAt, at);
    const { status, reason } = statuses[event.status];
    // Field by field: this runs for every call of a long stream, and a spread would cost more than all the rest.
    const ended = { name: call.name, inputs: this.#short.json(call.args) } as ToolCall;
    const isLong = output !== undefined && output.length > textLimit && output.length <= cutLater;
    // A place for what is cut later: the fields keep their order.
    if (output !== undefined) ended.outputs = isLong ? '' : this.#short.text(output);
    if (duration !== undefined) ended.duration_ms = duration;
    ended.status = status;
    if (reason !== undefined) ended.reason = reason;
    this.#ended.push(isLong ? { call: ended, output } : ended);
    return call;
  }

  /** How many have ended. */
  get count(): number {
    return this.#ended.length;
  }

  /** How many of them are not shown. */
  get omitted(): number {
    return this.#ended.omitted;
  }

  /** Those that are shown. */
  toArray(): ToolCall[] {
    return this.#ended.toArray().map((each) => ('call' in each ? this.#cut(each) : each));
  }

  #cut(long: LongCall): ToolCall {
    if (long.output !== undefined) long.call.outputs = this.#short.text(long.output);
    long.output = undefined;
    return long.call;
  }

  /** Another attempt or another run begins: calls that were under way no longer are. */
  forgetOpen(): void {
    this.#open.clear();
    this.#failed.clear();
  }
}

function passed(from: number | undefined, to: number | undefined): number | undefined {
  return from !== undefined && to !== undefined && to >= from ? to - from : undefined;
}

const statuses: Readonly<Record<ItemStatus, Pick<ToolCall, 'status' | 'reason'>>> = {
  success: { status: 'completed' },
  error: { status: 'error' },
  denied: { status: 'error', reason: 'denied' },
  cancelled: { status: 'cancelled' },
  abandoned: { status: 'cancelled', reason: 'abandoned' },
};

export function outputText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
