import { Failure } from '../../failure.ts';
import { findRun, namedRun } from '../../ledger/find.ts';
import { ChildSums } from '../../ledger/child-sums.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { tapeOf } from '../../ledger/run-tape.ts';
import { readTimeline, type Timeline } from '../../ledger/timeline.ts';
import { ledgerPlace } from '../../stores/open-store.ts';
import { shortRunId } from '../../ids/run-id.ts';
import { present } from '../../json/present.ts';
import { networkInWords } from '../../outcome/network.ts';
import { claimLines } from '../../reports/outcome-text.ts';
import type { RunRecord } from '../../stores/run-store.ts';
import type { Tape } from '../../tapes/tape.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { oneLine, plain } from '../../terminal/plain.ts';
import { ago, compactCount, compactDuration, costInWords, dollars, plural } from '../../terminal/figures.ts';
import { type LedgerFlags, ledgerOption, noSuchLedger, runWords, useLedger } from './ledger.ts';
import { endOf, statusColour } from './list.ts';
import { paint } from '../../terminal/paint.ts';
import type { Screen } from '../../terminal/table.ts';
import { screenOf } from '../screen.ts';
import { htmlReport } from '../../ledger/html-report.ts';
import { isUnchanged } from '../../outcome/lineage.ts';
import { drawTimeline, shownEntry } from './timeline.ts';

export const show = command({
  name: 'runs show',
  summary: 'Show one run: verdict, answer, timeline, files',
  operands: 'ID',
  description: `ID is the beginning of an id as "runwire runs" shows it, the name of a queued run, or "last". The timeline comes from the run's tape.
Prints text on a terminal, else one JSON document (see "runwire schema run").`,
  options: {
    json: { type: 'boolean', help: 'Print JSON, even on a terminal' },
    text: { type: 'boolean', help: 'Print text for people, even in a pipe' },
    html: { type: 'boolean', help: 'Print the page of "runwire serve" for this run, as one file' },
    wire: {
      type: 'boolean',
      help: 'Show each request to a model instead, of a run with --wire record: what was new, what came back',
    },
    ...ledgerOption,
  },
  examples: [
    ['runwire runs show last', 'What the last run did'],
    [
      'runwire runs show last --html > report.html',
      'One file to attach or keep: verdict, answer, diffs, timeline, transcript',
    ],
    ['runwire runs show last --wire', 'What its model was asked, and answered'],
    ['runwire runs show 7kq2 --json | jq \'.timeline[] | select(.status != "success")\'', 'The tools that failed'],
  ],
  async run(values, operands, context) {
    const [word = ''] = runWords(operands, 1, 'one run: an id, or last');
    return useLedger(
      values,
      context,
      async (ledger) => {
        const { store, tapes } = ledger;
        const run = await new ChildSums(store).complete(
          (await queuedRecord(ledger, word, values, context)) ?? (await namedRun(store, word)),
        );
        if (values.html === true) {
          if (context.stdoutIsTerminal)
            throw new Failure('input', '--html writes a page: redirect it to a file, such as: > report.html');
          for await (const part of htmlReport(ledger, run)) await context.print(part);
          return 0;
        }
        const isText = values.json !== true && (values.text === true || context.stdoutIsTerminal);
        if (values.wire === true) {
          const [{ recordingOf }, { wireOf }, { drawWire }] = await Promise.all([
            import('../../ledger/recording.ts'),
            import('../../ledger/wire-view.ts'),
            import('./wire.ts'),
          ]);
          const wire = wireOf(await recordingOf(tapes, run));
          if (isText) await context.show(drawWire(wire, screenOf(context)));
          else await context.print(`${JSON.stringify(wire, null, context.stdoutIsTerminal ? 2 : 0)}\n`);
          return 0;
        }
        const found = await tapeOf(tapes, run);
        const timeline = 'tape' in found ? await timelineOf(found.tape, context) : undefined;
        const shown = { ...run, ...present({ timeline: timeline?.entries.map(shownEntry) }) };
        if (isText)
          await context.show(
            describe(
              run,
              { timeline, missing: 'missing' in found ? found.missing : undefined },
              screenOf(context),
              context.now(),
            ),
          );
        else await context.print(`${JSON.stringify(shown, null, context.stdoutIsTerminal ? 2 : 0)}\n`);
        return 0;
      },
      noSuchLedger,
    );
  },
});

