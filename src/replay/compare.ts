import type { FileState } from '../files/file-state.ts';
import { present } from '../json/present.ts';
import { cutAfter } from '../redact/cut.ts';
import type { Departure } from '../wire/replay/departure.ts';
import { normalise } from '../wire/replay/normalise.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import type { ReplayReport } from './report.ts';
import type { Played } from './play.ts';
import type { RecordedRun } from './recorded-run.ts';

type Difference = ReplayReport['differences'][number];

/** Enough to see what it is about; a tape has the whole. */
const mostShown = 2000;
const mostFiles = 200;

type Ended = Pick<RunOutcome, 'verdict' | 'message'>;

/** What a run came to, beside what the recorded one did: verdict, answer and files. */
export function differencesFrom(recorded: RecordedRun, played: Played): Difference[] {
  const { outcome: before } = recorded.run;
  // How a run ends that is stopped from outside is not for the agent to say.
  if (before === undefined || played.isCutShort) return [];
  return [
    ...verdictDifference(before, played.outcome),
    ...answerDifference(recorded, before, played),
    ...fileDifferences(recorded.recording.files, played.files),
  ];
}

const shownVerdict = ({ verdict }: Ended): string => `${verdict.class} (exit ${verdict.exit_code})`;

function verdictDifference(before: Ended, now: Ended): Difference[] {
  const [recorded, after] = [shownVerdict(before), shownVerdict(now)];
  return recorded === after ? [] : [{ what: 'verdict', recorded, now: after }];
}

function answerDifference({ folders }: RecordedRun, before: Ended, played: Played): Difference[] {
  const recorded = String(normalise(before.message, {}, folders)).trim();
  const now = String(normalise(played.outcome.message, {}, played.folders)).trim();
  if (recorded === now) return [];
  return [{ what: 'answer', recorded: cutAfter(recorded, mostShown), now: cutAfter(now, mostShown) }];
}

function fileDifferences(
  before: readonly FileState[] | undefined,
  after: readonly FileState[] | undefined,
): Difference[] {
  if (before === undefined || after === undefined) return [];
  const [recorded, now] = [new Map(before), new Map(after)];
  const shown = (states: ReadonlyMap<string, string | null>, path: string): string =>
    states.has(path) ? (states.get(path) ?? 'deleted') : 'as it was';
  return [...new Set([...recorded.keys(), ...now.keys()])]
    .filter((path) => recorded.get(path) !== now.get(path))
    .slice(0, mostFiles)
    .map((path) => ({ what: 'file', path, recorded: shown(recorded, path), now: shown(now, path) }));
}

/** As it is told in JSON. */
export function departureReport(departure: Departure | undefined): ReplayReport['departure'] {
  if (departure === undefined) return undefined;
  const { request, recorded, target, path, call, before, now, others } = departure;
  return {
    request,
    target,
    ...present({
      recorded_request: recorded,
      path: path === '' ? undefined : path,
      call,
      recorded: before === undefined ? undefined : cutAfter(before, mostShown),
      now: now === undefined ? undefined : cutAfter(now, mostShown),
    }),
    ...(recorded === undefined ? {} : { others }),
  };
}

/** `same`, or in which way it is not. */
export function resultOf(
  { departure, signal, isCutShort }: Pick<Played, 'departure' | 'signal' | 'isCutShort'>,
  differences: readonly Difference[],
): ReplayReport['result'] {
  if (signal !== undefined && !isCutShort) return 'interrupted';
  if (departure !== undefined) return 'departed';
  return differences.length === 0 ? 'same' : 'different';
}

export const verdictOf = ({ verdict }: Ended): ReplayReport['verdict']['now'] => ({
  class: verdict.class,
  exit_code: verdict.exit_code,
});
