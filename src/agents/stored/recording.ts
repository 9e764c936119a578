import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../json/json.ts';
import { integer, object, string } from '../../json/read.ts';
import { messageOf } from '../../failure.ts';
import { present } from '../../json/present.ts';
import { type ReadFile, type StoredRun, type Unreadable } from './stored-run.ts';

const stdoutName = 'stdout.jsonl';

export function isRecording(names: readonly string[]): boolean {
  return names.includes(stdoutName);
}

/** A folder with what a process wrote (stdout.jsonl, stderr.txt), and how it ended (exit.json). */
export async function recording(
  folder: string,
  names: readonly string[],
  read: ReadFile,
): Promise<StoredRun | Unreadable> {
  const stdout = join(folder, stdoutName);
  try {
    const { mtimeMs } = await stat(stdout);
    const exit = names.includes('exit.json') ? exitOf(await readFile(join(folder, 'exit.json'), 'utf8')) : {};
    return {
      name: folder,
      at: mtimeMs,
      stdout: () => read(stdout),
      ...(names.includes('stderr.txt') ? { stderr: () => read(join(folder, 'stderr.txt')) } : {}),
      ...exit,
    };
  } catch (error) {
    return { name: folder, why: messageOf(error) };
  }
}

function exitOf(text: string): Pick<StoredRun, 'process' | 'wallMs'> {
  const wire = object(JSON.parse(text) as JsonObject);
  const code = integer(wire.code) ?? integer(wire.exit_code) ?? null;
  const signal = string(wire.signal) ?? null;
  const timedOut = wire.timedOut === true;
  return {
    ...(code === null && signal === null && !timedOut ? {} : { process: { exit_code: code, signal, timedOut } }),
    ...present({ wallMs: integer(wire.wallMs) }),
  };
}
