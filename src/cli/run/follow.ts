import { resolve } from 'node:path';
import type { Piece } from '../../events/record-json.ts';
import type { Failure } from '../../failure.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { Writer } from '../../pipeline/writer.ts';
import { present } from '../../json/present.ts';
import { Redactor } from '../../redact/redactor.ts';
import { secretValues } from '../../redact/secrets.ts';
import type { Run } from '../../run/handle.ts';
import { start, type StartOptions } from '../../run/run.ts';
import {
  type AnswerOutlet,
  answerSink,
  dialectSink,
  finalReportSink,
  reportSink,
  responseSink,
} from '../../run/sinks/dialect.ts';
import { type Narration, narrate } from '../../run/sinks/narration/narration.ts';
import { Outlet } from '../../run/sinks/outlet.ts';
import { closingOnFailure, type Sink } from '../../run/sinks/sink.ts';
import type { RunSpec } from '../../contract/spec.ts';
import { withoutPassword } from '../../redact/url-password.ts';
import type { Context, LastWords } from '../context.ts';
import type { CiName } from './document-flags.ts';
import { EndReports } from './end-reports.ts';
import type { RunFlags } from './flags.ts';
import type { Format } from './format-flags.ts';
import { lateOutcome } from './late-outcome.ts';
import { lateResponse } from './late-response.ts';
import { type CommandLine, type LeftRun, specLeft, startOfLeft, tellLeft, Wait } from './left-run.ts';
import { recordingOf } from './recording.ts';
import { telemetryOf } from './telemetry.ts';
import type { loadWriter } from './writers.ts';

/** How to reach people while a run is going on. */
export type People = Pick<Narration, 'complain' | 'around'>;

/** What takes the place of the built-in agent, or directs the run instead of one. */
export type Director = Pick<StartOptions, 'loadAgent' | 'script'>;

export interface Following {
  flags: RunFlags;
  spec: RunSpec;
  writer: Awaited<ReturnType<typeof loadWriter>>;
  /** Unset: the agent of the spec works alone. */
  directorOf?: (people: People) => Director;
  /** Whether a terminal may be drawn on; default: yes. */
  mayDraw?: boolean;
  /** In text mode stdout gets the report instead of the answer. */
  tellsReport?: boolean;
  /** So that another process can go on with it, should this one be killed while it waits for a limit. */
  commandLine?: CommandLine;
  /** The run that this process goes on with. */
  left?: LeftRun | undefined;
}

export interface Followed {
  code: number;
  outcome: RunOutcome;
}

/** A run in the foreground: reported on stdout and stderr while it happens. */
export async function follow(following: Following, context: Context): Promise<Followed> {
  const { flags, spec, writer, mayDraw = true, tellsReport } = following;
  const quiet = flags.quiet || flags.format.flag === '--json' || flags.format.flag === '--stream-json';
  const narration = await narrate(
    {
      tell: quiet ? 'errors' : 'all',
      // A program that reads events from the pipe may print them on the same terminal, in the middle of what is drawn there.
      draws: writer === undefined && mayDraw,
      flags: () => resumeFlags(spec, context),
      // An orchestration has no session that could be resumed.
      ...present({ agent: tellsReport === true ? undefined : agentOf(spec), permissionMode: spec.permission_mode }),
    },
    context,
  );
  const foreground = new Foreground({ following, context, narration, reports: await EndReports.of(flags, context) });
  try {
    return await foreground.run();
  } finally {
    foreground.close();
  }
}

interface Parts {
  following: Following;
  context: Context;
  narration: Narration;
  reports: EndReports;
}

