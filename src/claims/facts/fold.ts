import type { EventOf, EventRecord } from '../../events/event.ts';
import type { Call } from './call.ts';

/** What a checker may keep of a run; what is more is left out, and then nothing is said about it. */
const mostCalls = 5000;
const mostOfOutput = 48_000;
const mostInAll = 24_000_000;
const mostOfArgs = 200_000;

/** What the records say that claims are judged by; gathered in one pass, understood only when an answer is checked. */
export class FactsFold {
  readonly #calls: Call[] = [];
  readonly #open = new Map<string, Call>();
  #kept = 0;
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
    if (this.#calls.length >= mostCalls) {
      this.#isCut = true;
      return;
    }
    const { kind, name, args } = event;
    const call: Call = {
      index: this.#calls.length,
      sequence,
      kind,
      name,
      args: isLarge(args, 0) ? cutArgs(args) : args,
      status: 'running',
      output: '',
      isCut: false,
      edits: [],
    };
    this.#calls.push(call);
    this.#open.set(event.item_id, call);
  }

  #output(event: EventOf<'item.output'>): void {
    const call = this.#open.get(event.item_id);
    if (call === undefined || event.stream === 'progress') return;
    if (call.output.length + event.chunk.length <= mostOfOutput) call.output += event.chunk;
    else call.isCut = true;
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
    const limit = this.#kept > mostInAll ? 2000 : mostOfOutput;
    if (text.length > limit) {
      call.isCut = true;
      const half = limit / 2;
      // Joined as a list, so that the two ends do not hold on to the whole.
      call.output = [text.slice(0, half), '…', text.slice(-half)].join('\n').toWellFormed();
    } else call.output = text;
    this.#kept += call.output.length;
  }

  #edited(event: EventOf<'file.edited'>, sequence: number): void {
    const { path, operation, additions, deletions } = event;
    let call = event.item_id === undefined ? undefined : this.#open.get(event.item_id);
    if (call === undefined) {
      if (this.#calls.length >= mostCalls) return;
      call = {
        index: this.#calls.length,
        sequence,
        kind: 'file_edit',
        name: 'edit',
        args: { path },
        status: 'success',
        output: '',
        isCut: false,
        edits: [],
      };
      this.#calls.push(call);
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

function isLarge(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.length > mostOfArgs;
  if (typeof value !== 'object' || value === null || depth > 3) return false;
  for (const name in value) if (isLarge((value as Record<string, unknown>)[name], depth + 1)) return true;
  return false;
}

function cutArgs(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return {};
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      typeof value === 'string' && value.length > mostOfArgs
        ? [value.slice(0, mostOfArgs), ''].join('').toWellFormed()
        : value,
    ]),
  );
}
