import type { DecoderSink, Json } from '../../../dialect.ts';
import { time } from '../../../read.ts';

/** What is emitted from now on is of this time, if it is one. */
export function tellTime(sink: DecoderSink, value: Json | undefined): void {
  const ms = time(value);
  if (ms !== undefined) sink.at(ms);
}
