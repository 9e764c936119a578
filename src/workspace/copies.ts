import { lstatSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { isolations, type Environment } from '../words/vocabulary.ts';
import { stateFolder } from '../files/xdg.ts';
import type { Isolation } from './isolation.ts';
import { freeSlot } from './slots.ts';

/** Where all copies of this user are, except those of a checkout that contains this folder. */
export function copiesFolder(env: Environment): string {
  return join(stateFolder(env), 'copies');
}

/** Where those exceptions are. */
export function otherCopiesFolder(): string {
  return join(tmpdir(), `runwire-copies-${process.geteuid?.() ?? 0}`);
}

/** In a folder that others can write to, somebody else may have created it. */
export function isOwn(folder: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  return stat === undefined || (stat.isDirectory() && stat.uid === process.geteuid?.());
}

const Plan = z.object({
  root: z.string(),
  gitDir: z.string(),
  commonDir: z.string(),
  folder: z.string(),
  branch: z.string(),
  base: z.string(),
  isCheckedOut: z.boolean(),
  isSnapshot: z.boolean(),
  copied: z.array(z.string()).readonly(),
  layers: z.array(z.string()).readonly(),
  settings: z.array(z.tuple([z.string(), z.string()]).readonly()).readonly(),
});

/** What is recorded about a copy, so that it can be found after a crash. */
const CopyNote = z.object({
  plan: Plan,
  kind: z.enum(isolations),
  slot: z.int(),
  owner: z.unknown(),
  made_at: z.number(),
  /** Whether work may have begun in it. */
  is_ready: z.boolean(),
});
export type CopyNote = z.infer<typeof CopyNote>;

/** Tells whether the owner of something, last heard of at `heardAt`, is gone for good. */
export interface Owners {
  self(): unknown;
  isGone(owner: unknown, heardAt: number): boolean;
}

export function noteOf(folder: string): string {
  return `${folder}.json`;
}

/** Atomic: a crash leaves the whole note or none. */
export function writeNote(note: CopyNote): void {
  const path = noteOf(note.plan.folder);
  writeFileSync(`${path}.new`, JSON.stringify(note), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Accepts only copies in this folder, whatever a note says: nothing else is ours to remove. */
export function readNote(path: string, folder: string): CopyNote | undefined {
  try {
    const note = CopyNote.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
    return note !== undefined && dirname(note.plan.folder) === folder && noteOf(note.plan.folder) === path
      ? note
      : undefined;
  } catch {
    return undefined;
  }
}

const beatEveryMs = 60_000;

/** A heartbeat for other machines, which cannot see our process; returns a function that ends it. */
export function keepHeard(paths: readonly string[]): () => void {
  const timer = setInterval(() => {
    const now = new Date();
    for (const path of paths) {
      try {
        utimesSync(path, now, now);
      } catch {
        // The file is gone, so nobody needs the heartbeat.
      }
    }
  }, beatEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Suffix of a copy that is being removed: its work is already kept, and a crash meanwhile leaves nothing that looks like work. */
export const goneEnding = '.gone';

/** Removes a copy with its slot and its note, in an order that is safe if it crashes. */
export async function removeCopy(
  { folder, slot }: { folder: string; slot: number },
  isolation: Isolation,
): Promise<void> {
  const gone = `${folder}${goneEnding}`;
  const isMoved = await rename(folder, gone).then(
    () => true,
    () => false,
  );
  await isolation.remove(isMoved ? gone : folder);
  rmSync(noteOf(folder), { force: true });
  if (slot > 0) freeSlot(dirname(folder), slot);
}
