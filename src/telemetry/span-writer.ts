import { traceRequest } from './otlp.ts';
import type { TelemetryRequest } from './settings.ts';
import type { Span } from './span.ts';
import { SpanFold } from './span-fold.ts';
import { SpanQueue } from './span-queue.ts';

export interface SpanWriterOptions extends Pick<TelemetryRequest, 'capturesContent' | 'resource'> {
  /** How many spans go into one request. */
  batch: number;
  /** Writes a request, as OTLP/JSON. */
  write: (body: string) => Promise<void>;
}

/** Writes the spans of stored runs as requests, a batch at a time. Nothing is dropped: reading waits. */
export class SpanWriter {
  readonly #options: SpanWriterOptions;
  readonly #waiting: SpanQueue;

  constructor(options: SpanWriterOptions) {
    this.#options = options;
    this.#waiting = new SpanQueue({ most: Infinity, characters: Infinity, batch: options.batch });
  }

  /** A fold for the records of one run. */
  fold(runId: string, startedAt: number): SpanFold {
    const { capturesContent } = this.#options;
    return new SpanFold({ runId, startedAt, capturesContent, onSpan: (span) => this.#waiting.add(span) });
  }

  /** Writes every full request. */
  async flush(): Promise<void> {
    while (this.#waiting.isFull) await this.#write(this.#waiting.take());
  }

  async end(): Promise<void> {
    while (this.#waiting.length > 0) await this.#write(this.#waiting.take());
  }

  async #write(spans: readonly Span[]): Promise<void> {
    await this.#options.write(traceRequest(spans, this.#options.resource));
  }
}
