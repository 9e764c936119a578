import { type Stats, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf } from '../../failure.ts';
import { databaseSessions, storedSessions } from './opencode.ts';
import { isRecording, recording } from './recording.ts';
import { RepeatedLines } from './repeated.ts';
import { SubAgents } from './sub-agents.ts';
import type { Origin, ReadFile, StoredRun, Unchanged, Unreadable } from './stored-run.ts';
import { stampOfFile, stampOfFolder } from './stamp.ts';

/** In a folder, only what is named like a stream; other files must be named themselves. */
const streamName = /\.(?:jsonl|ndjson|tape)(?:\.zst|\.gz)?$/;

/** All that some paths lead to: streams, stores of agents, or folders of them, in the order of names. */
export async function* storedRuns(
  paths: readonly string[],
  read: ReadFile,
  isKnown: (origin: Origin) => boolean = () => false,
): AsyncGenerator<StoredRun | Unreadable | Unchanged> {
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
    const search = { read: whole, subAgents, given, isKnown };
    yield* found.isDirectory() ? inFolder(path, search) : inFile(path, found, search);
  }
}

interface Search {
  read: ReadFile;
  subAgents: SubAgents;
  given: ReadonlySet<string>;
  isKnown(origin: Origin): boolean;
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

async function* inFolder(path: string, search: Search): AsyncGenerator<StoredRun | Unreadable | Unchanged> {
  let names: string[];
  try {
    names = (await readdir(path)).toSorted();
  } catch (error) {
    yield { name: path, why: messageOf(error) };
    return;
  }
  if (isRecording(names)) {
    yield* unlessKnown(path, { path: resolve(path), stamp: stampOfFolder(path, names) }, search, async function* () {
      yield await recording(path, names, search.read);
    });
    return;
  }
  if (basename(path) === 'storage' && names.includes('session') && names.includes('message'))
    return yield* storedSessions(path);
  for (const name of names) {
    const inner = join(path, name);
    const found = look(inner);
    if (found?.isDirectory() === true) yield* inFolder(inner, search);
    else if (found?.isFile() === true && isStream(name)) yield* inFile(inner, found, search);
  }
}

function isStream(name: string): boolean {
  return streamName.test(name) || name === 'opencode.db';
}

async function* inFile(path: string, found: Stats, search: Search): AsyncGenerator<StoredRun | Unreadable | Unchanged> {
  const { read, subAgents, given } = search;
  const origin = { path: resolve(path), stamp: stampOfFile(path, found, await subAgents.filesOf(path)) };
  const session = await subAgents.sessionOf(resolve(path));
  if (path.endsWith('.db')) yield* unlessKnown(path, origin, search, () => databaseSessions(path));
  else if (session === undefined)
    yield* unlessKnown(path, origin, search, async function* () {
      yield { name: path, at: found.mtimeMs, stdout: () => read(path) };
    });
  else if (!isWithin(session, given)) yield { name: path, why: `it is a part of ${session}: import that` };
}

/** Asking for each of many files in turn is quicker than waiting for each. */
function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

async function* unlessKnown(
  name: string,
  origin: Origin,
  { isKnown }: Search,
  read: () => AsyncGenerator<StoredRun | Unreadable>,
): AsyncGenerator<StoredRun | Unreadable | Unchanged> {
  if (isKnown(origin)) yield { name, unchanged: origin };
  else for await (const run of read()) yield 'why' in run ? run : { ...run, origin };
}
