import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askableFilters } from '../../src/contract/row-filters.ts';
import type { EventRecord } from '../../src/events/event.ts';
import type { RunRecord } from '../../src/stores/run-store.ts';
import { isSweep, some, sweep } from '../support/sweep.ts';
import { openBrowser } from './support/browser.ts';
import {
  begins,
  call,
  demoEvents,
  demoQueue,
  demoRun,
  otherRuns,
  recorded,
  runId,
  said,
  startOfAll,
  taped,
} from './support/fixture-runs.ts';
import { type FixtureRun, FixtureServer } from './support/fixture-server.ts';
import { writeReport } from './support/report-file.ts';

const root = join(import.meta.dirname, '..', '..');
/** Pictures of every view, for people to look at. */
const pictures = join(root, 'node_modules', '.cache', 'pictures');
const server = new FixtureServer();
let browser: Browser;

const longId = runId(500);
const longEvents = 100_000;
const shortId = runId(501);
const shortEvents = 1000;

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  server.queue = demoQueue();
  const [spent, reserved] = [
    { usd: 42.5, tokens: 0 },
    { usd: 3, tokens: 0 },
  ];
  server.budgets = [{ name: 'team-a', per: 'week', usd: 50, spent, reserved, runs: 31, running: 2, unpriced: 1 }];
  server.add(
    demoRun(1),
    demoRun(2, {}, 0.6),
    recorded('codex@0.166.0/error-429-always', 20),
    recorded('opencode@1.18.33/multi-tool', 21),
  );
  server.add(...otherRuns());
  server.add(
    demoRun(3, {
      title: 'Race: two agents fix the cart test',
      agent: 'race',
      children: { runs: 2, running: 0, cost: 0.54, cost_known: 2 },
      outcome: raced(),
      ended_at: startOfAll - 180_000 + 71_000,
      duration_ms: 71_000,
    }),
  );
  const branches = [
    [31, 'codex', 44_300, 0.18, 'success'],
    [32, 'claude', 66_000, 0.36, 'error'],
  ] as const;
  for (const [number, agent, took, cost, status] of branches) {
    const started_at = startOfAll - 180_000 + number * 60;
    server.add(
      demoRun(number, {
        title: `Fix the cart test (${agent})`,
        parent_run_id: runId(3),
        root_run_id: runId(3),
        agent,
        cost,
        status,
        class: status === 'success' ? 'success' : 'tool',
        started_at,
        ended_at: started_at + took,
        duration_ms: took,
      }),
    );
  }
  // The other one of the race looked at less, and ran the tests another way.
  const other = server.runs.get(runId(32));
  if (other !== undefined)
    other.records = other.records
      .filter(
        (record) =>
          !(record.type === 'item.started' && record.args !== null && JSON.stringify(record.args).includes('price.ts')),
      )
      .map((record) =>
        record.type === 'item.started' && record.kind === 'command' && record.sequence > 20
          ? { ...record, args: { command: 'npx vitest run cart' } }
          : record,
      );
  const asking = demoRun(4, { title: 'Publish the release' }, 0.3);
  asking.records.push(
    ...taped(
      [
        [
          1,
          { type: 'permission.requested', permission_id: 'p', what: 'command', title: 'npm publish --access public' },
        ],
      ],
      startOfAll,
      asking.records.length + 1,
    ),
  );
  server.add(asking);
  server.add(waiting());
  const records = longRun();
  server.add({
    run: {
      ...demoRun(500).run,
      title: 'Go through every file and run its tests',
      id: longId,
      last_sequence: longEvents,
    },
    records,
  });
  server.add({
    run: {
      ...demoRun(501).run,
      title: 'Go through the first files and run their tests',
      id: shortId,
      last_sequence: shortEvents,
    },
    records: records.slice(0, shortEvents),
  });
  [browser] = await Promise.all([openBrowser(), server.start()]);
});
afterAll(async () => {
  server.stop();
  await browser.close();
});

/** A run that waits for the limit of its provider. */
function waiting(): FixtureRun {
  const until = startOfAll + 3_600_000;
  const run = demoRun(5, { title: 'Port the price rules', waits_until: until }, 0.3);
  run.records.push(
    ...taped(
      [[1, { type: 'run.paused', reason: 'limit', until_ms: until, cause: 'usage limit reached' }]],
      startOfAll,
      run.records.length + 1,
    ),
  );
  return run;
}

/** How a race ends: the branch of the winner, and one whose check failed. */
function raced(): NonNullable<RunRecord['outcome']> {
  const { outcome } = demoRun(3).run;
  if (outcome === undefined) throw new Error('it has ended');
  const branch = (number: number, agent: string) => ({
    branch_id: `runwire/race/${number}-fix-the-cart-test`,
    parent_branch_id: 'main',
    agent,
    run_id: runId(30 + number),
    files: 2,
  });
  return {
    ...outcome,
    message: 'The winner (first) is codex.',
    lineage: {
      start_branch_id: 'main',
      latest_branch_id: branch(2, '').branch_id,
      branches: [
        { branch_id: 'main' },
        { ...branch(1, 'codex'), status: 'success', verified: 'passed', winner: true, additions: 4, deletions: 2 },
        {
          ...branch(2, 'claude'),
          status: 'tool',
          verified: 'failed',
          additions: 90,
          deletions: 31,
          remarks: '1 test deleted',
        },
      ],
    },
  };
}

