import { OpenIds } from '../../../ids/open-ids.ts';
import type { EventOf } from '../../../events/event.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, object, string } from '../../../json/read.ts';
import { isRefusal } from '../../shared/opencode/read/tools.ts';
import { filePart } from './edits.ts';
import { Lane } from './lane.ts';
import type { Session } from './session.ts';

/** A tool call that has begun, and where it is written. */
interface OpenTool {
  start: EventOf<'item.started'>;
  lane: Lane;
  message: string;
  part: string;
  from: number;
  output: string;
  printed: Printed;
  /** What its updates repeat: the length of the input, and how much they have repeated in all. */
  updates?: { input: number; repeated: number };
  /** The sub-agent that this call started. */
  child?: Lane;
}

/** OpenCode itself shows no more than this of the output of a running command. */
const shownOutput = 30_000;
/** Every update repeats the input and the output so far: no more than this in all, in characters. */
const repeatedInAll = 1_000_000;
/** If a command printed more, both streams are written as the one text that its call returned. */
const mostPrinted = 400_000;

/** The tool calls of a run, and the sessions of the sub-agents that they started. */
export class Tools {
  readonly #session: Session;
  readonly #main: Lane;
  readonly #open = new OpenIds<OpenTool>();

  constructor(session: Session, main: Lane) {
    this.#session = session;
    this.#main = main;
  }

  /** Where the text and calls of the main thread, or of a sub-agent, belong. */
  place(parent: string | undefined, messageId?: string): { lane: Lane; message: string } {
    const owner = parent === undefined ? undefined : this.#open.get(parent);
    if (parent !== undefined && owner === undefined) this.#session.lose('sub_agent');
    const lane = owner === undefined ? this.#main : this.#childOf(owner);
    return { lane, message: lane.speak(messageId) };
  }

  start(event: EventOf<'item.started'>): void {
    const { lane, message } = this.place(event.parent_item_id);
    // A reader identifies the calls of a sub-agent by their parts.
    const part = lane.isMain ? this.#session.newPart() : event.item_id;
    const tool: OpenTool = {
      start: event,
      lane,
      message,
      part,
      from: this.#session.now,
      output: '',
      printed: new Printed(),
    };
    this.#open.set(event.item_id, tool);
    this.#write(tool, { status: 'pending', input: event.args, raw: rawOf(event.args) });
    this.#write(tool, runningState(tool));
  }

  /** A file that was created, as a part of the message that created it. */
  edit(event: EventOf<'file.edited'>): void {
    const part = filePart(event, this.#session.thread);
    if (part === undefined) return;
    const { lane, message } = this.place(undefined);
    this.#session.write('message.part.updated', {
      part: { id: this.#session.newPart(), sessionID: lane.id, messageID: message, ...part },
    });
  }

  progress(event: EventOf<'item.output'>): void {
    const tool = this.#open.get(event.item_id);
    tool?.printed.add(event);
    const length = (tool?.output.length ?? 0) + event.chunk.length;
    if (tool === undefined || length > shownOutput || !mayRepeat(tool, length))
      return this.#session.lose('tool_progress');
    tool.output += event.chunk;
    this.#write(tool, runningState(tool));
  }

  /** Returns whether a call by the run itself was denied. */
  end(event: EventOf<'item.completed'>, synthetic: boolean): boolean {
    const tool = this.#open.get(event.item_id);
    // An item that never ended stays open on this wire too.
    if (tool === undefined || (synthetic && event.status === 'abandoned')) return false;
    this.#open.delete(event.item_id);
    const state = endedState(tool.start, event, tool.from, this.#session.now);
    if (event.exit_code !== undefined && object(state.metadata).exit === undefined) this.#session.lose('exit_code');
    this.#write(tool, state);
    if (tool.start.kind === 'command' && state.status === 'completed') this.#executed(tool, event, state);
    return event.status === 'denied' && tool.lane.isMain;
  }

  #executed({ start, printed }: OpenTool, event: EventOf<'item.completed'>, state: JsonObject): void {
    const command = string(object(start.args).command);
    if (command === undefined) return;
    this.#session.write('command.executed', {
      command,
      exitCode: event.exit_code ?? (event.status === 'success' ? 0 : 1),
      ...(printed.streams ?? { stdout: asText(event.output), stderr: '' }),
      time: state.time ?? {},
    });
  }

  #childOf(owner: OpenTool): Lane {
    if (owner.child !== undefined) return owner.child;
    owner.child = new Lane(this.#session, this.#session.newChild(owner.lane.id));
    this.#write(owner, runningState(owner));
    return owner.child;
  }

  #write(tool: OpenTool, state: JsonObject): void {
    this.#session.write('message.part.updated', {
      part: {
        id: tool.part,
        sessionID: tool.lane.id,
        messageID: tool.message,
        type: 'tool',
        callID: tool.start.item_id,
        tool: tool.start.name,
        state,
      },
    });
  }
}

