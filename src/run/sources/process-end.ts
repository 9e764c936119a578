import type { ProcessEnd } from '../../pipeline/thread.ts';
import { present } from '../../json/present.ts';
import type { Ended } from '../../processes/supervised.ts';

/** How a supervised process ended, as a run reports it. */
export function processEnd({ exit_code, signal, requested_signal, left_running, unread_bytes }: Ended): ProcessEnd {
  const left = left_running === 0 ? undefined : left_running;
  return { exit_code, signal, ...present({ requested_signal, left_running: left, unread_bytes }) };
}
