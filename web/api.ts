import { signal as signalOf } from '@preact/signals';
import type { LimitOrder, Order } from '../src/contract/orders.ts';
import type { RunDiff } from '../src/ledger/diff.ts';
import type { Timeline } from '../src/ledger/timeline.ts';
import type { WireView } from '../src/ledger/wire-view.ts';
import type { RunRecord, RunSummary, StatsRow } from '../src/stores/run-store.ts';
import type { QueueOverview as QueueState } from '../src/fleet/queue-view.ts';
import type { BudgetState } from '../src/stores/budget-store.ts';
import { omittedIn } from './model/row-fold.ts';
import type { SentRecord } from './model/row.ts';

export type { BudgetState, LimitOrder, Order, QueueState, RunDiff, RunRecord, RunSummary, StatsRow, WireView };
export interface TreeRun extends RunSummary {
  depth?: number;
}
interface RunsPage {
  runs: RunSummary[];
  next?: string;
  total?: number;
}
interface Session {
  rights: string[];
  ledger?: string;
  version?: string;
}

/** The data inside a single-file report. */
export interface ReportData {
  run: RunRecord;
  records: SentRecord[];
}

/** What is on the tape but not in a report. */
interface LeftOut {
  events: number;
  characters: number;
}

/** An error from the server, with what to try. */
export class ApiError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The server asks who is there. */
export const isSignedOut = signalOf(false);

interface RecordHandlers {
  onRecords(records: SentRecord[]): void;
  onEnd(): void;
  /** Whether records are arriving, and why not if they are not. */
  onState(state: 'live' | 'waiting', why?: string): void;
}

/** Where the page gets its data: from a server, or from the page itself. */
export interface Source {
  readonly isReport: boolean;
  readonly leftOut?: LeftOut;
  session(): Promise<Session>;
  runs(query: URLSearchParams): Promise<RunsPage>;
  run(id: string): Promise<RunRecord>;
  children(id: string): Promise<TreeRun[]>;
  timeline(id: string): Promise<Timeline>;
  /** What could be done next. */
  advice(id: string): Promise<string[]>;
  /** Its requests to models. */
  wire(id: string): Promise<WireView>;
  diff(a: string, b: string): Promise<RunDiff>;
  stats(by: string, query: URLSearchParams): Promise<StatsRow[]>;
  budgets(): Promise<BudgetState[]>;
  /** Undefined: this ledger has no queue. */
  queue(): Promise<QueueState | undefined>;
  /** One page of records after `after`; long texts in them are cut unless `isWhole` is set. */
  records(id: string, after: number, limit: number, options?: { isWhole?: boolean }): Promise<SentRecord[]>;
  /** All records after `after` up to now, in one stream, some at a time; long texts in them are cut. */
  all(id: string, after: number, signal: AbortSignal): AsyncGenerator<SentRecord[], void>;
  /** Records after `after`, then live ones; returns a function that stops it. */
  follow(id: string, after: number, handlers: RecordHandlers): () => void;
  /** Runs that begin, change or end; `onGap` is called when some may have been missed. */
  live(onRun: (run: RunSummary) => void, onGap: () => void): () => void;
  /** The runs that would end with this one, or why it cannot be stopped from here. */
  endsWith(id: string): Promise<{ run_ids: string[]; refused?: string }>;
  stop(id: string, reason: string): Promise<void>;
  order(id: string, order: Order): Promise<void>;
}

async function fail(answer: Response): Promise<never> {
  const text = await answer.text();
  let message = text.slice(0, 300);
  try {
    const { error } = JSON.parse(text) as { error?: { message?: string } };
    message = error?.message ?? message;
  } catch {
    // Not our JSON, perhaps a proxy's page: show its text as it is.
  }
  if (answer.status === 401) {
    isSignedOut.value = true;
    message = 'You are not signed in here, or the token has changed.';
  }
  throw new ApiError(answer.status, message === '' ? `The server answered ${answer.status}.` : message);
}

