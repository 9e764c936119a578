import type { ErrorCode } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { codeOfMessage, isProviderFault } from '../../../outcome/faults.ts';
import { asText, count, filled, list, object, string } from '../../../json/read.ts';
import { classWords } from '../../kit/class-words.ts';
import { unknownQuery } from '../words.ts';
import { readTool } from './tools.ts';
import { readUsage } from './usage.ts';

const sessionOf = /^\.dexter\/scratchpad\/(.+)\.jsonl$/;

/** How many loop iterations are shown as turns; a run has ten by default. */
const maxTurns = 1000;

/** A whole run in one object. It does not say which iteration called which tool: the first gets them all, the last the answer. */
export function readResponse(wire: JsonObject, sink: DecoderSink): void {
  const metadata = object(wire.metadata);
  const model = filled(metadata.model);
  sink.emit({
    type: 'thread.started',
    agent: 'dexter',
    ...present({
      task: wire.query === unknownQuery ? undefined : filled(wire.query),
      model,
      session_id: sessionOf.exec(string(wire.scratchpadFile) ?? '')?.[1],
    }),
  });
  const turns = Math.min(Math.floor(count(metadata.iterations) ?? 0), maxTurns);
  if (turns > 0) sink.emit({ type: 'turn.started' });
  for (const [index, tool] of list(wire.tools).entries()) readTool(object(tool), `call_${index + 1}`, sink);
  for (let turn = 2; turn <= turns; turn += 1) sink.emit({ type: 'turn.started' });
  const answer = string(wire.answer) ?? '';
  if (answer !== '') sink.emit({ type: 'text.completed', text: answer, message_id: 'answer' });
  readUsage(object(metadata.tokenUsage), sink, model);
  readStatus(wire, count(metadata.totalTimeMs), sink);
}

function readStatus(wire: JsonObject, duration_ms: number | undefined, sink: DecoderSink): void {
  const error = object(wire.error);
  const time = present({ duration_ms });
  if (wire.status === 'success' && wire.error === undefined)
    return sink.emit({ type: 'agent.finished', status: 'ok', raw_status: 'success', ...time });
  const raw_status = string(error.code) ?? asText(wire.status);
  const { code, message } = meaningOf(raw_status, asText(error.message));
  sink.emit({
    type: 'agent.finished',
    status: code === 'cancelled' ? 'cancelled' : 'failed',
    code,
    raw_status,
    message,
    ...time,
  });
}

function meaningOf(code: string, message: string): { code: ErrorCode; message: string } {
  switch (code) {
    case 'NO_QUERY':
      return { code: 'input', message };
    case 'CONFIG_ERROR':
      return classIn(message) ?? { code: 'config', message };
    case 'PROVIDER_ERROR': {
      const fault = codeOfMessage(message);
      return { code: isProviderFault(fault) ? fault : 'server', message };
    }
    case 'AGENT_ERROR': {
      const known = codeOfMessage(message);
      return classIn(message) ?? { code: known === 'unknown' ? 'tool' : known, message };
    }
    default:
      return { code: 'unknown', message };
  }
}

/** The class that a message begins with. */
function classIn(message: string): { code: ErrorCode; message: string } | undefined {
  for (const { words, code } of Object.values(classWords)) {
    if (message === words) return { code, message };
    if (message.startsWith(`${words}: `)) return { code, message: message.slice(words.length + 2) };
  }
  return undefined;
}
