import type { EventOf } from '../../../events/event.ts';
import type { Json, JsonObject } from '../../dialect.ts';
import { compact } from '../../read.ts';
import { isAny, type Tokens } from '../tokens.ts';
import { writeUsage } from './usage.ts';

/** One call of the model while it is written: its lines share an id. */
export interface Message {
  readonly id: string;
  readonly turnId: string;
  readonly parent: string | undefined;
  readonly model: string;
  usage: Tokens;
  calledTools: boolean;
  /** Blocks that stream at this moment, by our block id, with their place in the message. */
  readonly streams: Map<string, number>;
  nextIndex: number;
  ended: boolean;
}

export function newMessage(fields: Pick<Message, 'id' | 'turnId' | 'parent' | 'model' | 'usage'>): Message {
  return { ...fields, calledTools: false, streams: new Map(), nextIndex: 0, ended: false };
}

export function messageBody(message: Message, content: Json[]): JsonObject {
  return {
    id: message.id,
    type: 'message',
    role: 'assistant',
    model: message.model,
    content,
    stop_reason: null,
    stop_sequence: null,
    usage: writeUsage(message.usage),
  };
}

/** The tokens of one call; undefined when the event has none. */
export function stepOf(event: EventOf<'usage.reported'>): (Tokens & { model?: string }) | undefined {
  const { model, input_tokens, output_tokens, reasoning_tokens, cache_read_tokens, cache_write_tokens } = event;
  const tokens: Tokens = compact({ input_tokens, output_tokens, reasoning_tokens, cache_read_tokens, cache_write_tokens });
  return isAny(tokens) ? { ...tokens, ...compact({ model }) } : undefined;
}
