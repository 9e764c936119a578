import { lstatSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { isolations, type Environment } from '../vocabulary.ts';
import { stateFolder } from '../xdg.ts';
import type { Isolation } from './isolation.ts';
import { freeSlot } from './slots.ts';

/** Where all copies of this user are, but for those of a checkout that this folder is a part of. */
export function copiesFolder(env: Environment): string {
  return join(stateFolder(env), 'copies');
}

/** Where those are. */
export function otherCopiesFolder(): string {
  return join(tmpdir(), `runwire-copies-${process.geteuid?.() ?? 0}`);
}

/** In a place that others can write to, one of them may have made it. */
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
});

/** What is written down of a copy, so that a crash leaves nothing that nobody knows of. */
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

/** Answers whether whoever holds something, and was last heard of then, is gone for good. */
export interface Owners {
  self(): unknown;
  isGone(owner: unknown, heardAt: number): boolean;
}

export function noteOf(folder: string): string {
  return `${folder}.json`;
}

/** A crash leaves the whole text, or none. */
export function writeNote(note: CopyNote): void {
  const path = noteOf(note.plan.folder);
  writeFileSync(`${path}.new`, JSON.stringify(note), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Only what is in this folder is ours to remove, whatever a note says. */
export function readNote(path: string, folder: string): CopyNote | undefined {
  try {
    const note = CopyNote.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
    return note !== undefined && dirname(note.plan.folder) === folder && noteOf(note.plan.folder) === path ? note : undefined;
  } catch {
    return undefined;
  }
}

const beatEveryMs = 60_000;

/** Tells those on other machines, who cannot see our process, that it lives; answers how to end that. */
export function keepHeard(paths: readonly string[]): () => void {
  const timer = setInterval(() => {
    const now = new Date();
    for (const path of paths) {
      try {
        utimesSync(path, now, now);
      } catch {
        // Nobody listens where it is gone.
      }
    }
  }, beatEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** What is being removed has this name: its work is kept, and a crash meanwhile leaves nothing that looks like work. */
export const goneEnding = '.gone';

/** Removes a copy with its slot and its note, in an order that a crash cannot make wrong. */
export async function removeCopy({ folder, slot }: { folder: string; slot: number }, isolation: Isolation): Promise<void> {
  const gone = `${folder}${goneEnding}`;
  const isMoved = await rename(folder, gone).then(
    () => true,
    () => false,
  );
  await isolation.remove(isMoved ? gone : folder);
  rmSync(noteOf(folder), { force: true });
  if (slot > 0) freeSlot(dirname(folder), slot);
}
