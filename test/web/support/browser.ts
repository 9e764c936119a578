import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

const cache = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache');
const unpacked = join(cache, 'chromium');

/** A real Chromium from the package registry, without a window; with none of the package's own flags, which turn web security off. */
export async function openBrowser(): Promise<Browser> {
  if (!existsSync(unpacked)) await unpack();
  const browser = await playwright.launch({
    args: ['--no-sandbox', '--disable-gpu'],
    executablePath: join(unpacked, 'chromium'),
    headless: true,
    timeout: 0,
  });
  // A busy machine misses the half minute after which a click, or a wait, is given up: this only ends what hangs, and says at what.
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(240_000);
    return context;
  };
  return browser;
}

/** Once for all: it takes seconds. Several test files may do so at the same time; the first that is done has done it for all. */
async function unpack(): Promise<void> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'unpack-'));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    await chromium.executablePath();
    await rename(folder, unpacked);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (!existsSync(unpacked)) throw error;
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}
