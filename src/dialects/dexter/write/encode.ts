import type { Encoder, EncoderSink } from '../../dialect.ts';
import { eventsEncoder } from './events.ts';
import { responseEncoder } from './response.ts';

export function encoder(sink: EncoderSink, variant: string): Encoder {
  return variant === 'events' ? eventsEncoder(sink) : responseEncoder(sink);
}
