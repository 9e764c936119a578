import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readToken, type Serving, serving } from '../server/serving.ts';
import { openBrowser } from './support/browser.ts';

let browser: Browser;
let server: Serving;
beforeAll(async () => {
  [browser, server] = await Promise.all([
    openBrowser(),
    mkdtemp(join(tmpdir(), 'sign-in-')).then((state) => serving(state)),
  ]);
});
afterAll(async () => {
  server.child.kill();
  await browser.close();
});

it('asks for a token wherever it is opened, and goes on there, with the keyboard alone', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(`${server.origin}/queue`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.evaluate(axe.source);
    const found = await page.evaluate(async () => {
      const { axe: check } = globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string }[] }> } };
      return (await check.run()).violations.map(({ id }) => id);
    });
    expect([theme, found]).toEqual([theme, []]);
  }
  // The field has the focus at once.
  await page.keyboard.type('not-a-token-of-this-server');
  await page.keyboard.press('Enter');
  await page.getByText('That is not a token of this server.').waitFor();
  await page.getByLabel('Token').fill(readToken);
  await page.keyboard.press('Enter');
  await page.getByText('This ledger has no queue').waitFor();
  expect(page.url()).toBe(`${server.origin}/queue`);
  // The token is in no address, and what is kept is neither the token nor open to scripts.
  expect(requests.filter((url) => url.includes(readToken))).toEqual([]);
  expect(
    await page.evaluate(() => document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })),
  ).not.toMatch(/runwire-|token/);
  const [cookie] = await context.cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  expect(cookie?.value).not.toContain(readToken);
  await page.reload();
  await page.getByText('This ledger has no queue').waitFor();
  await context.close();
});

it('a token is taken from our own page alone, and from nobody who guesses', async () => {
  const ask = (body: string, headers: Record<string, string> = { 'x-runwire': '1' }): Promise<number> =>
    server.ask('/login', { method: 'POST', token: undefined, headers, body }).then(({ status }) => status);
  const right = JSON.stringify({ token: readToken });
  expect(await ask(right)).toBe(200);
  expect(await ask(right, { 'x-runwire': '1', origin: server.origin })).toBe(200);
  expect(await ask(right, {})).toBe(403);
  expect(await ask(right, { 'x-runwire': '1', origin: 'https://elsewhere.example' })).toBe(403);
  for (const body of ['', 'x', '[]', 'null', '{"token":7}', JSON.stringify({ token: readToken, x: 'y'.repeat(5000) })])
    expect([body, await ask(body)]).toEqual([body, body.length > 4096 ? 413 : 400]);
  const wrong = await server.ask('/login', {
    method: 'POST',
    token: undefined,
    headers: { 'x-runwire': '1' },
    body: '{"token":"wrong"}',
  });
  expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([401, null]);
  const statuses = [];
  for (let time = 0; time < 30; time += 1) statuses.push(await ask('{"token":"guess"}'));
  expect(statuses.at(-1)).toBe(429);
  // Whoever knows it is let in all the same.
  expect(await ask(right)).toBe(200);
});
