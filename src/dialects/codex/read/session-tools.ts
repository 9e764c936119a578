import { OpenIds } from '../../../ids/open-ids.ts';
import type { FileOperation, ItemStatus } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { objectIn } from '../../../json/parse.ts';
import { asText, count, integer, isObject, list, object, string } from '../../../json/read.ts';
import { kindIn } from '../../kit/tool-kinds.ts';
import { mcpName, patchOperation, toolKinds } from '../words.ts';

interface Edit {
  path: string;
  operation: FileOperation;
}

/** Calls and results as the model and the program exchanged them, paired by the model's call id. */
export class SessionTools {
  readonly #sink: DecoderSink;
  /** What each open call edits if it succeeds. */
  readonly #open = new OpenIds<readonly Edit[]>();
  /** Commands left running, by the session number under which later calls poll them, and which call polls which session. */
  readonly #running = new OpenIds<string>();
  readonly #polls = new Map<string, string>();

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  start(id: string, name: string, input: Json): void {
    this.#open.set(id, editsOf(name, input));
    if (name === 'write_stdin') this.#polls.set(id, asText(object(input).session_id));
    this.#sink.emit({ type: 'item.started', item_id: id, kind: kindIn(toolKinds, name, mcpName), name, args: input });
  }

  end(id: string, wire: Json | undefined): void {
    const edits = this.#open.get(id);
    if (edits === undefined) return;
    const { output, exit, seconds, session } = outputOf(wire);
    const polled = this.#polls.get(id);
    this.#polls.delete(id);
    if (session !== undefined && polled === undefined) {
      // Its end is reported to a later call that polls it, or never.
      this.#running.set(session, id);
      return this.#sink.emit({ type: 'item.output', item_id: id, chunk: output });
    }
    this.#open.delete(id);
    const command = polled === undefined || exit === undefined ? undefined : this.#running.get(polled);
    if (polled !== undefined && command !== undefined && exit !== undefined) {
      this.#running.delete(polled);
      this.#open.delete(command);
      this.#sink.emit({
        type: 'item.completed',
        item_id: command,
        status: exit === 0 ? 'success' : 'error',
        output,
        exit_code: exit,
      });
    }
    const status = statusIn(output, exit, object(wire).success, edits.length > 0);
    this.#sink.emit({
      type: 'item.completed',
      item_id: id,
      status,
      output,
      ...present({ exit_code: exit, duration_ms: seconds === undefined ? undefined : seconds * 1000 }),
    });
    if (status === 'success') for (const edit of edits) this.#sink.emit({ type: 'file.edited', ...edit, item_id: id });
  }

  /** The provider does the search itself: its one line is both call and result. */
  search(id: string, { action = null, status }: JsonObject): void {
    this.#sink.emit({ type: 'item.started', item_id: id, kind: 'web', name: 'web_search', args: action });
    this.#sink.emit({ type: 'item.completed', item_id: id, status: status === 'failed' ? 'error' : 'success' });
  }
}

interface Output {
  output: string;
  exit: number | undefined;
  seconds: number | undefined;
  /** The command is still running, under this number. */
  session: string | undefined;
}

/** Plain text whose head gives the exit code, a JSON text with `metadata`, or a list of blocks, depending on version and tool. */
function outputOf(wire: Json | undefined): Output {
  const content = isObject(wire) ? (wire.content ?? wire.output) : wire;
  const text = Array.isArray(content) ? content.map((block) => asText(object(block).text)).join('\n') : asText(content);
  const structured = objectIn(text);
  if (isObject(structured.metadata)) {
    const { exit_code, duration_seconds } = structured.metadata;
    return {
      output: asText(structured.output),
      exit: integer(exit_code),
      seconds: count(duration_seconds),
      session: undefined,
    };
  }
  const [head = ''] = text.slice(0, 400).split(/^Output:$/m);
  const exit = /^(?:Exit code: |Process exited with code )(-?\d+)/m.exec(head)?.[1];
  const seconds = /^Wall time: ([\d.]+) seconds/m.exec(head)?.[1];
  const session = exit === undefined ? /^Process running with session ID (\S+)/m.exec(head)?.[1] : undefined;
  return { output: text, exit: integer(Number(exit)), seconds: count(Number(seconds)), session };
}

const refusal =
  /^(?:exec command |patch |command )?rejected\b|^sandbox denied|rejected by user approval settings|^approval denied/i;
/** Stopped by someone, or by a signal. */
const cut = /^(?:Wall time: [\d.]{1,20} seconds?\s)?(?:aborted|interrupted|cancell?ed)\b/i;
const cutInHead = /^Process (?:exited (?:with|from|by|on) signal|terminated|killed|was killed)/m;
const failure =
  /^(?:failed|error|unsupported|unknown|execution error|timed? ?out|apply_patch verification failed|[\w ]{0,40} failed\b)/i;

function statusIn(output: string, exit: number | undefined, success: Json | undefined, edits: boolean): ItemStatus {
  const head = output.slice(0, 400);
  if (exit !== undefined) return exit === 0 ? 'success' : 'error';
  if (refusal.test(head)) return 'denied';
  if (cut.test(head)) return 'cancelled';
  const [frame = ''] = head.split(/^Output:$/m);
  if (cutInHead.test(frame)) return 'cancelled';
  if (success === false || failure.test(head)) return 'error';
  // A frame without an exit code: the command did not end by itself.
  if (/^(?:Chunk ID: |Wall time: )/.test(frame) && frame.length < head.length) return 'cancelled';
  // A patch that was applied says what it changed.
  return edits && success !== true && !/^(?:Success|Done|ok\b|\{)/i.test(head) ? 'error' : 'success';
}

/** A patch names its files; it comes as a tool call, or as a shell command. */
function editsOf(name: string, input: Json): Edit[] {
  const text =
    typeof input === 'string'
      ? input
      : (string(object(input).input) ?? list(object(input).command).map(asText).join(' '));
  if (name !== 'apply_patch' && !text.startsWith('apply_patch')) return [];
  return [...text.matchAll(/^\*\*\* (Add|Update|Delete) File: (.+)$/gm)].map(([, verb, path]) => ({
    path: (path ?? '').trim(),
    operation: patchOperation[verb === 'Add' || verb === 'Delete' ? verb : 'Update'],
  }));
}
