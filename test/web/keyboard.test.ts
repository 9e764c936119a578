import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBrowser } from './support/browser.ts';
import { demoQueue, demoRun, otherRuns, runId } from './support/fixture-runs.ts';
import { FixtureServer } from './support/fixture-server.ts';

const server = new FixtureServer();
let browser: Browser;
beforeAll(async () => {
  server.queue = demoQueue();
  server.add(demoRun(1), demoRun(2, {}, 0.6), ...otherRuns());
  [browser] = await Promise.all([openBrowser(), server.start()]);
});
afterAll(async () => {
  server.stop();
  await browser.close();
});

/** Marks everything that a reader could use, and tells how many there are. */
function markUsable(page: Page): Promise<number> {
  return page.evaluate(() => {
    const usable = 'a[href], button:not([disabled]), input, select, summary, [tabindex="0"]';
    const shown = [...document.querySelectorAll<HTMLElement>(usable)].filter(
      (element) => element.tabIndex >= 0 && element.checkVisibility() && element.getClientRects().length > 0,
    );
    for (const element of shown) element.dataset['usable'] = '';
    return shown.length;
  });
}

/** What Tab never comes to, and what does not show that it has the focus. */
async function missedBy(page: Page, count: number): Promise<{ missed: string[]; unseen: string[] }> {
  for (let step = 0; step < count + 10; step += 1) {
    await page.keyboard.press('Tab');
    await page.evaluate(() => {
      const { activeElement: element } = document;
      if (!(element instanceof HTMLElement) || element === document.body) return;
      delete element.dataset['usable'];
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      if (outlineStyle === 'none' || outlineWidth === '0px') element.dataset['unseen'] = '';
    });
  }
  return page.evaluate(() => {
    const all = (mark: string): string[] =>
      [...document.querySelectorAll(`[data-${mark}]`)].map((element) => element.outerHTML.slice(0, 120));
    return { missed: all('usable'), unseen: all('unseen') };
  });
}

it.each([
  ['/', 1280, '.run-row >> nth=9'],
  ['/queue', 1280, 'table >> nth=2'],
  [`/runs/${runId(1)}`, 1280, '.strip-button'],
  [`/runs/${runId(1)}?view=files`, 390, '.diff >> nth=1'],
  [`/runs/${runId(1)}?view=time`, 1440, '.beside li >> nth=9'],
  [`/runs/${runId(2)}`, 1280, '.actions .danger'],
  [`/compare/${runId(1)}/${runId(2)}`, 390, '.step >> nth=5'],
] as const)('Tab comes to everything on %s, %i wide, and shows where it is', async (path, width, last) => {
  const page = await browser.newPage({ viewport: { width, height: 2400 } });
  await page.goto(server.url + path);
  // What comes last, such as the buttons that need a right.
  await page.locator(last).waitFor();
  expect({ path, ...(await missedBy(page, await markUsable(page))) }).toEqual({ path, missed: [], unseen: [] });
  await page.close();
});

it('a run is found, read, watched and stopped without a mouse', async () => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await page.goto(server.url);
  await page.locator('.run-row').nth(2).waitFor();
  await press('/');
  await page.keyboard.type('linter');
  await expect.poll(() => page.locator('.run-row').count()).toBe(2);
  await press('Escape', 'j', 'Enter');
  await page.waitForURL(/\/runs\//);
  await page.getByRole('navigation', { name: 'Runs', exact: true }).waitFor();
  await press('u');
  await page.goto(`${server.url}/runs/${runId(2)}`);
  await page.getByRole('button', { name: 'Stop…' }).waitFor();
  // Dialogs take the focus, keep it, and give it back.
  await page.getByRole('button', { name: 'Limits…' }).focus();
  await press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Change the limits of this run' });
  await dialog.waitFor();
  for (let step = 0; step < 12; step += 1) {
    await press('Tab');
    expect(await page.evaluate(() => document.activeElement?.closest('dialog, body')?.tagName)).not.toBe('MAIN');
  }
  await press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Limits…');
  await press('p');
  await page.getByText('The run was asked to pause.').waitFor();
  await press('x');
  await page.getByRole('dialog', { name: 'Stop this run?' }).waitFor();
  await press('Tab', 'Tab', 'Enter');
  await page.getByText('The run was asked to stop.').waitFor();
  expect(server.asked.filter((each) => each.startsWith('POST'))).toEqual([
    `POST /api/runs/${runId(2)}/order`,
    `POST /api/runs/${runId(2)}/stop`,
  ]);
  await press('1');
  await page.locator('.result').waitFor();
  await press('?');
  await page.getByRole('dialog', { name: 'Keyboard' }).getByText('Pause the run, or let it go on').waitFor();
  await press('Escape');
  await page.close();
});
