import type { ItemKind } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText, count, filled, string } from '../../../json/read.ts';
import { kindIn, mcpName } from '../../kit/tool-kinds.ts';
import { kindOfWord, toolKinds } from '../words.ts';

export function startTool(wire: JsonObject, sink: DecoderSink): void {
  const id = filled(wire.item_id);
  if (id === undefined) return sink.unknown(wire);
  const name = asText(wire.name);
  sink.emit({ type: 'item.started', item_id: id, kind: kindOf(asText(wire.kind), name), name, args: wire.args ?? {} });
}

/** Of an output or an error, the wire has only the summary. */
export function endTool(wire: JsonObject, sink: DecoderSink): void {
  const id = filled(wire.item_id);
  if (id === undefined) return sink.unknown(wire);
  const isGood = wire.status === 'success';
  const summary = string(wire.summary);
  sink.emit({
    type: 'item.completed',
    item_id: id,
    status: isGood ? 'success' : 'error',
    ...present({
      output: isGood ? summary : undefined,
      error: isGood ? undefined : summary,
      duration_ms: count(wire.duration_ms),
      branch_id: filled(wire.branch_id),
      summary,
    }),
  });
}

/** Our kind for a call, from its kind on the wire and its name. */
export function kindOf(word: string, name: string): ItemKind {
  const kind = kindIn(kindOfWord, word);
  if (kind !== 'tool_call' && name !== 'publish') return kind;
  return kindIn(toolKinds, name, mcpName);
}
