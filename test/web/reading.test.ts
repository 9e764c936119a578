import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBrowser } from './support/browser.ts';
import { begins, call, demoRun, runId, said, taped } from './support/fixture-runs.ts';
import { FixtureServer } from './support/fixture-server.ts';

const server = new FixtureServer();
let browser: Browser;
const failures: string[] = [];
const longId = runId(800);

beforeAll(async () => {
  server.add(demoRun(1), demoRun(2, {}, 0.6));
  const events = Array.from({ length: 400 }, (_, turn) => [
    begins(turn + 1),
    ...said(`Step ${turn}.\n\n${'A line of it.\n\n'.repeat(turn % 7)}`, 1),
    ...call('shell', 'command', { command: `npm test -- ${turn}` }, 1, 'ok\n'.repeat(turn % 9), { exit_code: 0 }),
  ]).flat();
  const records = taped([...events, ...said('The very last words.', 1)]);
  server.add({ run: { ...demoRun(800).run, id: longId, last_sequence: records.length }, records });
  [browser] = await Promise.all([openBrowser(), server.start()]);
});
afterAll(async () => {
  server.stop();
  await browser.close();
});

async function open(path: string, width = 1440, height = 868): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width, height } })).newPage();
  page.on('pageerror', (error) => failures.push(`${path}: ${error.message}`));
  await page.goto(server.url + path);
  await page.locator('.run-bar').waitFor();
  return page;
}

it.each([
  ['a wide window', 1440, 868, 100],
  ['a narrow one', 1024, 768, 100],
  ['a phone', 390, 844, 100],
])('has one bar with state, time, cost and Stop above every view, on %s', async (_title, width, height, most) => {
  const page = await open(`/runs/${runId(2)}?view=events`, width, height);
  const bar = page.locator('.run-bar');
  await page.locator('.row').nth(3).waitFor();
  for (const view of ['files', 'time', 'raw', 'events']) {
    await page.locator(`.tab[href*="view=${view}"]`).click();
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    const box = await bar.boundingBox();
    expect([view, box?.y, (box?.height ?? 1000) <= most]).toEqual([view, expect.any(Number), true]);
    expect(box?.y).toBeLessThanOrEqual(50);
    for (const words of [page.getByRole('heading', { name: 'Running' }), bar.getByText(/\d s · \$0\.\d+/)])
      expect(await words.isVisible()).toBe(true);
    expect(await bar.getByRole('button', { name: 'Stop…' }).isVisible()).toBe(true);
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  await page.context().close();
});

it('goes to the very end with G, and another view begins at its beginning', async () => {
  const page = await open(`/runs/${longId}?view=events`);
  await page.locator('.row').first().waitFor();
  await page.waitForFunction(() => document.querySelector('.tabs')?.textContent?.includes('Transcript1,201'));
  await page.keyboard.press('G');
  await expect.poll(() => page.getByText('The very last words.').count()).toBe(1);
  const left = (): Promise<number> =>
    page.evaluate(() => document.documentElement.scrollHeight - scrollY - innerHeight);
  await expect.poll(left).toBeLessThan(3);
  await page.keyboard.press('3');
  await page.locator('.waterfall').waitFor();
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await page.keyboard.press('5');
  await page.locator('.raw-row').first().waitFor();
  await page.keyboard.press('G');
  await expect.poll(() => page.locator('.raw-number').last().textContent()).toBe('2002');
  await expect.poll(left).toBeLessThan(3);
  await page.context().close();
});

it('finds words of a long run in one pass, lists them with what stands around them, and leads there', async () => {
  const page = await open(`/runs/${longId}?view=events`);
  await page.waitForFunction(() => document.querySelector('.tabs')?.textContent?.includes('Transcript1,201'));
  server.asked.length = 0;
  await page.fill('#search-run', 'NPM test -- 39');
  await expect.poll(() => page.locator('.search-count').textContent()).toBe('11 in 11 rows');
  expect(server.asked.filter((line) => line.includes('/records?')).length).toBeLessThan(12);
  expect(server.asked.filter((line) => !line.includes('limit=') && line.includes('follow=0'))).toHaveLength(1);
  await page.getByRole('button', { name: 'List matches' }).click();
  const matches = page.getByRole('list', { name: 'Matches' }).getByRole('button');
  expect(await matches.count()).toBe(11);
  expect(await matches.nth(3).innerText()).toMatch(/^shell\s+.*npm test -- 39.*2/);
  await matches.nth(3).click();
  await page.locator('.row.is-selected').getByText('npm test -- 392').waitFor();
  await expect.poll(() => page.locator('.search-count').textContent()).toBe('4 of 11 in 11 rows');
  await page.keyboard.press('5');
  await page.fill('#filter-raw', 'npm test -- 39');
  await page.getByText('11 events', { exact: true }).waitFor();
  await page.context().close();
});

it('says what to try, what was expected and how what failed ended, and each error once', async () => {
  const id = runId(801);
  const { run } = demoRun(1);
  const failed = 'The database does not answer';
  const records = taped([
    begins(1),
    ...call('bash', 'command', { command: 'npm test' }, 1, `${'noise\n'.repeat(50)}the reason at the end`, {
      status: 'error',
      exit_code: 1,
    }),
    [1, { type: 'error', scope: 'agent', code: 'server', message: failed, fatal: true }],
  ]);
  const evidence = [
    { signal: 'verdict', detail: `the agent failed: ${failed}` },
    { signal: 'error', detail: failed },
  ];
  server.add({
    records,
    run: {
      ...run,
      id,
      status: 'error',
      class: 'permission',
      exit_code: 7,
      outcome: {
        ...(run.outcome ?? expect.fail('it has an outcome')),
        verdict: { class: 'permission', exit_code: 7, evidence },
        expectations: [
          { rule: 'success', passed: true, detail: 'yes' },
          { rule: 'changed src/**', passed: false, detail: 'nothing there was changed' },
        ],
      },
    },
  });
  server.advice.set(id, ["--allow 'bash(npm test)' permits what was denied, --permission-mode full everything"]);
  const page = await open(`/runs/${id}`);
  await page.getByRole('heading', { name: 'What to try' }).waitFor();
  expect(await page.locator('.command code').allTextContents()).toEqual(["--allow 'bash(npm test)'"]);
  expect(await page.getByRole('heading', { name: /^Expected/ }).innerText()).toMatch(/1 of 2 hold/);
  expect(await page.locator('section[aria-labelledby=expected] li').allInnerTexts()).toEqual([
    expect.stringMatching(/^✗.*changed src/s),
    expect.stringMatching(/^✓.*success/s),
  ]);
  expect(await page.locator('.last-words').innerText()).toContain('the reason at the end');
  expect((await page.locator('main').innerText()).split(failed)).toHaveLength(2);
  await page.keyboard.press('4');
  await page.locator('.peek').getByText('the reason at the end').waitFor();
  await page.context().close();
});

it('nothing went wrong in any page', () => {
  expect(failures).toEqual([]);
});
