import { Writer } from '../../pipeline/writer.ts';
import { type Late, lateOutcome } from './late-outcome.ts';

interface LateResponse extends Late {
  writer: ConstructorParameters<typeof Writer>;
  /** The name of the scratchpad. */
  scratchpad: string;
}

/** The response of a run that could not be ended cleanly. */
export function lateResponse({ writer, scratchpad, ...late }: LateResponse): string {
  const out = new Writer(...writer);
  out.end(lateOutcome(late, { session: scratchpad, onRecord: (record) => out.record(record) }));
  return out.take();
}
