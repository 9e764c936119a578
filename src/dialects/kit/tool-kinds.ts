import type { ItemKind } from '../../events/event.ts';
import type { Json } from '../../json/json.ts';
import { filled, object } from '../../json/read.ts';

/**
 * What the tools of one agent do, by their names on the wire; each dialect has a table in its `words.ts`. Kinds mean the same
 * everywhere: `read` is reading a file's content, `search` is looking for files or in them (listing a folder too), `web` is
 * everything from another machine, `plan` is the agent's own to-do list.
 */
export type ToolKinds = Readonly<Record<string, ItemKind>>;

/** The same table the other way round: the tools of each kind. */
export function kindsOf(tools: Readonly<Partial<Record<ItemKind, readonly string[]>>>): ToolKinds {
  const kinds: Record<string, ItemKind> = {};
  for (const [kind, names] of Object.entries(tools)) for (const name of names) kinds[name] = kind as ItemKind;
  return kinds;
}

/** How most agents name the tools of MCP servers: `mcp__SERVER__TOOL`. */
export const mcpName = /^mcp__/;

/** `mcp`: the pattern of the names of MCP servers' tools, if they can be recognised by name. */
export function kindIn(kinds: ToolKinds, name: string, mcp?: RegExp): ItemKind {
  if (Object.hasOwn(kinds, name)) return kinds[name] ?? 'tool_call';
  return mcp?.test(name) === true ? 'mcp' : 'tool_call';
}

/** The file that a call edits if it succeeds; `fields`: the input fields that may name it. */
export function editedPath(kind: ItemKind, input: Json | undefined, fields: readonly string[]): string | undefined {
  if (kind !== 'file_edit') return undefined;
  const named = object(input);
  for (const field of fields) {
    const path = filled(named[field]);
    if (path !== undefined) return path;
  }
  return undefined;
}
