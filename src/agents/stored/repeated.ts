import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { linesOf, objectIn } from './lines.ts';
import { readHead } from './session-file.ts';
import type { ReadFile } from './stored-run.ts';

type Wire = Record<string, unknown>;

/**
 * Claude Code may resume or fork a session in a file of its own, which begins with a copy of the older one, and a project may be
 * moved or copied to another folder. A model call is the same one in whichever file it stands: it belongs to the oldest.
 */
export class RepeatedLines {
  readonly #root: string;
  readonly #isDeep: boolean;
  #owners: Promise<ReadonlyMap<string, string>> | undefined;

  /** `root`: the folder whose files are compared. `isDeep`: with those of the folders in it. */
  constructor(root: string, isDeep: boolean) {
    this.#root = resolve(root);
    this.#isDeep = isDeep;
  }

  /** The file without what older files hold already. */
  async *own(path: string, read: ReadFile): AsyncGenerator<Uint8Array> {
    const owners = await (this.#owners ??= sessionsIn(this.#root, this.#isDeep).then((files) => ownersIn(files, read)));
    if (owners.size === 0 || !isSession(await readHead(path))) return yield* read(path);
    /** Lines since the last answer: they belong to the next one. */
    let held: Uint8Array[] = [];
    let isCopy = false;
    const here = resolve(path);
    for await (const line of linesOf(read(path))) {
      const wire = objectIn(line);
      const isRepeated = (owners.get(identityOf(wire) ?? '') ?? here) !== here;
      isCopy ||= isRepeated;
      if (wire?.['type'] === 'assistant') {
        if (!isRepeated) yield* [...held, line];
        held = [];
        // The total of a copy includes what was copied.
      } else if (!isRepeated && !(isCopy && wire?.['type'] === 'cost-state')) held.push(line);
    }
    yield* held;
  }
}

/** Of each line of some session files: the first of them that has it. Empty where there is nothing to compare. */
async function ownersIn(files: readonly string[], read: ReadFile): Promise<ReadonlyMap<string, string>> {
  const owners = new Map<string, string>();
  if (files.length < 2) return owners;
  for (const file of files)
    try {
      for await (const line of linesOf(read(file))) {
        const identity = identityOf(objectIn(line));
        if (identity !== undefined && !owners.has(identity)) owners.set(identity, file);
      }
    } catch {
      // Whoever reads it for its own sake says why it cannot be read.
    }
  return owners;
}

/** The oldest first. */
async function sessionsIn(root: string, recursive: boolean): Promise<string[]> {
  const names = (await readdir(root, { recursive }).catch(() => [])).filter((name) => name.endsWith('.jsonl'));
  const found: { path: string; bornMs: number }[] = [];
  for (const name of names) {
    const path = join(root, name);
    const times = await stat(path).catch(() => undefined);
    if (times?.isFile() !== true || !isSession(await readHead(path))) continue;
    // Where the file system does not know when a file was made, it says 0.
    found.push({ path, bornMs: times.birthtimeMs || times.mtimeMs });
  }
  return found.toSorted((a, b) => a.bornMs - b.bornMs || (a.path < b.path ? -1 : 1)).map(({ path }) => path);
}

function isSession(head: string | undefined): boolean {
  return head?.includes('"parentUuid":') === true;
}

/** Copies may have new ids of lines, but a model call keeps its own: that of its message and that of its request. */
function identityOf(wire: Wire | undefined): string | undefined {
  if (wire === undefined) return undefined;
  const { uuid, requestId, timestamp, message } = wire;
  const id = wire['type'] === 'assistant' && typeof message === 'object' && message !== null ? (message as Wire)['id'] : undefined;
  if (typeof id === 'string') return `${id} ${String(requestId ?? timestamp ?? '')}`;
  return typeof uuid === 'string' ? uuid : undefined;
}
