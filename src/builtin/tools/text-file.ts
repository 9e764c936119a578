import type { FileHandle } from 'node:fs/promises';
import type { ToolRun } from './tool.ts';
import { openForWriting, Refusal, type InsidePath } from '../permissions/workspace.ts';

const largest = 10 * 1024 * 1024;
const largestDiff = 200_000;

/** The whole file as bytes, from its start, without moving the position of the next write. */
export async function readBytes(file: FileHandle, name: string): Promise<Buffer> {
  const { size } = await file.stat();
  if (size > largest)
    throw new Refusal(
      `${name} has ${size} bytes; files to ${largest} bytes are taken whole: use grep to see parts of it`,
    );
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await file.read(bytes, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** Two calls in one turn may change the same file; each must see the other's changes. */
const busy = new Map<string, Promise<unknown>>();

/** Changes a file and emits the change, with a diff that `git apply` accepts. `edited` gets undefined for anything but UTF-8 text. */
export async function changeText(
  place: InsidePath,
  mayCreate: boolean,
  edited: (before: string | undefined) => string,
  run: ToolRun,
): Promise<string> {
  const turn = (busy.get(place.path) ?? Promise.resolve()).then(
    () => change(place, mayCreate, edited, run),
    () => change(place, mayCreate, edited, run),
  );
  busy.set(place.path, turn);
  try {
    return await turn;
  } finally {
    if (busy.get(place.path) === turn) busy.delete(place.path);
  }
}

async function change(
  place: InsidePath,
  mayCreate: boolean,
  edited: (before: string | undefined) => string,
  run: ToolRun,
): Promise<string> {
  const { file, isNew } = await openForWriting(place, mayCreate);
  try {
    const before = textOf(await readBytes(file, place.name));
    const after = edited(before);
    if (!isNew && before === after) return `${place.name} already has this content`;
    await file.truncate(0);
    await file.writeFile(after);
    const counted = before === undefined ? {} : await changeOf(place.name, before, after, isNew);
    const operation = isNew ? 'created' : 'modified';
    run.emit({ type: 'file.edited', path: place.name, operation, item_id: run.itemId, ...counted });
    return `${operation} ${place.name}${counted.additions === undefined ? '' : ` (+${counted.additions} -${counted.deletions})`}`;
  } finally {
    await file.close();
  }
}

/** The text with its byte order mark, if it has one; undefined: not UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const smallFile = 8192;

interface Change {
  additions?: number;
  deletions?: number;
  diff?: string;
}

async function changeOf(name: string, before: string, after: string, isNew: boolean): Promise<Change> {
  const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = await import('diff');
  const path = name.replace(/^\//, '');
  // The diff of a small file shows all of it, so that both versions can be read from it. For very different versions, the shortest diff
  // takes longer to find than it is worth.
  const context = before.length + after.length <= smallFile ? smallFile : 3;
  const options = { context, timeout: 2000 } as const;
  const patch = structuredPatch(
    isNew ? '/dev/null' : `a/${path}`,
    `b/${path}`,
    before,
    after,
    undefined,
    undefined,
    options,
  );
  if (patch === undefined) return {};
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  const diff = formatPatch(patch, FILE_HEADERS_ONLY);
  return {
    additions: lines.filter((line) => line.startsWith('+')).length,
    deletions: lines.filter((line) => line.startsWith('-')).length,
    ...(diff.length > largestDiff ? {} : { diff }),
  };
}
