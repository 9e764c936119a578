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

/** All that a path leads to: a stream, the store of an agent, or a folder of them, in the order of names. */
export async function* storedRuns(path: string, read: ReadFile): AsyncGenerator<StoredRun | Unreadable> {
  let found: Stats;
  try {
    found = await stat(path);
  } catch (error) {
    yield { name: path, why: messageOf(error) };
    return;
  }
  const subAgents = new SubAgents();
  const session = found.isFile() ? await subAgents.sessionOf(resolve(path)) : undefined;
  if (session !== undefined) {
    yield { name: path, why: `it is a part of ${session}: import that` };
    return;
  }
  const repeated = found.isDirectory() ? new RepeatedLines(path, true) : new RepeatedLines(dirname(path), false);
  const own: ReadFile = (file) => (file.endsWith('.jsonl') ? repeated.own(file, read) : read(file));
  const whole: ReadFile = (file) => (file.endsWith('.jsonl') ? subAgents.whole(file, own) : read(file));
  yield* found.isDirectory() ? inFolder(path, whole, subAgents) : inFile(path, found, whole);
}

async function* inFolder(path: string, read: ReadFile, subAgents: SubAgents): AsyncGenerator<StoredRun | Unreadable> {
  let names: string[];
  try {
    names = (await readdir(path)).toSorted();
  } catch (error) {
    yield { name: path, why: messageOf(error) };
    return;
  }
  if (isRecording(names)) {
    yield await recording(path, names, read);
    return;
  }
  if (basename(path) === 'storage' && names.includes('session') && names.includes('message')) return yield* storedSessions(path);
  for (const name of names) {
    const inner = join(path, name);
    const found = await stat(inner).catch(() => undefined);
    if (found?.isDirectory() === true) yield* inFolder(inner, read, subAgents);
    else if (found?.isFile() === true && isStream(name) && (await subAgents.sessionOf(inner)) === undefined)
      yield* inFile(inner, found, read);
  }
}

function isStream(name: string): boolean {
  return streamName.test(name) || name === 'opencode.db';
}

async function* inFile(path: string, { mtimeMs }: Stats, read: ReadFile): AsyncGenerator<StoredRun | Unreadable> {
  if (path.endsWith('.db')) yield* databaseSessions(path);
  else yield { name: path, at: mtimeMs, stdout: () => read(path) };
}
