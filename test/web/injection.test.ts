import { statSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cutText } from '../../src/outcome/bounded.ts';
import { ledgerOutcome } from '../../src/stores/ledger-outcome.ts';
import type { RunRecord } from '../../src/stores/run-store.ts';
import { openBrowser } from './support/browser.ts';
import { FixtureServer } from './support/fixture-server.ts';
import { runId } from './support/fixture-runs.ts';
import { hostile, hostileRun } from './support/hostile.ts';
import { writeReport } from './support/report-file.ts';
import { isSweep, some } from '../support/sweep.ts';

const server = new FixtureServer();
let browser: Browser;
const away: string[] = [];

beforeAll(async () => {
  hostile.forEach((text, index) => server.add(hostileRun(text, index + 1)));
  // One run with all of them, one after the other, for the views in which rows stand beside each other.
  const all = hostile.map((text, index) => hostileRun(text, index + 1));
  const [first] = all;
  if (first !== undefined) {
    const records = all.flatMap((each) => each.records).map((record, index) => ({ ...record, sequence: index + 1 }));
    server.add({ run: { ...first.run, id: runId(900), last_sequence: records.length }, records });
    // A race of all of them, which is still going on.
    const { outcome: _outcome, ...race } = first.run;
    server.add({
      run: {
        ...race,
        id: runId(901),
        status: 'running',
        children: { runs: all.length, running: 0, cost_known: 0 },
        last_sequence: records.length,
      },
      records: [],
    });
    for (const [index, text] of hostile.entries()) {
      const { run, records: own } = hostileRun(text, 1000 + index);
      server.add({ run: { ...run, parent_run_id: runId(901), root_run_id: runId(901) }, records: own });
    }
  }
  [browser] = await Promise.all([openBrowser(), server.start()]);
});
afterAll(async () => {
  server.stop();
  await browser.close();
});

async function openPage(width: number): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 1400 } });
  const page = await context.newPage();
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (origin !== server.url && protocol !== 'file:' && protocol !== 'data:') away.push(request.url());
  });
  page.on('dialog', (dialog) => {
    away.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  return page;
}

/** Opens everything that can be opened. */
async function openRows(page: Page): Promise<void> {
  await page.evaluate(() => {
    const openers = '[aria-expanded=false]:is(.row-button, .cards-end button, .trends button), .bars .chip, .span';
    for (const button of [...document.querySelectorAll<HTMLElement>(openers)].slice(0, 12)) button.click();
  });
  await page.waitForTimeout(50);
}

/** What a text of an agent must never do to a page. */
async function damageOf(page: Page): Promise<unknown> {
  return page.evaluate(() => ({
    hits: (window as unknown as { __hit?: number }).__hit ?? 0,
    polluted: 'polluted' in {},
    isWide: document.documentElement.scrollWidth > innerWidth,
    elements: [
      ...document.querySelectorAll(
        '#page :is(script, iframe, object, embed, img, link, style, base, meta, form, video, math, use, animate)',
      ),
    ].map(({ tagName }) => tagName),
    links: [...document.querySelectorAll('a')].map((link) => link.href).filter((href) => !/^https?:|^file:/.test(href)),
    unguarded: [...document.querySelectorAll('a')].filter(
      (link) => link.origin !== location.origin && link.protocol !== 'file:' && !link.rel.includes('noopener'),
    ).length,
    handlers: [...document.querySelectorAll('#page *')].filter((element) =>
      element.getAttributeNames().some((name) => name.startsWith('on')),
    ).length,
    bidi: /[\u202a-\u202e\u2066-\u2069]/.test(document.querySelector('#page')?.textContent ?? ''),
  }));
}
const unharmed = {
  hits: 0,
  polluted: false,
  isWide: false,
  elements: [],
  links: [],
  unguarded: 0,
  handlers: 0,
  bidi: false,
};

/** The row of a run as the ledger would hold it. */
function asLedgered(run: RunRecord): RunRecord {
  const { outcome, ...rest } = run;
  const short = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? cutText(each) : each))) as Value;
  return { ...short(rest), ...(outcome === undefined ? {} : { outcome: ledgerOutcome(outcome) }) };
}

const pages = [
  '/',
  '/queue',
  `/runs/${runId(901)}`,
  `/runs/${runId(900)}/tree`,
  `/compare/${runId(1)}/${runId(5)}`,
  ...['answer', 'files', 'time', 'events', 'raw'].map((view) => `/runs/${runId(900)}?view=${view}`),
];

