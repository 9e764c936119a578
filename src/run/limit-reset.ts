import type { ErrorCode, EventRecord } from '../events/event.ts';
import { isOver, isTooFar } from '../time/reset/sense.ts';
import { resetIn } from '../time/reset/reset.ts';

/** Limits that pass with time. */
const passing: ReadonlySet<ErrorCode | undefined> = new Set<ErrorCode>(['quota', 'rate_limit']);
const mostTexts = 20;
const longestText = 8000;
const minuteMs = 60_000;
const aboutLimits = /limit|quota|usage|credits|capacity|exhausted|too many requests|429/i;

export function passesWithTime(code: ErrorCode | undefined): boolean {
  return passing.has(code);
}

/** `at`: when the limit resets; `why`: a sentence about why that is not waited for. */
export type Reset = { at: number } | { why: string };

/** What was heard of a limit in one attempt: figures of the agent, headers of its provider, and their words. */
export class LimitReset {
  readonly #timeZone: () => string;
  readonly #clock: () => number;
  /** Windows that are used up, by name, and when each resets. */
  readonly #windows = new Map<string, number>();
  #header: number | undefined;
  /** From the surest on: what ended the agent, what it said then, and what came before. */
  readonly #fatal: Remark[] = [];
  readonly #remarks: Remark[] = [];

  constructor(timeZone: () => string, clock: () => number) {
    this.#timeZone = timeZone;
    this.#clock = clock;
  }

  hear(record: EventRecord): void {
    switch (record.type) {
      case 'rate_limit.reported': {
        const { window = '', status, utilization, resets_at_ms: resets } = record;
        const isUsedUp = (status !== undefined && !/^allowed/i.test(status)) || (utilization ?? 0) >= 1;
        if (isUsedUp && resets !== undefined && this.#windows.size < mostTexts) this.#windows.set(window, resets);
        else this.#windows.delete(window);
        return;
      }
      case 'model.responded':
        if (record.code === undefined) this.#header = undefined;
        else if (passing.has(record.code) && record.retry_after_ms !== undefined)
          this.#header = this.#clock() + record.retry_after_ms;
        return this.#hear(this.#remarks, record.error);
      case 'error':
        return this.#hear(record.fatal ? this.#fatal : this.#remarks, record.message);
      case 'agent.finished':
        return this.#hear(this.#fatal, record.message);
      case 'text.completed':
        // Some agents answer with the refusal itself; another answer may speak of any wait and any reset.
        return aboutLimits.test(record.text.slice(0, longestText)) ? this.#hear(this.#remarks, record.text) : undefined;
      case 'retry.scheduled':
        return this.#hear(this.#remarks, record.cause);
      case 'log':
        return record.stream === 'stderr' ? this.#hear(this.#remarks, record.text) : undefined;
      default:
    }
  }

  #hear(texts: Remark[], text: string | undefined): void {
    if (text === undefined || text === '') return;
    texts.push({ text: text.slice(0, longestText), at: this.#clock() });
    if (texts.length > mostTexts) texts.shift();
  }

  /** When it may go on; undefined: nobody said. */
  find(): Reset | undefined {
    const now = this.#clock();
    // While any of them is used up, there is nothing to be had.
    const windows = [...this.#windows.values()].filter((at) => !isOver(at, now));
    const at =
      (windows.length === 0 ? undefined : Math.max(...windows)) ??
      this.#header ??
      this.#inWords() ??
      [...this.#windows.values()][0];
    if (at === undefined) return undefined;
    if (isOver(at, now))
      return { why: `it names a time that is over (${inZone(at, this.#timeZone())}), which says nothing of when` };
    if (isTooFar(at, now)) return { why: `it names ${inZone(at, this.#timeZone())}, more than 8 days from now` };
    return { at };
  }

  #inWords(): number | undefined {
    for (const { text, at } of [...this.#fatal.toReversed(), ...this.#remarks.toReversed()]) {
      const found = resetIn(text, { now: at, timeZone: this.#timeZone() });
      // A clock without seconds leaves them out: the limit resets some time in that minute.
      if (found !== undefined) return found % minuteMs === 0 ? found + minuteMs - 1000 : found;
    }
    return undefined;
  }
}

interface Remark {
  text: string;
  at: number;
}

/** A time that could not be shown is shown as a number. */
function inZone(at: number, timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(at);
  } catch {
    return String(at);
  }
}
