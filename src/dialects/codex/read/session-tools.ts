import type { FileOperation, ItemKind, ItemStatus } from '../../../events/event.ts';
import type { DecoderSink, Json, JsonObject } from '../../dialect.ts';
import { asText, compact, count, integer, isObject, list, object, string } from '../../read.ts';
import { kindIn } from '../../tool-kinds.ts';
import { patchOperation, toolKinds } from '../words.ts';

interface Edit {
  path: string;
  operation: FileOperation;
}

/** Calls and results as the model and the program exchanged them: they pair by the model's call id. */
export class SessionTools {
  readonly #sink: DecoderSink;
  /** What each open call will have edited if it succeeds. */
  readonly #open = new Map<string, readonly Edit[]>();

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  start(id: string, name: string, input: Json): void {
    this.#open.set(id, editsOf(name, input));
    this.#sink.emit({ type: 'item.started', item_id: id, kind: kindOf(name), name, args: input });
  }

  end(id: string, wire: Json | undefined): void {
    const edits = this.#open.get(id);
    if (edits === undefined) return;
    this.#open.delete(id);
    const { output, exit, seconds } = outputOf(wire);
    const status = statusIn(output, exit, object(wire).success);
    this.#sink.emit({
      type: 'item.completed',
      item_id: id,
      status,
      output,
      ...compact({ exit_code: exit, duration_ms: seconds === undefined ? undefined : seconds * 1000 }),
    });
    if (status === 'success') for (const edit of edits) this.#sink.emit({ type: 'file.edited', ...edit, item_id: id });
  }

  /** The provider searches by itself: its one line is both call and result. */
  search(id: string, { action = null, status }: JsonObject): void {
    this.#sink.emit({ type: 'item.started', item_id: id, kind: 'web', name: 'web_search', args: action });
    this.#sink.emit({ type: 'item.completed', item_id: id, status: status === 'failed' ? 'error' : 'success' });
  }
}

function kindOf(name: string): ItemKind {
  const kind = kindIn(toolKinds, name);
  return kind === 'tool_call' && name.includes('__') ? 'mcp' : kind;
}

/** JSON inside a text, or the text. */
export function parsed(text: Json | undefined): Json {
  if (typeof text !== 'string') return text ?? null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

interface Output {
  output: string;
  exit: number | undefined;
  seconds: number | undefined;
}

/** Plain text with a head that tells the exit code, a JSON text with `metadata`, or a list of blocks: by version and tool. */
function outputOf(wire: Json | undefined): Output {
  const content = isObject(wire) ? (wire.content ?? wire.output) : wire;
  const text = Array.isArray(content) ? content.map((block) => asText(object(block).text)).join('\n') : asText(content);
  const structured = text.startsWith('{') ? object(parsed(text)) : {};
  if (isObject(structured.metadata)) {
    const { exit_code, duration_seconds } = structured.metadata;
    return { output: asText(structured.output), exit: integer(exit_code), seconds: count(duration_seconds) };
  }
  const head = text.slice(0, 400);
  const exit = /^(?:Exit code: |Process exited with code )(-?\d+)/m.exec(head)?.[1];
  const seconds = /^Wall time: ([\d.]+) seconds/m.exec(head)?.[1];
  return { output: text, exit: integer(Number(exit)), seconds: count(Number(seconds)) };
}

function statusIn(output: string, exit: number | undefined, success: Json | undefined): ItemStatus {
  if (/^(?:exec command |patch )?rejected by user/i.test(output) || output.startsWith('sandbox denied')) return 'denied';
  if (exit !== undefined) return exit === 0 ? 'success' : 'error';
  return success === false || /^(?:aborted|failed|error)\b/i.test(output) ? 'error' : 'success';
}

/** A patch names its files; it comes as a tool of its own, or as a command of the shell. */
function editsOf(name: string, input: Json): Edit[] {
  const text = typeof input === 'string' ? input : (string(object(input).input) ?? list(object(input).command).map(asText).join(' '));
  if (name !== 'apply_patch' && !text.startsWith('apply_patch')) return [];
  return [...text.matchAll(/^\*\*\* (Add|Update|Delete) File: (.+)$/gm)].map(([, verb, path]) => ({
    path: (path ?? '').trim(),
    operation: patchOperation[verb === 'Add' || verb === 'Delete' ? verb : 'Update'],
  }));
}
