import type { Stats } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { integer, object, string } from '../../dialects/read.ts';
import type { JsonObject } from '../../dialects/dialect.ts';
import { Failure } from '../../failure.ts';
import type { ProcessEnd } from '../../pipeline/thread.ts';
import { fileTape } from '../../stores/file-tape.ts';
import { streamOf } from '../../stores/tape.ts';
import type { Context } from '../context.ts';
import { databaseSessions, storedSessions } from './opencode-store.ts';

/** What may become a run. */
export interface ImportSource {
  name: string;
  /** When it was last written: the end of a run whose lines carry no times. */
  at: number;
  /** Where something else than its lines knows. */
  startedAt?: number;
  stdout: () => AsyncIterable<Uint8Array>;
  stderr?: () => AsyncIterable<Uint8Array>;
  process?: ProcessEnd;
  /** How long the process ran, where the folder tells. */
  wallMs?: number;
  /** A session that may have grown since the last import. */
  isSession?: boolean;
}

export interface Broken {
  name: string;
  why: string;
}

/** In a folder, only what is named like a stream; other files must be named themselves. */
const streamName = /\.(?:jsonl|ndjson|tape)(?:\.zst)?$/;

/** All that the operands lead to, a folder at a time, in the order of names. */
export async function* sourcesIn(operands: readonly string[], context: Context): AsyncGenerator<ImportSource | Broken> {
  for (const path of operands) {
    if (path === '-') yield { name: '<stdin>', at: context.now(), stdout: () => context.stdin };
    else {
      const found = await stat(path).catch((error: unknown) => new Failure('input', `cannot read ${path}: ${messageOf(error)}`));
      if (found instanceof Failure) throw found;
      if (found.isDirectory()) yield* folder(path, context);
      else yield* file(path, found, context);
    }
  }
}

async function* folder(path: string, context: Context): AsyncGenerator<ImportSource | Broken> {
  let names: string[];
  try {
    names = (await readdir(path)).toSorted();
  } catch (error) {
    yield { name: path, why: messageOf(error) };
    return;
  }
  if (names.includes('stdout.jsonl')) return yield* recording(path, names, context);
  if (basename(path) === 'storage' && names.includes('session') && names.includes('message')) return yield* storedSessions(path);
  for (const name of names) {
    const inner = join(path, name);
    const found = await stat(inner).catch(() => undefined);
    if (found?.isDirectory() === true) yield* folder(inner, context);
    else if (found?.isFile() === true && (streamName.test(name) || name === 'opencode.db')) yield* file(inner, found, context);
  }
}

async function* file(path: string, { mtimeMs }: Stats, context: Context): AsyncGenerator<ImportSource | Broken> {
  if (path.endsWith('.db')) yield* databaseSessions(path);
  else yield { name: path, at: mtimeMs, stdout: () => streamOf(fileTape(path, context.readFile)) };
}

/** A folder with what a process wrote, and how it ended. */
async function* recording(path: string, names: readonly string[], context: Context): AsyncGenerator<ImportSource | Broken> {
  const stdout = join(path, 'stdout.jsonl');
  try {
    const { mtimeMs } = await stat(stdout);
    const exit = names.includes('exit.json') ? exitOf(await readFile(join(path, 'exit.json'), 'utf8')) : {};
    yield {
      name: path,
      at: mtimeMs,
      stdout: () => context.readFile(stdout),
      ...(names.includes('stderr.txt') ? { stderr: () => context.readFile(join(path, 'stderr.txt')) } : {}),
      ...exit,
    };
  } catch (error) {
    yield { name: path, why: messageOf(error) };
  }
}

function exitOf(text: string): Pick<ImportSource, 'process' | 'wallMs'> {
  const wire = object(JSON.parse(text) as JsonObject);
  const code = integer(wire.code) ?? integer(wire.exit_code) ?? null;
  const signal = string(wire.signal) ?? null;
  const timedOut = wire.timedOut === true;
  const wallMs = integer(wire.wallMs);
  return {
    ...(code === null && signal === null && !timedOut ? {} : { process: { exit_code: code, signal, timedOut } }),
    ...(wallMs === undefined ? {} : { wallMs }),
  };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