/** A run by the name that it has in the queue; undefined: the ledger knows the word, or nobody does. */
async function queuedRecord(
  { store }: Ledger,
  word: string,
  flags: LedgerFlags,
  context: Context,
): Promise<RunRecord | undefined> {
  if (
    ledgerPlace(flags.ledger, context.env, context.cwd).kind !== 'postgres' ||
    (await findRun(store, word)).kind !== 'none'
  )
    return undefined;
  const { queuedRun, useQueue } = await import('../fleet/queue.ts');
  return useQueue(flags.ledger, context, async (queue) => {
    const id = await queuedRun(queue, word);
    if (id === undefined) return undefined;
    const run = await store.get(id);
    if (run !== undefined) return run;
    const { queuedState } = await import('../../fleet/queued-state.ts');
    const { state } = await queuedState(queue, id);
    const short = shortRunId(id);
    throw new Failure(
      'input',
      `the run ${short} is not in the ledger yet: ${state}; "runwire runs wait ${short}" waits for it`,
    );
  });
}

const filesShown = 50;
const promptLines = 12;

/** A run can be shown without its tape. */
async function timelineOf(tape: Tape, context: Context): Promise<Timeline | undefined> {
  try {
    return await readTimeline(tape);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    context.warn(`runwire: no timeline: ${oneLine(error.message, 400)}`);
    return undefined;
  }
}

interface OfTape {
  timeline: Timeline | undefined;
  /** Why there is no tape to read. */
  missing: string | undefined;
}

