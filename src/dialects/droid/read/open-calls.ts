import type { Json } from '../../dialect.ts';

export interface OpenCall {
  readonly id: string;
  readonly name: string;
  /** What results call the tool. */
  readonly tool: string;
  readonly path: string | undefined;
  /** Its neighbours among the open calls of its tool. */
  older: OpenCall | undefined;
  newer: OpenCall | undefined;
}

/** The open calls by id, and those of each tool in the order in which they were made: found and closed at no cost that grows. */
export class OpenCalls {
  readonly #byId = new Map<string, OpenCall>();
  readonly #byTool = new Map<string, { oldest: OpenCall; newest: OpenCall }>();

  add(id: string, name: string, tool: string, path: string | undefined): void {
    this.take(id);
    const row = this.#byTool.get(tool);
    const call: OpenCall = { id, name, tool, path, older: row?.newest, newer: undefined };
    this.#byId.set(id, call);
    if (row === undefined) {
      this.#byTool.set(tool, { oldest: call, newest: call });
      return;
    }
    row.newest.newer = call;
    row.newest = call;
  }

  oldestOf(tool: Json | undefined): string | undefined {
    return typeof tool === 'string' ? this.#byTool.get(tool)?.oldest.id : undefined;
  }

  take(id: string): OpenCall | undefined {
    const call = this.#byId.get(id);
    if (call === undefined) return undefined;
    this.#byId.delete(id);
    const { older, newer } = call;
    if (older !== undefined) older.newer = newer;
    if (newer !== undefined) newer.older = older;
    const row = this.#byTool.get(call.tool);
    if (row === undefined) return call;
    if (older === undefined && newer === undefined) this.#byTool.delete(call.tool);
    else if (older === undefined && newer !== undefined) row.oldest = newer;
    else if (newer === undefined && older !== undefined) row.newest = older;
    return call;
  }
}
