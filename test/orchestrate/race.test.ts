import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inside, live } from '../cli/run/live.ts';
import { folder } from '../cli/run/scripted.ts';
import { isSweep, some } from '../support/sweep.ts';
import { spansIn, type SpanJson } from '../telemetry/spans-of.ts';
import type { ModelServer, TurnInput } from '../support/model-server/index.ts';
import { bash, brokenProject, fingerprint, git, serveModels, verify, write } from './crew.ts';

/** Two USD per million tokens in, ten out: what a run costs follows from what was served. */
const price = { input: 2, output: 10 };
const usage = (input: number, output: number) => ({ input, output });

/** The contestants: what each model does, and what it takes. */
const contestants: Readonly<Record<string, readonly TurnInput[]>> = {
  'fast-and-wrong': [
    { calls: [write('value.txt', 'left\n')], usage: usage(100, 10) },
    { text: 'Fixed.', usage: usage(200, 10) },
  ],
  'slow-and-right': [
    { calls: [bash('sleep 12')], usage: usage(1000, 10) },
    { calls: [write('value.txt', 'right\n')], usage: usage(1000, 10) },
    { text: 'Fixed, slowly.', usage: usage(1000, 10) },
  ],
  'dear-and-right': [
    { calls: [write('value.txt', 'right\n'), write('notes.txt', 'one\ntwo\nthree\n')], usage: usage(900_000, 1000) },
    { text: 'Fixed, at a price.', usage: usage(900_000, 1000) },
  ],
  hanging: [{ calls: [bash('sleep 600')], usage: usage(10, 10) }],
  'deletes-the-test': [
    { calls: [bash('rm test/value.sh && touch test/other.sh')], usage: usage(10, 1) },
    { text: 'Green.', usage: usage(10, 1) },
  ],
};

interface Report {
  status: string;
  summary: string;
  lineage: {
    branches: {
      branch_id: string;
      agent?: string;
      run_id?: string;
      status?: string;
      verified?: string;
      winner?: boolean;
      remarks?: string;
      cost?: number;
      commit?: string;
    }[];
  };
  usage: { runs: number; cost?: number };
}

async function race(
  models: readonly string[],
  flags: readonly string[],
  cwd: string,
  { command = verify, start = inside } = {},
): Promise<{ report: Report; status: number | null; stderr: string; server: ModelServer }> {
  const server = await serveModels(contestants);
  const agents = models.map((model) => `builtin=openai-compatible/${model}`).join(',');
  const rest = [
    '--base-url',
    server.baseUrl('chat'),
    '--permission-mode',
    'full',
    '--verify',
    command,
    '--price',
    `input=${price.input},output=${price.output}`,
  ];
  const { stdout, stderr, status } = await start(
    ['race', 'Make the test pass', '--agents', agents, ...rest, ...flags],
    { cwd },
  );
  return { report: JSON.parse(stdout) as Report, status, stderr, server };
}

const winnerOf = ({ lineage }: Report, models: readonly string[]): string | undefined => {
  const work = lineage.branches.slice(1);
  return models[work.findIndex(({ winner }) => winner === true)];
};

const served = ({ served: { requests } }: ModelServer): number =>
  requests.reduce(
    (sum, { answer }) =>
      sum + ((answer?.usage.input ?? 0) * price.input + (answer?.usage.output ?? 0) * price.output) / 1e6,
    0,
  );

const right = ['slow-and-right', 'dear-and-right'];

const rules: readonly (readonly [best: string, winner: string, wrong: readonly string[]])[] = [
  ['cheapest', 'slow-and-right', ['fast-and-wrong', 'deletes-the-test']],
  ['fastest', 'dear-and-right', []],
  ['smallest', 'slow-and-right', []],
];

