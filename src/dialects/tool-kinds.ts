import type { ItemKind } from '../events/event.ts';

/**
 * What the tools of one agent do, by their names on the wire; `words.ts` of each dialect has its own. One meaning for all:
 * `read` is the content of a file, `search` is looking for files or in them (listing a folder too), `web` is everything from
 * another machine, `plan` is the agent's own list of what to do.
 */
export type ToolKinds = Readonly<Record<string, ItemKind>>;

export function kindIn(kinds: ToolKinds, name: string): ItemKind {
  return Object.hasOwn(kinds, name) ? (kinds[name] ?? 'tool_call') : 'tool_call';
}