/** What a command printed, by stream if the streams were reported separately. */
class Printed {
  #streams: { stdout: string; stderr: string } | undefined;
  #isWhole = true;

  add({ stream, chunk }: EventOf<'item.output'>): void {
    if (stream === undefined || stream === 'progress') return;
    this.#streams ??= { stdout: '', stderr: '' };
    const room = mostPrinted - this.#streams.stdout.length - this.#streams.stderr.length;
    if (chunk.length > room) this.#isWhole = false;
    this.#streams[stream] += chunk.slice(0, Math.max(0, room));
  }

  /** undefined: they were not reported separately, or there was more than is kept. */
  get streams(): { stdout: string; stderr: string } | undefined {
    return this.#isWhole ? this.#streams : undefined;
  }
}

function rawOf(args: Json): string {
  try {
    return JSON.stringify(args);
  } catch {
    // Nested too deep to be written.
    return '';
  }
}

function mayRepeat(tool: OpenTool, output: number): boolean {
  tool.updates ??= { input: lengthOf(tool.start.args), repeated: 0 };
  tool.updates.repeated += tool.updates.input + output;
  return tool.updates.repeated <= repeatedInAll;
}

function lengthOf(input: Json): number {
  try {
    return JSON.stringify(input).length;
  } catch {
    // Nested too deep to be written.
    return Infinity;
  }
}

function runningState(tool: OpenTool): JsonObject {
  return {
    status: 'running',
    input: tool.start.args,
    title: tool.start.name,
    metadata: {
      ...(tool.output === '' ? {} : { output: tool.output }),
      ...(tool.child === undefined ? {} : { sessionId: tool.child.id }),
    },
    time: { start: tool.from },
  };
}

function endedState(
  start: EventOf<'item.started'>,
  end: EventOf<'item.completed'>,
  from: number,
  to: number,
): JsonObject {
  const time = {
    start: from,
    end: from > 0 && end.duration_ms !== undefined ? from + end.duration_ms : Math.max(from, to),
  };
  const input = start.args;
  const output = asText(end.output);
  const failedCommand =
    end.status === 'error' && end.error === undefined && end.exit_code !== undefined && end.exit_code !== 0;
  if (end.status === 'success' || failedCommand || (end.status === 'error' && start.name === 'invalid')) {
    const metadata: JsonObject =
      end.exit_code === undefined || (end.status === 'success' && end.exit_code !== 0) ? {} : { exit: end.exit_code };
    return { status: 'completed', input, output, title: end.summary ?? start.name, metadata, time };
  }
  const reason = end.error ?? output;
  switch (end.status) {
    case 'denied':
      return { status: 'error', input, error: isRefusal(reason) ? reason : refusalText(reason), metadata: {}, time };
    case 'cancelled':
    case 'abandoned':
      return {
        status: 'error',
        input,
        error: reason === '' ? 'Tool execution aborted' : reason,
        metadata: { interrupted: true },
        time,
      };
    default:
      return { status: 'error', input, error: isRefusal(reason) ? `Error: ${reason}` : reason, metadata: {}, time };
  }
}

function refusalText(reason: string): string {
  return `The user rejected permission to use this specific tool call.${reason === '' ? '' : ` ${reason}`}`;
}
