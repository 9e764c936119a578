import type { EventOf, EventRecord } from '../../events/event.ts';
import type { Call } from './call.ts';

/** What a checker may keep of a run: the newest calls, since an answer is about how things stand at the end. */
const mostCalls = 1000;
const mostOfOutput = 48_000;
/** Beyond this, older outputs keep only their beginning and their end. */
const mostInAll = 1_000_000;
const mostOfOld = 2000;
const mostOfArgs = 200_000;
const mostOfOldArgs = 20_000;

interface Kept extends Call {
  /** An edit that belongs to no call has none. */
  id: string | undefined;
}

/** Most calls edit nothing. */
const noEdits: Call['edits'] = [];

/** What the records say that claims are judged by; gathered in one pass, understood only when an answer is checked. */
export class FactsFold {
  /** The newest calls, each at its index modulo their number. */
  readonly #calls: Kept[] = [];
  #last: Kept | undefined;
  /** Filled only when somebody asks for another call than the last: most agents end a call before they start the next. */
  readonly #byId = new Map<string, Kept>();
  #indexed = 0;
  #kept = 0;
  #count = 0;
  /** The index of the oldest call whose output is whole. */
  #oldest = 0;
  #agent = '';
  #cwd = '';

  see(record: EventRecord): void {
    switch (record.type) {
      case 'thread.started':
        this.#agent ||= record.agent ?? '';
        this.#cwd ||= record.cwd ?? '';
        return;
      case 'item.started':
        return this.#start(record, record.sequence);
      case 'item.output':
        return this.#output(record);
      case 'item.completed':
        return this.#end(record, record.sequence);
      case 'file.edited':
        return this.#edited(record, record.sequence);
      default:
    }
  }

  facts(): RawFacts {
    const from = this.#count % mostCalls;
    const calls = this.#isCut ? [...this.#calls.slice(from), ...this.#calls.slice(0, from)] : [...this.#calls];
    return { agent: this.#agent, cwd: this.#cwd, calls, isCut: this.#isCut };
  }

  get #isCut(): boolean {
    return this.#count > mostCalls;
  }