const noAnswer = 'The server does not answer. Is "runwire serve" still running?';

async function get(path: string, accept = 'application/json', signal?: AbortSignal): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, { headers: { accept }, signal: signal ?? null });
  } catch {
    throw new ApiError(0, noAnswer);
  }
  return answer.ok ? answer : fail(answer);
}

async function post(path: string, body: object): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-runwire': '1' },
      body: JSON.stringify(body),
    });
  } catch {
    throw new ApiError(0, noAnswer);
  }
  return answer;
}

/** Keeps a token as a cookie that no script can read; returns why not. */
export async function signIn(token: string): Promise<string | undefined> {
  const answer = await post('/login', { token });
  if (answer.ok) {
    isSignedOut.value = false;
    return undefined;
  }
  if (answer.status === 401) return 'That is not a token of this server.';
  return fail(answer);
}

async function json<Body>(path: string): Promise<Body> {
  return (await (await get(path)).json()) as Body;
}

async function tell(path: string, body: object): Promise<void> {
  const answer = await post(path, body);
  if (!answer.ok) await fail(answer);
}

/** How many characters of one text are sent: fewer while streaming, more when it is looked at. */
const longestStreamed = 20_000;
const longestRead = 200_000;

const runPath = (id: string): string => `/api/runs/${encodeURIComponent(id)}`;

export const server: Source = {
  isReport: false,
  session: () => json('/api/session'),
  runs: (query) => json(`/api/runs?${query.toString()}`),
  run: (id) => json(runPath(id)),
  children: async (id) => (await json<{ runs: TreeRun[] }>(`${runPath(id)}/children`)).runs,
  timeline: (id) => json(`${runPath(id)}/timeline`),
  // An older server gives none.
  advice: (id) =>
    json<{ advice: string[] }>(`${runPath(id)}/advice`).then(
      ({ advice }) => advice,
      () => [],
    ),
  wire: (id) => json(`${runPath(id)}/wire`),
  diff: (a, b) => json(`${runPath(a)}/diff/${encodeURIComponent(b)}`),
  async stats(by, query) {
    const answer = await json<StatsRow[] | { rows: StatsRow[] }>(`/api/stats?by=${by}&${query.toString()}`);
    return Array.isArray(answer) ? answer : answer.rows;
  },
  // An older server knows none.
  budgets: () =>
    json<{ budgets: BudgetState[] }>('/api/budgets').then(
      ({ budgets }) => budgets,
      () => [],
    ),
  queue: () =>
    json<QueueState>('/api/queue').catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }),
  async records(id, after, limit, { isWhole = false } = {}) {
    const cut = isWhole ? '' : `&cut=${longestRead}`;
    const answer = await get(
      `${runPath(id)}/records?after=${after}&limit=${limit}&follow=0${cut}`,
      'application/x-ndjson',
    );
    const lines = (await answer.text()).split('\n');
    return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line) as SentRecord]));
  },
  async *all(id, after, signal) {
    const answer = await get(
      `${runPath(id)}/records?after=${after}&follow=0&cut=${longestRead}`,
      'application/x-ndjson',
      signal,
    );
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { value = '', done = true } = (await reader?.read()) ?? {};
      const end = value.lastIndexOf('\n');
      if (end < 0) rest += value;
      else {
        const lines = (rest + value.slice(0, end)).split('\n');
        rest = value.slice(end + 1);
        yield lines.map((line) => JSON.parse(line) as SentRecord);
      }
      if (done) return;
    }
  },
  follow(id, after, handlers) {
    let last = after;
    let events: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isStopped = false;
    function open(): void {
      events = new EventSource(`${runPath(id)}/records?after=${last}&cut=${longestStreamed}`);
      events.addEventListener('open', () => handlers.onState('live'));
      events.addEventListener('records', ({ data }: MessageEvent<string>) => {
        const records = JSON.parse(data) as SentRecord[];
        last = Math.max(last, records.at(-1)?.sequence ?? last);
        handlers.onRecords(records);
      });
      events.addEventListener('end', () => {
        events?.close();
        handlers.onEnd();
      });
      events.addEventListener('behind', () => again(200, 'This page fell behind and is catching up from the tape.'));
      events.addEventListener('error', () => void lost());
    }
    /** A broken connection is opened again; a refusal is reported, since asking again would not change it. */
    async function lost(): Promise<void> {
      again(1500, 'The connection was lost. It will resume by itself, without a gap.');
      try {
        await get(`${runPath(id)}/records?after=${last}&limit=1&follow=0`, 'application/x-ndjson');
      } catch (error) {
        if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500 || error.status === 429) return;
        clearTimeout(timer);
        if (!isStopped) handlers.onState('waiting', error.message);
      }
    }
    function again(delay: number, why: string): void {
      events?.close();
      if (isStopped) return;
      handlers.onState('waiting', why);
      clearTimeout(timer);
      timer = setTimeout(open, delay);
    }
    open();
    return () => {
      isStopped = true;
      clearTimeout(timer);
      events?.close();
    };
  },
  live(onRun, onGap) {
    let events: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    function open(): void {
      events = new EventSource('/api/live');
      events.addEventListener('behind', onGap);
      events.addEventListener('run', ({ data }: MessageEvent<string>) => onRun(JSON.parse(data) as RunSummary));
      events.addEventListener('error', () => {
        // A response that is not a stream ends the EventSource for good; it may come from a proxy whose server is restarting.
        if (events?.readyState === EventSource.CLOSED) timer = setTimeout(open, 3000);
      });
      // A run that ended before the connection was open is in the list, but in no message.
      events.addEventListener('open', onGap);
    }
    open();
    return () => {
      clearTimeout(timer);
      events?.close();
    };
  },
  endsWith: (id) => json(`${runPath(id)}/stop`),
  stop: (id, reason) => tell(`${runPath(id)}/stop`, { reason }),
  order: (id, order) => tell(`${runPath(id)}/order`, order),
};

