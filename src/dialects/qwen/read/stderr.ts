import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText, isObject, string } from '../../../json/read.ts';
import { codeOfError, fatalTypes, unwrapApiError } from '../words.ts';
import { type Ending, limitIn } from './ending.ts';

const greeting = /^(?:Ripgrep not available: |Warning: running headless with --yolo)/;
const retryWording = /^Retrying (?:in (\d{1,9})s \(attempt (\d{1,9})\/(\d{1,9})\): (.*)|provider attempt \()/s;

/** `isHeard`: whether anything has come on stdout. */
export function stderrReader(
  sink: DecoderSink,
  ending: Ending,
  isHeard: () => boolean,
): (text: string, wire?: JsonObject) => boolean {
  function fatal(fault: JsonObject): boolean {
    const message = unwrapApiError(asText(fault.message));
    const type = string(fault.type) ?? '';
    // In json mode the failure of a run is reported twice, first as the result on stdout.
    if (ending.isTold) return true;
    const limit = limitIn(message);
    if (limit !== undefined) {
      ending.failAtLimit(limit, message);
      return true;
    }
    const code = fatalTypes.get(type) ?? codeOfError(message);
    if (code === 'cancelled') sink.emit({ type: 'agent.finished', status: 'cancelled', code, message });
    else
      sink.emit({
        type: 'error',
        scope: 'process',
        code,
        message,
        fatal: true,
        ...present({ name: type || undefined }),
      });
    return true;
  }

  return (text, wire) => {
    if (isObject(wire?.error)) return fatal(wire.error);
    if (greeting.test(text)) return true;
    if (text.startsWith('Reached max session turns') || text.startsWith('Run aborted: ')) {
      const limit = limitIn(text);
      if (limit === undefined) return false;
      if (!ending.isTold) ending.failAtLimit(limit, text);
      return true;
    }
    if (text === 'Operation cancelled.' && !ending.isTold) {
      sink.emit({ type: 'agent.finished', status: 'cancelled', code: 'cancelled', message: text });
      return true;
    }
    const retry = retryWording.exec(text);
    // In stream mode stdout itself reports each retry; json mode is silent until the end.
    if (retry === null || isHeard()) return false;
    const [, seconds, attempt, of, cause] = retry;
    if (seconds === undefined) sink.emit({ type: 'retry.scheduled', cause: 'retry' });
    else {
      const why = unwrapApiError(cause ?? '');
      const numbers = { attempt: Number(attempt), max_attempts: Number(of), delay_ms: Number(seconds) * 1000 };
      sink.emit({ type: 'retry.scheduled', code: codeOfError(why), cause: why, ...numbers });
    }
    return true;
  };
}
