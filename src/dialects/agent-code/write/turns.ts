import type { RunOutcome } from '../../../outcome/outcome.ts';
import type { EncoderSink } from '../../dialect.ts';
import type { Usage } from './usage.ts';

/** Turns are numbered from 1, and every line names its own. */
export class Turns {
  readonly #sink: EncoderSink;
  readonly #usage: Usage;
  #isOpen = false;
  /** 0: no turn has begun. */
  current = 0;
  /** Nothing came after the last error, so a reader must take the run for failed. */
  endsInError = false;

  constructor(sink: EncoderSink, usage: Usage) {
    this.#sink = sink;
    this.#usage = usage;
  }

  /** The previous turn is written as complete only now, because some agents report a turn's usage after its end. */
  start(): void {
    if (this.#isOpen) this.#sink.line({ type: 'turn_complete', turn: this.current, ...this.#usage.writeTurn() });
    this.current += 1;
    this.#isOpen = true;
    this.endsInError = false;
  }

  completeLast(metrics: RunOutcome['metrics']): void {
    const rest = this.#usage.rest(metrics, this.#isOpen);
    if (this.#isOpen) this.#sink.line({ type: 'turn_complete', turn: this.current, ...this.#usage.writeTurn(rest) });
  }

  fail(message: string): void {
    this.endsInError = true;
    this.#sink.line({ type: 'error', message, turn: Math.max(1, this.current) });
  }
}
