import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { linesOf, objectIn } from './lines.ts';
import { headBytes } from './session-file.ts';
import type { ReadFile } from './stored-run.ts';

/**
 * Claude Code may resume or fork a session in a file of its own, which begins with a copy of the older one: the same lines with the
 * same `uuid`. They belong to the older file.
 */
export class RepeatedLines {
  readonly #folders = new Map<string, Promise<Family[]>>();

  /** The file without what older files beside it hold already. */
  async *own(path: string, read: ReadFile): AsyncGenerator<Uint8Array> {
    const older = await this.#olderThan(path);
    if (older.length === 0) return yield* read(path);
    const known = new Set<string>();
    for (const file of older) for await (const line of linesOf(read(file))) known.add(uuidIn(line) ?? '');
    known.delete('');
    for await (const line of linesOf(read(path))) if (!known.has(uuidIn(line) ?? '')) yield line;
  }

  async #olderThan(path: string): Promise<string[]> {
    const folder = dirname(path);
    const begins = await firstUuid(path);
    if (begins === undefined) return [];
    const families = await (this.#folders.get(folder) ?? this.#remember(folder));
    const kin = families.filter(({ uuid }) => uuid === begins).toSorted(byAge);
    const at = kin.findIndex(({ name }) => name === basename(path));
    return kin.slice(0, Math.max(at, 0)).map(({ name }) => join(folder, name));
  }

  #remember(folder: string): Promise<Family[]> {
    const families = familiesIn(folder);
    this.#folders.set(folder, families);
    return families;
  }
}

interface Family {
  name: string;
  /** Of its first line that has one: copies begin with the same. */
  uuid: string;
  bornMs: number;
}

async function familiesIn(folder: string): Promise<Family[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.jsonl'));
  const found: Family[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const uuid = await firstUuid(path);
    const times = await stat(path).catch(() => undefined);
    // Where the file system does not know when a file was made, it says 0.
    if (uuid !== undefined && times !== undefined) found.push({ name, uuid, bornMs: times.birthtimeMs || times.mtimeMs });
  }
  return found;
}

function byAge(a: Family, b: Family): number {
  return a.bornMs - b.bornMs || (a.name < b.name ? -1 : 1);
}

async function firstUuid(path: string): Promise<string | undefined> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
      const head = buffer.toString('utf8', 0, bytesRead);
      return head.includes('"parentUuid":') ? /"uuid": ?"([^"]{1,100})"/.exec(head)?.[1] : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

function uuidIn(line: Buffer): string | undefined {
  const uuid = objectIn(line)?.['uuid'];
  return typeof uuid === 'string' ? uuid : undefined;
}
