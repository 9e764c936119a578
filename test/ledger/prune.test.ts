import { appendFileSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { pruneTapes, type TapeBounds } from '../../src/ledger/prune-tapes.ts';
import { FileTapes } from '../../src/tapes/file-tapes.ts';
import { newRunId } from '../../src/ids/run-id.ts';
import { noon } from '../stores/support/runs.ts';

const folder = mkdtempSync(join(tmpdir(), 'runwire-prune-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('lets tapes go when they are old, or when there are too many, the oldest first', async () => {
  const tapes = new FileTapes(mkdtempSync(join(folder, 'many-')));
  const keys = Array.from(
    { length: 6 },
    (_, day) => tapes.create(newRunId(noon + day * 86_400_000), noon + day * 86_400_000).key,
  );
  for (const [day, key] of keys.entries()) {
    const path = join(tapes.name, key);
    await mkdir(dirname(path), { recursive: true });
    appendFileSync(path, 'x'.repeat(1000));
    utimesSync(path, noon / 1000 + day * 86_400, noon / 1000 + day * 86_400);
  }
  const pruned = async (bounds: TapeBounds): Promise<string[]> =>
    (await pruneTapes(tapes, bounds)).removed.map(({ key }) => key);
  const left = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { key } of tapes.list()) found.push(key);
    return found;
  };
  expect(await left()).toEqual(keys);
  const olderThan = noon + 1.5 * 86_400_000;
  expect(await pruned({ olderThan, dryRun: true })).toEqual(keys.slice(0, 2));
  expect(await pruned({ olderThan, keep: new Set(keys.slice(0, 1)) })).toEqual(keys.slice(1, 2));
  expect(await pruneTapes(tapes, { maxTotalBytes: 3000 })).toMatchObject({
    removed: [{ key: keys[0] }, { key: keys[2] }],
    removedBytes: 2000,
    leftBytes: 3000,
  });
  expect(await left()).toEqual(keys.slice(3));
});
