import { appendFile, open, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isWholeId } from '../../../ids/run-id.ts';
import type { Owner } from '../../../processes/owner.ts';
import { sequenceOf } from '../../../tapes/tape.ts';
import type { Environment } from '../../../words/vocabulary.ts';
import { stateFolder } from '../../../files/xdg.ts';
import { makeFolder } from '../../../files/make-folder.ts';

const LF = 10;
const readBytes = 256 * 1024;

/** What a report says about its run; some of it becomes known only while it runs. */
export interface ReportMeta {
  started_at: number;
  prompt: string;
  host: string;
  pid: number;
  agent?: string;
  model?: string;
  cwd?: string;
  user?: string;
  repo?: string;
  parent_run_id?: string;
  root_run_id?: string;
  labels: Readonly<Record<string, string>>;
}

/** The first line of a spool. */
export interface SpoolHead {
  url: string;
  owner: Owner;
  meta: ReportMeta;
}

/** A part of what is to be sent, in whole lines. */
interface Part {
  lines: string;
  /** The last sequence in it; undefined: it has no record. */
  last: number | undefined;
  /** Where the next part begins. */
  next: number;
}

/** Everything that a run reports, on disk until the server has it: a line about the run, one for each record, one for its end. */
export class Spool {
  readonly path: string;
  readonly id: string;

  constructor(path: string) {
    this.path = path;
    this.id = basename(path, '.ndjson');
  }

  static async create(env: Environment, id: string, head: SpoolHead): Promise<Spool> {
    const folder = folderOf(env);
    makeFolder(folder);
    const spool = new Spool(join(folder, `${id}.ndjson`));
    await spool.append(`${JSON.stringify(head)}\n`);
    return spool;
  }

  append(lines: string): Promise<void> {
    return appendFile(this.path, lines, { mode: 0o600 });
  }

  async head(): Promise<{ head: SpoolHead; start: number } | undefined> {
    try {
      const bytes = await readFile(this.path);
      const end = bytes.indexOf(LF);
      return end < 0 ? undefined : { head: JSON.parse(bytes.subarray(0, end).toString()) as SpoolHead, start: end + 1 };
    } catch {
      return undefined;
    }
  }

  /** Whole lines from this position on, about `readBytes` in all; undefined: there are none yet. */
  async part(from: number, after: number): Promise<Part | undefined> {
    const file = await open(this.path);
    try {
      const chunks: Buffer[] = [];
      let length = 0;
      for (;;) {
        const chunk = Buffer.allocUnsafe(readBytes);
        const { bytesRead } = await file.read(chunk, 0, readBytes, from + length);
        chunks.push(chunk.subarray(0, bytesRead));
        length += bytesRead;
        const hasLine = chunk.subarray(0, bytesRead).includes(LF);
        // A long line is read to its end.
        if (hasLine || bytesRead === 0) break;
      }
      const bytes = Buffer.concat(chunks);
      const end = bytes.lastIndexOf(LF) + 1;
      return end === 0 ? undefined : partOf(bytes.subarray(0, end), from, after);
    } finally {
      await file.close();
    }
  }

  remove(): Promise<void> {
    return rm(this.path, { force: true });
  }
}

/** Leaves out the records that the server already has. */
function partOf(bytes: Buffer, from: number, after: number): Part {
  const lines: string[] = [];
  let last: number | undefined;
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(LF, start) + 1;
    const line = bytes.subarray(start, end);
    const sequence = sequenceOf(line);
    if (sequence === 0 || sequence > after) lines.push(line.toString());
    if (sequence > 0) last = sequence;
    start = end;
  }
  return { lines: lines.join(''), last, next: from + bytes.length };
}

function folderOf(env: Environment): string {
  return join(stateFolder(env), 'reports');
}

/** What earlier runs could not send. */
export async function spoolsLeft(env: Environment): Promise<Spool[]> {
  const names = await readdir(folderOf(env)).catch(() => []);
  return names
    .filter((name) => name.endsWith('.ndjson') && isWholeId(basename(name, '.ndjson')))
    .toSorted()
    .map((name) => new Spool(join(folderOf(env), name)));
}
