import type { AgentEvent, EventOf } from '../../../events/event.ts';
import { eventIn } from '../../../events/check.ts';
import type { Decoder, DecoderSink, Origin } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { integer, string, time } from '../../../json/read.ts';

type Delta = EventOf<'text.delta' | 'reasoning.delta'>;

export function decoder(sink: DecoderSink): Decoder {
  /** A delta that may be the whole of its block; the next line shows whether it is. */
  let held: { delta: Delta; origin: Origin; at: number | undefined } | undefined;

  function emit(event: AgentEvent, origin: Origin, at: number | undefined): void {
    sink.at(at);
    sink.emit(event, origin);
  }

  function release(next?: AgentEvent): void {
    if (held === undefined) return;
    const { delta, origin, at } = held;
    held = undefined;
    emit(delta, next !== undefined && ends(delta, next) ? { ...origin, isWhole: true } : origin, at);
  }

  return {
    line(wire: JsonObject) {
      const event = eventIn(wire);
      release(event);
      // Only a text is a time that Runwire wrote.
      const at = time(string(wire.timestamp));
      if (event === undefined) {
        sink.at(at);
        return sink.unknown(wire);
      }
      // The end is always recomputed from everything before it: a truncated or edited tape cannot claim a verdict.
      if (event.type === 'thread.completed') return;
      const origin = {
        source: wire.source === 'runner' || wire.source === 'wire' ? wire.source : 'agent',
        synthetic: wire.synthetic === true,
        threadId: string(wire.thread_id) || 'unknown',
        sequence: sequenceOf(wire),
      } as const;
      // Synthetic deltas are made from complete texts, whose end is the next line.
      if (origin.synthetic && (event.type === 'text.delta' || event.type === 'reasoning.delta'))
        held = { delta: event, origin, at };
      else emit(event, origin, at);
    },
    end: () => release(),
  };
}

function ends({ type, block_id, parent_item_id, text }: Delta, next: AgentEvent): boolean {
  if (next.type !== (type === 'text.delta' ? 'text.completed' : 'reasoning.completed')) return false;
  return next.block_id === block_id && next.parent_item_id === parent_item_id && next.text === text;
}

/** A number too large to count on from does not count. */
function sequenceOf(wire: JsonObject): number {
  const sequence = integer(wire.sequence) ?? 0;
  return sequence > 0 && sequence < Number.MAX_SAFE_INTEGER / 2 ? sequence : 0;
}
