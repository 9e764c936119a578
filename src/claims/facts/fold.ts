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

/** What the records say that claims are judged by; gathered in one pass, understood only when an answer is checked. */
export class FactsFold {
  readonly #calls: Call[] = [];
  readonly #open = new Map<string, Call>();
  #kept = 0;
  #count = 0;
  /** The place in the list of the oldest call whose output is whole. */
  #oldest = 0;
  #agent = '';
  #cwd = '';
  #isCut = false;

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
    return { agent: this.#agent, cwd: this.#cwd, calls: this.#calls, isCut: this.#isCut };
  }

  #start(event: EventOf<'item.started'>, sequence: number): void {
    // What a sub-agent reports is hearsay; its own calls are items of their own. A plan says what is meant to be done.
    if (event.kind === 'plan' || event.kind === 'subagent') return;
    const { kind, name, args } = event;
    const call: Call = {
      index: this.#count,
      sequence,
      kind,
      name,
      args: isLarge(args) ? cutArgs(args, mostOfArgs) : args,
      status: 'running',
      output: '',
      isCut: false,
      edits: [],
    };
    this.#push(call);
    this.#open.set(event.item_id, call);
  }

  #push(call: Call): void {
    if (this.#calls.length >= mostCalls) this.#forget(mostCalls / 2);
    this.#calls.push(call);
    this.#count += 1;
  }

  #forget(count: number): void {
    this.#isCut = true;
    for (const { output } of this.#calls.splice(0, count)) this.#kept -= output.length;
    this.#oldest = Math.max(0, this.#oldest - count);
    const first = this.#calls[0]?.index ?? 0;
    for (const [id, { index }] of this.#open) {
      if (index < first) this.#open.delete(id);
    }
  }

  #output(event: EventOf<'item.output'>): void {
    const call = this.#open.get(event.item_id);
    if (call === undefined || event.stream === 'progress') return;
    if (call.output.length + event.chunk.length <= mostOfOutput) {
      call.output += event.chunk;
      this.#kept += event.chunk.length;
    } else call.isCut = true;
  }

  #end(event: EventOf<'item.completed'>, sequence: number): void {
    const call = this.#open.get(event.item_id);
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
    while (this.#kept > mostInAll && this.#oldest < this.#calls.length - 1) {
      const old = this.#calls[this.#oldest];
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
    let call = event.item_id === undefined ? undefined : this.#open.get(event.item_id);
    if (call === undefined) {
      call = {
        index: this.#count,
        sequence,
        kind: 'file_edit',
        name: 'edit',
        args: { path },
        status: 'success',
        output: '',
        isCut: false,
        edits: [],
      };
      this.#push(call);
    }
    if (call.edits.length >= mostCalls) return;
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
  for (const name in value) if (isLarge((value as Record<string, unknown>)[name], most, depth + 1)) return true;
  return false;
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
