import type { Json } from '../../dialect.ts';

export interface OpenCall {
  name: string;
  /** What results call the tool. */
  tool: string;
  path: string | undefined;
}

interface Link extends OpenCall {
  id: string;
  older: Link | undefined;
  newer: Link | undefined;
}

/** The open calls by id, and those of each tool in the order in which they were made: found and closed at no cost that grows. */
export class OpenCalls {
  readonly #byId = new Map<string, Link>();
  readonly #byTool = new Map<string, { oldest: Link; newest: Link }>();

  add(id: string, call: OpenCall): void {
    this.take(id);
    const row = this.#byTool.get(call.tool);
    const link: Link = { ...call, id, older: row?.newest, newer: undefined };
    this.#byId.set(id, link);
    if (row === undefined) {
      this.#byTool.set(call.tool, { oldest: link, newest: link });
      return;
    }
    row.newest.newer = link;
    row.newest = link;
  }

  oldestOf(tool: Json | undefined): string | undefined {
    return typeof tool === 'string' ? this.#byTool.get(tool)?.oldest.id : undefined;
  }

  take(id: string): OpenCall | undefined {
    const link = this.#byId.get(id);
    if (link === undefined) return undefined;
    this.#byId.delete(id);
    const { older, newer } = link;
    if (older !== undefined) older.newer = newer;
    if (newer !== undefined) newer.older = older;
    const row = this.#byTool.get(link.tool);
    if (row === undefined) return link;
    if (older === undefined && newer === undefined) this.#byTool.delete(link.tool);
    else if (older === undefined && newer !== undefined) row.oldest = newer;
    else if (newer === undefined && older !== undefined) row.newest = older;
    return link;
  }
}
