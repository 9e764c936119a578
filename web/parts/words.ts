import type { RunSummary } from '../api.ts';

export type State = 'running' | 'good' | 'bad' | 'warn' | 'idle';

const classWords: Readonly<Record<string, string>> = {
  success: 'Succeeded',
  config: 'Failed: configuration',
  input: 'Failed: input',
  tool: 'Failed: tool error',
  provider: 'Failed: model provider',
  cost_limit: 'Stopped: cost limit',
  turn_limit: 'Stopped: turn limit',
  permission: 'Failed: not permitted',
  incomplete: 'Incomplete',
  expectation: 'Failed: expectation not met',
  output: 'Failed: output not written',
  time_limit: 'Stopped: time limit',
  cancelled: 'Cancelled',
};

type Ended = Pick<RunSummary, 'status' | 'class' | 'waits_until'>;

/** When the limit resets that a run waits for; undefined: it waits for none. */
export function waitsUntil({ status, waits_until: until = 0 }: Ended): number | undefined {
  return status === 'running' && until > 0 ? until : undefined;
}

/** The time, with the day if that is another one. */
export function clockTime(at: number): string {
  if (!(Math.abs(at) <= 8.64e15)) return '?';
  const [then, today] = [new Date(at), new Date()];
  const day = then.toDateString() === today.toDateString() ? {} : ({ day: 'numeric', month: 'short' } as const);
  return then.toLocaleString(undefined, { ...day, hour: '2-digit', minute: '2-digit' });
}

/** How a run ended, or that it is running, in words that are clear without colour. */
export function endInWords(run: Ended): string {
  const { status, class: verdict } = run;
  const until = waitsUntil(run);
  if (until !== undefined) return `Waiting until ${clockTime(until)}`;
  if (status === 'running') return 'Running';
  return classWords[verdict ?? status] ?? (status === 'error' ? 'Failed' : capital(status));
}

const shortWords: Readonly<Record<string, string>> = {
  config: 'Failed: config',
  provider: 'Failed: provider',
  tool: 'Failed: tool',
  permission: 'Not permitted',
  expectation: 'Not as expected',
  output: 'Not written',
  cost_limit: 'Cost limit',
  turn_limit: 'Turn limit',
  time_limit: 'Time limit',
};

/** A shorter form, for a column. */
export function endInAWord(run: Ended): string {
  if (waitsUntil(run) !== undefined) return 'Waiting';
  return run.status === 'running' ? 'Running' : (shortWords[run.class ?? ''] ?? endInWords(run));
}

export function stateOf(run: Ended): State {
  const { status, class: verdict } = run;
  if (waitsUntil(run) !== undefined) return 'warn';
  if (status === 'running') return 'running';
  if (status === 'success') return 'good';
  if (status === 'cancelled' || verdict === 'cancelled') return 'idle';
  return status === 'incomplete' || verdict?.endsWith('_limit') === true ? 'warn' : 'bad';
}

export function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1).replaceAll('_', ' ');
}

/** The newer of two reports of a run: nothing follows its end, and sequences count upwards. */
export function newer<Run extends Ended & Pick<RunSummary, 'last_sequence'>>(known: Run, update: Run | undefined): Run {
  if (update === undefined || known.status !== 'running') return known;
  return update.status !== 'running' || update.last_sequence >= known.last_sequence ? update : known;
}

/** Labels that the ledger sets itself, and those that are shown elsewhere. */
const ownMarks = ['run.', 'import.', 'stopped.'];

/** The labels that mean something to a reader. */
export function labelsOf({ labels }: Pick<RunSummary, 'labels'>): [key: string, value: string][] {
  return Object.entries(labels).filter(([key]) => !ownMarks.some((mark) => key.startsWith(mark)));
}

/** The id as "runwire runs" shows it: its last characters tell runs apart. */
export function shortId(id: string): string {
  return id.slice(-8);
}

export function dateTime(at: number): string {
  return Math.abs(at) <= 8.64e15
    ? new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
    : '?';
}
