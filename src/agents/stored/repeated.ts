import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isObject } from '../../json/read.ts';
import { linesOf, objectInLine } from './lines.ts';
import { readHead } from './session-file.ts';
import type { ReadFile } from './stored-run.ts';

type Wire = Record<string, unknown>;

/**
 * Claude Code and pi may resume or fork a session in a file of its own, which begins with a copy of the older one, and a project may be
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
    const here = resolve(path);
    yield* ownLines(read(path), (identity) => (owners.get(identity) ?? here) !== here);
  }
}

/** A session file without what is repeated in it, and without the lines that lead to a repeated answer. */
export async function* ownLines(
  bytes: AsyncIterable<Uint8Array>,
  isRepeatedId: (identity: string) => boolean,
): AsyncGenerator<Uint8Array> {
  /** Lines since the last answer: they belong to the next one. */
  let held: Uint8Array[] = [];
  /** Tools that repeated answers call: their results go with them. */
  const called = new Set<unknown>();
  let isCopy = false;
  for await (const line of linesOf(bytes)) {
    const wire = objectInLine(line);
    const identity = identityOf(wire);
    const isRepeated = identity !== undefined && isRepeatedId(identity);
    isCopy ||= isRepeated;
    if (isHeader(wire)) {
      yield line;
      continue;
    }
    if (isAnswer(wire)) {
      if (isRepeated) for (const { id } of blocksOf(wire)) called.add(id);
      else yield* [...held, line];
      held = [];
      continue;
    }
    const isResult = called.size > 0 && resultsIn(wire).some((call) => call !== undefined && called.has(call));
    // The total of a copy includes what was copied.
    if (!isRepeated && !isResult && !(isCopy && wire?.['type'] === 'cost-state')) held.push(line);
  }
  yield* held;
}

/** Of each line of some session files: the first of them that has it. Empty where there is nothing to compare. */
async function ownersIn(files: readonly string[], read: ReadFile): Promise<ReadonlyMap<string, string>> {
  const owners = new Map<string, string>();
  if (files.length < 2) return owners;
  for (const file of files)
    try {
      for await (const line of linesOf(read(file))) {
        const identity = identityOf(objectInLine(line));
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

/** The first line of pi's files. */
export function isHeader(wire: Wire | undefined): boolean {
  return wire?.['type'] === 'session';
}

/** An answer of the model: in Claude Code's words, or in pi's. */
export function isAnswer(wire: Wire | undefined): boolean {
  return wire?.['type'] === 'assistant' || (wire?.['type'] === 'message' && messageOf(wire)?.['role'] === 'assistant');
}

function messageOf(wire: Wire | undefined): Wire | undefined {
  const message = wire?.['message'];
  return isObject(message) ? message : undefined;
}

/** The tool calls that have their results in this line. */
function resultsIn(wire: Wire | undefined): unknown[] {
  return [messageOf(wire)?.['toolCallId'], ...blocksOf(wire).map(({ tool_use_id: call }) => call)];
}

function blocksOf(wire: Wire | undefined): Wire[] {
  const content = messageOf(wire)?.['content'];
  return Array.isArray(content)
    ? content.filter((each): each is Wire => typeof each === 'object' && each !== null)
    : [];
}

/** Copies may have new ids of lines, but a model call keeps its own: that of its message and that of its request. */
export function identityOf(wire: Wire | undefined): string | undefined {
  if (wire === undefined) return undefined;
  const { uuid, requestId, timestamp } = wire;
  const message = isAnswer(wire) ? messageOf(wire) : undefined;
  if (wire['type'] === 'message') return message === undefined ? undefined : piIdentityOf(message);
  const id = message?.['id'];
  if (typeof id === 'string') return `${id} ${String(requestId ?? timestamp ?? '')}`;
  return typeof uuid === 'string' ? uuid : undefined;
}

/** pi names no request: the moment of an answer and what it took tell it from all others. */
function piIdentityOf({ timestamp, model, usage }: Wire): string | undefined {
  if (typeof timestamp !== 'number' || !isObject(usage)) return undefined;
  return ['pi', timestamp, model, usage['input'], usage['output'], usage['totalTokens']].map(String).join(' ');
}
