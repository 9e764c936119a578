import { randomPart } from '../ids/new-id.ts';
import type { RunSpec } from '../contract/spec.ts';
import type { EventRecord } from '../events/event.ts';
import { Failure, interruptCodes } from '../failure.ts';
import type { FileState } from '../files/file-state.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { patient } from '../processes/patience.ts';
import { quote } from '../processes/quote.ts';
import { Redactor } from '../redact/redactor.ts';
import { secretValues } from '../redact/secrets.ts';
import type { Run } from '../run/handle.ts';
import { start } from '../run/run.ts';
import type { Outside } from '../run/stop.ts';
import type { Clean } from '../wire/recording/clean.ts';
import { type Departure, departureText } from '../wire/replay/departure.ts';
import type { Answers } from '../wire/replay/matcher.ts';
import { movedAnswer } from '../wire/replay/moved.ts';
import type { Folders } from '../wire/replay/normalise.ts';
import { ReplayProvider } from '../wire/replay/provider.ts';
import type { Environment } from '../words/vocabulary.ts';
import { dropBranch } from '../workspace/drop.ts';
import { filesBetween } from '../workspace/file-states.ts';
import { EventCounter } from './event-counts.ts';
import type { RecordedRun } from './recorded-run.ts';

export interface PlayOptions {
  env: Environment;
  /** Another program than the agent's own in PATH. */
  program?: string | undefined;
  network: 'model' | 'open';
  /** A file for everything that happens, with a recording of its own. */
  tape?: string | undefined;
  warn: (message: string) => void;
  outside: Outside;
  now: () => number;
}

/** What came of a recorded run that was run again. */
export interface Played {
  outcome: RunOutcome;
  events: EventCounter;
  /** How many requests were answered, and those in which a tool printed its lines in another order. */
  answered: number;
  loose: number[];
  departure: Departure | undefined;
  /** It came to where the recorded run was stopped from outside, and was stopped there too. */
  isCutShort: boolean;
  /** The files that it changed; undefined: they could not be looked at. */
  files: readonly FileState[] | undefined;
  /** Where it worked. */
  folders: Folders;
  signal: string | undefined;
}

/** How long an agent that was told that its request was not recorded may take to end by itself. */
const lastWordsMs = patient(1500);

/**
 * Starts the agent of a recorded run again, in a copy of the commit that it began with. `answersFor` knows what its requests are
 * answered with; no provider is asked.
 */
export async function playAgain(
  recorded: RecordedRun,
  options: PlayOptions,
  answersFor: (folders: Folders, clean: Clean) => Answers,
): Promise<Played> {
  const { env, now } = options;
  const folders: Folders = { cwd: recorded.folders.cwd, home: env['HOME'], at: now() };
  const redactor = new Redactor({ values: secretValues(env) });
  const answers = answersFor(folders, (text) => redactor.text(text));
  const progress = new Progress(recorded, answers);
  const provider = new ReplayProvider(answers, progress, (answer) => movedAnswer(answer, recorded.folders, folders));
  await provider.open();
  const branch = `runwire/replay-${Buffer.from(randomPart(6)).toString('hex')}`;
  const work = new Work();
  try {
    const run = start(specFor(recorded, branch, options), {
      env,
      provider: { address: provider.address, worksIn: (folder) => void (folders.cwd = folder) },
      program: options.program,
      outside: progress.hearing(options.outside),
      warn: options.warn,
      clock: now,
      keepsRecords: false,
      sinks: async () => [work],
      ...(options.tape === undefined ? {} : { tape: { path: options.tape, onTrouble: options.warn } }),
    });
    progress.follow(run);
    const outcome = await run.outcome;
    if (progress.requests === 0) refuseUnbegun(outcome, progress);
    return {
      outcome,
      events: work.events,
      ...progress.result,
      files: await work.filesIn(recorded),
      folders,
    };
  } finally {
    progress.close();
    await provider.close();
    await dropBranch(recorded.repository, branch, undefined).catch(() => {});
  }
}

function specFor(
  { spec, commit, recording }: RecordedRun,
  branch: string,
  { network, tape }: Pick<PlayOptions, 'network' | 'tape'>,
): RunSpec {
  const { workspace, budget: _budget, parent: _parent, record_model: _file, ...rest } = spec;
  const { setup, copy = [] } = workspace ?? {};
  // Nobody has to be spared.
  const { max_requests_per_minute: _rate, ...limits } = rest.limits;
  // Some agents tell their model which branch they are on.
  const where = standOn(recording.head.branch, commit);
  return {
    ...rest,
    limits,
    wire: tape === undefined ? 'meter' : 'record',
    network,
    allow_host: [],
    labels: {},
    retry_delay_ms: 0,
    workspace: {
      isolate: 'auto',
      from: commit,
      dirty: 'ignore',
      branch,
      copy,
      setup: [where, ...(setup === undefined ? [] : [setup])].join(' && '),
    },
  };
}