  #start(event: EventOf<'item.started'>, sequence: number): void {
    // What a sub-agent reports is hearsay; its own calls are items of their own. A plan says what is meant to be done.
    if (event.kind === 'plan' || event.kind === 'subagent') return;
    const { kind, name, args } = event;
    this.#push({
      id: event.item_id,
      index: this.#count,
      sequence,
      kind,
      name,
      args: isLarge(args) ? cutArgs(args, mostOfArgs) : args,
      status: 'running',
      output: '',
      isCut: false,
      edits: noEdits,
    });
  }

  #push(call: Kept): void {
    const place = this.#count % mostCalls;
    const forgotten = this.#calls[place];
    if (forgotten !== undefined) {
      if (this.#byId.size > 0 && forgotten.id !== undefined && this.#byId.get(forgotten.id) === forgotten)
        this.#byId.delete(forgotten.id);
      this.#kept -= forgotten.output.length;
      if (this.#oldest <= forgotten.index) this.#oldest = forgotten.index + 1;
    }
    this.#calls[place] = call;
    this.#last = call;
    this.#count += 1;
  }

  #find(id: string): Kept | undefined {
    if (this.#last?.id === id) return this.#last;
    for (let index = Math.max(this.#count - mostCalls, this.#indexed); index < this.#count; index += 1) {
      const call = this.#calls[index % mostCalls];
      if (call?.id !== undefined) this.#byId.set(call.id, call);
    }
    this.#indexed = this.#count;
    return this.#byId.get(id);
  }

  #output(event: EventOf<'item.output'>): void {
    const call = this.#find(event.item_id);
    if (call === undefined || event.stream === 'progress') return;
    if (call.output.length + event.chunk.length <= mostOfOutput) {
      call.output += event.chunk;
      this.#kept += event.chunk.length;
    } else call.isCut = true;
  }

  #end(event: EventOf<'item.completed'>, sequence: number): void {
    const call = this.#find(event.item_id);
    if (call === undefined) return;
    call.sequence = sequence;
    call.status = event.status;
    if (event.exit_code !== undefined) call.exitCode = event.exit_code;
    const whole = textOf(event.output) ?? event.error;
    if (whole !== undefined && whole !== '') this.#keep(call, whole);
    else if (call.output !== '') this.#keep(call, call.output);
  }

  #keep(call: Call, text: string): void {
    this.#kept -= call.output.length;
    shorten(call, text, mostOfOutput);
    this.#kept += call.output.length;
    while (this.#kept > mostInAll && this.#oldest < this.#count - 1) {
      const old = this.#calls[this.#oldest % mostCalls];
      this.#oldest += 1;
      if (old === undefined) continue;
      this.#kept -= old.output.length;
      shorten(old, old.output, mostOfOld);
      this.#kept += old.output.length;
      if (isLarge(old.args, mostOfOldArgs)) old.args = cutArgs(old.args, mostOfOldArgs);
    }
  }

  #edited(event: EventOf<'file.edited'>, sequence: number): void {
    const { path, operation, additions, deletions } = event;
    let call = event.item_id === undefined ? undefined : this.#find(event.item_id);
    if (call === undefined) {
      call = {
        id: undefined,
        index: this.#count,
        sequence,
        kind: 'file_edit',
        name: 'edit',
        args: { path },
        status: 'success',
        output: '',
        isCut: false,
        edits: noEdits,
      };
      this.#push(call);
    }
    if (call.edits.length >= mostCalls) return;
    if (call.edits === noEdits) call.edits = [];
    call.edits.push({
      path,
      operation,
      ...(additions === undefined ? {} : { additions }),
      ...(deletions === undefined ? {} : { deletions }),
    });
  }
}

/** The calls of a run, not yet understood. */
export interface RawFacts {
  agent: string;
  cwd: string;
  calls: readonly Call[];
  /** The run had more calls than these. */
  isCut: boolean;
}

function shorten(call: Call, text: string, most: number): void {
  if (text.length <= most) {
    call.output = text;
    return;
  }
  call.isCut = true;
  // Joined as a list, so that the two ends do not hold on to the whole.
  call.output = [text.slice(0, most / 2), '…', text.slice(-most / 2)].join('\n').toWellFormed();
}

/** The text of an output, whichever way the agent wraps it. */
function textOf(output: unknown, depth = 0): string | undefined {
  if (typeof output === 'string') return output;
  if (typeof output !== 'object' || output === null || depth > 4) return undefined;
  if (Array.isArray(output)) {
    const parts = output
      .slice(0, 200)
      .map((each) => textOf(each, depth + 1))
      .filter((each) => each !== undefined);
    return parts.length === 0 ? undefined : parts.join('\n');
  }
  const fields = output as Record<string, unknown>;
  const streams = ['stdout', 'stderr']
    .map((name) => fields[name])
    .filter((each) => typeof each === 'string' && each !== '');
  if (streams.length > 0) return streams.join('\n');
  for (const name of [
    'output',
    'text',
    'content',
    'result',
    'aggregated_output',
    'message',
    'llmContent',
    'returnDisplay',
  ]) {
    const text = textOf(fields[name], depth + 1);
    if (text !== undefined) return text;
  }
  return undefined;
}

function isLarge(value: unknown, most = mostOfArgs, depth = 0): boolean {
  if (typeof value === 'string') return value.length > most;
  if (typeof value !== 'object' || value === null || depth > 3) return false;
  return Object.values(value).some((each) => isLarge(each, most, depth + 1));
}

function cutArgs(args: unknown, most: number): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return {};
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      typeof value === 'string' && value.length > most ? [value.slice(0, most), ''].join('').toWellFormed() : value,
    ]),
  );
}
