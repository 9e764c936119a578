import type { Failure } from '../failure.ts';
import { present } from '../json/present.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import type { RunRecord } from '../stores/run-store.ts';
import { ConversationMatcher } from '../wire/replay/conversation.ts';
import { departureReport, differencesFrom, resultOf, verdictOf } from './compare.ts';
import { eventChanges } from './event-counts.ts';
import { playAgain, type Played, type PlayOptions } from './play.ts';
import type { RecordedRun } from './recorded-run.ts';
import { rulesOf } from './replay.ts';
import type { Change, RehearsalReport, RehearsedRun } from './report.ts';
import { changesIn, type RequestChange } from './request-changes.ts';

/** Runs recorded runs again with another version of their agent, one after the other, and tells what it does otherwise. */
export class Rehearsal {
  readonly #agent: string;
  readonly #options: PlayOptions;
  readonly #runs: RehearsedRun[] = [];
  readonly #changes = new Map<string, Change>();
  #version: string | undefined;

  constructor(agent: string, options: PlayOptions) {
    this.#agent = agent;
    this.#options = options;
  }

  get report(): RehearsalReport {
    return {
      agent: this.#agent,
      ...present({ version: this.#version }),
      runs: this.#runs,
      changes: [...this.#changes.values()],
      verdict_changes: this.#runs.filter(isOtherwise).length,
    };
  }

  /** Undefined: a person stopped it. */
  async add(recorded: RecordedRun): Promise<RehearsedRun | undefined> {
    const { run, recording, folders: recordedIn } = recorded;
    const bytes = { recorded: 0, now: 0 };
    let size = 0;
    const played = await playAgain(recorded, this.#options, (folders, clean) => {
      const options = { rules: rulesOf(recorded), clean, recordedIn, folders };
      const matcher = new ConversationMatcher(recording.exchanges, options, ({ body }, now) => {
        bytes.recorded += JSON.stringify(body).length;
        bytes.now += JSON.stringify(now).length;
        for (const change of changesIn(body, now)) this.#note(run, change);
      });
      size = matcher.size;
      return matcher;
    });
    const { outcome, departure, answered } = played;
    this.#version ??= outcome.provenance.version;
    const differences = departure === undefined ? differencesFrom(recorded, played) : [];
    const result = resultOf(played, differences);
    if (result === 'interrupted') return undefined;
    if (departure === undefined && !played.isCutShort) this.#noteRun(recorded, played, { size });
    const rehearsed: RehearsedRun = {
      run: run.id,
      title: run.title,
      ...present({ recorded_version: run.agent_version, version: outcome.provenance.version }),
      result,
      requests: { recorded: size, answered },
      ...present({ departure: departureReport(departure) }),
      verdict: { recorded: verdictOf(run.outcome ?? outcome), now: verdictOf(outcome) },
      differences,
      request_bytes: bytes,
    };
    this.#runs.push(rehearsed);
    return rehearsed;
  }

  /** It cannot be rehearsed. */
  addFailed(run: RunRecord, failure: Failure): RehearsedRun {
    const rehearsed: RehearsedRun = {
      run: run.id,
      title: run.title,
      ...present({ recorded_version: run.agent_version }),
      result: 'failed',
      reason: failure.message,
      differences: [],
    };
    this.#runs.push(rehearsed);
    return rehearsed;
  }

  #note({ id }: RunRecord, change: RequestChange): void {
    const { recorded: _recorded, now: _now, ...what } = change;
    const key = JSON.stringify(change.area === 'parameter' ? change : what);
    const known = this.#changes.get(key);
    if (known === undefined) this.#changes.set(key, { ...change, count: 1, runs: [id] });
    else {
      known.count += 1;
      if (!known.runs.includes(id)) known.runs.push(id);
    }
  }

  /** What can be said of a run that came to its end. */
  #noteRun({ run, events }: RecordedRun, { outcome, events: now, answered }: Played, { size }: { size: number }): void {
    for (const { kind, recorded, now: count } of eventChanges(events.counts, now.counts))
      this.#note(run, {
        area: 'event',
        what: kind,
        change: recorded === 0 ? 'added' : count === 0 ? 'removed' : 'changed',
        ...(recorded > 0 && count > 0 ? { recorded: String(recorded), now: String(count) } : {}),
      });
    const before = new Set(shapesOf(run.outcome));
    for (const what of shapesOf(outcome))
      if (!before.has(what)) this.#note(run, { area: 'unknown', what, change: 'added' });
    if (events.exitCode !== now.exitCode)
      this.#note(run, { area: 'exit', what: 'exit code of the agent', ...changed(events.exitCode, now.exitCode) });
    if (answered !== size) this.#note(run, { area: 'request', what: 'requests', ...changed(size, answered) });
    for (const field of ['input_tokens', 'output_tokens'] as const) {
      const [one, other] = [reported(run.outcome)?.[field], reported(outcome)?.[field]];
      if (one !== other) this.#note(run, { area: 'tokens', what: `${field} that it reports`, ...changed(one, other) });
    }
  }
}

/** A run that ends otherwise than the recorded one, or does not come to its end. */
export function isOtherwise({ result, differences }: RehearsedRun): boolean {
  return result === 'departed' || differences.some(({ what }) => what === 'verdict');
}

type Outcome = Pick<RunOutcome, 'provenance' | 'wire' | 'metrics'>;

/** Lines that nobody knew how to read. */
function shapesOf(outcome: Outcome | undefined): string[] {
  return (outcome?.provenance.notes ?? []).flatMap(({ kind, what }) => (kind === 'unrecognised' ? [what] : []));
}

function reported(outcome: Outcome | undefined): NonNullable<RunOutcome['wire']>['agent_reported'] {
  return outcome?.wire?.agent_reported;
}

function changed(recorded: unknown, now: unknown): Pick<RequestChange, 'change' | 'recorded' | 'now'> {
  return { change: 'changed', recorded: String(recorded ?? 'none'), now: String(now ?? 'none') };
}
