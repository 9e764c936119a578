import type { ErrorCode } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { codeOfMessage } from '../../../outcome/faults.ts';
import { count, list, object, string } from '../../../json/read.ts';
import { errorPrefix } from '../words.ts';
import { readTool } from './tools.ts';
import { readUsage } from './usage.ts';

/** What the lines before `done` reveal about its answer. */
export interface Witness {
  /** Model calls announced by `stream_progress`; 0 in versions without such lines. */
  requests: number;
  /** Length, in UTF-16 code units, of what the model streamed since the last of them. */
  streamed: number;
  /** The last reply called tools, so it cannot be the answer. */
  toolsCalled: boolean;
  denied: boolean;
  anyTool: boolean;
}

/** `done`, the last event; false if this is not one. `say` emits the answer, if it is the model's. */
export function readEnding(
  done: JsonObject,
  witness: Witness,
  sink: DecoderSink,
  say: (text: string) => void,
): boolean {
  const answer = string(done.answer);
  if (answer === undefined) return false;
  if (!witness.anyTool)
    for (const [index, call] of list(done.toolCalls).entries()) readTool(object(call), `call_${index + 1}`, sink);
  const ending = weigh(answer, done, witness);
  if (ending.kind === 'said') say(answer);
  readUsage(object(done.tokenUsage), sink);
  const claim = {
    type: 'agent.finished',
    raw_status: 'done',
    ...present({ duration_ms: count(done.totalTime) }),
  } as const;
  if (ending.kind === 'limit')
    sink.emit({ type: 'limit.reached', limit: 'turns', maximum: ending.maximum, message: answer });
  switch (ending.kind) {
    case 'said':
      sink.emit({ ...claim, status: 'ok' });
      break;
    case 'limit':
      sink.emit({ ...claim, status: 'failed', code: 'turn_limit', message: answer });
      break;
    case 'failed':
      sink.emit({ ...claim, status: 'failed', code: ending.code, message: ending.message });
  }
  return true;
}

type Ending =
  | { kind: 'said' }
  | { kind: 'limit'; maximum: number }
  | { kind: 'failed'; code: ErrorCode; message: string };

const limitSentence = /^Reached maximum iterations \((\d{1,15})\)/;

/**
 * Success and failure have the same shape on this wire. An answer as long as the streamed text is the model's; a failed
 * stream may have been replaced by a blocking call, which prints no line but does count its tokens.
 */
function weigh(answer: string, done: JsonObject, witness: Witness): Ending {
  const watched = witness.requests > 0;
  if (answer.trim() === '') {
    if (witness.denied) return { kind: 'failed', code: 'permission', message: 'a tool was denied' };
    // Whether its tool calls are enough is for the verdict to decide.
    return witness.anyTool
      ? { kind: 'said' }
      : { kind: 'failed', code: 'unknown', message: 'the agent gave no answer' };
  }
  const counted = (count(object(done.tokenUsage).totalTokens) ?? 0) > 0;
  const isError = answer.startsWith(errorPrefix);
  if (watched && !witness.toolsCalled && witness.streamed === answer.length && (counted || !isError))
    return { kind: 'said' };
  const limit = limitSentence.exec(answer);
  if (limit !== null) return { kind: 'limit', maximum: Number(limit[1]) };
  if (isError) return { kind: 'failed', ...modelFault(answer.slice(errorPrefix.length)) };
  if (/^No tools (?:are )?available/i.test(answer)) return { kind: 'failed', code: 'config', message: answer };
  const doubtful = { kind: 'failed', code: 'unknown', message: answer } as const;
  if (!watched) return counted || witness.anyTool ? { kind: 'said' } : doubtful;
  return witness.toolsCalled || !counted || resembles(answer, errorPrefix) ? doubtful : { kind: 'said' };
}

/** Any failure of a model call ends the run like this, so even an unspecific message is an error on the model's side. */
function modelFault(message: string): { code: ErrorCode; message: string } {
  const code = codeOfMessage(message);
  return { code: code === 'unknown' ? 'server' : code, message };
}

/** At most two single-character edits away, so that a damaged byte cannot hide an error. */
function resembles(text: string, prefix: string): boolean {
  let row = Array.from({ length: prefix.length + 1 }, (_, index) => index);
  for (let line = 0; line < Math.min(text.length, prefix.length); line += 1) {
    let corner = line;
    const next = [line + 1];
    for (let at = 0; at < prefix.length; at += 1) {
      const above = row[at + 1] ?? 0;
      next.push(Math.min(above + 1, (next[at] ?? 0) + 1, corner + (prefix[at] === text[line] ? 0 : 1)));
      corner = above;
    }
    row = next;
  }
  return (row.at(-1) ?? 0) <= 2;
}
