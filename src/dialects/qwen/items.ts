import type { ItemStatus } from '../../events/event.ts';
import type { DecoderSink, Json, JsonObject } from '../dialect.ts';
import { asText, compact, filled, object, string } from '../read.ts';
import { editedPath, exitCodeIn, kindOf } from './tools.ts';
import { cancelMark, isRefusal } from './words.ts';

interface OpenItem {
  name: string;
  input: Json;
  main: boolean;
}

/** Tool calls from the block that makes them to the block that answers, and what was refused of them. */
export interface ItemReader {
  call(block: JsonObject, parent: string | undefined, wire: JsonObject): void;
  result(block: JsonObject, wire: JsonObject): void;
  progress(event: JsonObject, wire: JsonObject): void;
  control(wire: JsonObject): void;
  /** An entry of `permission_denials`. */
  denied(wire: JsonObject): void;
  hasSubAgent(): boolean;
}

export function itemReader(sink: DecoderSink): ItemReader {
  const items = new Map<string, OpenItem>();
  /** Calls that are known to be refused, so that the list in the result adds only the others. */
  const refused = new Set<string>();
  const asked = new Map<string, string>();

  function call(block: JsonObject, parent: string | undefined, wire: JsonObject): void {
    const id = filled(block.id);
    if (id === undefined) return sink.unknown(wire);
    const name = asText(block.name);
    const input = block.input ?? {};
    items.set(id, { name, input, main: parent === undefined });
    sink.emit({ type: 'item.started', item_id: id, kind: kindOf(name), name, args: input, ...compact({ parent_item_id: parent }) });
  }

  function result(block: JsonObject, wire: JsonObject): void {
    const id = filled(block.tool_use_id);
    if (id === undefined) return sink.unknown(wire);
    const item = items.get(id);
    items.delete(id);
    const output = block.content === undefined ? undefined : textOf(block.content);
    const status = resultStatus(block.is_error, output ?? '');
    if (status === 'denied') refused.add(id);
    const exit = item !== undefined && kindOf(item.name) === 'command' && output !== undefined ? exitCodeIn(output) : undefined;
    sink.emit({ type: 'item.completed', item_id: id, status, ...compact({ output, exit_code: exit }) });
    const path = item !== undefined && status === 'success' ? editedPath(item.name, item.input) : undefined;
    if (path === undefined) return;
    const operation = /^(?:Successfully created|Created new file)/.test(output ?? '') ? 'created' : 'modified';
    sink.emit({ type: 'file.edited', path, operation, item_id: id });
  }

  function denied(wire: JsonObject): void {
    const id = filled(wire.tool_use_id);
    if (id === undefined || refused.has(id)) return;
    refused.add(id);
    sink.emit({ type: 'permission.requested', permission_id: id, item_id: id, what: asText(wire.tool_name) });
    sink.emit({ type: 'permission.resolved', permission_id: id, item_id: id, decision: 'denied', by: 'rule' });
  }

  function progress(event: JsonObject, wire: JsonObject): void {
    const id = filled(event.tool_use_id);
    if (id === undefined) return sink.unknown(wire);
    const content = object(event.content);
    const chunk = content.type === 'mcp_tool_progress' ? (string(content.message) ?? JSON.stringify(content)) : JSON.stringify(content);
    sink.emit({ type: 'item.output', item_id: id, stream: 'progress', chunk });
  }

  function control(wire: JsonObject): void {
    const request = object(wire.request);
    const id = filled(wire.request_id);
    if (wire.type === 'control_request' && request.subtype === 'can_use_tool' && id !== undefined) {
      const item = filled(request.tool_use_id);
      if (item !== undefined) asked.set(id, item);
      return sink.emit({ type: 'permission.requested', permission_id: id, what: asText(request.tool_name), ...compact({ item_id: item }) });
    }
    const response = object(wire.response);
    const answer = object(response.response);
    const isAllowed = answer.allowed === true || answer.behavior === 'allow';
    const isDenied = answer.allowed === false || answer.behavior === 'deny';
    const of = filled(response.request_id);
    if (of === undefined || (!isAllowed && !isDenied)) return;
    const item = asked.get(of);
    asked.delete(of);
    if (isDenied && item !== undefined) refused.add(item);
    sink.emit({
      type: 'permission.resolved',
      permission_id: of,
      decision: isAllowed ? 'allowed' : 'denied',
      ...compact({ item_id: item }),
    });
  }

  function hasSubAgent(): boolean {
    for (const item of items.values()) if (item.main && kindOf(item.name) === 'subagent') return true;
    return false;
  }

  return { call, result, progress, control, denied, hasSubAgent };
}

function resultStatus(isError: Json | undefined, output: string): ItemStatus {
  if (isError === false) return 'success';
  if (output.startsWith(cancelMark)) return 'cancelled';
  return isRefusal(output) ? 'denied' : 'error';
}

/** A string today; a list of text blocks in the protocol that this one follows. */
function textOf(content: Json): string {
  if (!Array.isArray(content)) return asText(content);
  return content.map((each) => string(object(each).text) ?? asText(each)).join('\n');
}
