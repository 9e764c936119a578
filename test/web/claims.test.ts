import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { openBrowser } from './support/browser.ts';
import { demoRun, runId } from './support/fixture-runs.ts';
import { FixtureServer } from './support/fixture-server.ts';
import { writeReport } from './support/report-file.ts';

/** Pictures of the view, for people to look at. */
const pictures = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'pictures');
const looks = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 860 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 860 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 } },
} as const;

const server = new FixtureServer();
let browser: Browser;
let report = '';

const hostile = 'I wrote <img src=x onerror=document.title=1> to `src/cart.ts`.';
const message = `The discount was taken twice.\n\n- **All 23 tests pass** now.\n- The [linter](https://example.org/) is clean.\n- Only \`src/cart.ts\` was changed.\n\n${hostile}\n`;
const claim = (
  quote: string,
  kind: 'tests_pass' | 'lint' | 'files_only' | 'file_modified',
  verdict: 'supported' | 'contradicted' | 'not_shown',
  why?: string,
  sequence?: number,
) => ({
  quote,
  start: message.indexOf(quote),
  kind,
  verdict,
  evidence: why === undefined ? [] : [{ sequence, grade: 'transcript' as const, why }],
});

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  const outcome: RunOutcome = {
    ...(demoRun(1).run.outcome as RunOutcome),
    message,
    claims: [
      claim('**All 23 tests pass** now.', 'tests_pass', 'supported', 'npm test: exit 0', 12),
      claim('The [linter](https://example.org/) is clean.', 'lint', 'not_shown'),
      claim('Only `src/cart.ts` was changed.', 'files_only', 'contradicted', 'created docs/pricing.md', 18),
      claim(hostile, 'file_modified', 'supported', '<b>edit</b> src/cart.ts', 15),
    ],
  };
  const run = demoRun(1, { outcome });
  server.add(run);
  report = writeReport(join(mkdtempSync(join(tmpdir(), 'claims-')), 'report.html'), run).href;
  await server.start();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

/** What is marked in the answer, as the page shows it. */
const marked = (page: Page): Promise<Record<string, string[]>> =>
  page.evaluate(() =>
    Object.fromEntries(
      ['supported', 'not_shown', 'contradicted'].map((verdict) => [
        verdict,
        [...(CSS.highlights.get(`claim-${verdict}`) ?? [])].map((range) => (range as Range).toString()),
      ]),
    ),
  );

it.each(['the page', 'the HTML report'])(
  'marks what an answer claims, and leads to the event that shows it: %s',
  async (where) => {
    const page = await browser.newPage({ locale: 'en-US' });
    const complaints: string[] = [];
    page.on('console', (told) => told.type() === 'error' && complaints.push(told.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(where === 'the page' ? `${server.url}/runs/${runId(1)}` : report);
    await page.getByText('What it claims: 1 contradicted, 1 not shown, 2 supported').waitFor();
    expect(await marked(page)).toEqual({
      supported: ['All 23 tests pass now.', 'I wrote <img src=x onerror=document.title=1> to src/cart.ts.'],
      not_shown: ['The linter is clean.'],
      contradicted: ['Only src/cart.ts was changed.'],
    });
    expect(await page.locator('.claims li').allInnerTexts()).toEqual([
      expect.stringContaining('npm test: exit 0'),
      expect.stringContaining('not shown'),
      expect.stringContaining('created docs/pricing.md'),
      expect.stringContaining('<b>edit</b> src/cart.ts'),
    ]);
    expect(await page.locator('.result img, .claims b').count()).toBe(0);
    for (const [look, { colorScheme, viewport }] of Object.entries(looks)) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
      await page.locator('.claims').scrollIntoViewIfNeeded();
      if (where === 'the page') await page.screenshot({ path: join(pictures, `claims-${look}.png`) });
      await page.evaluate(axe.source);
      const found = await page.evaluate(async () => {
        const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run('.result');
        return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
      });
      const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect({ look, found, tooWide }).toEqual({ look, found: [], tooWide: 0 });
    }
    // A click on the sentence, and one in the list.
    await page.getByText('All 23 tests pass').first().click();
    await page.waitForFunction(() => location.hash === '#e12');
    await page.goBack();
    await page.locator('.claims a', { hasText: 'docs/pricing.md' }).click();
    await page.waitForFunction(() => location.hash === '#e18');
    expect(complaints).toEqual([]);
    await page.close();
  },
);