/** Turns of words, reads and commands. */
function longRun(): EventRecord[] {
  const part = [
    begins(1),
    ...said('I look at the next file of the list, and then I run the tests for it.', 1),
    ...call('read', 'read', { path: 'src/some/file.ts' }, 0.1, 'contents '.repeat(8)),
    ...call('shell', 'command', { command: 'npm test -- some/file' }, 1, 'ok\n'.repeat(5), { exit_code: 0 }),
  ];
  const events = Array.from({ length: Math.ceil(longEvents / part.length) }, (_, turn) =>
    part.map(([after, event]): (typeof part)[number] => {
      const own = { ...event };
      if (own.type === 'turn.started') own.iteration = turn + 1;
      if ('block_id' in own) own.block_id = `${own.block_id}-${turn}`;
      if ('item_id' in own && own.item_id !== undefined) own.item_id = `${own.item_id}-${turn}`;
      return [after, own];
    }),
  ).flat();
  return taped(events.slice(0, longEvents));
}

async function open(path: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: wide, ...options });
  const page = await context.newPage();
  page.on('pageerror', (error) => failures.push(`${path}: ${error.message}`));
  await page.goto(server.url + path);
  await page.locator('main, .problem').waitFor();
  return page;
}
const failures: string[] = [];

interface View {
  path: string;
  /** What is done before it is looked at. */
  prepare?: (page: Page) => Promise<unknown>;
}

const click = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click();
const runPath = (number: number, view = ''): string => `/runs/${runId(number)}${view === '' ? '' : `?view=${view}`}`;
const views: Readonly<Record<string, View>> = {
  list: { path: '/' },
  filters: { path: '/?agent=codex', prepare: click('Chart') },
  agents: {
    path: '/',
    prepare: async (page) => {
      await click('Chart')(page);
      await click('Agent')(page);
      await page.locator('.line-bar').nth(2).waitFor();
    },
  },
  none: { path: '/?search=nothing-like-that' },
  help: { path: '/', prepare: (page) => page.keyboard.press('?') },
  result: { path: runPath(1) },
  files: { path: runPath(1, 'files') },
  time: { path: runPath(1, 'time') },
  usage: {
    path: runPath(1, 'time'),
    prepare: async (page) => {
      await click('Shorten them')(page);
      await click('Show how tokens and cost built up')(page);
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    },
  },
  transcript: { path: runPath(1, 'events') },
  opened: {
    path: `${runPath(1, 'events')}#e7`,
    prepare: async (page) => {
      await page.locator('.row.is-linked').waitFor();
      await page.keyboard.press('Enter');
      await page.fill('#search-run', 'discount');
      await page.locator('.search-count', { hasText: ' in ' }).waitFor();
    },
  },
  raw: { path: runPath(1, 'raw'), prepare: (page) => page.locator('.raw-row button').nth(4).click() },
  live: { path: runPath(2) },
  stop: { path: runPath(2), prepare: click('Stop…') },
  asks: { path: runPath(4) },
  failed: { path: runPath(20) },
  replay: {
    path: runPath(1),
    prepare: async (page) => {
      await page.keyboard.press('r');
      await page.keyboard.press(' ');
      await page.getByRole('slider', { name: 'Position in the run' }).fill('24');
      await page.getByText('24 of').waitFor();
    },
  },
  copy: { path: runPath(1), prepare: click('Copy as') },
  race: {
    path: runPath(3),
    prepare: async (page) => {
      await click('Show the changes side by side')(page);
      await page.locator('.change .diff').nth(2).waitFor();
    },
  },
  details: {
    path: runPath(1, 'time'),
    prepare: async (page) => {
      for (const key of ['j', 'j', 'j', 'j', 'j', 'j']) await page.keyboard.press(key);
      await page.locator('.span.is-selected').waitFor();
    },
  },
  waits: { path: runPath(5) },
  limits: { path: runPath(2, 'answer'), prepare: click('Limits…') },
  tree: { path: `${runPath(3)}/tree` },
  compare: { path: `/compare/${runId(1)}/${runId(32)}`, prepare: (page) => page.locator('.step').first().waitFor() },
  queue: { path: '/queue', prepare: (page) => page.getByRole('table', { name: 'Dead runs' }).waitFor() },
  missing: { path: '/runs/nothere' },
};

