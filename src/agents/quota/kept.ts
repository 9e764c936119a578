import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { makeFolder } from '../../files/make-folder.ts';
import { withLock } from '../../files/with-lock.ts';
import { stateFolder } from '../../files/xdg.ts';
import type { Environment } from '../../words/vocabulary.ts';
import { newestOf, QuotaFact } from './fact.ts';

const most = 200;

const fileOf = (env: Environment): string => join(stateFolder(env), 'quota.json');

/** What runs and status lines said; none if the file is missing or damaged. */
export async function keptQuota(env: Environment): Promise<QuotaFact[]> {
  try {
    return z.array(QuotaFact).parse(JSON.parse(await readFile(fileOf(env), 'utf8')));
  } catch {
    return [];
  }
}

/** Keeps the newest fact of each window. Nothing fails because of this. */
export async function keepQuota(facts: readonly QuotaFact[], env: Environment): Promise<void> {
  if (facts.length === 0) return;
  const file = fileOf(env);
  try {
    makeFolder(dirname(file));
    await withLock(`${file}.lock`, async () => {
      const all = newestOf([...(await keptQuota(env)), ...facts]);
      const newest = all.toSorted((one, other) => other.seen_at_ms - one.seen_at_ms).slice(0, most);
      const draft = `${file}.${randomUUID()}`;
      await writeFile(draft, `${JSON.stringify(newest, null, 1)}\n`, { mode: 0o600 });
      await rename(draft, file);
    });
  } catch {
    // A full disk or a folder that cannot be written: it is not known next time.
  }
}
