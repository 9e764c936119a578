import { resolve } from 'node:path';
import type { RunAgent } from '../../builtin/agent.ts';
import type { Piece } from '../../events/record-json.ts';
import { Failure } from '../../failure.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { Writer } from '../../pipeline/writer.ts';
import { present } from '../../present.ts';
import { Redactor } from '../../redact/redactor.ts';
import { secretValues } from '../../redact/secrets.ts';
import type { Run } from '../../run/handle.ts';
import { start } from '../../run/run.ts';
import { type AnswerOutlet, answerSink, dialectSink, finalReportSink, reportSink, responseSink } from '../../run/sinks/dialect.ts';
import { type Narration, narrate } from '../../run/sinks/narration/narration.ts';
import { Outlet } from '../../run/sinks/outlet.ts';
import { closingOnFailure, type Sink } from '../../run/sinks/sink.ts';
import type { Script } from '../../run/sources/script.ts';
import type { RunSpec } from '../../contract/spec.ts';
import { withoutPassword } from '../../redact/url-password.ts';
import { ledgerPlace } from '../../stores/open-store.ts';
import { tapesPlace } from '../../stores/tapes-place.ts';
import type { Context, LastWords } from '../context.ts';
import type { Ci } from './ci.ts';
import { ciOf, type CiName } from './document-flags.ts';
import type { RunFlags } from './flags.ts';
import type { Format } from './format-flags.ts';
import type { HtmlDocument } from './html-document.ts';
import { lateOutcome } from './late-outcome.ts';
import { lateResponse } from './late-response.ts';
import { readReport } from './report.ts';
import { telemetryOf } from './telemetry.ts';
import type { loadWriter } from './writers.ts';

export interface Following {
  flags: RunFlags;
  spec: RunSpec;
  writer: Awaited<ReturnType<typeof loadWriter>>;
  loadAgent: (() => Promise<RunAgent>) | undefined;
  /** Directs the run instead of an agent. */
  script?: Script | undefined;
  /** Whether a terminal may be drawn on; default: yes. */
  mayDraw?: boolean;
  /** In text mode stdout gets the report instead of the answer. */
  tellsReport?: boolean;
  /** Receives the outcome of the run. */
  onOutcome?: ((outcome: RunOutcome) => void) | undefined;
  /** Receives the run as soon as there is one, and how to reach people meanwhile. */
  onRun?: (run: Run, people: Pick<Narration, 'complain' | 'around'>) => void;
}

