import type { ItemKind } from '../events/event.ts';
import type { Json } from './dialect.ts';
import { filled, object } from './read.ts';

/**
 * What the tools of one agent do, by their names on the wire; `words.ts` of each dialect has its own. One meaning for all:
 * `read` is the content of a file, `search` is looking for files or in them (listing a folder too), `web` is everything from
 * another machine, `plan` is the agent's own list of what to do.
 */
export type ToolKinds = Readonly<Record<string, ItemKind>>;

/** What most agents call the tools of MCP servers: `mcp__SERVER__TOOL`. */
export const mcpName = /^mcp__/;

/** `mcp`: how the names of tools from MCP servers look, where a name tells. */
export function kindIn(kinds: ToolKinds, name: string, mcp?: RegExp): ItemKind {
  if (Object.hasOwn(kinds, name)) return kinds[name] ?? 'tool_call';
  return mcp?.test(name) === true ? 'mcp' : 'tool_call';
}

/** The file that a call edits if it succeeds; `fields`: where its input may name it. */
export function editedPath(kind: ItemKind, input: Json | undefined, fields: readonly string[]): string | undefined {
  if (kind !== 'file_edit') return undefined;
  const named = object(input);
  for (const field of fields) {
    const path = filled(named[field]);
    if (path !== undefined) return path;
  }
  return undefined;
}
