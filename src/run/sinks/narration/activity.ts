import type { EventRecord } from '../../../events/event.ts';
import { UsageTotals } from '../../../outcome/usage.ts';
import { subject } from '../../../events/subject.ts';
import { lastLine } from './call.ts';
import { counted, dollars, tokens, wholeSeconds } from '../../../terminal/figures.ts';
import { oneLine } from '../../../terminal/plain.ts';
import { timeInWords } from '../../../time/duration.ts';

const spinner = Array.from('⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏');
const spinMs = 100;
/** A shorter silence only means that the model is working. */
const silenceMs = 30_000;

/** Untrusted text, as the agent sent it: it is made safe only when it is shown. */
export interface Call {
  readonly name: string;
  readonly subject: string;
  readonly since: number;
  /** What it printed last. */
  printed: string;
}

/** Longer text is cut at once: a call that never ends would keep it in memory. */
const heldCharacters = 1000;

/** What a run is currently doing. */
export class Activity {
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #calls = new Map<string, Call>();
  readonly #usage = new UsageTotals();
  #folder = '';
  #turn = 0;
  #doing = 'starting';
  /** When a limit resets that it waits for. */
  #until: number | undefined;
  /** Updated when the status is asked for: reading the clock at every record would cost as much as everything else. */
  #heardAt: number;
  #wasHeard = false;

  constructor(now: () => number) {
    this.#now = now;
    this.#startedAt = now();
    this.#heardAt = this.#startedAt;
  }

  record(record: EventRecord): void {
    if (record.source === 'agent') this.#wasHeard = true;
    switch (record.type) {
      case 'thread.started':
        this.#folder = record.cwd ?? '';
        if (record.source === 'agent') this.#doing = 'waiting for the model';
        return;
      case 'turn.started':
        this.#turn += 1;
        this.#doing = 'waiting for the model';
        return;
      case 'text.delta':
        this.#doing = 'writing';
        return;
      case 'reasoning.delta':
      case 'reasoning.completed':
        this.#doing = 'thinking';
        return;
      case 'item.started':
        this.#calls.set(record.item_id, {
          name: held(record.name, oneLine),
          subject: held(this.nearby(subject(record.args)), oneLine),
          since: this.#now(),
          printed: '',
        });
        return;
      case 'item.output': {
        const call = this.#calls.get(record.item_id);
        if (call !== undefined && /\S/.test(record.chunk)) call.printed = held(record.chunk, lastLine);
        return;
      }
      case 'item.completed':
        this.#calls.delete(record.item_id);
        this.#doing = 'waiting for the model';
        return;
      case 'usage.reported':
        return this.#usage.report(record);
      case 'run.paused':
        this.#until = record.reason === 'limit' ? record.until_ms : undefined;
        this.#doing = record.reason === 'limit' ? 'waiting for a limit to reset' : 'paused';
        return;
      case 'run.resumed':
        this.#until = undefined;
        this.#doing = 'going on';
        return;
      case 'retry.scheduled':
        if (record.scope === 'run') this.#usage.nextAttempt(record.resumes === true);
        this.#doing = 'waiting to try again';
        return;
      case 'permission.requested':
        this.#doing = `asking for permission: ${oneLine(record.what, 40)}`;
        return;
      case 'permission.resolved':
      case 'text.completed':
        this.#doing = 'waiting for the model';
        return;
      case 'agent.finished':
        this.#doing = 'ending';
        return;
      default:
    }
  }

  call(id: string): Call | undefined {
    return this.#calls.get(id);
  }

  /** A path relative to the agent's working directory. */
  nearby(path: string): string {
    return this.#folder !== '' && path.startsWith(`${this.#folder}/`) ? path.slice(this.#folder.length + 1) : path;
  }

  /** The running calls, in at most this many rows. */
  running(rows: number): string[] {
    const calls = [...this.#calls.values()];
    const shown = calls.length > rows ? calls.slice(0, Math.max(0, rows - 1)) : calls;
    const lines = shown.map((call) =>
      [
        `${this.#spin()} ${toolOf(call)}`,
        wholeSeconds(this.#now() - call.since),
        oneLine(call.subject),
        lastLine(call.printed),
      ]
        .filter(Boolean)
        .join('  '),
    );
    const more = calls.length - shown.length;
    return more > 0 && rows > 0 ? [...lines, `  ${more} more running`] : lines;
  }

  /** The run in one line. */
  status(): string {
    const now = this.#now();
    if (this.#until !== undefined) return `${this.#spin()} ${waitInWords(this.#until, now)}`;
    if (this.#wasHeard) this.#heardAt = now;
    this.#wasHeard = false;
    const silent = now - this.#heardAt;
    const total = this.#usage.total();
    return [
      `${this.#spin()} ${wholeSeconds(now - this.#startedAt)}`,
      this.#turn === 0 ? undefined : `turn ${this.#turn}`,
      this.#work(),
      silent < silenceMs ? undefined : `silent for ${wholeSeconds(silent)}`,
      tokens(total.input, total.output),
      dollars(total.cost),
    ]
      .filter((part) => part !== undefined)
      .join(' · ');
  }

  /** The same, for a log that has been silent for a while. */
  pulse(): string {
    if (this.#until !== undefined) return waitInWords(this.#until, this.#now());
    return `still running  ${wholeSeconds(this.#now() - this.#startedAt)}  ${this.#work()}`;
  }

  #work(): string {
    const [call, other] = this.#calls.values();
    if (call === undefined) return this.#doing;
    return other === undefined ? toolOf(call) : (counted(this.#calls.size, 'tool') ?? '');
  }

  #spin(): string {
    return spinner[Math.floor((this.#now() - this.#startedAt) / spinMs) % spinner.length] ?? '';
  }
}

/** `waiting until 15:42, 1 h 12 min left; Ctrl-C to stop`. */
export function waitInWords(until: number, now: number): string {
  const day = until - now < 12 * 3_600_000 ? {} : ({ weekday: 'short', day: 'numeric', month: 'short' } as const);
  const time = new Date(until).toLocaleString('en-GB', { ...day, hour: '2-digit', minute: '2-digit' });
  const left = Math.max(0, until - now);
  // Beyond a minute, seconds are of no use.
  const rounded = left < 60_000 ? Math.ceil(left / 1000) * 1000 : Math.ceil(left / 60_000) * 60_000;
  return `waiting until ${time}, ${timeInWords(rounded)} left; Ctrl-C to stop`;
}

/** The name of a call in a line from Runwire. */
export function toolOf(call: Call | undefined): string {
  return oneLine(call?.name ?? '', 40) || 'unknown tool';
}

function held(text: string, shorten: (text: string) => string): string {
  return text.length > heldCharacters ? shorten(text) : text;
}
