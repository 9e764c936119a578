import type { Draft } from '../../events/event.ts';
import { jsonOrText, objectIn } from '../../json/parse.ts';
import { present } from '../../json/present.ts';
import type { ProcessEnd } from '../../pipeline/thread.ts';
import type { Quote } from '../../wire/drafts.ts';
import type { ModelAnswer, ModelRequest } from '../../wire/exchange.ts';
import type { Call } from '../../wire/recording/reply.ts';
import { resultsIn } from '../../wire/results.ts';

/** Requests and calls that are remembered, and how much of what these returned. */
const mostTurns = 1000;
const mostCalls = 1000;
const longestOutput = 16 * 1024;
const mostOutput = 8 * 1024 * 1024;

interface OpenCall extends Call {
  at: number;
  result?: { output: string; isError: boolean; ms: number };
}

/** What a program and its model said to each other, for a program whose own words nobody can read. */
export class Conversation {
  readonly #quote: Quote;
  readonly #now: () => number;
  readonly #turns: { request: number; calls: OpenCall[] }[] = [];
  #calls = 0;
  /** Calls without a result, by what the result may name. */
  readonly #open = new Map<string, OpenCall[]>();
  #kept = 0;
  #last: { request: number; text: string; answer: ModelAnswer } | undefined;

  constructor(quote: Quote, now = () => performance.now()) {
    this.#quote = quote;
    this.#now = now;
  }

  /** The results of calls are in the next request. */
  requested({ facts }: ModelRequest): void {
    if (facts.body === undefined || this.#open.size === 0) return;
    for (const { id, name, output, isError } of resultsIn(objectIn(facts.body.toString('utf8').trimStart()))) {
      const call = this.#take(`id ${id}`) ?? this.#take(`name ${name}`);
      if (call === undefined) continue;
      const most = Math.min(longestOutput, mostOutput - this.#kept);
      call.result = { output: this.#quote(output, most), isError, ms: Math.round(this.#now() - call.at) };
      this.#kept += call.result.output.length;
    }
  }

  /** An answer to more than a side question. */
  responded({ number: request }: ModelRequest, answer: ModelAnswer): void {
    if (!answer.isServed) return;
    const { text = '', calls = [] } = answer.reading.reply ?? {};
    this.#last = { request, text, answer };
    if (this.#turns.length >= mostTurns) return;
    const kept = calls.slice(0, mostCalls - this.#calls).map((call): OpenCall => ({ ...call, at: this.#now() }));
    this.#calls += kept.length;
    this.#turns.push({ request, calls: kept });
    for (const call of kept) {
      if (call.id !== undefined) this.#open.set(`id ${call.id}`, [call]);
      const named = `name ${call.name}`;
      this.#open.set(named, [...(this.#open.get(named) ?? []).filter((each) => each.result === undefined), call]);
    }
  }

  /** The first of those that still wait. */
  #take(key: string): OpenCall | undefined {
    const calls = this.#open.get(key) ?? [];
    for (;;) {
      const call = calls.shift();
      if (calls.length === 0) this.#open.delete(key);
      if (call === undefined || call.result === undefined) return call;
    }
  }

  /** What happened, as an agent would have told it. A program that ends well after a whole answer of its model is believed. */
  *drafts(end: ProcessEnd | undefined): Generator<Draft> {
    for (const [index, { request, calls }] of this.#turns.entries()) {
      yield { type: 'turn.started', turn_id: `request-${request}`, iteration: index + 1 };
      for (const [at, call] of calls.entries())
        yield* draftsOf(call, `request-${request}`, `call-${request}-${at + 1}`);
    }
    const last = this.#last;
    if (last === undefined) return;
    const id = `request-${last.request}`;
    if (last.text !== '') yield { type: 'text.completed', turn_id: id, message_id: id, block_id: id, text: last.text };
    if (end?.exit_code === 0) yield* claimOf(last.answer);
  }
}

/** What an answer says of the end of a conversation; nothing where the model waits for a result, or the answer is not whole. */
function* claimOf({ ended, reading: { finish, rawFinish } }: ModelAnswer): Generator<Draft> {
  if (ended !== 'complete' || finish === undefined || finish === 'tool_calls') return;
  const raw = present({ raw_status: rawFinish });
  if (finish === 'stop' || finish === 'other') yield { type: 'agent.finished', status: 'ok', ...raw };
  else {
    const code = finish === 'length' ? 'output_length' : finish === 'content_filter' ? 'refused' : 'server';
    yield {
      type: 'agent.finished',
      status: 'failed',
      code,
      message: `the last answer ended with ${rawFinish}`,
      ...raw,
    };
  }
}

function* draftsOf({ name, args, result }: OpenCall, turn_id: string, item_id: string): Generator<Draft> {
  const called = { name: name === '' ? 'unnamed' : name, args: jsonOrText(args === '' ? '{}' : args) };
  yield { type: 'item.started', item_id, turn_id, kind: 'tool_call', ...called };
  if (result === undefined) return;
  const { output, isError, ms: duration_ms } = result;
  yield { type: 'item.completed', item_id, status: isError ? 'error' : 'success', output, duration_ms };
}
