import { installVersion, packageOf } from '../../agents/npm-version.ts';
import { findAgent } from '../../agents/registry.ts';
import { readCount } from '../../contract/flag-values.ts';
import { exitCodes, Failure, interruptCodes } from '../../failure.ts';
import { shortRunId } from '../../ids/run-id.ts';
import { namedRun } from '../../ledger/find.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { recordedRun, type RecordedRun } from '../../replay/recorded-run.ts';
import { isOtherwise, Rehearsal } from '../../replay/rehearse.ts';
import type { Change, RehearsalReport, RehearsedRun } from '../../replay/report.ts';
import type { RunRecord } from '../../stores/run-store.ts';
import { plural } from '../../terminal/figures.ts';
import { paint } from '../../terminal/paint.ts';
import { oneLine } from '../../terminal/plain.ts';
import { type Screen, table } from '../../terminal/table.ts';
import type { Context } from '../context.ts';
import { noSuchLedger, useLedger } from '../runs/ledger.ts';
import { screenOf } from '../screen.ts';
import { hideKeys, isText, playOptions, type ReplayValues } from './prepare.ts';
import { departureLines } from './replay.ts';

type RehearseValues = ReplayValues & { package?: string; limit?: string };

const usualLimit = 20;
/** Recorded runs are looked for among so many. */
const mostLookedAt = 500;

/** From the flags to the exit code. */
export async function rehearseRuns(
  values: RehearseValues,
  [word = '', ...runs]: readonly string[],
  context: Context,
): Promise<number> {
  const [, id = '', version] = /^([^@]+)(?:@(.+))?$/.exec(word) ?? [];
  if (id === '') throw new Failure('input', 'expected an agent, such as: runwire rehearse codex@latest');
  const agent = findAgent(id);
  if ((version === undefined) === (values.with === undefined))
    throw new Failure(
      'input',
      version === undefined
        ? `which ${agent.title}? Name a version (${agent.id}@latest) or a program (--with PROGRAM)`
        : 'a version and --with PROGRAM: give one',
    );
  if (values.tape !== undefined && runs.length !== 1) throw new Failure('input', '--tape is for one run: name it');
  const limit = readCount('--limit', values.limit, usualLimit) ?? usualLimit;
  const options = playOptions(values, context);
  const program = version === undefined ? options.program : await installed(agent, version, values, context);
  const rehearsal = new Rehearsal(agent.id, { ...options, program });
  const trust = { env: context.env, isTrusted: values.trust === true };
  const chosen = await useLedger(
    values,
    context,
    async (ledger) => (runs.length > 0 ? namedRuns(ledger, runs, agent.id) : newestRuns(ledger, agent.id, limit)),
    noSuchLedger,
  );
  hideKeys(context);
  let isInterrupted = false;
  try {
    for (const run of chosen) {
      // One at a time: a recording may be large.
      const recorded = await useLedger(values, context, (ledger) =>
        recordedRun(ledger, run, trust).catch((error: unknown) => failureOf(error)),
      );
      const done = await rehearseOne(rehearsal, run, recorded);
      isInterrupted = done === undefined;
      if (isInterrupted) break;
      if (done !== undefined && isText(values, context))
        context.warn(
          `runwire: ${shortRunId(run.id)}: ${done.result}${done.reason === undefined ? '' : `: ${oneLine(done.reason, 300)}`}`,
        );
    }
    const { report } = rehearsal;
    if (isText(values, context)) await context.show(rehearsalText(report, screenOf(context)));
    else await context.print(`${JSON.stringify(report, null, context.stdoutIsTerminal ? 2 : 0)}\n`);
    if (isInterrupted) return interruptCodes.SIGINT;
    if (report.verdict_changes > 0) return exitCodes.expectation;
    return report.runs.some(({ result }) => result === 'failed') ? exitCodes.config : exitCodes.success;
  } finally {
    context.leaveSoon();
  }
}

async function installed(
  agent: ReturnType<typeof findAgent>,
  version: string,
  { package: given }: RehearseValues,
  context: Context,
): Promise<string> {
  const name = given ?? packageOf(agent);
  if (name === undefined)
    throw new Failure('input', `${agent.title} is not installed from npm: name its program with --with PROGRAM`);
  return installVersion(agent, { name, version, env: context.env });
}

function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

async function rehearseOne(
  rehearsal: Rehearsal,
  run: RunRecord,
  recorded: RecordedRun | Failure,
): Promise<RehearsedRun | undefined> {
  if (recorded instanceof Failure) return rehearsal.addFailed(run, recorded);
  try {
    return await rehearsal.add(recorded);
  } catch (error) {
    return rehearsal.addFailed(run, failureOf(error));
  }
}

