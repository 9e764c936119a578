import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunSummary } from '../../src/stores/run-store.ts';
import { beside, messagesOf, type Serving, serving, stopToken } from '../server/serving.ts';
import { openBrowser } from './support/browser.ts';

const recording = join(import.meta.dirname, '..', 'recordings', 'opencode@1.18.33', 'multi-tool', 'stdout.jsonl');
let browser: Browser;
let state: string;
let server: Serving;
beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'orders-'));
  [browser, server] = await Promise.all([openBrowser(), serving(state)]);
});
afterAll(async () => {
  server.child.kill();
  await browser.close();
});

it('a run is paused, resumed and given other limits from the page, and says by whom', async () => {
  const live = messagesOf(await server.ask('/api/live'));
  const other = beside(state, ['run', '-q', '--', 'sh', '-c', `head -n 4 '${recording}'; exec sleep 600`]);
  const { id } = ((await live.next()).value as { data: RunSummary }).data;
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  await page.goto(server.link);
  await page.goto(`${server.origin}/runs/${id}`);
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await page.locator('.row').first().waitFor();
  await page.keyboard.press('p');
  await page.getByRole('heading', { name: 'Paused' }).waitFor();
  const banner = page.locator('.standstill');
  expect(await banner.innerText()).toMatch(
    /Paused by the page, from 127\.0\.0\.1 at .*Its time limits do not run meanwhile\./,
  );
  await banner.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('heading', { name: 'Running' }).waitFor();
  await banner.waitFor({ state: 'detached' });
  await page.keyboard.press('l');
  const dialog = page.getByRole('dialog', { name: 'Change the limits of this run' });
  await dialog.getByRole('button', { name: 'Change them' }).click();
  await dialog.getByText('Fill in the limit that is to change.').waitFor();
  await dialog.getByLabel('Time in all').fill('soon');
  await page.keyboard.press('Enter');
  await dialog.getByText('Time in all: expected something like 2h.').waitFor();
  await dialog.getByLabel('Time in all').fill('2h');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.locator('.row', { hasText: 'Limit changed' }).getByText('to 7200 by the page, from 127.0.0.1').waitFor();
  await page.keyboard.press('1');
  await page.locator('.facts').getByText('to 7200 by the page, from 127.0.0.1 at').waitFor();

  const order = (body: string, init: object = { token: stopToken }): Promise<number> =>
    server.ask(`/api/runs/${id}/order`, { method: 'POST', body, ...init }).then(({ status }) => status);
  for (const body of [
    '',
    'x',
    '{"do":"stop"}',
    '{"do":"pause","by":"somebody else"}',
    '{"do":"limit"}',
    '{"do":"limit","limits":{}}',
    '{"do":"limit","limits":{"max_cost_usd":-1}}',
    '{"do":"limit","limits":{"max_wishes":3}}',
  ])
    expect([body, await order(body)]).toEqual([body, 400]);
  // Who may only read gives no orders, and a page elsewhere has no header of ours.
  expect(await order('{"do":"pause"}', {})).toBe(403);
  const [cookie] = await page.context().cookies();
  const sent = { token: undefined, headers: { cookie: `${cookie?.name}=${cookie?.value}` } };
  expect(await order('{"do":"pause"}', sent)).toBe(403);
  expect(await order('{"do":"limit","limits":{"timeout_ms":1}}')).toBe(202);
  expect((await other.ended).code).toBe(124);
  await page.getByRole('heading', { name: 'Stopped: time limit' }).waitFor();
  expect(await page.getByRole('button', { name: 'Pause', exact: true }).count()).toBe(0);
  expect(await order('{"do":"pause"}')).toBe(409);
  await page.close();
});
