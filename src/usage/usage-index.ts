import { closeSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../files/make-folder.ts';
import { messageOf } from '../failure.ts';
import type { FileStamp, FileUsage } from './read/file.ts';
import type { Counted } from './gather.ts';
import type { Session } from './read/format.ts';

/** Raised when a format is read differently, or a row means something else: what an older version counted is then counted again. */
const indexVersion = 1;
const busyMs = 2000;

/** What was counted in a file, and how the file looked then. */
export interface Known extends FileStamp {
  format: string;
  usage: FileUsage;
}

/**
 * What was counted in the files of all stores, so that only what is new has to be read. Nothing is lost with it: whatever is wrong
 * with the index, or with one of its rows, the files themselves are read again.
 */
export class UsageIndex {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Undefined, after a warning: there is none, and none can be made. */
  static async open(path: string, warn: (text: string) => void): Promise<UsageIndex | undefined> {
    const { DatabaseSync } = await import('node:sqlite');
    for (const isLast of [false, true]) {
      let database: DatabaseSync | undefined;
      try {
        makeFolder(dirname(path));
        // Only the user may read the names of folders and sessions; the files that SQLite puts beside it get the same permissions.
        closeSync(openSync(path, 'a', 0o600));
        database = new DatabaseSync(path, { timeout: busyMs });
        prepare(database);
        return new UsageIndex(database);
      } catch (error) {
        database?.close();
        if (isLast || !isDamage(error)) {
          warn(`${path} cannot be used, so all files are read anew: ${messageOf(error)}`);
          return undefined;
        }
        warn(`${path} is damaged and is made anew: ${messageOf(error)}`);
        for (const each of [path, `${path}-wal`, `${path}-shm`]) rmSync(each, { force: true });
      }
    }
    return undefined;
  }

  /** By path. A row that is not as it was written is left out. */
  read(): Map<string, Known> {
    const known = new Map<string, Known>();
    for (const row of this.#database.prepare('select * from files').iterate()) {
      const found = knownIn(row);
      if (found !== undefined) known.set(String(row['path']), found);
    }
    return known;
  }

  /** All or nothing: of two processes at once, each writes what is right for itself. */
  write(counted: readonly Counted[], gone: readonly string[]): void {
    const database = this.#database;
    const put = database.prepare(`insert or replace into files values (${'?, '.repeat(11)}?)`);
    const remove = database.prepare('delete from files where path = ?');
    database.exec('begin immediate');
    try {
      for (const { file, usage } of counted) {
        const facts = JSON.stringify([usage.sessions, usage.words, usage.state]);
        const rows = bytesOf(usage.rows);
        const { path, inode, size, mtimeMs } = file;
        const { pending, offset, mark, damaged } = usage;
        const check = checkOf(facts, rows, [path, inode, size, mtimeMs, offset, mark, pending, damaged]);
        put.run(path, file.format, inode, size, mtimeMs, offset, mark, pending, damaged, check, facts, rows);
      }
      for (const path of gone) remove.run(path);
      database.exec('commit');
    } catch (error) {
      if (database.isTransaction) database.exec('rollback');
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }
}

function prepare(database: DatabaseSync): void {
  database.exec('pragma journal_mode = wal; pragma synchronous = normal');
  const version = Number(database.prepare('pragma user_version').get()?.['user_version']);
  if (version === indexVersion) return;
  database.exec(`begin immediate; drop table if exists files;
    create table files (path text primary key, format text, inode real, size real, mtime real, offset real, mark text,
      pending integer, damaged integer, checked integer, facts text, rows blob);
    pragma user_version = ${indexVersion}; commit`);
}

function knownIn(row: Record<string, unknown>): Known | undefined {
  const { path, format, inode, size, mtime, offset, mark, pending, damaged, checked, facts, rows } = row;
  if (typeof facts !== 'string' || !(rows instanceof Uint8Array) || typeof mark !== 'string') return undefined;
  if (checkOf(facts, rows, [path, inode, size, mtime, offset, mark, pending, damaged]) !== checked) return undefined;
  const [sessions, words, state] = JSON.parse(facts) as [Session[], string[], FileUsage['state']];
  return {
    format: String(format),
    inode: Number(inode),
    size: Number(size),
    mtimeMs: Number(mtime),
    usage: {
      sessions,
      words,
      state,
      rows: new Float64Array(rows.buffer as ArrayBuffer, rows.byteOffset, rows.byteLength / 8),
      pending: Number(pending),
      offset: Number(offset),
      mark,
      damaged: Number(damaged),
    },
  };
}

/** SQLite notices a damaged page, not a changed value. */
function checkOf(facts: string, rows: Uint8Array, more: readonly unknown[]): number {
  const { crc32 } = process.getBuiltinModule('node:zlib');
  return crc32(rows, crc32(`${JSON.stringify(more)}${facts}`));
}

function bytesOf(rows: Float64Array): Uint8Array {
  return new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength);
}

function isDamage(error: unknown): boolean {
  const code = (error as { errcode?: unknown }).errcode;
  // SQLITE_CORRUPT, SQLITE_NOTADB.
  return typeof code === 'number' && [11, 26].includes(code % 256);
}
