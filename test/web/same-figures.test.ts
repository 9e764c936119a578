import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import type { RunRecord } from '../../src/stores/run-store.ts';
import { compactDuration, costInWords, plural, seconds } from '../../src/terminal/figures.ts';
import { folder } from '../cli/run/scripted.ts';
import { serving } from '../server/serving.ts';
import { runwire } from '../support/command.ts';
import { some } from '../support/sweep.ts';
import { openBrowser } from './support/browser.ts';

let browser: Browser;
beforeAll(async () => void (browser = await openBrowser()));
afterAll(() => browser.close());

const recordings = join(import.meta.dirname, '..', 'recordings');
const names = some([
  'opencode@1.18.33/multi-tool',
  'codex@0.166.0/denied',
  'pi@0.73.1/multi-tool',
  'codex@0.166.0/multi-tool',
  'codex@0.166.0/error-429-always',
]);

interface Figures {
  duration_ms?: number | undefined;
  cost?: number | undefined;
  turns?: number | undefined;
  tool_calls?: number | undefined;
  files: number | undefined;
}

function ofRow({ duration_ms, cost, turns, tool_calls, artifacts: files }: RunRecord): Figures {
  return { duration_ms, cost, turns, tool_calls, files };
}

function ofOutcome({ metrics, artifacts }: RunOutcome): Figures {
  const { duration_ms, cost, turns, tool_calls_count: tool_calls } = metrics;
  return { duration_ms, cost, turns, tool_calls, files: artifacts.length };
}

it('the figures of a run are the same on the terminal, in the list, in one run, its outcome, the page, JUnit, Markdown and the API', async () => {
  const state = folder();
  const env = { XDG_STATE_HOME: state };
  const server = await serving(state);
  const page = await browser.newPage({ locale: 'en-US' });
  await page.goto(server.link);
  for (const name of names) {
    const stream = join(recordings, name, 'stdout.jsonl');
    const path = (file: string): string => join(state, file);
    const files = ['--outcome', path('o.json'), '--junit', path('j.xml'), '--report-md', path('m.md')];
    const { stderr } = await runwire(['run', ...files, '--tape', path('t.tape'), '--', 'cat', stream], { env });
    const json = async <Value>(...words: string[]): Promise<Value> =>
      JSON.parse((await runwire(words, { env })).stdout.trim().split('\n', 1)[0] ?? '') as Value;
    const outcome = JSON.parse(readFileSync(path('o.json'), 'utf8')) as RunOutcome;
    const expected = ofOutcome(outcome);
    const listed = await json<RunRecord>('runs', 'list', '--limit', '1');
    const { runs } = await server.json<{ runs: RunRecord[] }>('/api/runs?limit=1');
    expect({
      name,
      list: ofRow(listed),
      show: ofRow(await json<RunRecord>('runs', 'show', 'last')),
      // A tape has the agent's own times, and one of these recordings is older than the run that prints it.
      tape: { ...ofOutcome(await json<RunOutcome>('outcome', path('t.tape'))), duration_ms: expected.duration_ms },
      api: runs.map(ofRow),
      one: ofRow(await server.json<RunRecord>(`/api/runs/${listed.id}`)),
    }).toEqual({ name, list: expected, show: expected, tape: expected, api: [expected], one: expected });

    const { duration_ms: ms = -1, cost, turns = -1, tool_calls: tools = -1, files: changed = -1 } = expected;
    const work = [plural(turns, 'turn'), plural(tools, 'tool call'), plural(changed, 'changed file')];
    const dear = costInWords({ cost, cost_is: outcome.metrics.cost_is });
    const last = stderr.split('\n').find((line) => line.includes(' · ')) ?? '';
    for (const part of [
      seconds(ms),
      ...work.slice(0, tools > 0 ? 2 : 1),
      ...(changed > 0 ? work.slice(2) : []),
      // Where no tokens are known, nothing is said of their cost.
      dear ?? (outcome.metrics.input_tokens === undefined ? '' : 'cost unknown'),
    ])
      expect(last).toContain(part);
    const shown = (await runwire(['runs', 'show', 'last', '--text'], { env })).stdout;
    expect(shown).toContain(`took     ${compactDuration(ms)}`);
    expect(shown).toContain(`work     ${work.join(', ')}`);
    const [report, suite] = [readFileSync(path('m.md'), 'utf8'), readFileSync(path('j.xml'), 'utf8')];
    expect(report).toContain(`- **time**: ${compactDuration(ms)}`);
    expect(report).toContain(`- **work**: ${work.slice(0, 2).join(', ')}`);
    expect(suite).toContain(`time="${(ms / 1000).toFixed(3)}"`);
    await page.goto(new URL(`/runs/${listed.id}`, server.link).href);
    await page.getByText('Took').first().waitFor();
    const facts = await page.locator('.happened').innerText();
    for (const part of [seconds(ms), work.join(', '), ...(dear === undefined ? ['unknown'] : [dear])])
      expect(facts).toContain(part);
    if (dear !== undefined) for (const text of [shown, report]) expect(text).toContain(dear);
  }
  await page.close();
  server.child.kill();
});
