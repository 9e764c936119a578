import type { FileOperation, ItemKind, ItemStatus } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { OpenCalls, type Waiting } from '../../kit/open-calls.ts';
import { asText } from '../../../json/read.ts';
import { editedPath, kindIn, mcpName } from '../../kit/tool-kinds.ts';
import { cancelledOutput, deniedPrefix, toolKinds } from '../words.ts';

interface Edit {
  path: string;
  operation: FileOperation;
}

interface Call extends Waiting<Call> {
  readonly id: string;
  readonly edit: Edit | undefined;
  denied: boolean;
}

export class Tools {
  readonly #sink: DecoderSink;
  readonly #open = new OpenCalls<Call>();
  #calls = 0;
  #denials = 0;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  start(tool: string, input: Json, turn: number): Call {
    this.#calls += 1;
    const call: Call = { id: `call_${this.#calls}`, tool, edit: editOf(tool, input), denied: false };
    this.#open.open(call, turn);
    this.#sink.emit({ type: 'item.started', item_id: call.id, kind: kindOf(tool), name: tool, args: input });
    return call;
  }

  end(wire: JsonObject, turn: number): void {
    const tool = asText(wire.tool);
    const call = this.#open.first(tool, turn) ?? this.start(tool, null, turn);
    this.#open.close(call);
    const output = asText(wire.output);
    const status = statusOf(wire.is_error, output, call.denied);
    this.#sink.emit({ type: 'item.completed', item_id: call.id, status, output });
    if (status === 'success' && call.edit !== undefined)
      this.#sink.emit({ type: 'file.edited', ...call.edit, item_id: call.id });
  }

  /** Comes before the result of the same call. */
  deny(wire: JsonObject, turn: number): void {
    this.#denials += 1;
    const tool = asText(wire.tool);
    const call = this.#open.first(tool, turn);
    if (call !== undefined) call.denied = true;
    const reason = asText(wire.reason);
    const place = { permission_id: `denial_${this.#denials}`, ...present({ item_id: call?.id }) };
    this.#sink.emit({
      type: 'permission.requested',
      ...place,
      what: tool,
      title: reason === '' ? tool : `${tool}: ${reason}`,
    });
    const by = reason === 'user denied at prompt' ? 'user' : 'rule';
    this.#sink.emit({ type: 'permission.resolved', ...place, decision: 'denied', by });
  }
}

function statusOf(isError: Json | undefined, output: string, denied: boolean): ItemStatus {
  if (isError === false) return 'success';
  if (denied || output.startsWith(deniedPrefix)) return 'denied';
  return output === cancelledOutput ? 'cancelled' : 'error';
}

function kindOf(tool: string): ItemKind {
  return kindIn(toolKinds, tool, mcpName);
}

/** The file that this call writes if it succeeds: not on the wire, but it follows from the input. */
export function editOf(tool: string, input: Json): Edit | undefined {
  const path = editedPath(kindOf(tool), input, ['file_path', 'path']);
  return path === undefined ? undefined : { path, operation: tool.endsWith('Write') ? 'created' : 'modified' };
}