/** A run in the foreground: reported on stdout and stderr while it happens; returns the exit code. */
export async function follow(
  { flags, spec, writer, loadAgent, script, mayDraw = true, tellsReport, onRun, onOutcome }: Following,
  context: Context,
): Promise<number> {
  const quiet = flags.quiet || flags.format.flag === '--json' || flags.format.flag === '--stream-json';
  // A program that reads events from the pipe may print them on the same terminal, in the middle of what is drawn there.
  const draws = writer === undefined && mayDraw;
  const narration = await narrate(
    {
      tell: quiet ? 'errors' : 'all',
      draws,
      flags: () => resumeFlags(spec, context),
      // An orchestration has no session that could be resumed.
      ...present({ agent: tellsReport === true ? undefined : agentOf(spec), permissionMode: spec.permission_mode }),
    },
    context,
  );
  const ciName = ciOf(flags.github, context.env);
  const told = ciName === undefined ? undefined : await import('./ci.ts');
  const ci = ciName === undefined || told === undefined ? undefined : new told.Ci(ciName, context);
  const outcomeFile = flags.documents.outcome ?? told?.usualOutcomeFile(ciName, context);
  const documents = { ...flags.documents, outcome: outcomeFile };
  let run: Run | undefined;
  let scratchpad = '';
  const startedAt = context.now();
  let documentSinks: readonly Sink[] = [];
  /** Files that were asked for, and are not there. */
  const missing: Failure[] = [];
  const onUnwritten = (message: string): void => void missing.push(new Failure('output', message));
  let html: HtmlDocument | undefined;
  const tellCi = (outcome: RunOutcome): Promise<void> | undefined =>
    ci?.tell(outcome, outcomeFile === undefined || outcomeFile === '-' ? undefined : resolve(context.cwd, outcomeFile));
  /** Called while the run is stuck: nothing here may wait. */
  const lastWords = (timeoutMs: number): LastWords => {
    const late = { spec, env: context.env, startedAt, now: context.now, timeoutMs };
    const outcome = lateOutcome(late);
    for (const sink of documentSinks) sink.end?.(outcome);
    html?.writeAlone(outcome);
    void tellCi(outcome);
    for (const { message } of missing) context.warn(`runwire: ${message}`);
    const exitCode = missing[0]?.exitCode ?? outcome.verdict.exit_code;
    if (writer === undefined || flags.format.flag !== '--json')
      return { stdout: documents.outcome === '-' ? `${JSON.stringify(outcome)}\n` : '', exitCode };
    return { stdout: lateResponse({ ...late, writer, scratchpad }), exitCode: 1 };
  };
  const print = (pieces: readonly Piece[]): Promise<void> => {
    narration.hide();
    return context.print(pieces);
  };
  const outlet = new Outlet(print, (problem) => {
    if (problem !== undefined) return run?.cancel({ kind: 'output', message: problem.message });
    // A reader that closed stdout wants nothing more, on stderr either.
    narration.mute();
    run?.cancel({ kind: 'pipe' });
  });
  try {
    if (documents.reportHtml !== undefined)
      html = new (await import('./html-document.ts')).HtmlDocument(documents.reportHtml, context, {
        complain: narration.complain,
        onUnwritten,
      });
    const place = ledgerPlace(flags.ledger, context.env, context.cwd);
    const kept = { keepsTape: flags.keepsTape, tapes: tapesPlace(flags.tapes, context.env, place) };
    const asked = place.kind === 'none' ? undefined : { place, ...kept };
    const ledger = html?.ledgerFor(asked) ?? asked;
    const telemetry = await telemetryOf(flags.otel, context, narration.complain);
    ci?.begin();
    run = start(spec, {
      env: context.env,
      variables: flags.extraEnv.set,
      sinks: () =>
        openSinks(
          {
            flags,
            spec,
            writer,
            tellsReport,
            outlet,
            narration,
            documents,
            onUnwritten,
            ci,
            ciName,
            onScratchpad: (name) => void (scratchpad = name),
            onDocuments: (opened) => void (documentSinks = opened),
          },
          context,
        ),
      ledger,
      report: readReport(flags.report, context.env),
      telemetry,
      keepsRecords: false,
      clock: context.now,
      warn: narration.complain,
      outside: {
        onSignal: context.onSignal,
        onCrash: context.onCrash,
        watchTime: (timeoutMs, onBlocked) =>
          context.watchTime(timeoutMs, () => {
            onBlocked();
            return lastWords(timeoutMs);
          }),
      },
      loadAgent,
      script,
    });
    onRun?.(run, narration);
    const outcome = await run.outcome;
    onOutcome?.(outcome);
    if (html !== undefined && ledger !== undefined) await html.write(run.id, ledger, outcome);
    if (flags.onEnd.length > 0) {
      const { runOnEnd } = await import('./on-end.ts');
      for (const each of flags.onEnd) await runOnEnd(each, outcome, { cwd: context.cwd, env: context.env, complain: narration.complain });
    }
    await tellCi(outcome);
    // A run that was stopped for it has said so.
    if (outlet.problem !== undefined && outcome.verdict.class !== 'output') missing.unshift(outlet.problem);
    if (missing.length > 0) narration.hide();
    let code = exitCodeOf(outcome, flags);
    for (const problem of missing) code = await unwritten(problem, flags.format, context);
    return code;
  } finally {
    html?.close();
    ci?.end();
    narration.close();
  }
}

function exitCodeOf(outcome: RunOutcome, { format }: RunFlags): number {
  return format.flag === '--json' ? Number(outcome.status !== 'success') : outcome.verdict.exit_code;
}

/** However the run ended: whoever asked for its output does not have it. */
export async function unwritten(problem: Failure, { flag }: Pick<Format, 'flag'>, context: Context): Promise<number> {
  const { describeFailure } = await import('../effects.ts');
  const exitCode = await describeFailure(problem, context);
  return flag === '--json' ? 1 : exitCode;
}

function agentOf({ agent, command }: RunSpec): string | undefined {
  return command === undefined ? agent : undefined;
}

