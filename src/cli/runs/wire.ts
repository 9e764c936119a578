import type { Json } from '../../json/json.ts';
import { present } from '../../json/present.ts';
import type { Recording } from '../../ledger/recording.ts';
import { cutAfter } from '../../redact/cut.ts';
import { compactCount, compactDuration, dollars, plural } from '../../terminal/figures.ts';
import { paint } from '../../terminal/paint.ts';
import { oneLine } from '../../terminal/plain.ts';
import type { Screen } from '../../terminal/table.ts';
import { newsIn } from '../../wire/recording/new-in.ts';
import { replyOf } from '../../wire/recording/reply.ts';

/** A run may ask thousands of times, and with whole files. */
const requestsShown = 500;
const messagesShown = 20;
const mostOfText = 2000;

/** Each request of a run: what was new in it, what came back, tokens, cost and time. */
export function wireOf({ exchanges, responses }: Recording) {
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

const lineLength = 400;

export function drawWire({ requests, omitted }: ReturnType<typeof wireOf>, screen: Screen): string {
  const shown = requests.map((each) => {
    const facts = [
      each.model_served ?? each.model,
      each.input_tokens === undefined ? undefined : `${compactCount(each.input_tokens)} in`,
      each.output_tokens === undefined ? undefined : `${compactCount(each.output_tokens)} out`,
      dollars(each.cost_usd),
      each.duration_ms === undefined ? undefined : compactDuration(each.duration_ms),
      each.status === 200 ? undefined : String(each.status ?? 'no answer'),
      each.ended === 'complete' ? undefined : each.ended?.replaceAll('_', ' '),
    ].filter((fact) => fact !== undefined);
    const lines = [
      ...(each.changed.length === 0 ? [] : [`set  ${each.changed.join(', ')}`]),
      ...each.new.map((text) => `new  ${text}`),
      ...(each.new_omitted === undefined ? [] : [`new  … ${plural(each.new_omitted, 'more message')}`]),
      ...(each.text === undefined ? [] : [`back ${each.text}`]),
      ...(each.calls ?? []).map(({ name, args }) => `call ${name} ${args}`),
      ...(each.error === undefined ? [] : [`error ${each.error}`]),
    ];
    return `${paint(`request ${each.request}`, 'bold', screen)}  ${oneLine(facts.join(', '), lineLength)}\n${lines.map((line) => `  ${oneLine(line, lineLength)}\n`).join('')}`;
  });
  return shown.join('\n') + (omitted === 0 ? '' : `\n… ${plural(omitted, 'more request')}\n`);
}