class Foreground {
  readonly #parts: Parts;
  readonly #startedAt: number;
  readonly #outlet = new Outlet(
    (pieces) => this.#print(pieces),
    (problem) => this.#cannotPrint(problem),
  );
  #run: Run | undefined;
  /** The name of the scratchpad. */
  #scratchpad = '';

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#startedAt = parts.context.now();
  }

  async run(): Promise<Followed> {
    const { following, context, narration, reports } = this.#parts;
    const { flags, spec, directorOf } = following;
    const { complain } = narration;
    await reports.begin(complain);
    const { ledger: request, report } = recordingOf(flags, context);
    const ledger = reports.ledgerFor(request);
    const { commandLine, left } = following;
    if (!flags.quiet && commandLine !== undefined && left === undefined) tellLeft(context, complain);
    const wait = commandLine === undefined ? undefined : new Wait({ commandLine, before: left }, context, complain);
    const telemetry = await telemetryOf(flags.otel, context, complain);
    reports.fold();
    this.#run = start(left === undefined ? spec : specLeft(spec, left), {
      env: context.env,
      variables: flags.extraEnv.set,
      sinks: async () => [...(wait === undefined ? [] : [wait.sink]), ...(await this.#openSinks())],
      tape:
        flags.tape === undefined ? undefined : { path: resolve(context.cwd, flags.tape), onTrouble: reports.unwritten },
      ledger: ledger !== undefined && left !== undefined ? { ...ledger, lost: left.attempts } : ledger,
      report,
      telemetry,
      keepsRecords: false,
      clock: context.now,
      ...present({ pause: context.pause }),
      warn: complain,
      outside: {
        onSignal: context.onSignal,
        onCrash: context.onCrash,
        watchTime: (timeoutMs, onBlocked) =>
          context.watchTime(timeoutMs, () => {
            onBlocked();
            return this.#lastWords(timeoutMs);
          }),
      },
      ...present({ onWait: wait?.change }),
      ...(left === undefined ? {} : startOfLeft(left)),
      ...directorOf?.(narration),
    });
    if (wait !== undefined) wait.run = this.#run.id;
    const outcome = await this.#run.outcome;
    await reports.writePage(this.#run.id, ledger, outcome);
    if (flags.onEnd.length > 0) {
      const { runOnEnd } = await import('./on-end.ts');
      for (const each of flags.onEnd) await runOnEnd(each, outcome, { cwd: context.cwd, env: context.env, complain });
    }
    await reports.tellCi(outcome);
    return { code: await this.#exitCode(outcome), outcome };
  }

  close(): void {
    const { reports, narration } = this.#parts;
    reports.close();
    narration.close();
  }

  #print(pieces: readonly Piece[]): Promise<void> {
    const { narration, context } = this.#parts;
    narration.hide();
    return context.print(pieces);
  }

  #cannotPrint(problem: Failure | undefined): void {
    if (problem !== undefined) return this.#run?.cancel({ kind: 'output', message: problem.message });
    // A reader that closed stdout wants nothing more, on stderr either.
    this.#parts.narration.mute();
    this.#run?.cancel({ kind: 'pipe' });
  }

  /** Called while the run is stuck: nothing here may wait. */
  #lastWords(timeoutMs: number): LastWords {
    const { following, context, reports } = this.#parts;
    const { flags, spec, writer } = following;
    const late = { spec, env: context.env, startedAt: this.#startedAt, now: context.now, timeoutMs };
    const outcome = lateOutcome(late);
    reports.tellNow(outcome);
    for (const { message } of reports.missing) context.warn(`runwire: ${message}`);
    const exitCode = reports.missing[0]?.exitCode ?? outcome.verdict.exit_code;
    if (writer === undefined || flags.format.flag !== '--json')
      return { stdout: reports.isOnStdout ? `${JSON.stringify(outcome)}\n` : '', exitCode };
    return { stdout: lateResponse({ ...late, writer, scratchpad: this.#scratchpad }), exitCode: 1 };
  }

  async #exitCode(outcome: RunOutcome): Promise<number> {
    const { following, context, narration, reports } = this.#parts;
    const { format } = following.flags;
    const { problem } = this.#outlet;
    // A run that was stopped for it has said so.
    const missing =
      problem !== undefined && outcome.verdict.class !== 'output' ? [problem, ...reports.missing] : reports.missing;
    if (missing.length > 0) narration.hide();
    let code = format.flag === '--json' ? Number(outcome.status !== 'success') : outcome.verdict.exit_code;
    for (const each of missing) code = await unwritten(each, format, context);
    return code;
  }

  #openSinks(): Promise<Sink[]> {
    const { narration, reports } = this.#parts;
    const sinks: Sink[] = [this.#outlet];
    return closingOnFailure(sinks, async () => {
      sinks.push(...(await this.#stdoutSinks()));
      sinks.push(...(await reports.openSinks(this.#outlet)));
      return [...sinks, narration.sink];
    });
  }

  async #stdoutSinks(): Promise<readonly Sink[]> {
    const { following, context, narration, reports } = this.#parts;
    const { flags, spec, writer, tellsReport } = following;
    const outlet = this.#outlet;
    if (writer === undefined) {
      if (reports.takesStdout) return [];
      return [
        tellsReport === true ? finalReportSink(outlet) : answerSink(await harmlessOutlet(outlet, reports.ciName)),
      ];
    }
    const { flag } = flags.format;
    if (flag === '--stream-json') return [reportSink(new Writer(...writer), outlet)];
    if (flag !== '--json') return [dialectSink(new Writer(...writer), outlet)];
    const { Scratchpad, scratchpadHome, scratchpadName } = await import('../../run/sinks/scratchpad.ts');
    const home = scratchpadHome(spec.cwd, spec.workspace !== undefined, context.env);
    const scratchpad = new Scratchpad(home, scratchpadName(spec.prompt, context.now()), narration.complain);
    this.#scratchpad = scratchpad.name;
    return [scratchpad, responseSink(new Writer(...writer), outlet, scratchpad.name)];
  }
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

/** Nothing in the answer may act as a command to a CI runner. */
async function harmlessOutlet(outlet: Outlet, ciName: CiName | undefined): Promise<AnswerOutlet> {
  const through = (harmless: (text: string) => string): AnswerOutlet => ({
    write: (text) => outlet.write(harmless(text)),
  });
  if (ciName === 'github') return through((await import('../../reports/github.ts')).harmlessInLog);
  if (ciName === 'gitlab') return through((await import('../../reports/gitlab.ts')).harmlessInSections);
  return outlet;
}
