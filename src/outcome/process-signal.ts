import type { EventOf } from '../events/event.ts';

type Ended = Pick<EventOf<'process.ended'>, 'exit_code' | 'signal'>;

/** Shells and containers report a signal as 128 and its number. */
const signalOfCode: Readonly<Record<number, string>> = {
  129: 'SIGHUP',
  130: 'SIGINT',
  137: 'SIGKILL',
  141: 'SIGPIPE',
  143: 'SIGTERM',
};

/** The signal that ended the process, whichever way it is told. */
export function signalOf({ exit_code, signal }: Ended): string | undefined {
  return signal ?? (exit_code === null ? undefined : signalOfCode[exit_code]);
}

/** The code of timeout(1), which ends a process with a signal. */
export const timeoutCode = 124;

const fromOutside = new Set(['SIGINT', 'SIGTERM', 'SIGKILL', 'SIGHUP', 'SIGPIPE']);

/** Ended from outside: this does not count against an agent that had already finished. */
export function isEndedFromOutside(process: Ended): boolean {
  return process.exit_code === timeoutCode || fromOutside.has(signalOf(process) ?? '');
}