/** What axe finds, with a rule that it knows and does not ask for by itself. */
async function findings(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { axe: check } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const options = { resultTypes: ['violations'], preload: false, rules: { 'target-size': { enabled: true } } };
    return (await check.run(options)).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`);
  });
}

const wide = { width: 1280, height: 860 };
const looks = {
  light: { colorScheme: 'light', viewport: wide },
  dark: { colorScheme: 'dark', viewport: wide },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 } },
  'dark phone': { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  'wide screen': { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
} as const;
type Look = keyof typeof looks;
const lookNames = Object.keys(looks) as Look[];

async function wear(page: Page, look: Look): Promise<void> {
  const { colorScheme, viewport } = looks[look];
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(viewport);
}

/** A picture, what axe finds, and how much does not fit. */
async function inspect(page: Page, name: string, look: Look): Promise<unknown> {
  await page.waitForTimeout(60);
  // As a debugger would: the page's own policy lets no script in.
  await page.evaluate(axe.source);
  await page.screenshot({ path: join(pictures, `${name}-${look}.png`) });
  return {
    name,
    look,
    found: await findings(page),
    tooWide: await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
  };
}
const flawless = { found: [], tooWide: 0 };

/** Every other view in one look, so that each look has its turn; in `npm run test:sweeps`, every view in every look. */
const viewsInLooks = sweep(Object.entries(views), lookNames).map(([[name, view], look]) => [name, look, view] as const);

it('shows what waits, who works, and what nobody tries any more', async () => {
  const page = await open('/queue');
  const cells = async (name: string): Promise<string[]> =>
    (await page.getByRole('table', { name }).locator('tbody tr').allInnerTexts()).map((row) =>
      row.split('\t').slice(0, 3).join(' | '),
    );
  await page.getByRole('table', { name: 'Workers' }).waitFor();
  expect(await cells('Workers')).toEqual([
    '✓ working | build-7:4711 | 2 of 4',
    '! draining | build-8:99 | 1 of 4',
    '✕ silent | gpu-1:12 | 1 of 1',
  ]);
  expect((await cells('Queued and running runs')).map((row) => row.split(' | ')[0])).toEqual([
    '◐ running',
    '– queued',
    '– waiting',
  ]);
  expect(await cells('Budgets')).toEqual(['team-a | week | $42.50']);
  expect(await page.getByRole('table', { name: 'Budgets' }).innerText()).toMatch(
    /91(?:\.0)?%\s+31, 2 running, 1 unpriced/,
  );
  expect((await cells('Dead runs')).map((row) => row.split(' | ')[0])).toEqual(['✕ incomplete']);
  expect(await page.getByRole('status').first().innerText()).toContain(
    'Paused by ada@laptop: the model server is down.',
  );
  expect(await page.locator('main').innerText()).toContain('3 runs may start now, the oldest for');
  const queue = server.queue;
  server.queue = undefined;
  await page.goto(`${server.url}/queue`);
  await page.getByText('This ledger has no queue').waitFor();
  server.queue = queue;
  await page.context().close();
});

describe('in both themes and on a phone', () => {
  let page: Page;
  beforeAll(async () => {
    page = await open('/', { reducedMotion: 'reduce' });
  });
  afterAll(() => page.context().close());

  it.each(some(viewsInLooks))('%s, %s, fits its box, and axe finds nothing', async (name, look, { path, prepare }) => {
    await wear(page, look);
    await page.goto(server.url + path);
    await page.locator('main, .problem').waitFor();
    await page.waitForTimeout(60);
    await prepare?.(page);
    expect(await inspect(page, name, look)).toEqual({ name, look, ...flawless });
  });

  it('nothing moves for who does not want it', async () => {
    await page.goto(`${server.url}${runPath(2)}`);
    await page.locator('.dot-running').first().waitFor();
    expect(
      await page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length),
    ).toBe(0);
  });
});

it('a report in one file is the same', async () => {
  const report = writeReport(join(pictures, 'report.html'), demoRun(1));
  const context = await browser.newContext();
  const page = await context.newPage();
  for (const [view, look] of sweep(['answer', 'files', 'time', 'events', 'raw'], lookNames)) {
    await wear(page, look);
    await page.goto(`${report.href}?view=${view}`);
    await page.locator('.result, .file, .span, .row, .raw-row').first().waitFor();
    const name = `report-${view}`;
    expect(await inspect(page, name, look)).toEqual({ name, look, ...flawless });
  }
  await wear(page, 'light');
  // The toggles are the same as well.
  await page.keyboard.press('4');
  await page.getByRole('button', { name: 'Tools' }).click();
  await expect.poll(() => page.locator('.row-tool, .row-fold').count()).toBe(0);
  await page.fill('#search-run', 'discount');
  await expect.poll(() => page.locator('.search-count').textContent()).toMatch(/^\d+ in \d+ rows$/);
  await context.close();
});

it.runIf(isSweep)(
  'a report of too many events has the first and the last ones, and says what is between them',
  async () => {
    const output = 'log line\n'.repeat(7000);
    const calls = Array.from({ length: 600 }, (_, index) =>
      call('shell', 'command', { command: `step ${index}` }, 1, output),
    ).flat();
    // One call goes on all the time, another one ends in the middle.
    const [begin, end] = call('shell', 'command', { command: 'all the time' }, 1, 'done');
    const [early, late] = call('shell', 'command', { command: 'half of it' }, 1, 'done');
    if (begin === undefined || end === undefined || early === undefined || late === undefined)
      throw new Error('a call has two events');
    const events = [begin, early, ...calls.slice(0, 600), late, ...calls.slice(600), end];
    const { run } = demoRun(1);
    const report = writeReport(join(pictures, 'long-report.html'), { run, records: taped(events) });
    const page = await browser.newPage();
    await wear(page, 'light');
    await page.goto(`${report.href}?view=events#e650`);
    // A link to an event that is not here leads to where it would be.
    await page.locator('.row-gap.is-linked').waitFor();
    const told = (await page.locator('.row-gap .row-label').textContent()) ?? '';
    const left = Number(/^(\d+) events left out of this report$/.exec(told)?.[1]);
    expect(left).toBeGreaterThan(600);
    await page.getByText(`This report leaves out ${left} events.`).waitFor();
    await page.fill('#search-run', 'log line');
    const here = Math.round((1204 - left - 4) / 2);
    await expect.poll(() => page.locator('.search-count').textContent()).toMatch(/^\d+ in \d+ rows in this report$/);
    const rows = Number(/in (\d+) rows/.exec((await page.locator('.search-count').textContent()) ?? '')?.[1]);
    expect(Math.abs(rows - here)).toBeLessThanOrEqual(1);
    await page.fill('#search-run', '');
    await page.keyboard.press('Escape');
    await page.locator('#search-run').blur();
    await page.keyboard.press('g');
    const figures = (about: string): Promise<string | null> =>
      page.locator('.row-tool', { hasText: about }).first().locator('.row-figures').textContent();
    await expect.poll(() => figures('half of it')).toBe('its end is left out');
    expect(await figures('all the time')).not.toMatch(/left out|running/);
    await page.keyboard.press('5');
    await page.getByText(`${1204 - left} events in this report`).waitFor();
    expect(await page.locator('.tab[aria-current]').textContent()).toBe(`Raw events${1204 - left}`);
    await page.keyboard.press('3');
    await page.getByText(/in events that this report leaves out .* \(\d+%\)/).waitFor();
    expect(await inspect(page, 'long-report', 'light')).toEqual({ name: 'long-report', look: 'light', ...flawless });
    // A replay that jumps stays at its end, also while the true heights of its rows become known.
    await page.keyboard.press('4');
    await page.keyboard.press('r');
    await page.getByRole('slider').fill('230');
    await page.getByText('Following the end').waitFor();
    await expect.poll(() => page.getByText('step 112').count()).toBeGreaterThan(0);
    for (let step = 0; step < 5; step += 1) await page.keyboard.press('.');
    await expect.poll(() => page.locator('.replay-place').textContent()).toMatch(/^235 of/);
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollHeight - scrollY - innerHeight))
      .toBeLessThan(60);
    await page.close();
  },
);

