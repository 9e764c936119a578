import type { EventRecord } from '../../events/event.ts';
import { pause } from '../../time/pause.ts';
import { present } from '../../json/present.ts';
import { withoutPassword } from '../../redact/url-password.ts';
import { deliver } from '../../telemetry/deliver.ts';
import { traceRequest } from '../../telemetry/otlp.ts';
import type { TelemetryRequest } from '../../telemetry/settings.ts';
import type { Span } from '../../telemetry/span.ts';
import { SpanQueue } from '../../telemetry/span-queue.ts';
import { SpanFold } from '../../telemetry/span-fold.ts';
import type { Sink } from './sink.ts';

export interface TelemetryOptions {
  request: TelemetryRequest;
  runId: string;
  startedAt: number;
  traceState: string | undefined;
  /** Removes secrets from data that is not part of the records. */
  clean: <Value>(value: Value) => Value;
  /** Called once at most. */
  warn: (message: string) => void;
  /** Lowered by tests. */
  patienceMs?: number;
}

const firstRetryMs = 500;
const lastRetryMs = 10_000;
/** How often an unreachable collector is tried when nothing else is left to do. */
const lastAttempts = 3;
/** A collector that does not answer must not hold back the exit code. */
const defaultPatienceMs = 5000;

/** Sends the spans of one run in batches. It never throws and never makes the run wait: an unreachable collector costs a warning. */
export class TelemetrySink implements Sink {
  readonly #options: TelemetryOptions;
  readonly #fold: SpanFold;
  readonly #called = new AbortController();
  readonly #waiting: SpanQueue;
  #working: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #retryMs = firstRetryMs;
  #notBefore = 0;
  #isClosing = false;
  #isOver = false;
  #isWarned = false;

  constructor(options: TelemetryOptions) {
    const { request, runId, startedAt, traceState } = options;
    this.#options = options;
    const { capturesContent, queue } = request;
    this.#waiting = new SpanQueue(queue);
    this.#fold = new SpanFold({
      onSpan: (span) => this.#add(span),
      capturesContent,
      runId,
      startedAt,
      ...present({ traceState }),
    });
  }

  record(record: EventRecord): void {
    this.#fold.record(record);
  }

  /** Settles when everything is sent, or cannot be, or after some seconds. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#isClosing = true;
    this.#notBefore = 0;
    const { patienceMs = defaultPatienceMs } = this.#options;
    const timer = setTimeout(() => this.#called.abort(new Error('it did not answer in time')), patienceMs);
    await this.#working;
    this.#retryMs = firstRetryMs;
    await this.#work();
    clearTimeout(timer);
    this.#isOver = true;
    if (this.#waiting.length > 0) this.#warn(`${this.#waiting.length} spans could not be sent`);
    else if (this.#waiting.dropped > 0) this.#warn(`${this.#waiting.dropped} spans did not fit in the queue`);
  }

  #add(span: Span): void {
    if (this.#isOver) return;
    this.#waiting.add(span);
    this.#schedule(this.#waiting.isFull ? 0 : this.#options.request.queue.delayMs);
  }

  #schedule(delayMs: number): void {
    if (this.#isClosing || this.#isOver || this.#working !== undefined) return;
    if (this.#timer !== undefined && delayMs > 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#working = this.#work().finally(() => {
          this.#working = undefined;
          if (this.#waiting.length > 0) this.#schedule(this.#options.request.queue.delayMs);
        });
      },
      Math.max(delayMs, this.#notBefore - performance.now()),
    );
    this.#timer.unref();
  }

  /** Sends what is waiting, batch by batch; what is not accepted now stays in the queue. */
  async #work(): Promise<void> {
    const { request, clean } = this.#options;
    let attempts = 0;
    while (this.#waiting.length > 0 && !this.#isOver && !this.#called.signal.aborted) {
      const spans = this.#waiting.take();
      const delivery = await deliver(traceRequest(spans, clean(request.resource)), request.target, this.#called.signal);
      if (delivery.kind === 'taken') {
        this.#retryMs = firstRetryMs;
        if (delivery.remark !== undefined) this.#warn(delivery.remark);
        continue;
      }
      this.#warn(delivery.why);
      if (delivery.kind === 'refused') {
        this.#isOver = true;
        return;
      }
      this.#waiting.putBack(spans);
      const waitMs = delivery.afterMs ?? this.#retryMs;
      this.#retryMs = Math.min(this.#retryMs * 2, lastRetryMs);
      this.#notBefore = performance.now() + waitMs;
      attempts += 1;
      if (!this.#isClosing || attempts === lastAttempts) return;
      await pause(waitMs, this.#called.signal);
    }
  }

  #warn(why: string): void {
    if (this.#isWarned) return;
    this.#isWarned = true;
    const { target } = this.#options.request;
    const where = target.kind === 'file' ? target.path : withoutPassword(target.endpoint.url);
    this.#options.warn(`OpenTelemetry (${where}) may miss spans of this run: ${why}`);
  }
}