it.each([
  ...some(pages.map((path) => [path, 390] as const)),
  // Where there is room, there is more on the page.
  [`/runs/${runId(900)}?view=time`, 1440] as const,
  [`/runs/${runId(901)}`, 1440] as const,
])('all of them at once do nothing in %s, %i wide', async (path, width) => {
  const page = await openPage(width);
  await page.goto(server.url + path);
  await page.locator('main').waitFor();
  await page.waitForTimeout(150);
  // Further down, and with everything open that can be opened.
  for (let step = 0; step < 4; step += 1) {
    await openRows(page);
    expect({ path, step, damage: await damageOf(page) }).toEqual({ path, step, damage: unharmed });
    await page.evaluate(() => scrollBy(0, 20_000));
    await page.waitForTimeout(50);
  }
  await page.context().close();
});

it('none of them does anything as the title, the model, the verdict or the answer of a run', async () => {
  const page = await openPage(1000);
  await page.goto(server.url);
  await page.locator('.run-row').nth(1).waitFor();
  for (const [index, text] of hostile.entries()) {
    const { run } = hostileRun(text, index + 1);
    await page.evaluate((id) => {
      const link = document.createElement('a');
      link.href = `/runs/${id}`;
      document.body.append(link);
      link.click();
      link.remove();
    }, run.id);
    await page.locator(`.crumbs >> text=${run.id.slice(-8)}`).waitFor();
    await page.locator('#answer').waitFor();
    expect({ text: text.slice(0, 80), damage: await damageOf(page) }).toEqual({
      text: text.slice(0, 80),
      damage: unharmed,
    });
  }
  await page.context().close();
});

it('none of them does anything in a report', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'report-'));
  const page = await openPage(1000);
  const all = server.runs.get(runId(900))?.records ?? [];
  for (const [index, text] of hostile.entries()) {
    if (index % 35 !== 1) continue;
    const { run } = hostileRun(text, index + 1);
    const report = writeReport(join(folder, `${index}.html`), { run, records: all });
    for (const view of ['answer', 'events', 'raw']) {
      await page.goto(`${report.href}?view=${view}`);
      await page.locator('.result, .row, .raw-row').first().waitFor();
      await openRows(page);
      expect({ index, view, damage: await damageOf(page) }).toEqual({ index, view, damage: unharmed });
    }
  }
  await page.context().close();
});

/** Ten megabytes without a place to break, which a page must neither widen for nor wait for. */
const token = `<img src=x onerror="window.__hit=1">${'x'.repeat(10 * 1024 * 1024)}`;

it.runIf(isSweep)('a token of 10 MB in every field does nothing in the page', async () => {
  const huge = hostileRun(token, 901);
  server.add({ ...huge, run: asLedgered(huge.run) });
  const page = await openPage(390);
  for (const view of ['answer', 'files', 'time', 'events', 'raw']) {
    await page.goto(`${server.url}/runs/${huge.run.id}?view=${view}`);
    await page.locator('.result, .file, .span, .row, .raw-row').first().waitFor();
    await openRows(page);
    expect({ view, damage: await damageOf(page) }).toEqual({ view, damage: unharmed });
  }
  await page.context().close();
});

it.runIf(isSweep)(
  'a token of 10 MB in every field makes a report that opens, and tells what it leaves out',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'report-'));
    const huge = hostileRun(token, 901);
    const report = writeReport(join(folder, 'huge.html'), { ...huge, run: asLedgered(huge.run) });
    expect(statSync(fileURLToPath(report)).size).toBeLessThan(16 * 1024 * 1024);
    const page = await openPage(390);
    for (const view of ['answer', 'files', 'time', 'events', 'raw']) {
      await page.goto(`${report.href}?view=${view}`);
      await page.locator('.result, .file, .span, .row, .raw-row').first().waitFor();
      await page.getByText(/This report leaves out [\d.]+ MiB of long texts\./).waitFor();
      await openRows(page);
      expect({ view, damage: await damageOf(page) }).toEqual({ view, damage: unharmed });
    }
    await page.keyboard.press('4');
    await page
      .getByText(/MiB left out of this report/)
      .first()
      .waitFor();
    await page.fill('#search-run', 'onerror');
    await expect.poll(() => page.locator('.search-count').textContent()).toMatch(/^\d+ in \d+ rows in this report$/);
    await page.context().close();
  },
);

it('nothing was fetched from elsewhere, and nothing asked', () => {
  expect(away).toEqual([]);
});