it('shows who raced side by side, who won, and what each changed', async () => {
  const page = await open(runPath(3));
  const cards = page.locator('.card');
  await cards.nth(1).getByText('Tokens').waitFor();
  const texts = (await cards.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
  expect(texts[0]).toMatch(
    /^1 codex Winner ✓ Succeeded Model gpt-6-codex Verify ✓ passed Lines \+4 −2 Files 2 Time 44\.3s Cost \$0\.18/,
  );
  expect(texts[1]).toMatch(
    /^2 claude ✕ Failed: tool error .* Verify ✕ failed Lines \+90 −31 Files 2 Time 1m06s Cost \$0\.36/,
  );
  expect(texts[1]).toContain('1 test deleted');
  expect(texts[1]).toMatch(/Compare with the winner$/);
  await page.getByRole('button', { name: 'Show the changes side by side' }).click();
  await expect.poll(() => page.locator('.change').nth(1).locator('.diff').count()).toBe(2);
  // An edit leads to its place in the run that made it.
  expect(await page.locator('.change').nth(1).locator('.file-note a').first().getAttribute('href')).toMatch(
    new RegExp(`^/runs/${runId(32)}\\?view=events#e\\d+$`),
  );
  // The same stands above the tree, and the runs below a run stand below it in the list.
  await page.goto(`${server.url}${runPath(3)}/tree`);
  await expect.poll(() => page.locator('.card').count()).toBe(2);
  await page.goto(`${server.url}/`);
  const ids = page.locator('.run-what code');
  const short = (number: number): string => runId(number).slice(-8);
  await page.locator('.fold').first().waitFor();
  const listed = await ids.allTextContents();
  const at = listed.indexOf(short(3));
  expect(listed.slice(at, at + 3)).toEqual([short(3), short(31), short(32)]);
  await page.locator('.fold').first().click();
  await expect.poll(() => ids.allTextContents()).not.toContain(short(31));
  // Sorted by a column, every run stands alone.
  await page.goto(`${server.url}/?sort=-cost`);
  await page.locator('.run-row').nth(1).waitFor();
  expect(await page.locator('.fold').count()).toBe(0);
  expect(await ids.allTextContents()).toContain(short(31));
  await page.context().close();
});

it('tells what each turn used, and colours code, which stays text', async () => {
  const page = await open(runPath(1, 'events'));
  const used = page.locator('.turn-usage');
  await used.first().waitFor();
  expect(await used.first().innerText()).toBe('8.2k in · 240 out · $0.0213');
  const diff = page.locator('.diff').first();
  await expect.poll(() => diff.locator('.code-word').allTextContents()).toContain('return');
  expect(await diff.locator('.code-number').first().textContent()).toBe('0');
  await page.context().close();
});

it('says until when a run waits, in the list too', async () => {
  const page = await open(runPath(5));
  await page
    .getByRole('heading', { name: /^. Waiting until / })
    .or(page.getByRole('heading', { name: /Waiting until/ }))
    .first()
    .waitFor();
  await page.locator('.standstill').getByText('Waiting for a limit of the provider to reset, until').waitFor();
  await page.getByRole('button', { name: 'Go on now' }).click();
  await page.getByText('The run was asked to go on.').waitFor();
  expect(server.asked).toContain(`POST /api/runs/${runId(5)}/order`);
  await page.goto(server.url);
  await page.locator('.run-state', { hasText: 'Waiting' }).waitFor();
  await page.context().close();
});

it('shows the list beside a run, and details beside the timeline, where there is room', async () => {
  const page = await open(runPath(1, 'time'), { viewport: { width: 1440, height: 900 } });
  const beside = page.getByRole('navigation', { name: 'Runs', exact: true });
  await beside.locator('[aria-current=page]').waitFor();
  const span = page.locator('.span', { hasText: 'npm test' }).first();
  await span.click();
  const details = page.getByRole('region', { name: 'Details' });
  await details.getByText('AssertionError: expected 81 to be 90').waitFor();
  await details.getByRole('button', { name: 'Open in the transcript' }).click();
  await page.locator('.row.is-linked').waitFor();
  // The next run of the list, with the list where it was.
  await page.keyboard.press('J');
  await page.waitForURL((url) => !url.pathname.endsWith(runId(1)));
  await beside.locator('[aria-current=page]').waitFor();
  await page.keyboard.press('b');
  await beside.waitFor({ state: 'detached' });
  await page.reload();
  await page.locator('.tabs').waitFor();
  expect(await beside.count()).toBe(0);
  await page.keyboard.press('b');
  await beside.waitFor();
  await page.setViewportSize({ width: 1024, height: 800 });
  await beside.waitFor({ state: 'detached' });
  await page.context().close();
});

it('draws figures by day, agent, model and repository; days that are far apart stand far apart', async () => {
  const page = await open('/');
  await click('Chart')(page);
  await page.locator('.column').nth(3).waitFor();
  const days = await page.locator('.columns li').allInnerTexts();
  expect(days.length).toBeGreaterThan(otherRuns().length);
  expect(days.some((text) => text.includes('nothing'))).toBe(true);
  await page.getByRole('button', { name: 'Agent', exact: true }).click();
  const line = page.locator('.lines li', { hasText: 'gemini' });
  await line.waitFor();
  expect(await line.innerText()).toMatch(/2 runs, 1 of 2 succeeded/);
  await page.getByRole('button', { name: 'Cost', exact: true }).click();
  await expect.poll(() => line.innerText()).toMatch(/\$0\.01.*1 run unpriced/s);
  await line.getByRole('link').click();
  await page.waitForURL(/agent=gemini/);
  await page.context().close();
});

it('tells edits of one file apart when they differ', async () => {
  const one = demoRun(61, { title: 'One way' });
  const other = demoRun(62, { title: 'Another way' });
  other.records = other.records.map((record) =>
    record.type === 'file.edited' && record.path === 'src/cart.ts'
      ? { ...record, diff: record.diff?.replace('cart.discount ?? 0', 'cart.discount || 0') ?? '' }
      : record,
  );
  server.add(one, other);
  const page = await open(`/compare/${runId(61)}/${runId(62)}`);
  await page.locator('.step').first().waitFor();
  const differing = page.locator('.aligned-changed');
  await expect.poll(() => differing.count()).toBe(2);
  expect(await differing.first().innerText()).toMatch(/apply_patch\s+src\/cart\.ts\s+another edit/);
  expect(await differing.nth(1).innerText()).toContain('modified src/cart.ts in another way');
  for (const number of [61, 62]) server.runs.delete(runId(number));
  await page.context().close();
});

it('is at most 90 KB, all in all', () => {
  const web = join(root, 'dist', 'web');
  const sizes = readdirSync(web, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => gzipSync(readFileSync(join(file.parentPath, file.name)), { level: 9 }).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(90_000);
});

it('a live run streams, is followed, and is let go only by the reader', async () => {
  const rest = taped(demoEvents(), startOfAll - 120_000);
  const id = runId(2);
  server.add(demoRun(2, {}, 0.6));
  const page = await open(`/runs/${id}`);
  await page.getByText('Following the end').waitFor();
  const known = server.runs.get(id)?.records.length ?? 0;
  server.append(id, rest.slice(known, known + 3));
  await page
    .locator(`#e${known + 1}`)
    .or(page.getByText('docs/pricing.md').first())
    .first()
    .waitFor();
  // Rows that grow never let go.
  const atEnd = (): Promise<boolean> =>
    page.evaluate(() => document.documentElement.scrollHeight - scrollY - innerHeight < 60);
  await expect.poll(atEnd).toBe(true);
  await page.mouse.move(600, 500);
  await page.mouse.wheel(0, -600);
  await page.getByText('Paused because you scrolled').waitFor();
  const { run } = demoRun(2);
  server.append(id, rest.slice(known + 3), { ...run, id });
  await page.getByText('The run has ended: Succeeded').waitFor();
  await expect.poll(() => page.title()).toContain('Succeeded');
  // Who reads is left where they are.
  expect(await page.locator('.tab[aria-current]').textContent()).toMatch(/^Transcript/);
  // A reload has the same rows, none twice.
  await page.reload();
  await page.goto(`${server.url}/runs/${id}?view=raw`);
  await page.getByText(`${rest.length} events`).waitFor();
  await page.context().close();
});

it('works with the keyboard alone', async () => {
  const page = await open('/');
  await page.locator('.run-row').nth(1).waitFor();
  const press = (...keys: string[]): Promise<void> =>
    keys.reduce(async (before, key) => (await before, page.keyboard.press(key)), Promise.resolve());
  await press('?');
  await page.getByRole('dialog').getByText('Mark the run for comparison').waitFor();
  await press('Escape', 'j', 'm', 'j', 'm', 'c');
  await page.getByRole('heading', { name: /ended/ }).waitFor();
  await press('u');
  await page.locator('.run-row').nth(1).waitFor();
  // Who clicked a box is not typing.
  for (const box of [0, 1]) await page.getByRole('checkbox').nth(box).click();
  await press('c');
  await page.getByRole('heading', { name: /ended/ }).waitFor();
  await press('u');
  await page.locator('.run-row').nth(1).waitFor();
  await press('/');
  await page.keyboard.type('cart test');
  await expect.poll(() => page.url()).toContain('search=cart');
  await page.goto(`${server.url}/runs/${runId(1)}`);
  await page.locator('.tabs').waitFor();
  await press('4');
  await page.locator('.row').first().waitFor();
  await press('/');
  await page.keyboard.type('discount');
  await expect.poll(() => page.locator('.search-count').textContent()).toMatch(/^\d+ in \d+ rows$/);
  await press('Enter', 'Escape', 'n', 'e');
  await page.locator('.row.is-selected').waitFor();
  // Enter is for the row that is chosen, not for one that was clicked before.
  await page.locator('.row-tool .row-button').first().click();
  await press('g');
  while ((await page.locator('.row.is-selected .row-button').count()) === 0) await press('j');
  await press('Enter');
  expect(await page.locator('.row.is-selected .row-button').getAttribute('aria-expanded')).toBe('true');
  expect(await page.locator('.row-tool .row-button').first().getAttribute('aria-expanded')).toBe('true');
  await press('3');
  await page.locator('.waterfall').waitFor();
  await press('+', '+', 'ArrowRight', 'j');
  await page.locator('.span.is-selected').waitFor();
  await press('Enter');
  await page.locator('.row.is-linked').waitFor();
  await press('r');
  await page.getByRole('region', { name: 'Replay' }).waitFor();
  const place = page.locator('.replay-place');
  await page.getByRole('slider').fill('5');
  await expect.poll(() => place.textContent()).toMatch(/^5 of \d+ · 2\.\ds$/);
  await press('.', '.', '.', 'ArrowRight', '.');
  await expect.poll(() => place.textContent()).toMatch(/^10 of \d+ · 1\d\.\ds$/);
  await press('Escape', 'y');
  await page.getByRole('menuitem', { name: 'Markdown' }).waitFor();
  await press('Escape', 't');
  await page.locator('.tree-row').first().waitFor();
  await page.context().close();
});

it('a replay that is moved as soon as it is there stays where it was put, and stays closed', async () => {
  const page = await browser.newPage();
  // Of a report, whose records are there at once.
  await page.goto(writeReport(join(pictures, 'replayed-report.html'), demoRun(1)).href);
  await page.locator('.tab').first().waitFor();
  // Before the page is painted, faster than any hand: a slow machine lets a quick one do the same.
  const move = (then: string): Promise<void> =>
    page.evaluate(async (key) => {
      const press = (name: string): boolean =>
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true }));
      press('r');
      let slider: HTMLInputElement | null = null;
      while (slider === null) {
        await Promise.resolve();
        slider = document.querySelector('.replay [type=range]');
      }
      slider.value = '5';
      slider.dispatchEvent(new InputEvent('input', { bubbles: true }));
      if (key !== '') press(key);
    }, then);
  const twoFrames = (): Promise<unknown> =>
    page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50))));
  await move('');
  await twoFrames();
  const place = page.locator('.replay-place');
  expect(await place.textContent()).toMatch(/^5 of \d+/);
  await page.keyboard.press('.');
  await expect.poll(() => place.textContent()).toMatch(/^6 of \d+/);
  await page.keyboard.press('Escape');
  await place.waitFor({ state: 'detached' });
  await move('Escape');
  await twoFrames();
  expect(await place.count()).toBe(0);
  await page.close();
});

