import { longestWait } from '../contract/flag-values.ts';
import type { RunSpec } from '../contract/spec.ts';
import type { Draft, ErrorCode, EventRecord } from '../events/event.ts';
import { present } from '../json/present.ts';
import { timeInWords } from '../time/duration.ts';
import { type Pause, pause as pauseByClock } from '../time/pause.ts';
import { LimitReset } from './limit-reset.ts';
import type { BegunWait, Parked } from './parked.ts';
import type { Stop } from './stop.ts';

const defaultWaits = 3;
/** Clocks differ, and a limit that resets at a second may not do so at its beginning. */
const marginMs = 1000;
/** After so long a computer that slept looks at its clock. */
const longestSleepMs = 15_000;

interface Parts {
  spec: Pick<RunSpec, 'on_limit' | 'max_waits'>;
  clock: () => number;
  /** How it waits; default: in real time. */
  pause: Pause | undefined;
  /** Of whoever reads what an agent says about times. */
  timeZone: () => string;
  stop: Pick<Stop, 'standstill' | 'signal' | 'cause'>;
  /** What an earlier start of the same run has waited already. */
  parked: Pick<Parked, 'waits' | 'waited_ms'> | undefined;
  /** Called before it waits, with what another process needs to go on with it; and without, when it goes on here. */
  onWait: ((parked: Parked | undefined) => void) | undefined;
  /** What of that is known of the run besides its waits. */
  state(): Pick<Parked, 'session' | 'agent' | 'fallbacks' | 'used'>;
  tell(draft: Draft): void;
  warn(text: string): void;
  /** Everything is where others, and a later start, find it. */
  flush(): Promise<unknown>;
}

/** The waits of a run for a limit of its agent's provider to reset, and whether there is another one. */
export class LimitWait {
  readonly #parts: Parts;
  #reset: LimitReset;
  #waits: number;
  #waitedMs: number;
  /** Ends a wait that is under way. */
  #wake: AbortController | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#waits = parts.parked?.waits ?? 0;
    this.#waitedMs = parts.parked?.waited_ms ?? 0;
    this.#reset = new LimitReset(parts.timeZone, parts.clock);
  }

  /** What is said of limits in the attempt that is under way. */
  hear(record: EventRecord): void {
    this.#reset.hear(record);
  }

  /** Another attempt begins: what was said of limits before says nothing about it. */
  forget(): void {
    this.#reset = new LimitReset(this.#parts.timeZone, this.#parts.clock);
  }

  /** When the run may go on; undefined: it is not to wait, and why is told where that was asked for. */
  get until(): number | undefined {
    const { spec, clock, warn } = this.#parts;
    const longest = longestWait(spec.on_limit);
    if (longest === undefined) return undefined;
    const now = clock();
    const reset = this.#reset.find();
    const why = (): string | undefined => {
      if (reset === undefined) return 'nobody said when it resets';
      if ('why' in reset) return reset.why;
      if (this.#waits >= (spec.max_waits ?? defaultWaits))
        return `it was waited for ${this.#waits} times, as often as --max-waits allows`;
      const left = longest - this.#waitedMs;
      return reset.at - now > left
        ? `it resets in ${timeInWords(roundedMs(reset.at - now))}, and --on-limit wait allows ${timeInWords(roundedMs(left))}${this.#waitedMs > 0 ? ' more' : ''}`
        : undefined;
    };
    const reason = why();
    if (reason === undefined && reset !== undefined && 'at' in reset) return Math.max(reset.at, now) + marginMs;
    warn(`the limit is not waited for: ${reason}`);
    return undefined;
  }

  /** One more wait begins. */
  count(): void {
    this.#waits += 1;
  }

  /** Returns when the limit has reset, or the wait is cut short. */
  async over({ since, until, cause }: BegunWait, code?: ErrorCode): Promise<void> {
    const { stop, clock, tell, onWait, flush } = this.#parts;
    onWait?.(this.#parkedUntil(until, cause));
    tell({ type: 'run.paused', reason: 'limit', until_ms: until, cause, ...present({ code }) });
    stop.standstill.begin('limit');
    // Nothing is left to do until then.
    await flush();
    await this.#sleepUntil(until);
    stop.standstill.end('limit');
    const paused_ms = Math.max(0, clock() - since);
    this.#waitedMs += paused_ms;
    onWait?.(undefined);
    if (stop.cause === undefined) tell({ type: 'run.resumed', reason: 'limit', paused_ms });
  }

  /** What whoever started the run needs to let it go on when the limit has reset. */
  park(until: number, cause: string, code: ErrorCode | undefined): Parked {
    const { clock, tell } = this.#parts;
    tell({ type: 'run.paused', reason: 'limit', until_ms: until, cause, ...present({ code }) });
    const parked = this.#parkedUntil(until, cause);
    return { ...parked, waits: parked.waits + 1, waited_ms: parked.waited_ms + Math.max(0, until - clock()) };
  }

  get isWaiting(): boolean {
    return this.#wake !== undefined;
  }

  /** Ends a wait that is under way. */
  wake(): void {
    this.#wake?.abort();
  }

  #parkedUntil(until: number, cause: string): Parked {
    return { until, cause, waits: this.#waits, waited_ms: this.#waitedMs, ...this.#parts.state() };
  }

  /** By the clock, not by a timer: a computer may sleep meanwhile, and clocks are set. */
  async #sleepUntil(until: number): Promise<void> {
    const { stop, clock, pause = pauseByClock } = this.#parts;
    this.#wake = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.#wake.signal]);
    for (let left = until - clock(); left > 0 && !signal.aborted; left = until - clock())
      await pause(Math.min(left, longestSleepMs), signal);
    this.#wake = undefined;
  }
}

/** To the second, for a sentence. */
function roundedMs(ms: number): number {
  return ms === Infinity ? ms : Math.max(1000, Math.round(ms / 1000) * 1000);
}