it.concurrent.each(some(rules, 3))('--best %s picks %s, and costs what was served', async (best, expected, wrong) => {
  const cwd = brokenProject();
  const before = fingerprint(cwd);
  const models = [...right, ...wrong];
  const { report, status, server, stderr } = await race(models, ['--best', best], cwd, {
    start: wrong.length > 0 ? live : inside,
  });
  expect({ status, winner: winnerOf(report, models), runs: report.usage.runs }).toEqual({
    status: 0,
    winner: expected,
    runs: models.length + 1,
  });
  const verified = ['passed', 'passed', 'base_red', 'passed'].slice(0, models.length);
  expect(report.lineage.branches.slice(1).map((branch) => branch.verified)).toEqual(verified);
  expect(report.usage.cost).toBeCloseTo(served(server), 9);
  if (wrong.length > 0) {
    expect(report.lineage.branches[4]?.remarks).toBe('tests deleted: test/value.sh');
    expect(stderr).toContain('tests deleted: test/value.sh');
  }
  expect(fingerprint(cwd)).toBe(before);
  const won = report.lineage.branches.find(({ winner }) => winner === true);
  expect(git(cwd, 'show', `${won?.branch_id}:value.txt`)).toBe('right');
  expect(git(cwd, 'rev-parse', won?.branch_id ?? '')).toBe(won?.commit);
  rmSync(join(cwd), { recursive: true, force: true });
});

it.runIf(isSweep).concurrent('with a prompt, an open stdin is neither waited for nor spoken of', async () => {
  const server = await serveModels(contestants);
  const model = [
    '--agents',
    'builtin=openai-compatible/fast-and-wrong',
    '--base-url',
    server.baseUrl('chat'),
    '--permission-mode',
    'full',
  ];
  const args = ['race', '-p', 'Make the test pass', ...model, '--stream-json'];
  const { status, stderr } = await live(args, { cwd: brokenProject(), stdin: null });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

it.concurrent('--best first stops the others at once, even one that hangs', async () => {
  const cwd = brokenProject();
  const models = ['hanging', 'dear-and-right'];
  const { report, status } = await race(models, [], cwd);
  expect({ status, winner: winnerOf(report, models) }).toEqual({ status: 0, winner: 'dear-and-right' });
  expect(report.lineage.branches[1]).toMatchObject({ status: 'cancelled', verified: 'base_red' });
});

it.runIf(isSweep).concurrent('without a winner the exit code is that of the class most of them ended in', async () => {
  const cwd = brokenProject();
  const spansFile = join(folder(), 'spans.jsonl');
  const { report, status } = await race(['fast-and-wrong', 'deletes-the-test'], ['--otel', spansFile], cwd);
  expect({ status, reported: report.status }).toEqual({ status: 3, reported: 'FINISHED_WITH_ERROR' });
  expect(report.summary).toContain('No winner, and the base is red.');
  expect(underWhat(spansIn(readFileSync(spansFile, 'utf8')))).toEqual({
    'invoke_workflow runwire': undefined,
    'execute_tool execute_agent': 'invoke_workflow runwire',
    'execute_tool verify': 'invoke_workflow runwire',
    'invoke_agent runwire': 'execute_tool execute_agent',
    'execute_tool write': 'invoke_agent runwire',
    'execute_tool bash': 'invoke_agent runwire',
    'chat fast-and-wrong': 'invoke_agent runwire',
    'chat deletes-the-test': 'invoke_agent runwire',
  });
});

/** Spans by name, each with the name of the one above it. */
function underWhat(spans: readonly SpanJson[]): Record<string, string | undefined> {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  return Object.fromEntries(spans.map(({ name, parentSpanId = '' }) => [name, names.get(parentSpanId)]));
}

it.runIf(isSweep).concurrent('a race that takes too long ends in time, and says so', async () => {
  const cwd = brokenProject();
  const { report, status } = await race(['hanging', 'hanging'], ['--timeout', '3s'], cwd);
  expect(status).toBe(124);
  expect(report.lineage.branches.slice(1).map((branch) => branch.status)).toEqual(['time_limit', 'time_limit']);
});

it.runIf(isSweep).concurrent('verification has no more time than the race', async () => {
  // Enough for an agent on a busy machine: it must have done its work by then.
  const { report, status } = await race(['dear-and-right'], ['--timeout', '8s'], brokenProject(), {
    command: 'sleep 601',
  });
  expect({ status, said: report.summary.startsWith('No winner') }).toEqual({ status: 124, said: true });
});