function describe(run: RunRecord, { timeline, missing }: OfTape, screen: Screen, now: number): string {
  const { outcome } = run;
  const facts: [string, string | undefined][] = [
    ['started', started(run.started_at, now)],
    ['took', run.duration_ms === undefined ? undefined : compactDuration(run.duration_ms)],
    ['agent', joined(run.agent, run.agent_version)],
    ['model', run.model],
    ['session', run.session_id],
    ['in', run.cwd],
    ['on', run.host],
    ['tokens', tokens(run)],
    ['cost', run.cost === undefined ? undefined : `${costInWords(run)} (${run.cost_source})`],
    ['network', outcome?.network === undefined ? undefined : networkInWords(outcome.network)],
    ['work', work(run)],
    ['kept', kept(run)],
    ['tape', run.tape === undefined ? undefined : missing],
    ['parent', parent(run)],
    ['children', children(run)],
    [
      'labels',
      Object.entries(run.labels)
        .map(([key, value]) => `${key}=${value}`)
        .join(' ') || undefined,
    ],
  ];
  const sections = [
    `${paint(`run ${shortRunId(run.id)}`, 'bold', screen)}  ${paint(endOf(run), statusColour(run), screen)}  ${paint(run.id, 'dim', screen)}\n`,
    facts
      .flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(8)} ${oneLine(value, 400)}\n`]))
      .join(''),
    section(
      'Why',
      (outcome?.verdict.evidence ?? []).map(({ signal, detail }) => `${oneLine(signal)}: ${oneLine(detail, 400)}`),
      screen,
    ),
    section(
      'Tries',
      run.attempts.map(
        ({ number, class: verdict, reason }) => `${number}: ${oneLine(joined(verdict, reason) ?? '', 400)}`,
      ),
      screen,
    ),
    section('Prompt', head(run.prompt, promptLines), screen),
    section(
      'Answer',
      outcome === undefined || outcome.message === '' ? [] : plain(outcome.message.trimEnd()).split('\n'),
      screen,
    ),
    section('Claims', outcome === undefined ? [] : claimLines(outcome).slice(0, filesShown), screen),
    section(
      'Warnings',
      (outcome?.warnings ?? []).slice(0, filesShown).map((text) => oneLine(text, 400)),
      screen,
    ),
    section('Branches', branches(run), screen),
    section('Files', files(run), screen),
    timeline === undefined ? section('Tools', tools(run), screen) : timelineSection(timeline, screen),
  ];
  return sections.join('');
}

function started(at: number, now: number): string {
  const when = new Date(at).toISOString();
  const past = ago(at, now);
  return when.startsWith(past) ? when : `${when} (${past})`;
}

function timelineSection(timeline: Timeline, screen: Screen): string {
  return timeline.entries.length === 0
    ? ''
    : `\n${paint('Timeline', 'bold', screen)}\n${drawTimeline(timeline, screen)}`;
}

function section(title: string, lines: readonly string[], screen: Screen): string {
  return lines.length === 0 ? '' : `\n${paint(title, 'bold', screen)}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function head(text: string, count: number): string[] {
  if (text.trim() === '') return [];
  const lines = plain(text.trim()).split('\n');
  return lines.length <= count ? lines : [...lines.slice(0, count), `… ${plural(lines.length - count, 'more line')}`];
}

function files({ outcome }: RunRecord): string[] {
  const all = outcome?.artifacts ?? [];
  const hidden = Math.max(0, all.length - filesShown) + (outcome?.omitted?.artifacts ?? 0);
  const shown = all.slice(0, filesShown).map(({ path, operation }) => `${operation.padEnd(8)} ${oneLine(path, 400)}`);
  return hidden === 0 ? shown : [...shown, `… ${plural(hidden, 'more file')}`];
}

/** What became of the branches of an orchestration or a race. */
function branches({ outcome }: RunRecord): string[] {
  const { lineage, publish, omitted } = outcome ?? {};
  const made = (lineage?.branches ?? []).filter(({ branch_id: id }) => id !== lineage?.start_branch_id);
  if (made.length === 1 && made[0]?.isolation !== undefined && publish === undefined) return [];
  const shown = made.map(
    ({ branch_id: id, agent, status, verified, winner, remarks, files: count, cost, run_id: run }) => {
      const facts = [
        winner === true ? 'winner' : undefined,
        agent,
        status,
        verified === undefined || verified === 'not_run' ? undefined : `verify ${verified}`,
        count === undefined ? undefined : plural(count, 'file'),
        dollars(cost),
        remarks,
        run === undefined ? undefined : `run ${shortRunId(run)}`,
      ];
      return `${oneLine(id, 200)}: ${oneLine(facts.filter((fact) => fact !== undefined).join(', '), 400)}`;
    },
  );
  const hidden = omitted?.branches ?? 0;
  const word = publish === undefined ? undefined : (publish.message ?? publish.status);
  return [
    ...shown,
    ...(hidden === 0 ? [] : [`… and ${hidden} more`]),
    ...(word === undefined ? [] : [`published: ${oneLine(word, 400)}`]),
  ];
}

/** What the ledger itself knows about the tool calls, for when there is no tape. */
function tools({ outcome }: RunRecord): string[] {
  return (outcome?.tool_calls ?? []).slice(0, filesShown).map(({ name, status, reason, duration_ms: ms }) => {
    return [oneLine(name, 40), oneLine(reason ?? status, 40), ms === undefined ? '' : compactDuration(ms)]
      .join('  ')
      .trimEnd();
  });
}

function tokens({
  input_tokens: input,
  output_tokens: output,
  cache_read_tokens: cached,
}: Partial<RunRecord>): string | undefined {
  const parts = [
    input === undefined ? undefined : `${compactCount(input)} in`,
    cached === undefined || cached === 0 ? undefined : `${compactCount(cached)} of it cached`,
    output === undefined ? undefined : `${compactCount(output)} out`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(', ');
}

function work({ turns, tool_calls: calls, artifacts }: RunRecord): string | undefined {
  if (turns === undefined) return undefined;
  return [plural(turns, 'turn'), plural(calls ?? 0, 'tool call'), plural(artifacts ?? 0, 'changed file')].join(', ');
}

/** What a run in a private copy left. */
function kept({ id, outcome }: RunRecord): string | undefined {
  const lineage = outcome?.lineage;
  const made = (lineage?.branches ?? []).filter(({ isolation }) => isolation !== undefined);
  if (lineage !== undefined && made.length > 0 && made.every((branch) => isUnchanged(lineage, branch)))
    return `in a private copy (${made[0]?.isolation}), in which nothing was changed`;
  const words = made.map(({ branch_id: branch, isolation }) => `in a private copy (${isolation}), kept as ${branch}`);
  return words.length === 0
    ? undefined
    : `${words.join('; ')}: runwire apply ${shortRunId(id)} | runwire drop ${shortRunId(id)}`;
}

function parent({ parent_run_id: id, root_run_id: root }: RunRecord): string | undefined {
  if (id === undefined) return undefined;
  return root === undefined || root === id ? shortRunId(id) : `${shortRunId(id)}, in the tree of ${shortRunId(root)}`;
}

/** The runs below it, in words; none of their figures are included in those of the run itself. */
function children({ children: totals }: RunRecord): string | undefined {
  if (totals === undefined) return undefined;
  const { runs, running, cost_known: known } = totals;
  const cost = costInWords(totals);
  return [
    plural(runs, 'run') + (running === 0 ? '' : ` (${running} running)`),
    tokens(totals),
    cost === undefined ? undefined : cost + (known === runs ? '' : ` (known of ${known})`),
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}

function joined(...parts: readonly (string | undefined)[]): string | undefined {
  return parts.filter((part) => part !== undefined && part !== '').join(' ') || undefined;
}