async function namedRuns({ store }: Ledger, words: readonly string[], agent: string): Promise<RunRecord[]> {
  const found: RunRecord[] = [];
  for (const word of words) {
    const run = await namedRun(store, word);
    if (run.agent !== agent)
      throw new Failure(
        'input',
        `${shortRunId(run.id)} is a run of ${run.agent ?? 'an unknown agent'}, not of ${agent}`,
      );
    found.push(run);
  }
  return found;
}

/** Runs of this agent whose requests passed through the wire, and are on the tape. */
async function newestRuns({ store, tapes }: Ledger, agent: string, limit: number): Promise<RunRecord[]> {
  const { recordingOf } = await import('../../ledger/recording.ts');
  const found: RunRecord[] = [];
  let after: string | undefined;
  for (let looked = 0; looked < mostLookedAt && found.length < limit;) {
    const page = await store.list({ agent: [agent] }, { limit: 50, ...(after === undefined ? {} : { after }) });
    for (const { id } of page.runs) {
      looked += 1;
      const run = await store.get(id);
      if (run?.outcome?.wire === undefined || found.length >= limit) continue;
      if (
        await recordingOf(tapes, run).then(
          () => true,
          () => false,
        )
      )
        found.push(run);
    }
    after = page.next;
    if (after === undefined) break;
  }
  if (found.length > 0) return found;
  throw new Failure(
    'input',
    `no run of ${agent} has a recording; make one: runwire run --agent ${agent} --wire record "…"`,
  );
}

function rehearsalText(report: RehearsalReport, screen: Screen): string {
  const { agent, version, runs, changes } = report;
  const head = `${paint(`rehearsal of ${agent} ${version ?? ''}`.trim(), 'bold', screen)}  ${plural(runs.length, 'run')}\n`;
  const rows = table<RehearsedRun>(
    [
      { title: 'run', cell: ({ run }) => shortRunId(run) },
      { title: 'recorded', cell: ({ recorded_version: from = '' }) => from, leaves: 2 },
      {
        title: 'result',
        cell: ({ result }) => result,
        colour: (run) => (run.result === 'same' ? 'green' : isOtherwise(run) ? 'red' : undefined),
      },
      {
        title: 'requests',
        cell: ({ requests }) => (requests === undefined ? '-' : `${requests.answered}/${requests.recorded}`),
        align: 'right',
      },
      { title: 'verdict', cell: verdicts },
      { title: 'bytes', cell: bytes, align: 'right', leaves: 1 },
      { title: '', cell: ({ title }) => title, fills: true },
    ],
    runs,
    screen,
  );
  const departures = runs.flatMap(({ run, departure, requests }) =>
    departure === undefined ? [] : [`\n${shortRunId(run)}${departureLines(departure, requests?.recorded ?? 0)}`],
  );
  const shownChanges =
    changes.length === 0
      ? '\nNothing differs in its requests and events.\n'
      : `\n${table<Change>(
          [
            { title: 'what', cell: ({ what }) => what },
            { title: 'change', cell: ({ change, detail }) => (detail === undefined ? change : `${change} ${detail}`) },
            { title: 'recorded', cell: ({ recorded = '' }) => recorded, fills: true, leaves: 2 },
            { title: 'now', cell: ({ now = '' }) => now, fills: true, leaves: 1 },
            { title: 'runs', cell: (each) => String(each.runs.length), align: 'right' },
          ],
          changes,
          screen,
        )}`;
  const differences = runs.flatMap(({ run, differences: found }) =>
    found.map(
      ({ what, path, recorded, now }) =>
        `${shortRunId(run)}  ${what}${path === undefined ? '' : ` ${oneLine(path, 100)}`}: ${oneLine(recorded, 120)} → ${oneLine(now, 120)}\n`,
    ),
  );
  return `${head}\n${rows}${departures.join('')}${differences.length === 0 ? '' : `\n${differences.join('')}`}${shownChanges}`;
}

function verdicts({ verdict, reason }: RehearsedRun): string {
  if (verdict === undefined) return reason === undefined ? '-' : 'not run';
  const { recorded, now } = verdict;
  return recorded.class === now.class ? now.class : `${recorded.class} → ${now.class}`;
}

function bytes({ request_bytes: sizes }: RehearsedRun): string {
  if (sizes === undefined || sizes.recorded === 0 || sizes.recorded === sizes.now) return '';
  const share = ((sizes.now - sizes.recorded) / sizes.recorded) * 100;
  return `${share > 0 ? '+' : ''}${share.toFixed(1)}%`;
}
