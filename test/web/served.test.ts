import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serving } from '../server/serving.ts';
import { runwire } from '../support/command.ts';
import { openBrowser } from './support/browser.ts';

const recording = join(import.meta.dirname, '..', 'recordings', 'opencode@1.18.33', 'multi-tool', 'stdout.jsonl');
let browser: Browser;
beforeAll(async () => void (browser = await openBrowser()));
afterAll(() => browser.close());

/** Prints the recording line by line, as the agent did. */
async function slowAgent(folder: string): Promise<string> {
  const script = join(folder, 'agent.mjs');
  const lines = (await readFile(recording, 'utf8')).trimEnd().split('\n');
  await writeFile(
    script,
    `for (const line of ${JSON.stringify(lines)}) { console.log(line); await new Promise((go) => setTimeout(go, 70)); }`,
  );
  return script;
}

it('shows a run of another process live under the real policy, and the same in one file', async () => {
  const state = await mkdtemp(join(tmpdir(), 'served-'));
  const env = { XDG_STATE_HOME: state };
  const script = await slowAgent(state);
  const server = await serving(state);
  const page = await browser.newPage({ locale: 'en-US' });
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(server.link);
  await page.getByText('No runs yet').waitFor();
  expect(page.url()).not.toContain('token');
  const running = runwire(['run', '--label', 'kind=test', '--', process.execPath, script], { env });
  await page.locator('.run-row .text-running').waitFor();
  await page.locator('.run-title').first().click();
  await page.getByText('Following the end').waitFor();
  await page.locator('.row-tool').first().waitFor();
  // A reload in the middle loses nothing.
  await page.reload();
  expect((await running).status).toBe(0);
  await page.getByRole('heading', { name: 'Succeeded' }).waitFor();
  const { runs } = await server.json<{ runs: { id: string; last_sequence: number }[] }>('/api/runs');
  const [run] = runs;
  await page.keyboard.press('5');
  await page.getByText(`${run?.last_sequence} events`).waitFor();
  await page.keyboard.press('3');
  await page.getByRole('button', { name: /how tokens and cost built up/ }).click();
  await page.locator('.chart path').first().waitFor();
  expect(complaints).toEqual([]);
  server.child.kill();

  const report = join(state, 'report.html');
  await writeFile(report, (await runwire(['runs', 'show', 'last', '--html'], { env })).stdout);
  await page.goto(pathToFileURL(report).href);
  await page.getByRole('heading', { name: 'Succeeded' }).waitFor();
  await page.getByText('I wrote notes.txt and changed bravo to BRAVO.').first().waitFor();
  await page.keyboard.press('4');
  await page.locator('.row-tool').first().waitFor();
  expect(complaints).toEqual([]);
});
