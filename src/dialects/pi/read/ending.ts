import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import { codeOfMessage } from '../../../outcome/faults.ts';
import { wordIn } from '../../../json/read.ts';
import { finishReasons } from '../words.ts';

/** How a message ended, in the agent's own word, and why if it failed. */
export interface MessageEnd {
  reason: string;
  error: string | undefined;
}

/** The process exits with 0 whatever happened and prints no closing line: the run ended the way its last message ended. */
export class Ending {
  /** How the last assistant message ended; this is reported several times, and a failure outweighs a success. */
  #last: MessageEnd | undefined;
  isRetrying = false;
  /** The run ended after the last message. */
  isFinished = false;

  /** A run or a message starts: earlier endings no longer count. */
  begin(): void {
    this.#last = undefined;
    this.isRetrying = false;
    this.isFinished = false;
  }

  messageEnded(end: MessageEnd): void {
    if (this.#last === undefined || (isGood(this.#last) && !isGood(end))) this.#last = end;
    else this.#last.error ??= end.error;
  }

  /** The agent's word for how the last message ended. */
  get reason(): string {
    return this.#last?.reason ?? '';
  }

  /** Whether the last message ended well. */
  get isGood(): boolean {
    return this.#last !== undefined && isGood(this.#last);
  }

  gaveUp(error: string | undefined): void {
    this.isRetrying = false;
    this.#last = { reason: 'error', error: error ?? this.#last?.error };
  }

  read(sink: DecoderSink): void {
    if (this.#last === undefined || this.isRetrying) return;
    const { reason, error } = this.#last;
    if (isGood(this.#last)) {
      if (this.isFinished && reason === 'stop') sink.emit({ type: 'agent.finished', status: 'ok' });
      return;
    }
    if (reason === 'aborted')
      return sink.emit({ type: 'agent.finished', status: 'cancelled', ...present({ message: error }) });
    sink.emit({
      type: 'agent.finished',
      status: 'failed',
      code: reason === 'length' ? 'output_length' : codeOfMessage(error ?? ''),
      ...present({ raw_status: reason === 'error' || reason === '' ? undefined : reason, message: error }),
    });
  }
}

/** A turn ends the way its message did. */
export function endTurn(sink: DecoderSink, reason: string): void {
  const known = wordIn(finishReasons, reason);
  sink.emit({
    type: 'turn.completed',
    finish_reason: known ?? 'other',
    ...(known === undefined && reason !== '' ? { raw_finish_reason: reason } : {}),
  });
}

function isGood({ reason, error }: MessageEnd): boolean {
  return (reason === 'stop' || reason === 'toolUse') && error === undefined;
}