it('a replay that is played while it moves plays on from where that leads', async () => {
  const page = await open(`/runs/${runId(1)}?view=events`);
  await page.locator('.row').first().waitFor();
  await page.keyboard.press('r');
  const total = await page.getByRole('slider').getAttribute('max');
  const place = page.locator('.replay-place');
  await page.getByRole('slider').fill(total ?? '');
  await page.getByRole('button', { name: 'Again', exact: true }).waitFor();
  await expect.poll(() => page.getByText('All 23 tests pass').count()).toBeGreaterThan(0);
  const held = Promise.withResolvers<void>();
  await page.route(/\/records\?.*follow=0/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.getByRole('slider').fill('20');
  await page.keyboard.press(' ');
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  held.resolve();
  await expect.poll(async () => Number.parseInt((await place.textContent()) ?? '', 10)).toBeGreaterThan(20);
  await page.context().close();
});

it('has a place for every filter, with its title and what the address says of it', async () => {
  const words = new Map([
    ...askableFilters.map(({ query, filter }) => [query, filter.hint ?? `word-${query}`] as const),
    ['status', 'error'],
    ['since', '1d'],
  ]);
  const page = await open(`/?${new URLSearchParams([...words])}`);
  for (const { query, filter } of askableFilters) {
    const title = filter.title ?? expect.fail(`${query} has no title`);
    if (query === 'status') await page.getByRole('group', { name: title }).locator('[aria-current]').waitFor();
    else {
      const control = page.locator(`label:has(> span:text-is("${title}")) > select, input[aria-label="${title}"]`);
      expect([query, await control.inputValue()]).toEqual([query, words.get(query)]);
    }
  }
  await page.context().close();
});

it('counts truly, folds the same tool, hides kinds, and keeps a link to an event', async () => {
  const page = await open(`/runs/${runId(1)}?view=events`);
  await page.locator('.row-fold').getByText('4 calls').waitFor();
  expect(await page.locator('.row-fold').count()).toBe(1);
  // What is looked for is what can be read: without colours, and without the escapes of JSON.
  for (const words of ['1 failed | 22 passed', '--stat -- "src"']) {
    await page.fill('#search-run', words);
    await expect.poll(() => page.locator('.search-count').textContent()).toBe('1 in 1 row');
  }
  await page.fill('#search-run', '');
  await page.getByRole('button', { name: 'Tools' }).click();
  await expect.poll(() => page.locator('.row-tool, .row-fold').count()).toBe(0);
  await page.getByRole('button', { name: 'Tools' }).click();
  await page.goto(`${server.url}/runs/${runId(1)}#e14`);
  await page.locator('.row.is-linked').waitFor();
  expect(await page.locator('.row.is-linked').getAttribute('aria-label')).toContain('read');
  await page.context().close();
});

it.runIf(isSweep)('a long list has every run once, and goes on with a filter while runs go on', async () => {
  const many = new FixtureServer();
  const { run } = demoRun(1);
  const old = { ...run, id: runId(999), status: 'running' as const, started_at: startOfAll - 9e9 };
  many.add({ run: old, records: [] });
  for (let number = 1; number <= 130; number += 1)
    many.add({ run: { ...run, id: runId(number), started_at: startOfAll - number * 1e6 }, records: [] });
  await many.start();
  const page = await browser.newPage();
  await page.goto(many.url);
  await page.getByRole('button', { name: 'Load more runs' }).click();
  const rows = page.locator('.run-what code');
  await expect.poll(() => rows.count()).toBeGreaterThan(101);
  const ids = await rows.allTextContents();
  expect(ids.length).toBe(new Set(ids).size);
  expect(ids.length).toBe(131);
  await page.goto(`${many.url}/?agent=codex`);
  await page.locator('.run-row').nth(1).waitFor();
  many.add({ run: { ...run, id: runId(500), title: 'A new one', started_at: startOfAll }, records: [] });
  // Something happens all the time, and the server is slower than that.
  many.delayMs = 1200;
  const telling = setInterval(() => many.tell(old), 100);
  await page.getByText('A new one').waitFor();
  clearInterval(telling);
  many.delayMs = 0;
  // What a tree of runs grows by is there at once, also below what is new itself.
  await page.goto(`${many.url}/runs/${runId(1)}/tree`);
  await page.locator('.tree-row').waitFor();
  many.tell({ ...run, id: runId(600), title: 'A child', parent_run_id: runId(1) });
  many.tell({ ...run, id: runId(601), title: 'A grandchild', parent_run_id: runId(600) });
  await page.getByText('A grandchild').waitFor();
  // The calls of a live run are shown although the server takes longer than it has until it is asked again.
  many.add({ run: { ...run, id: runId(602), status: 'running' }, records: demoRun(1).records });
  many.delayMs = 3500;
  await page.goto(`${many.url}/runs/${runId(602)}/tree`);
  await page.locator('.tree-tool').first().waitFor();
  many.delayMs = 0;
  // The server goes away.
  await page.goto(many.url);
  await page.getByRole('button', { name: 'Load more runs' }).waitFor();
  many.stop();
  await page.getByRole('button', { name: 'Load more runs' }).click();
  await page.getByText('The server does not answer').waitFor();
  await page.close();
});

it('tells how many errors there are, and finds in a live run what comes later', async () => {
  const failing = Array.from({ length: 12 }, (_, index) =>
    call('shell', 'command', { command: `step ${index}` }, 1, 'no', { status: 'error', exit_code: 1 }),
  ).flat();
  const { run } = demoRun(1);
  const id = runId(700);
  const running = {
    ...run,
    id,
    status: 'running' as const,
    labels: { kind: 'nightly', 'git.branch': 'main', 'git.commit': 'c'.repeat(40) },
  };
  const records = taped([
    begins(1),
    ...failing,
    [1, { type: 'error', scope: 'agent', code: 'unknown', message: 'last', fatal: true }],
  ]);
  server.add({ run: running, records: records.slice(0, 10) });
  const page = await open(`/runs/${id}?view=raw`);
  await page.fill('#filter-raw', 'step');
  await page.getByText('5 events').waitFor();
  server.append(id, records.slice(10));
  await page.getByText('12 events').waitFor();
  // A filter and a search are still there after a reload.
  await page.reload();
  await page.getByText('12 events').waitFor();
  expect(await page.inputValue('#filter-raw')).toBe('step');
  // Records that are far apart take no more room than others.
  server.append(
    id,
    records.slice(-1).map((record) => ({ ...record, sequence: 4_000_000_000 })),
  );
  await page.fill('#filter-raw', '');
  await page.getByText('27 events').waitFor();
  server.append(id, [], { status: 'error', class: 'expectation', exit_code: 9 });
  await page.getByText('The run has ended: Failed: expectation not met').waitFor();
  await page.locator('#filter-raw').blur();
  await page.keyboard.press('1');
  await page.getByText('6 more, in the transcript').waitFor();
  server.runs.delete(id);
  await page.context().close();
});

/** Bytes that a page holds after everything that can go has gone. */
async function heldBy(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize } = (await session.send('Runtime.getHeapUsage')) as {
    usedSize: number;
    backingStorageSize: number;
  };
  return usedSize + backingStorageSize;
}

