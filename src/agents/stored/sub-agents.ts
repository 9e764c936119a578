import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { linesOf, objectInLine } from './lines.ts';
import { readHead } from './session-file.ts';
import type { ReadFile } from './stored-run.ts';

const agentName = /^agent-.{1,200}\.jsonl$/;

/**
 * Claude Code keeps what a sub-agent did in a file of its own, in `SESSION/subagents` or, in older versions, beside the session.
 * It is a part of the session, not a run.
 */
export class SubAgents {
  readonly #folders = new Map<string, Promise<ReadonlyMap<string, readonly string[]>>>();

  /** The file of the session that a file is a part of, if that is there too. */
  async sessionOf(path: string): Promise<string | undefined> {
    if (!agentName.test(basename(path))) return undefined;
    const parts = path.split('/');
    const at = parts.lastIndexOf('subagents');
    if (at > 1) {
      const session = `${parts.slice(0, at).join('/')}.jsonl`;
      return (await readHead(session)) === undefined ? undefined : session;
    }
    for (const [session, files] of await this.#beside(dirname(path)))
      if (files.includes(path)) return join(dirname(path), `${session}.jsonl`);
    return undefined;
  }

  /** A session with its sub-agents, each where it began. */
  async *whole(path: string, read: ReadFile): AsyncGenerator<Uint8Array> {
    const waiting = await this.#of(path);
    if (waiting.length === 0) return yield* read(path);
    let hasBegun = false;
    for await (const line of linesOf(read(path))) {
      const wire = objectInLine(line);
      const time = timeOf(wire);
      if (hasBegun && time !== undefined)
        while (waiting[0] !== undefined && waiting[0].from <= time) yield* next(waiting, read);
      hasBegun ||= time !== undefined && wire?.['message'] !== undefined;
      yield line.at(-1) === newline ? line : Buffer.concat([line, Buffer.of(newline)]);
    }
    while (waiting.length > 0) yield* next(waiting, read);
  }

  /** The files of the sub-agents of a session. */
  async filesOf(path: string): Promise<string[]> {
    if (!path.endsWith('.jsonl')) return [];
    const session = basename(path, '.jsonl');
    const inner = join(dirname(path), session, 'subagents');
    const names = (existsSync(inner) ? await readdir(inner, { recursive: true }).catch(() => []) : []).filter((name) =>
      agentName.test(basename(name)),
    );
    const older = agentName.test(basename(path)) ? [] : ((await this.#beside(dirname(path))).get(session) ?? []);
    return [...names.map((name) => join(inner, name)), ...older].toSorted();
  }

  async #of(path: string): Promise<{ file: string; from: number }[]> {
    const found = [];
    for (const file of await this.filesOf(path)) found.push({ file, from: await startOf(file) });
    return found.toSorted((a, b) => a.from - b.from);
  }

  /** By session: the files of sub-agents that lie beside it. */
  #beside(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const found = filesBeside(folder);
    this.#folders.set(folder, found);
    return found;
  }
}

const newline = 10;

async function filesBeside(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = await readdir(folder).catch(() => []);
  const all = new Set(names);
  const found = new Map<string, string[]>();
  for (const name of names.filter((each) => agentName.test(each)).toSorted()) {
    const head = (await readHead(join(folder, name))) ?? '';
    const session = /"isSidechain": ?true/.test(head) ? /"sessionId": ?"([^"]{1,100})"/.exec(head)?.[1] : undefined;
    if (session === undefined || !all.has(`${session}.jsonl`)) continue;
    found.set(session, [...(found.get(session) ?? []), join(folder, name)]);
  }
  return found;
}

async function* next(waiting: { file: string }[], read: ReadFile): AsyncGenerator<Uint8Array> {
  const first = waiting.shift();
  if (first === undefined) return;
  for await (const line of linesOf(read(first.file)))
    yield line.at(-1) === newline ? line : Buffer.concat([line, Buffer.of(newline)]);
}

/** When a sub-agent began (ms since the epoch); 0 where its file does not tell. */
async function startOf(file: string): Promise<number> {
  const timestamp = /"timestamp": ?"([^"]{1,40})"/.exec((await readHead(file)) ?? '')?.[1];
  return Date.parse(timestamp ?? '') || 0;
}

function timeOf(wire: Record<string, unknown> | undefined): number | undefined {
  const timestamp = wire?.['timestamp'];
  const at = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
