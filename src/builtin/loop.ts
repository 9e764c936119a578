import type { FinishReason } from '../events/event.ts';
import { present } from '../json/present.ts';
import { cancelledBy, type Claim } from './claim.ts';
import { limitReached } from './limits.ts';
import type { Answer, Reply } from './models/call.ts';
import type { Fault } from './models/fault.ts';
import { nearestModel } from './models/nearest-model.ts';
import type { Prepared } from './prepare.ts';

export interface Turn {
  iteration: number;
  turn_id: string;
}

/** Turn after turn, until the model calls no more tools or something ends the run. */
export async function runLoop(prepared: Prepared): Promise<Claim> {
  const { signal } = prepared.options;
  for (let iteration = 1; ; iteration += 1) {
    if (signal.aborted) return cancelledBy(signal);
    const claim =
      limitReached(iteration, prepared) ?? (await takeTurn({ iteration, turn_id: `turn_${iteration}` }, prepared));
    if (claim === undefined) continue;
    const words = claim.status === 'ok' ? await prepared.options.nextPrompt?.() : undefined;
    if (words === undefined) return signal.aborted && claim.status === 'ok' ? cancelledBy(signal) : claim;
    prepared.emit({ type: 'prompt.submitted', text: words });
    prepared.conversation.add({ role: 'user', content: words });
  }
}

/** One question, its answer, and the tool calls in the answer; returns a claim when it was the last turn. */
async function takeTurn(turn: Turn, prepared: Prepared): Promise<Claim | undefined> {
  const { conversation, model, tools, save, emit } = prepared;
  emit({
    type: 'turn.started',
    ...turn,
    message_count: conversation.messages.length,
    tool_count: tools.count,
    model: model.id,
  });
  const reply = await conversation.ask(turn);
  const claim = await act(reply, turn, prepared);
  tellEnd(reply, claim, turn, prepared);
  await save(conversation.messages);
  return claim;
}

function act(reply: Reply, turn: Turn, prepared: Prepared): Claim | undefined | Promise<Claim | undefined> {
  const { signal } = prepared.options;
  // An answer that came although the run was to stop is counted, and nothing more is done about it.
  if ('aborted' in reply || signal.aborted) {
    prepared.conversation.addWords('answer' in reply ? reply.answer.text : reply.text);
    return cancelledBy(signal);
  }
  if ('fault' in reply) return giveUp(reply.fault, turn, prepared);
  const { finish, calls } = reply.answer;
  if (finish === 'content_filter' || finish === 'length') return breakOff(reply.answer, finish, prepared);
  prepared.conversation.add(...reply.answer.messages);
  return calls.length === 0 ? finishWith(reply.answer, turn, prepared) : runTools(reply.answer, turn, prepared);
}

async function giveUp(
  { code, message: reason, retryable, name, http_status, retryAfterMs }: Fault,
  turn: Turn,
  { emit, model }: Prepared,
): Promise<Claim> {
  const message = code === 'model_not_found' ? `${reason}${await nearestModel(model.id)}` : reason;
  const scope = code === 'config' ? 'config' : 'provider';
  if ((code === 'rate_limit' || code === 'quota') && retryAfterMs !== undefined)
    emit({ type: 'rate_limit.reported', status: 'rejected', resets_at_ms: Date.now() + retryAfterMs });
  emit({ type: 'error', scope, code, message, retryable, fatal: true, ...present({ name, http_status }), ...turn });
  return { status: 'failed', code, message };
}

/** An answer that was cut off: its text is kept, its calls are not. */
function breakOff({ text }: Answer, finish: 'content_filter' | 'length', { conversation }: Prepared): Claim {
  conversation.addWords(text);
  if (finish === 'length')
    return { status: 'failed', code: 'output_length', message: 'the answer was longer than the model may write' };
  return {
    status: 'failed',
    code: 'refused',
    message: text === '' ? 'the model refused to answer' : `the model refused: ${text}`,
  };
}

async function runTools(
  { calls }: Answer,
  { turn_id }: Turn,
  { conversation, tools, options }: Prepared,
): Promise<Claim | undefined> {
  const results = await tools.run(calls, turn_id);
  if (results.length > 0) conversation.add({ role: 'tool', content: results });
  return options.signal.aborted ? cancelledBy(options.signal) : undefined;
}

function finishWith({ text }: Answer, turn: Turn, { finalAnswer, conversation }: Prepared): Claim | undefined {
  const judged = finalAnswer.judge(text, turn);
  if (!('repair' in judged)) return judged;
  conversation.add({ role: 'user', content: judged.repair });
  return undefined;
}

function tellEnd(reply: Reply, claim: Claim | undefined, turn: Turn, { emit }: Prepared): void {
  const answer = 'answer' in reply ? reply.answer : undefined;
  const finish: FinishReason = answer?.finish ?? ('aborted' in reply ? 'aborted' : 'error');
  emit({
    type: 'turn.completed',
    ...turn,
    tool_call_count: answer?.calls.length ?? 0,
    has_final_report: claim?.status === 'ok',
    finish_reason: claim?.status === 'cancelled' ? 'aborted' : finish,
    ...present({ raw_finish_reason: answer?.rawFinish }),
  });
}