async function openLong(id: string, events: number): Promise<Page> {
  const page = await open(`/runs/${id}?view=events`);
  await page.locator('.row').first().waitFor();
  await page.waitForFunction(
    (count) => document.querySelector('.tabs')?.textContent.includes(count),
    events.toLocaleString('en'),
  );
  return page;
}

/** Pages of it, jumps, and filters by kind. */
function useIt(page: Page, name: string): Promise<void> {
  return page.evaluate(async (mark) => {
    const frame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve));
    performance.mark(mark);
    const height = document.documentElement.scrollHeight;
    for (let step = 0; step < 24; step += 1) {
      scrollTo(0, step % 3 === 0 ? (height * ((step * 7) % 24)) / 24 : scrollY + 700);
      await frame();
    }
    for (const chip of document.querySelectorAll<HTMLElement>('.toolbar .chip'))
      for (let time = 0; time < 2; time += 1) {
        chip.click();
        await frame();
        await frame();
      }
  }, name);
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  tdur?: number;
}

it.runIf(isSweep)(
  'a run of 100,000 events opens at once, scrolls and filters as an empty page does, and takes no more memory than a short one',
  async () => {
    const short = await openLong(shortId, shortEvents);
    const little = await heldBy(short);
    await short.context().close();
    const page = await openLong(longId, longEvents);
    const bare = await page.context().newPage();
    await bare.setContent('<div style="height:4000000px"></div>');
    await browser.startTracing(page, { categories: ['toplevel', 'blink.user_timing'] });
    // In turns, so that both have their share of what else this machine does.
    for (let round = 0; round < (isSweep ? 3 : 1); round += 1) {
      await page.bringToFront();
      await useIt(page, 'the run');
      await bare.bringToFront();
      await useIt(bare, 'an empty page');
    }
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
    /** What kept the thread of a page for more than 100 ms of its own time: time that others took is not its fault. */
    const slowOf = (mark: string): number => {
      const own = traceEvents.find(({ name }) => name === mark);
      expect(own).toBeDefined();
      return traceEvents.filter(({ pid, tid, tdur = 0 }) => pid === own?.pid && tid === own.tid && tdur > 100_000)
        .length;
    };
    expect(traceEvents.some(({ tdur = 0 }) => tdur > 1000)).toBe(true);
    expect(slowOf('the run')).toBeLessThanOrEqual(slowOf('an empty page'));
    expect(await page.locator('.row').count()).toBeLessThan(120);
    // A hundred times as long: some figures of each row, and no text.
    expect((await heldBy(page)) - little).toBeLessThan(longEvents * 60);
    await page.fill('#search-run', 'npm test -- some/file');
    const turns = longEvents / 7;
    await expect
      .poll(() => page.locator('.search-count').textContent())
      .toBe(`${Math.floor(turns)} in ${Math.floor(turns)} rows`);
    await page.context().close();
  },
);

it('nothing went wrong in any page', () => {
  expect(failures).toEqual([]);
});
