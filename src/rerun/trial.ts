import type { RanInside } from '../workspace/run-inside.ts';
import { failingTests } from './failing-tests.ts';
import { talliesIn } from '../claims/runners/summaries.ts';
import type { Tally } from '../claims/runners/tally.ts';

/** Why a run of a command shows nothing about the code. */
type Lack = 'time' | 'program' | 'network';

/** A command that was run once, in a fresh copy. */
export interface Trial {
  result: 'passed' | 'failed' | 'unclear';
  lack?: Lack;
  exitCode: number | null;
  tally: Tally | undefined;
  /** Names of tests that failed. */
  failing: readonly string[];
}

/** What programs say that could not reach a network or a server beside them. */
const unreached =
  /\b(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH)\b|[Cc]onnection refused|[Cc]ould not (?:connect to|resolve host)|[Nn]etwork is unreachable|[Nn]ame or service not known|[Tt]emporary failure in name resolution|nodename nor servname/;
const absent = /command not found|: not found$|is not recognized as/im;

export function trialOf({ exitCode, output, timedOut }: RanInside, triedNetwork: boolean): Trial {
  const tally = tallyOf(output);
  const found = { exitCode, tally, failing: failingTests(output) };
  if (timedOut || exitCode === null) return { ...found, result: 'unclear', lack: 'time' };
  const isPass = exitCode === 0 && tally?.isPass !== false;
  if (isPass) return { ...found, result: 'passed' };
  if (triedNetwork || unreached.test(output)) return { ...found, result: 'unclear', lack: 'network' };
  // A script may end with 127 as well; then a runner has summed up.
  if ((exitCode === 127 || exitCode === 126) && tally === undefined && absent.test(output))
    return { ...found, result: 'unclear', lack: 'program' };
  return { ...found, result: 'failed' };
}

/** What the runner sums up; of several, the first that failed, else the one that counts most. */
export function tallyOf(output: string): Tally | undefined {
  const tallies = talliesIn(output.replaceAll(colours, '').split('\n'));
  const failed = tallies.find(({ isPass }) => isPass === false);
  return failed ?? tallies.toSorted((one, other) => (other.total ?? 0) - (one.total ?? 0))[0];
}

// eslint-disable-next-line no-control-regex -- colours begin with a control character
const colours = /\u001b\[[\d;]*m/g;

const lacks: Record<Lack, string> = {
  time: 'did not end in time',
  program: 'could not be started',
  network: 'failed, and it tried to reach a network or a server, which it cannot here',
};

/** `exited 1 (2 failed, 10 passed)`. */
export function wordsOf({ exitCode, tally, lack }: Trial): string {
  const end = lack === undefined ? `exited ${exitCode}` : lacks[lack];
  return tally === undefined ? end : `${end} (${wordsOfTally(tally)})`;
}

export function wordsOfTally({ passed, failed, skipped, line }: Tally): string {
  const counts = [
    ...(failed === undefined || failed === 0 ? [] : [`${failed} failed`]),
    ...(passed === undefined ? [] : [`${passed} passed`]),
    ...(skipped === undefined || skipped === 0 ? [] : [`${skipped} skipped`]),
  ];
  return counts.length === 0 ? JSON.stringify(line) : counts.join(', ');
}
