import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { withLock } from '../files/with-lock.ts';
import { stateFolder } from '../files/xdg.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import type { Environment } from '../words/vocabulary.ts';
import { present } from '../json/present.ts';
import { makeFolder } from '../files/make-folder.ts';

/** A kind of line that no decoder knew: its name and when it was seen, nothing of its content. */
const UnknownShape = z.object({
  dialect: z.string(),
  shape: z.string(),
  agent_version: z.string().optional(),
  count: z.int().positive(),
  first_seen: z.string(),
  last_seen: z.string(),
});
export type UnknownShape = z.infer<typeof UnknownShape>;

const most = 200;
const longestName = 120;

const unknownShapesFile = (env: Environment): string => join(stateFolder(env), 'unknown-shapes.json');

/** Newest first; none if the file is missing or damaged. */
export async function readUnknownShapes(env: Environment): Promise<UnknownShape[]> {
  try {
    return z.array(UnknownShape).parse(JSON.parse(await readFile(unknownShapesFile(env), 'utf8')));
  } catch {
    return [];
  }
}

/** Keeps the unknown shapes that a run showed, for `runwire doctor`. A run never fails because of this. */
export async function recordUnknownShapes(outcome: RunOutcome, env: Environment, now: number): Promise<void> {
  const seen = shapesOf(outcome, new Date(now).toISOString());
  if (seen.length === 0) return;
  const file = unknownShapesFile(env);
  try {
    makeFolder(dirname(file));
    await withLock(`${file}.lock`, async () => {
      const whole = JSON.stringify(merge(await readUnknownShapes(env), seen), null, 1);
      const draft = `${file}.${randomUUID()}`;
      await writeFile(draft, `${whole}\n`, { mode: 0o600 });
      await rename(draft, file);
    });
  } catch {
    // A full disk or an unwritable folder is reported by doctor.
  }
}

function shapesOf({ provenance }: RunOutcome, time: string): UnknownShape[] {
  return provenance.notes
    .filter(({ kind }) => kind === 'unrecognised')
    .map(({ what, count }) => ({
      dialect: provenance.dialect,
      shape: what.slice(0, longestName),
      ...present({ agent_version: provenance.version }),
      count,
      first_seen: time,
      last_seen: time,
    }));
}

function merge(known: readonly UnknownShape[], seen: readonly UnknownShape[]): UnknownShape[] {
  const keyOf = ({ dialect, shape, agent_version }: UnknownShape): string =>
    JSON.stringify([dialect, shape, agent_version]);
  const all = new Map(known.map((each) => [keyOf(each), each]));
  for (const each of seen) {
    const before = all.get(keyOf(each));
    all.set(
      keyOf(each),
      before === undefined ? each : { ...before, count: before.count + each.count, last_seen: each.last_seen },
    );
  }
  return [...all.values()].toSorted((a, b) => (a.last_seen < b.last_seen ? 1 : -1)).slice(0, most);
}
