import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText, isObject, object, string } from '../../../json/read.ts';
import { codeOfError, isApiError, unwrapApiError } from '../words.ts';
import { readModelUsage } from './usage.ts';

/** Before 0.3 the output was Gemini CLI's document; only the name of the model distinguishes the two. */
export function isOldQwen(wire: JsonObject): boolean {
  const { models } = object(wire.stats);
  return isObject(models) && Object.keys(models).some((name) => /^(?:qwen|coder-model$|vision-model$)/i.test(name));
}

export function decodeOld(wire: JsonObject, sink: DecoderSink): boolean {
  const response = string(wire.response);
  const isFailed = isObject(wire.error);
  if (response === undefined && !isFailed) return false;
  sink.emit({ type: 'thread.started', agent: 'qwen' });
  if (response !== undefined && !isApiError(response)) sink.emit({ type: 'text.completed', text: response });
  readModelUsage(object(wire.stats).models, sink);
  if (isFailed || response === undefined || isApiError(response)) {
    const message = isFailed ? asText(object(wire.error).message) : unwrapApiError(response ?? '');
    const code = codeOfError(message);
    sink.emit({ type: 'error', scope: 'provider', code, message, fatal: true });
    sink.emit({ type: 'agent.finished', status: code === 'cancelled' ? 'cancelled' : 'failed', code, message });
  } else {
    sink.emit({ type: 'agent.finished', status: 'ok' });
  }
  return true;
}
