import type { DecoderSink } from '../dialect.ts';
import type { Json } from '../../json/json.ts';
import { time } from '../../json/read.ts';

/** Everything emitted from now on has this time, if the value is a time. */
export function tellTime(sink: DecoderSink, value: Json | undefined): void {
  const ms = time(value);
  if (ms !== undefined) sink.at(ms);
}
