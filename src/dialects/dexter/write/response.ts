import type { EventOf, EventRecord } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { present } from '../../../json/present.ts';
import type { Encoder, EncoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { lossOf } from '../../kit/losses.ts';
import { isObject } from '../../../json/read.ts';
import { scratchpadFolder, unknownQuery } from '../words.ts';
import { writeError } from './ending.ts';
import { ToldCalls } from './told-calls.ts';
import { Tools, writeArgs, writeResult } from './tools.ts';
import { writeUsage } from './usage.ts';

type ToolRecord = { name: string; args: JsonObject; result: string };

/** Completed iterations of the loop; one that failed or was cut off does not count. */
class Iterations {
  #completed = 0;
  #isAssumed = false;

  start(): void {
    this.#isAssumed = false;
  }

  end({ finish_reason: reason, synthetic }: EventOf<'turn.completed'> & Pick<EventRecord, 'synthetic'>): void {
    if (reason === 'error' || reason === 'aborted') return;
    this.#completed += 1;
    this.#isAssumed = synthetic;
  }

  completed({ verdict, provenance, metrics }: RunOutcome): number {
    // Iterations that Dexter itself counted were completed.
    if (provenance.dialect === 'dexter') return metrics.turns;
    return this.#completed - (this.#isAssumed && verdict.class !== 'success' ? 1 : 0);
  }
}

/** One JSON response: the whole run in one object, written at its end. */
export function responseEncoder(sink: EncoderSink): Encoder {
  const tools = new Tools(sink);
  const calls = new ToldCalls<ToolRecord>(sink.lose);
  const iterations = new Iterations();
  let session: string | undefined;
  let turns = 0;
  let prompts = 0;
  let messageId: string | undefined;
  let error: string | undefined;

  function respond(outcome: RunOutcome): void {
    const { metrics, verdict, metadata, message } = outcome;
    const failed = verdict.class !== 'success';
    const usage = writeUsage(metrics, sink);
    if (failed) {
      for (let left = calls.length; left > 0; left -= 1) sink.lose('tool_call');
      if (message !== '') sink.lose('text');
    }
    const detail = failed ? writeError(outcome) : undefined;
    if (error !== undefined && detail?.message.endsWith(error) !== true) sink.lose('error');
    if (outcome.limits_hit.length > 0 && !verdict.class.endsWith('_limit')) sink.lose('limit');
    sink.line({
      status: failed ? 'error' : 'success',
      query: metadata.initial_prompt || (detail?.code === 'NO_QUERY' ? '' : unknownQuery),
      answer: failed ? '' : message,
      tools: failed ? [] : calls.toArray(),
      scratchpadFile: scratchpadFile(),
      metadata: {
        model: metrics.model_name ?? '',
        iterations: iterations.completed(outcome),
        totalTimeMs: Math.max(1, Math.round(metrics.duration_ms ?? 0)),
        ...usage,
      },
      ...present({ error: detail }),
    });
  }

  function scratchpadFile(): string {
    const name = (session ?? 'run').replace(/[^\w.-]/g, '_');
    if (session !== undefined && name !== session) sink.lose('session');
    return `${scratchpadFolder}${name}.jsonl`;
  }

  function endTool(event: EventOf<'item.completed'>): void {
    const start = tools.end(event.item_id);
    if (start === undefined) return;
    if (!isObject(start.args)) sink.lose('tool_args');
    calls.push({ name: start.name, args: writeArgs(start.args), result: writeResult(start.name, event, sink) });
  }

  function say(event: EventOf<'text.completed'>): void {
    if (event.parent_item_id !== undefined) return sink.lose('sub_agent');
    if (event.text.trim() === '') return;
    // Only the last message is the answer.
    if (messageId !== undefined && messageId !== event.message_id) sink.lose('text');
    messageId = event.message_id;
  }

  return {
    record(event: EventRecord) {
      switch (event.type) {
        case 'thread.started':
          session = event.session_id || event.thread_id;
          if (event.task !== undefined) prompts = 1;
          return;
        case 'prompt.submitted':
          prompts += 1;
          if (prompts > 1) sink.lose('prompt');
          return;
        case 'turn.started':
          turns += 1;
          return iterations.start();
        case 'text.completed':
          return say(event);
        case 'item.started':
          if (turns > 1) sink.lose('turn_boundary');
          return tools.start(event);
        case 'item.completed':
          return endTool(event);
        case 'file.edited':
          return tools.edit(event);
        case 'error':
          if (error !== undefined && error !== event.message) sink.lose('error');
          error = event.message;
          return;
        case 'turn.completed':
          return iterations.end(event);
        case 'text.delta':
        case 'reasoning.delta':
        case 'usage.reported':
        case 'limit.reached':
        case 'agent.finished':
        case 'thread.completed':
          // Taken from the outcome: the answer, the totals, the limits, the verdict.
          return;
        default:
          return sink.lose(lossOf[event.type]);
      }
    },
    end: respond,
  };
}
