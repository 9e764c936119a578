// Loaded for every test file.
import { relative } from 'node:path';
import { afterAll, expect } from 'vitest';
import { endFile } from './at-file-end.ts';
import { beginFile } from './sweep.ts';

/** A worker that is larger than this when a file ends has garbage, and every process that the next file starts would pay for it. */
const smallBytes = 200 * 1024 * 1024;

beginFile(relative(process.cwd(), expect.getState().testPath ?? ''));

afterAll(async () => {
  await endFile();
  if (process.memoryUsage.rss() > smallBytes) globalThis.gc?.();
});
