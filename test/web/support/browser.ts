import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

/** A real Chromium from the package registry, without a window; with none of the package's own flags, which turn web security off. */
export async function openBrowser(): Promise<Browser> {
  return playwright.launch({ args: ['--no-sandbox', '--disable-gpu'], executablePath: await chromium.executablePath(), headless: true });
}