function standOn(branch: string | undefined, commit: string): string {
  if (branch === undefined || branch === '') return `git checkout -q --detach ${quote(commit)}`;
  const ref = quote(`refs/heads/${branch}`);
  return `git update-ref ${ref} ${quote(commit)} && git symbolic-ref HEAD ${ref}`;
}

/** A run that asked nothing because it could not be started is no replay. */
function refuseUnbegun({ verdict }: RunOutcome, { isInterrupted }: Progress): void {
  if (isInterrupted || (verdict.class !== 'config' && verdict.class !== 'input')) return;
  throw new Failure(
    verdict.class,
    verdict.evidence.find(({ signal }) => signal === 'error')?.detail ?? verdict.evidence[0]?.detail ?? '',
  );
}

/** Follows the requests of a run that is run again, and stops it where the recording has no more to say. */
class Progress {
  readonly #recorded: RecordedRun;
  readonly #answers: Answers;
  readonly #loose: number[] = [];
  #run: Run | undefined;
  #departure: Departure | undefined;
  #isCutShort = false;
  #signal: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  requests = 0;

  constructor(recorded: RecordedRun, answers: Answers) {
    this.#recorded = recorded;
    this.#answers = answers;
  }

  follow(run: Run): void {
    this.#run = run;
  }

  /** Notes by which signal a person stops it. */
  hearing(outside: Outside): Outside {
    return {
      ...outside,
      onSignal: (listener) =>
        outside.onSignal((signal) => {
          this.#signal = signal;
          listener(signal);
        }),
    };
  }

  get isInterrupted(): boolean {
    return this.#signal !== undefined;
  }

  get result(): Pick<Played, 'answered' | 'loose' | 'departure' | 'isCutShort' | 'signal'> {
    return {
      answered: this.#answers.given,
      loose: this.#loose,
      departure: this.#departure,
      isCutShort: this.#isCutShort,
      signal: this.#signal,
    };
  }

  answered(recorded: number, isLoose: boolean): void {
    this.requests += 1;
    if (isLoose) this.#loose.push(recorded);
    const cause = this.#stoppedBy();
    if (cause === undefined || this.#answers.given < this.#answers.size) return;
    this.#isCutShort = true;
    this.#stopIn(this.#timeLeft(recorded), { kind: 'signal', signal: cause });
  }

  departed(departure: Departure): void {
    this.requests += 1;
    // The recorded run was stopped before it could ask this.
    if (this.#isCutShort) return this.#stopIn(0, { kind: 'signal', signal: this.#stoppedBy() ?? 'SIGTERM' });
    if (this.#departure !== undefined) return;
    this.#departure = departure;
    const message = departureText(departure, this.#answers.size);
    this.#stopIn(lastWordsMs, { kind: 'refused', code: 'config', message });
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #stopIn(ms: number, cause: Parameters<Run['cancel']>[0]): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run?.cancel(cause), ms);
  }

  /** By which signal the recorded run was stopped; a limit on time counts as one. Undefined: it came to its own end. */
  #stoppedBy(): 'SIGINT' | 'SIGTERM' | undefined {
    const { verdict } = this.#recorded.run.outcome ?? {};
    if (verdict?.class === 'time_limit') return 'SIGTERM';
    if (verdict?.class !== 'cancelled') return undefined;
    return verdict.exit_code === interruptCodes.SIGTERM ? 'SIGTERM' : 'SIGINT';
  }

  /** How long the recorded run went on after its last answer. */
  #timeLeft(number: number): number {
    const { exchanges } = this.#recorded.recording;
    const last = exchanges.find(({ request }) => request.number === number);
    const { duration_ms: whole = 0 } = this.#recorded.run;
    const until = (last?.request.at_ms ?? 0) + (last?.answer?.duration_ms ?? 0);
    return Math.max(0, Math.min(whole - until, longestCutMs));
  }
}

/** A recorded run that was stopped while a tool ran is stopped after as long, but nobody waits for hours. */
const longestCutMs = 60_000;

/** What the copy came to. */
class Work {
  readonly events = new EventCounter();
  #commit: string | undefined;

  record(record: EventRecord): void {
    this.events.see(record);
    if (record.type === 'branch.updated' && record.is_start !== true && record.commit !== undefined)
      this.#commit = record.commit;
  }

  async filesIn({ repository, commit }: RecordedRun): Promise<readonly FileState[] | undefined> {
    try {
      return this.#commit === undefined ? undefined : await filesBetween(repository.git, commit, this.#commit);
    } catch {
      return undefined;
    }
  }
}
