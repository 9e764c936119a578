import { OpenIds } from '../../../ids/open-ids.ts';
import type { ItemKind, ItemStatus } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, filled, object, string } from '../../../json/read.ts';
import { editedPath, kindIn, mcpName } from '../../kit/tool-kinds.ts';
import { cancelMark, pathFields, toolKinds } from '../words.ts';
import type { Permissions } from './permissions.ts';

/** Tool calls, from the block that makes them to the block with their result. Blocks without an id are not understood: false. */
export class Tools {
  readonly #sink: DecoderSink;
  readonly #permissions: Permissions;
  readonly #open = new OpenIds<{ kind: ItemKind; path: string | undefined; isMain: boolean }>();
  #subAgents = 0;

  constructor(sink: DecoderSink, permissions: Permissions) {
    this.#sink = sink;
    this.#permissions = permissions;
  }

  /** Whether the main thread waits for a sub-agent. */
  get hasSubAgent(): boolean {
    return this.#subAgents > 0;
  }

  start(block: JsonObject, parent: string | undefined): boolean {
    const id = filled(block.id);
    if (id === undefined) return false;
    const name = asText(block.name);
    const args = block.input ?? {};
    const kind = kindOf(name);
    this.#close(id);
    this.#open.set(id, { kind, path: editedPath(kind, args, pathFields), isMain: parent === undefined });
    if (kind === 'subagent' && parent === undefined) this.#subAgents += 1;
    this.#sink.emit({ type: 'item.started', item_id: id, kind, name, args, ...present({ parent_item_id: parent }) });
    return true;
  }

  /** `told`: how it ended, if the wire says more than that it failed. */
  end(block: JsonObject, known?: ItemStatus): boolean {
    const id = filled(block.tool_use_id);
    if (id === undefined) return false;
    const item = this.#close(id);
    const output = block.content === undefined ? undefined : textOf(block.content);
    const status = known ?? resultStatus(block.is_error !== false, output ?? '');
    if (status === 'denied') this.#permissions.refuse(id);
    const exit = item?.kind === 'command' ? exitCodeIn(output ?? '') : undefined;
    this.#sink.emit({ type: 'item.completed', item_id: id, status, ...present({ output, exit_code: exit }) });
    if (status === 'success' && item?.path !== undefined) {
      const operation = /^(?:Successfully created|Created new file)/.test(output ?? '') ? 'created' : 'modified';
      this.#sink.emit({ type: 'file.edited', path: item.path, operation, item_id: id });
    }
    return true;
  }

  progress(event: JsonObject): boolean {
    const id = filled(event.tool_use_id);
    if (id === undefined) return false;
    const content = object(event.content);
    const text = content.type === 'mcp_tool_progress' ? string(content.message) : undefined;
    this.#sink.emit({ type: 'item.output', item_id: id, stream: 'progress', chunk: text ?? JSON.stringify(content) });
    return true;
  }

  #close(id: string) {
    const item = this.#open.get(id);
    this.#open.delete(id);
    if (item?.kind === 'subagent' && item.isMain) this.#subAgents -= 1;
    return item;
  }
}

export function kindOf(name: string): ItemKind {
  return kindIn(toolKinds, name, mcpName);
}

const refusal = /^(?:Non-interactive deny: |Plan mode blocked |Tool "[^"\n]+" is blocked in plan mode)/;

function resultStatus(isError: boolean, output: string): ItemStatus {
  if (!isError) return 'success';
  if (output.startsWith(cancelMark)) return 'cancelled';
  return isRefusal(output) ? 'denied' : 'error';
}

export function isRefusal(output: string): boolean {
  const head = output.length > 1000 ? output.slice(0, 1000) : output;
  const start = head.indexOf('requires permission to use ');
  if (start !== -1 && head.includes(' but that permission was declined', start)) return true;
  return head.includes('is not listed in the active core tools allowlist') || refusal.test(head);
}

/** If a command failed or printed nothing, the shell tool's report has a separate line with the exit code. */
export function exitCodeIn(output: string): number | undefined {
  if (!output.startsWith('Command: ')) return undefined;
  const mark = '\nExit Code: ';
  const at = output.lastIndexOf(mark);
  if (at === -1) return undefined;
  const code = Number.parseInt(output.slice(at + mark.length, at + mark.length + 12), 10);
  return Number.isNaN(code) ? undefined : code;
}

/** A string today; a list of text blocks in the protocol on which this one is based. */
function textOf(content: Json): string {
  if (!Array.isArray(content)) return asText(content);
  return content.map((each) => string(object(each).text) ?? asText(each)).join('\n');
}
