import type { FileOperation, ItemStatus } from '../../../events/event.ts';
import { present } from '../../../present.ts';
import type { DecoderSink, Json, JsonObject } from '../../dialect.ts';
import { asText, filled, integer, list, object } from '../../read.ts';
import { kindIn } from '../../tool-kinds.ts';
import { refusal, toolKinds } from '../words.ts';

interface Call {
  name: string;
  args: Json | undefined;
  parent: string | undefined;
}

interface Edit {
  path: string;
  operation: FileOperation;
}

export class Tools {
  readonly #sink: DecoderSink;
  /** Requested by the model, but not yet started. */
  readonly #requested = new Map<string, Call>();
  /** Running calls, and what each changes if it succeeds. */
  readonly #running = new Map<string, Edit | undefined>();
  #hasEdited = false;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  request(wire: JsonObject, parent: string | undefined): void {
    const id = filled(wire.toolCallId);
    if (id !== undefined) this.#requested.set(id, { name: filled(wire.name) ?? 'unknown', args: wire.arguments, parent });
  }

  /** The turn is over: calls that have not started by now never will. */
  forgetRequests(): void {
    this.#requested.clear();
  }

  start(id: string, data: JsonObject, parent: string | undefined): void {
    const call = { name: filled(data.toolName) ?? 'unknown', args: data.arguments, parent };
    this.#start(id, call, filled(data.mcpServerName) !== undefined);
  }

  progress(id: string, stream: 'progress' | 'stdout', data: JsonObject): void {
    const chunk = asText(data.partialOutput ?? data.progressMessage ?? data.partialResult ?? data.message);
    if (chunk !== '') this.#sink.emit({ type: 'item.output', item_id: id, stream, chunk });
  }

  end(id: string, data: JsonObject): void {
    const asked = this.#requested.get(id);
    // A refused tool never starts.
    if (!this.#running.has(id) && asked !== undefined) this.#start(id, asked, false);
    const edit = this.#running.get(id);
    this.#running.delete(id);
    const result = object(data.result);
    const error = filled(object(data.error).message);
    const output = result.content ?? result.detailedContent;
    const exit_code = integer(result.exitCode) ?? toldExit(result.contents) ?? exitCodeIn(asText(output));
    const status = statusOf(data, error ?? asText(output), exit_code);
    this.#sink.emit({ type: 'item.completed', item_id: id, status, ...present({ output, error, exit_code }) });
    if (status !== 'success' || edit === undefined) return;
    this.#hasEdited = true;
    this.#sink.emit({ type: 'file.edited', ...edit, item_id: id });
  }

  /** The closing lines list the changed files; used only if no tool named them. */
  readChanges(codeChanges: Json | undefined): void {
    if (this.#hasEdited) return;
    for (const each of list(object(codeChanges).filesModified)) {
      const path = filled(each);
      if (path === undefined) continue;
      this.#hasEdited = true;
      this.#sink.emit({ type: 'file.edited', path, operation: 'modified' });
    }
  }

  #start(id: string, { name, args, parent }: Call, isRemote: boolean): void {
    this.#requested.delete(id);
    this.#running.set(id, editOf(name, object(args)));
    this.#sink.emit({
      type: 'item.started',
      item_id: id,
      kind: isRemote ? 'mcp' : kindIn(toolKinds, name),
      name,
      args: args ?? null,
      ...present({ parent_item_id: parent }),
    });
  }
}

function editOf(name: string, args: JsonObject): Edit | undefined {
  const path = filled(args.path);
  if (path === undefined || kindIn(toolKinds, name) !== 'file_edit' || args.command === 'view') return undefined;
  return { path, operation: name === 'create' || args.command === 'create' ? 'created' : 'modified' };
}

/** Beside the output, in a part of its own. */
function toldExit(contents: Json | undefined): number | undefined {
  const ends = list(contents).map((each) => object(each));
  return integer(ends.find(({ type }) => type === 'shell_exit' || type === 'terminal')?.exitCode);
}

/** The shell tool adds its own last line to the output of a command. */
function exitCodeIn(output: string): number | undefined {
  const last = /<(?:(?:command )?exited|shellId: [\w.-]+ completed) with (?:exit )?code (-?\d{1,10})>$/.exec(output.slice(-150).trimEnd());
  return last === null ? undefined : Number(last[1]);
}

function statusOf(data: JsonObject, text: string, exit: number | undefined): ItemStatus {
  if (data.success === true) return exit === undefined || exit === 0 ? 'success' : 'error';
  const code = object(data.error).code;
  return code === 'denied' || code === 'rejected' || refusal.test(text.slice(0, 500)) ? 'denied' : 'error';
}
