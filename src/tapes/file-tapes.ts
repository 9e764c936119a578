import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathInside } from '../files/inside.ts';
import { fileTape } from './file-tape.ts';
import { GrownTape } from './grown-tape.ts';
import type { Tape, TapeEntry, Tapes, UndeliveredTape } from './tape.ts';

/** After this long without a run, the clock may be wrong. */
const longestPauseMs = 30 * 24 * 3600 * 1000;

/** Tapes in a folder, with a subfolder for each month; a key is a path in it. */
export class FileTapes implements Tapes {
  readonly name: string;

  constructor(folder: string) {
    this.name = folder;
  }

  create(id: string, startedAt: number, attempt = 1): { key: string; tape: Tape } {
    const key = join(monthOf(startedAt), `${id}${attempt === 1 ? '' : `.${attempt}`}.tape.zst`);
    return { key, tape: fileTape(join(this.name, key)) };
  }

  grow(id: string, startedAt: number): { key: string; open: () => Promise<GrownTape> } {
    const key = join(monthOf(startedAt), `${id}.tape`);
    return { key, open: () => GrownTape.open(join(this.name, key)) };
  }

  at(key: string): Tape | undefined {
    const path = join(this.name, key);
    // The ledger may be another team's: its paths must not lead out of our folder.
    return pathInside(this.name, path) ? fileTape(path) : undefined;
  }

  whereIs(_key: string, host?: string): string {
    return `${host === undefined ? '' : `on ${host} `}is not in ${this.name}: it was pruned, or is on another machine`;
  }

  /** A tape is named after its run, and ids sort by time. */
  async *list(): AsyncGenerator<TapeEntry> {
    const found = await readdir(this.name, { recursive: true }).catch(() => []);
    const keys = found
      .filter((key) => /\.tape(?:\.zst)?$/.test(key))
      .toSorted((a, b) => (basename(a) < basename(b) ? -1 : 1));
    for (const key of keys) {
      const file = await stat(join(this.name, key)).catch(() => undefined);
      if (file !== undefined) yield { key, bytes: file.size, at: file.mtimeMs, place: 'files' };
    }
  }

  async steadySince(): Promise<number> {
    const text = await readFile(join(this.name, '.pruned'), 'utf8').catch(() => '');
    return /^\d+$/.test(text) ? Number(text) : 0;
  }

  /** The modification time of a file records the last clean-up; its content records since when the clock is steady. */
  async isTidyingDue(now: number, everyMs: number): Promise<boolean> {
    const path = join(this.name, '.pruned');
    const last = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
    if (last <= now + everyMs && now - last < everyMs) return false;
    // A clock that jumped ahead by months, or back, may be wrong: ages are not trusted yet.
    const since = last === 0 || now - last > longestPauseMs || last - now > everyMs ? now : await this.steadySince();
    await writeFile(path, String(since), { mode: 0o600 });
    await utimes(path, now / 1000, now / 1000);
    return true;
  }

  /** Files need no delivery. */
  async deliver(): Promise<UndeliveredTape[]> {
    return [];
  }
}

function monthOf(at: number): string {
  const [year = '', month = ''] = new Date(at).toISOString().split('-');
  return join(year, month);
}
