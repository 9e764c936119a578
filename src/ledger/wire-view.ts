import { z } from 'zod';
import type { EventOf } from '../events/event.ts';
import type { Json } from '../json/json.ts';
import { present } from '../json/present.ts';
import { cutAfter } from '../redact/cut.ts';
import type { Tape } from '../tapes/tape.ts';
import { newsIn } from '../wire/recording/new-in.ts';
import { replyOf } from '../wire/recording/reply.ts';
import { type Recording, readWire } from './recording.ts';

const count = z.int().nonnegative().optional();
const ms = z.number().nonnegative().optional();

/** One request of a run to a model. */
const RequestView = z.strictObject({
  request: z.int().positive(),
  /** Since the first request; absent: it was not recorded. */
  at_ms: z.number().optional(),
  api: z.string(),
  path: z.string().optional(),
  model: z.string().optional(),
  model_served: z.string().optional(),
  is_side: z.boolean().optional(),
  status: z.int().optional(),
  ended: z.string().optional(),
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: count,
  cost_usd: z.number().nonnegative().optional(),
  first_byte_ms: ms,
  duration_ms: ms,
  error: z.string().optional(),
  /** Fields besides the conversation that are other than in the request before. */
  changed: z.array(z.string()),
  /** Messages that the request before did not have. */
  new: z.array(z.string()),
  new_omitted: z.int().positive().optional(),
  text: z.string().optional(),
  calls: z.array(z.strictObject({ name: z.string(), args: z.string() })).optional(),
});

export const WireView = z.strictObject({ requests: z.array(RequestView), omitted: z.int().nonnegative() });
export type WireView = z.infer<typeof WireView>;

/** A run may ask thousands of times, and with whole files. */
const requestsShown = 500;
const messagesShown = 20;
const mostOfText = 2000;

/** Each request of a run: what was new in it, what came back, tokens, cost and time. */
export function wireOf({ exchanges, responses }: Pick<Recording, 'exchanges' | 'responses'>): WireView {
  const news = newsIn(exchanges);
  const requests = exchanges.slice(0, requestsShown).map(({ request, answer }, index) => {
    const { messages = [], changed = [] } = news[index] ?? {};
    const seen = responses.get(request.number);
    const reply = answer === undefined ? undefined : replyOf(answer);
    return {
      request: request.number,
      at_ms: request.at_ms,
      api: request.api,
      path: request.path,
      ...present({
        model: seen?.model,
        model_served: seen?.model_served,
        status: answer?.status ?? undefined,
        ended: answer?.ended,
        input_tokens: seen?.input_tokens,
        output_tokens: seen?.output_tokens,
        cache_read_tokens: seen?.cache_read_tokens,
        cost_usd: seen?.cost_usd,
        first_byte_ms: answer?.first_byte_ms,
        duration_ms: answer?.duration_ms,
        error: seen?.error,
      }),
      changed,
      new: messages.slice(0, messagesShown).map(textOf),
      ...(messages.length > messagesShown ? { new_omitted: messages.length - messagesShown } : {}),
      ...present({
        text: reply === undefined || reply.text === '' ? undefined : cut(reply.text),
        calls: reply?.calls.slice(0, messagesShown).map(({ name, args }) => ({ name, args: cut(args) })),
      }),
    };
  });
  return { requests, omitted: exchanges.length - requests.length };
}

function textOf(message: Json): string {
  return cut(typeof message === 'string' ? message : JSON.stringify(message));
}

/** Secrets were taken out when it was recorded. */
function cut(text: string): string {
  return cutAfter(text, mostOfText);
}

/** The same for a run whose requests were counted, but perhaps not recorded: then nothing is known of what was said. */
export async function wireOn(tape: Tape): Promise<WireView> {
  const { reader, responses } = await readWire(tape);
  if (reader.head !== undefined) return wireOf({ exchanges: reader.exchanges, responses });
  const requests = [...responses.values()].slice(0, requestsShown).map(countedOf);
  return { requests, omitted: responses.size - requests.length };
}

function countedOf(response: EventOf<'model.responded'>): WireView['requests'][number] {
  const { request, api, ended, duration_ms } = response;
  const { model, model_served, is_side, status, input_tokens, output_tokens, cache_read_tokens } = response;
  const { cost_usd, first_byte_ms, error } = response;
  const figures = { input_tokens, output_tokens, cache_read_tokens, cost_usd, first_byte_ms };
  return {
    request,
    api,
    ended,
    duration_ms,
    ...present({ model, model_served, is_side, status, error, ...figures }),
    changed: [],
    new: [],
  };
}
