import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serving } from '../server/serving.ts';
import { runwire } from '../support/command.ts';
import { startModelServer } from '../support/model-server/index.ts';
import { openBrowser } from './support/browser.ts';

/** Pictures of the view, for people to look at. */
const pictures = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'pictures');
let browser: Browser;
beforeAll(async () => void (browser = await openBrowser()));
afterAll(() => browser.close());

/** An agent of somebody's own, which does what its model calls for until it calls for nothing. */
const program = `
  const tools = ['read_file', 'run_tests', 'edit_file'].map((name) => ({ name, input_schema: { type: 'object' } }));
  const results = { read_file: 'export const total = (items) => items.reduce((sum, { price }) => sum + price, 0);', run_tests: '1 failed: the total of two of the same item', edit_file: 'edited src/cart.ts' };
  const messages = [{ role: 'user', content: 'The cart test fails. Find out why, and fix it.' }];
  for (;;) {
    const answer = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 4000, system: 'You fix bugs.', tools, messages }),
    });
    const { content } = await answer.json();
    await new Promise((resolve) => setTimeout(resolve, 60));
    const calls = content.filter(({ type }) => type === 'tool_use');
    if (calls.length === 0) break;
    messages.push({ role: 'assistant', content }, { role: 'user', content: calls.map(({ id, name }) => ({ type: 'tool_result', tool_use_id: id, content: results[name] })) });
  }
`;

const turns = [
  {
    text: 'I run the test and look at the code.',
    calls: [
      { name: 'run_tests', args: { path: 'test/cart.test.ts' } },
      { name: 'read_file', args: { path: 'src/cart.ts' } },
    ],
    usage: { input: 5210, output: 118 },
    delayMs: 15,
  },
  {
    text: 'The quantity is left out of the sum.',
    calls: [{ name: 'edit_file', args: { path: 'src/cart.ts', old: '+ price', new: '+ price * quantity' } }],
    usage: { input: 5480, output: 96 },
    delayMs: 15,
  },
  {
    text: 'The total left out how many there are of each item; now it counts them.',
    usage: { input: 5650, output: 60 },
    delayMs: 15,
  },
];

const looks = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 860 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 860 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 } },
} as const;

it('shows what was new in each request, what came back, and what it cost, in every look', async () => {
  await mkdir(pictures, { recursive: true });
  const state = await mkdtemp(join(tmpdir(), 'requests-'));
  const script = join(state, 'agent.mjs');
  await writeFile(script, program);
  const model = await startModelServer({ turns });
  const env = { XDG_STATE_HOME: state, ANTHROPIC_BASE_URL: model.baseUrl('anthropic').replace(/\/v1$/, '') };
  const ended = await runwire(['run', '--wire', 'record', '--', process.execPath, script], { env });
  expect(ended.status).toBe(0);
  await model.close();
  const server = await serving(state);
  const page = await browser.newPage({ locale: 'en-US' });
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(server.link);
  await page.locator('.run-title').first().click();
  await page.getByRole('link', { name: /^Requests/ }).click();
  await page.getByRole('heading', { name: 'Request 3' }).waitFor();
  const requests = await page.locator('.request').allInnerTexts();
  expect(requests.length).toBe(3);
  expect(requests[0]).toContain('5.2k in · 118 out · $');
  expect(requests[0]).toContain('The cart test fails. Find out why, and fix it.');
  // What stood in the request before is not said again.
  expect(requests[1]).not.toContain('The cart test fails.');
  expect(requests[1]).not.toContain('I run the test');
  expect(requests[1]).toContain('1 failed: the total of two of the same item');
  expect(requests[1]).toContain('edit_file {"path":"src/cart.ts"');
  expect(requests[2]).toContain('now it counts them');

  for (const [look, { colorScheme, viewport }] of Object.entries(looks)) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await page.locator('.request').first().scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(pictures, `requests-${look}.png`) });
    await page.evaluate(axe.source);
    const found = await page.evaluate(async () => {
      const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    });
    const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect({ look, found, tooWide }).toEqual({ look, found: [], tooWide: 0 });
  }
  await page.setViewportSize({ width: 1000, height: 860 });
  await page.locator('.requests').screenshot({ path: join(pictures, 'requests.png') });
  // The waterfall has a bar for each request, of the time that the model took.
  await page.setViewportSize(looks.light.viewport);
  await page.keyboard.press('3');
  await page.locator('.span-wait').first().waitFor();
  expect(await page.locator('.span-wait').count()).toBe(3);
  await page.screenshot({ path: join(pictures, 'requests-time.png') });
  expect(complaints).toEqual([]);
  server.child.kill();
});
