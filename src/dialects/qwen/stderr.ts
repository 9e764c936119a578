import type { ErrorCode } from '../../events/event.ts';
import type { DecoderSink, JsonObject } from '../dialect.ts';
import { asText, compact, isObject, string } from '../read.ts';
import { codeOfFault, limitIn, unwrapApiError } from './words.ts';

/** What the decoder of stdout knows by now. */
interface Known {
  heard(): boolean;
  claimed(): boolean;
  failAtLimit(limit: NonNullable<ReturnType<typeof limitIn>>, message: string): void;
}

const codeOfType: Record<string, ErrorCode> = {
  FatalAuthenticationError: 'config',
  FatalInputError: 'input',
  FatalSandboxError: 'config',
  FatalConfigError: 'config',
  FatalToolExecutionError: 'tool',
  FatalCancellationError: 'cancelled',
};
const greeting = /^(?:Ripgrep not available: |Warning: running headless with --yolo)/;
const retryWording = /^Retrying (?:in (\d+)s \(attempt (\d+)\/(\d+)\): (.*)|provider attempt \()/s;

export function stderrDecoder(sink: DecoderSink, known: Known): (text: string, wire?: JsonObject) => boolean {
  function fatal(fault: JsonObject): boolean {
    const message = unwrapApiError(asText(fault.message));
    const type = string(fault.type) ?? '';
    // In json mode the failure of a run is told twice, first as the result on stdout.
    if (known.claimed()) return true;
    const limit = limitIn(message);
    if (limit !== undefined) {
      known.failAtLimit(limit, message);
      return true;
    }
    const named = Object.hasOwn(codeOfType, type) ? codeOfType[type] : undefined;
    const code = named ?? codeOfFault(message);
    if (code === 'cancelled') sink.emit({ type: 'agent.finished', status: 'cancelled', code, message });
    else sink.emit({ type: 'error', scope: 'process', code, message, fatal: true, ...compact({ name: type || undefined }) });
    return true;
  }

  return (text, wire) => {
    if (isObject(wire?.error)) return fatal(wire.error);
    if (greeting.test(text)) return true;
    if (text.startsWith('Reached max session turns') || text.startsWith('Run aborted: ')) {
      const limit = limitIn(text);
      if (limit === undefined) return false;
      if (!known.claimed()) known.failAtLimit(limit, text);
      return true;
    }
    if (text === 'Operation cancelled.' && !known.claimed()) {
      sink.emit({ type: 'agent.finished', status: 'cancelled', code: 'cancelled', message: text });
      return true;
    }
    const retry = retryWording.exec(text);
    // Where stdout is a stream it tells of each retry itself; json mode is silent until its end.
    if (retry === null || known.heard()) return false;
    const [, seconds, attempt, of, cause] = retry;
    if (seconds === undefined) sink.emit({ type: 'retry.scheduled', cause: 'retry' });
    else {
      const why = unwrapApiError(cause ?? '');
      const numbers = { attempt: Number(attempt), max_attempts: Number(of), delay_ms: Number(seconds) * 1000 };
      sink.emit({ type: 'retry.scheduled', code: codeOfFault(why), cause: why, ...numbers });
    }
    return true;
  };
}