const noServer = (): Promise<never> =>
  Promise.reject(new ApiError(0, 'This is a single-file report: it holds one run and has no server.'));

/** The first record above a sequence, by binary search: records count upwards. */
function firstAbove(records: readonly SentRecord[], sequence: number): number {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((records[middle]?.sequence ?? 0) > sequence) high = middle;
    else low = middle + 1;
  }
  return low;
}

function leftOutOf(records: readonly SentRecord[]): { leftOut?: LeftOut } {
  let [events, characters] = [0, 0];
  for (const record of records) {
    if (record.type === 'records.left_out') events += record.count;
    characters += omittedIn(record.cut);
  }
  return events + characters === 0 ? {} : { leftOut: { events, characters } };
}

export function reportSource({ run, records }: ReportData): Source {
  return {
    isReport: true,
    ...leftOutOf(records),
    session: async () => ({ rights: ['read'] }),
    runs: async () => ({ runs: [run] }),
    run: async () => run,
    children: noServer,
    timeline: noServer,
    advice: async () => [],
    wire: noServer,
    diff: noServer,
    stats: async () => [],
    budgets: async () => [],
    queue: async () => undefined,
    records: async (_id, after, limit) => records.slice(firstAbove(records, after), firstAbove(records, after) + limit),
    async *all(_id, after) {
      for (let at = firstAbove(records, after); at < records.length; at += 500) yield records.slice(at, at + 500);
    },
    follow(_id, after, handlers) {
      let isStopped = false;
      void (async () => {
        // In parts, so that the first rows are shown before the last ones are read.
        for (let at = 0; at < records.length && !isStopped; at += 2000) {
          handlers.onRecords(records.slice(at, at + 2000).filter(({ sequence }) => sequence > after));
          await new Promise((resolve) => setTimeout(resolve, 0));
        }
        if (!isStopped) handlers.onEnd();
      })();
      return () => void (isStopped = true);
    },
    live: () => () => {},
    endsWith: noServer,
    stop: noServer,
    order: noServer,
  };
}