/** The flags that a run needs again to resume this one, except any with a secret: a line to paste is seen, copied and kept. */
function resumeFlags(spec: RunSpec, { cwd, env }: Context): string[] {
  const redact = new Redactor({ values: secretValues(env) });
  const given: readonly (readonly [flag: string, value: string | undefined])[] = [
    ['--model', spec.model],
    ['--base-url', spec.base_url === undefined ? undefined : withoutPassword(spec.base_url)],
    ['--cwd', spec.cwd === cwd ? undefined : spec.cwd],
    ['--permission-mode', spec.permission_mode],
    ['--budget', spec.budget],
    ...spec.allow.map((rule) => ['--allow', rule] as const),
    ...spec.deny.map((rule) => ['--deny', rule] as const),
    ...spec.directories.map((folder) => ['--add-dir', folder] as const),
  ];
  return given.flatMap(([flag, value]) => (value === undefined || redact.text(value) !== value ? [] : [flag, value]));
}

interface Ways extends Omit<Following, 'loadAgent' | 'script' | 'mayDraw' | 'onRun' | 'onOutcome' | 'tellsReport'> {
  tellsReport: boolean | undefined;
  outlet: Outlet;
  narration: Narration;
  documents: RunFlags['documents'];
  onUnwritten: (message: string) => void;
  ci: Ci | undefined;
  /** stdout may be the log of this CI system. */
  ciName: CiName | undefined;
  /** Receives the name of the scratchpad. */
  onScratchpad: (name: string) => void;
  /** Receives the sinks that write documents. */
  onDocuments: (sinks: readonly Sink[]) => void;
}

async function openSinks(ways: Ways, context: Context): Promise<Sink[]> {
  const sinks: Sink[] = [ways.outlet];
  return closingOnFailure(sinks, () => fillSinks(sinks, ways, context));
}

async function fillSinks(
  sinks: Sink[],
  { flags, spec, writer, tellsReport, outlet, narration, documents, onUnwritten, ci, ciName, onScratchpad, onDocuments }: Ways,
  context: Context,
): Promise<Sink[]> {
  const { flag } = flags.format;
  const { complain } = narration;
  const answers = await harmlessOutlet(outlet, ciName);
  if (writer === undefined && documents.outcome !== '-') sinks.push(tellsReport === true ? finalReportSink(outlet) : answerSink(answers));
  else if (writer !== undefined && flag === '--json') {
    const { Scratchpad, scratchpadHome, scratchpadName } = await import('../../run/sinks/scratchpad.ts');
    const home = scratchpadHome(spec.cwd, spec.workspace !== undefined, context.env);
    const scratchpad = new Scratchpad(home, scratchpadName(spec.prompt, context.now()), complain);
    onScratchpad(scratchpad.name);
    sinks.push(scratchpad, responseSink(new Writer(...writer), outlet, scratchpad.name));
  } else if (writer !== undefined && flag === '--stream-json') sinks.push(reportSink(new Writer(...writer), outlet));
  else if (writer !== undefined) sinks.push(dialectSink(new Writer(...writer), outlet));
  if (flags.tape !== undefined) {
    const [{ TapeSink }, { fileTape }] = await Promise.all([import('../../run/sinks/tape.ts'), import('../../stores/file-tape.ts')]);
    sinks.push(new TapeSink(fileTape(resolve(context.cwd, flags.tape)), onUnwritten));
  }
  if (Object.values(documents).some((each) => each !== undefined)) {
    const { openDocuments } = await import('./documents.ts');
    const opened = await openDocuments(documents, { stdout: outlet, onUnwritten }, context);
    onDocuments(opened.filter((_sink, index) => index > 0 || documents.outcome !== '-'));
    sinks.push(...opened);
  }
  if (ci !== undefined) sinks.push(ci.sink);
  return [...sinks, narration.sink];
}

/** Nothing in the answer may act as a command to a CI runner. */
async function harmlessOutlet(outlet: Outlet, ciName: CiName | undefined): Promise<AnswerOutlet> {
  const through = (harmless: (text: string) => string): AnswerOutlet => ({
    write: (text) => outlet.write(harmless(text)),
  });
  if (ciName === 'github') return through((await import('../../reports/github.ts')).harmlessInLog);
  if (ciName === 'gitlab') return through((await import('../../reports/gitlab.ts')).harmlessInSections);
  return outlet;
}
