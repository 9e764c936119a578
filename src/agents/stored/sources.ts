import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf } from '../../failure.ts';
import { databaseSessions, storedSessions } from './opencode.ts';
import { isRecording, recording } from './recording.ts';
import { RepeatedLines } from './repeated.ts';
import { SubAgents } from './sub-agents.ts';
import { type ReadFile, type StoredRun, type Unreadable } from './stored-run.ts';

/** In a folder, only what is named like a stream; other files must be named themselves. */
const streamName = /\.(?:jsonl|ndjson|tape)(?:\.zst|\.gz)?$/;

/** All that some paths lead to: streams, stores of agents, or folders of them, in the order of names. */
export async function* storedRuns(paths: readonly string[], read: ReadFile): AsyncGenerator<StoredRun | Unreadable> {
  const given = new Set(paths.map((path) => resolve(path)));
  const subAgents = new SubAgents();
  /** By folder, for files that are given one by one. */
  const beside = new Map<string, RepeatedLines>();
  for (const path of paths) {
    let found: Stats;
    try {
      found = await stat(path);
    } catch (error) {
      yield { name: path, why: messageOf(error) };
      continue;
    }
    const repeated = found.isDirectory() ? new RepeatedLines(path, true) : repeatedBeside(path, beside);
    const own: ReadFile = (file) => (file.endsWith('.jsonl') ? repeated.own(file, read) : read(file));
    const whole: ReadFile = (file) => (file.endsWith('.jsonl') ? subAgents.whole(file, own) : read(file));
    const search = { read: whole, subAgents, given };
    yield* found.isDirectory() ? inFolder(path, search) : inFile(path, found, search);
  }
}

interface Search {
  read: ReadFile;
  subAgents: SubAgents;
  given: ReadonlySet<string>;
}

function repeatedBeside(path: string, known: Map<string, RepeatedLines>): RepeatedLines {
  const folder = resolve(dirname(path));
  const repeated = known.get(folder) ?? new RepeatedLines(folder, false);
  known.set(folder, repeated);
  return repeated;
}

/** Whether a file was given itself, or with a folder around it. */
function isWithin(file: string, given: ReadonlySet<string>): boolean {
  for (let path = file; ; path = dirname(path)) {
    if (given.has(path)) return true;
    if (path === dirname(path)) return false;
  }
}

async function* inFolder(path: string, search: Search): AsyncGenerator<StoredRun | Unreadable> {
  let names: string[];
  try {
    names = (await readdir(path)).toSorted();
  } catch (error) {
    yield { name: path, why: messageOf(error) };
    return;
  }
  if (isRecording(names)) {
    yield await recording(path, names, search.read);
    return;
  }
  if (basename(path) === 'storage' && names.includes('session') && names.includes('message'))
    return yield* storedSessions(path);
  for (const name of names) {
    const inner = join(path, name);
    const found = await stat(inner).catch(() => undefined);
    if (found?.isDirectory() === true) yield* inFolder(inner, search);
    else if (found?.isFile() === true && isStream(name)) yield* inFile(inner, found, search);
  }
}

function isStream(name: string): boolean {
  return streamName.test(name) || name === 'opencode.db';
}

async function* inFile(
  path: string,
  { mtimeMs }: Stats,
  { read, subAgents, given }: Search,
): AsyncGenerator<StoredRun | Unreadable> {
  const session = await subAgents.sessionOf(resolve(path));
  if (path.endsWith('.db')) yield* databaseSessions(path);
  else if (session === undefined) yield { name: path, at: mtimeMs, stdout: () => read(path) };
  else if (!isWithin(session, given)) yield { name: path, why: `it is a part of ${session}: import that` };
}
