import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { RunRecord, RunSummary } from '../../src/stores/run-store.ts';
import { newRunId } from '../../src/ids/run-id.ts';
import { beside, reportToken, type Serving, serving } from '../server/serving.ts';
import { openBrowser } from './support/browser.ts';
import { isSweep } from '../support/sweep.ts';

const folder = mkdtempSync(join(tmpdir(), 'runwire-live-'));
let browser: Browser;
let state: string;
let server: Serving;

beforeAll(async () => {
  browser = await openBrowser();
});
beforeEach(async () => {
  state = mkdtempSync(join(folder, 'state-'));
  server = await serving(state);
});
afterEach(async () => {
  server.child.kill('SIGTERM');
  await server.ended;
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An agent that speaks as Codex does: `say` prints a message, `until` waits for a file. */
function agent(name: string, work: string): string[] {
  const path = join(state, `${name}.mjs`);
  writeFileSync(
    path,
    `import { existsSync } from 'node:fs';
const print = (line) => console.log(JSON.stringify(line));
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (name) => { while (!existsSync(${JSON.stringify(state)} + '/' + name)) await pause(20); };
let number = 0;
const say = (text) => print({ type: 'item.completed', item: { id: 'item_' + number++, type: 'agent_message', text } });
print({ type: 'thread.started', thread_id: '01a1e0b1-c58f-7421-a9fd-258a6e179${String(name.length).padStart(3, '0')}' });
print({ type: 'turn.started' });
${work}
say('All done.');
print({ type: 'turn.completed', usage: { input_tokens: 10, cached_input_tokens: 0, output_tokens: 5 } });
`,
  );
  return ['run', '-q', '--label', `test=${name}`, '--', process.execPath, path];
}

const go = (name: string): void => writeFileSync(join(state, name), '');

async function runOf(name: string): Promise<RunSummary> {
  for (;;) {
    const [run] = (await server.json<{ runs: RunSummary[] }>(`/api/runs?label=test%3D${name}`)).runs;
    if (run !== undefined) return run;
    await new Promise((resolve) => void setTimeout(resolve, 30));
  }
}

/** A page that is signed in, and lets us see what it would tell beside itself. */
async function signedIn(path = '/'): Promise<Page> {
  const page = await browser.newPage({ locale: 'en-US' });
  await page.addInitScript(() => {
    const told: string[] = [];
    class Recorded extends EventTarget {
      static permission = 'granted';
      static requestPermission = async (): Promise<string> => 'granted';
      constructor(title: string) {
        super();
        told.push(title);
      }
    }
    Object.assign(window, { Notification: Recorded, told });
    document.hasFocus = () => false;
  });
  await page.goto(server.link);
  if (path !== '/') await page.goto(server.origin + path);
  return page;
}

it('stops a run of this machine when asked twice, tells of it beside the page, and of no other', async () => {
  const running = beside(state, agent('stopped', `say('I begin.'); await until('never');`));
  const run = await runOf('stopped');
  const page = await signedIn(`/runs/${run.id}`);
  await page.getByText('I begin.').first().waitFor();
  await expect.poll(() => page.title()).toContain('▶ Running');
  const icon = (): Promise<string | null> => page.locator('link[rel=icon]').getAttribute('href');
  expect(await icon()).toContain('icon-running');
  await page.getByRole('button', { name: 'Notify me when it ends' }).click();
  // Asked once and let run, then asked again.
  await page.keyboard.press('x');
  await page.getByRole('button', { name: 'Let it run' }).click();
  expect((await server.json<RunRecord>(`/api/runs/${run.id}`)).status).toBe('running');
  await page.getByRole('button', { name: 'Stop…' }).click();
  await page.getByLabel('Reason').fill('it loops');
  await page.getByRole('button', { name: 'Stop it' }).click();
  expect((await running.ended).code).toBe(130);
  await page.getByRole('heading', { name: 'Cancelled' }).waitFor();
  await page.keyboard.press('1');
  await page.getByText(/by .*127\.0\.0\.1: “it loops”/).waitFor();
  expect((await server.json<RunRecord>(`/api/runs/${run.id}`)).labels).toMatchObject({ 'stopped.reason': 'it loops' });
  await expect.poll(() => page.title()).toContain('– Cancelled');
  expect(await icon()).toContain('icon-idle');
  expect(await page.evaluate(() => (window as unknown as { told: string[] }).told)).toEqual(['Cancelled']);

  // A run that was reported is watched, but not ours to stop.
  const id = newRunId(Date.now());
  const meta = { started_at: Date.now(), prompt: 'Elsewhere', host: 'ci-7', pid: 1, agent: 'counter', labels: {} };
  const begun = {
    type: 'thread.started',
    sequence: 1,
    timestamp: null,
    thread_id: 't',
    source: 'agent',
    synthetic: false,
  };
  await server.ask(`/api/report/${id}`, {
    method: 'POST',
    token: reportToken,
    body: `${JSON.stringify({ meta, after: 0 })}\n${JSON.stringify(begun)}\n`,
  });
  await page.goto(`${server.origin}/runs/${id}`);
  await page
    .getByRole('button', { name: 'Notify me when it ends' })
    .or(page.getByRole('button', { name: 'Notifications on' }))
    .waitFor();
  await page.keyboard.press('1');
  await page.getByText('ci-7').waitFor();
  expect(await page.getByRole('button', { name: 'Stop…' }).count()).toBe(0);
  await page.close();
});

it('resumes without loss and without doubles when the server is killed, and when the page is loaded again', async () => {
  const running = beside(
    state,
    agent(
      'restarted',
      `for (let each = 1; each <= 60; each += 1) { say('step ' + each); await pause(20); if (each === 20) await until('killed'); if (each === 40) await until('reloaded'); }`,
    ),
  );
  const run = await runOf('restarted');
  const [page, list] = await Promise.all([signedIn(`/runs/${run.id}`), signedIn()]);
  await page.getByText('step 20', { exact: true }).waitFor();
  await list
    .locator('.run-row', { hasText: run.id.slice(-8) })
    .locator('.text-running')
    .first()
    .waitFor();
  const { port } = server;
  server.child.kill('SIGKILL');
  await server.ended;
  await page.getByText('It will resume by itself').waitFor();
  go('killed');
  server = await serving(state, ['--port', String(port)]);
  await page.getByText('step 40', { exact: true }).waitFor();
  expect(await page.getByText('It will resume by itself').count()).toBe(0);
  await page.reload();
  await page.getByText('step 40', { exact: true }).waitFor();
  go('reloaded');
  expect((await running.ended).code).toBe(0);
  await page.getByRole('heading', { name: 'Succeeded' }).waitFor();
  const { last_sequence: last } = await server.json<RunRecord>(`/api/runs/${run.id}`);
  await page.getByRole('link', { name: 'Raw events' }).click();
  await page.getByText(`${last} events`).waitFor();
  await page.getByRole('link', { name: 'Transcript' }).click();
  await page.fill('#search-run', 'step 5');
  // step 5, and 50 to 59.
  await expect.poll(() => page.locator('.search-count').textContent()).toBe('11 in 11 rows');
  // Who watched the list meanwhile has not missed the end.
  await expect
    .poll(() =>
      list
        .locator('.run-row', { hasText: run.id.slice(-8) })
        .locator('.text-good')
        .count(),
    )
    .toBe(1);
  await Promise.all([page.close(), list.close()]);
});

it('shows every event before the next one happens', async () => {
  const running = beside(
    state,
    agent('ticking', `for (let each = 1; each <= 20; each += 1) { await until('tick-' + each); say('tick ' + each); }`),
  );
  const run = await runOf('ticking');
  const page = await signedIn(`/runs/${run.id}`);
  await page.getByText('Following the end').waitFor();
  for (let each = 1; each <= 20; each += 1) {
    go(`tick-${each}`);
    await page.getByText(`tick ${each}`, { exact: true }).waitFor();
    expect(await page.getByText(`tick ${each + 1}`, { exact: true }).count()).toBe(0);
  }
  expect((await running.ended).code).toBe(0);
  await page.getByRole('heading', { name: 'Succeeded' }).waitFor();
  await page.close();
});

it.runIf(isSweep)('shows the beginning of a text of 10 MB, and where the rest is', async () => {
  const long = 'x'.repeat(10 * 1024 * 1024);
  const running = beside(
    state,
    agent(
      'long',
      `const long = 'x'.repeat(${long.length});
say(long);
print({ type: 'item.started', item: { id: 'c', type: 'command_execution', command: 'cat', aggregated_output: '', status: 'in_progress' } });
print({ type: 'item.completed', item: { id: 'c', type: 'command_execution', command: 'cat', aggregated_output: long, exit_code: 1, status: 'failed' } });
print({ type: 'something.new', long });`,
    ),
  );
  await running.ended;
  const run = await runOf('long');
  const page = await signedIn('/');
  for (const view of ['answer', 'time', 'events', 'raw']) {
    await page.goto(`${server.origin}/runs/${run.id}?view=${view}`);
    await page.locator('.result, .file, .span, .row, .raw-row').first().waitFor();
    if (view === 'events') {
      await page.getByText('the whole event as a file').first().waitFor();
      for (const button of await page.locator('.row-button[aria-expanded=false]').all()) await button.click();
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    const length = await page.evaluate(() => document.body.textContent.length);
    expect({ view, wide, isShort: length < 1_000_000 }).toEqual({ view, wide: 0, isShort: true });
  }
  await page.close();
});
