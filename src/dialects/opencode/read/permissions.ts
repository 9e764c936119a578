import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, filled, list, object } from '../../../json/read.ts';
import { consents, plainTitle } from '../words.ts';

/** Only a word known to mean consent counts as consent. */
export function decisionOf(reply: string): 'allowed' | 'denied' {
  return consents.has(reply.trim().toLowerCase()) ? 'allowed' : 'denied';
}

/** `permission.updated`, `permission.asked`, `permission.v2.asked`, and questions, which nobody can answer in a run either. */
export function permissionAsked(sink: DecoderSink, type: string, properties: JsonObject): void {
  const id = filled(properties.id);
  if (id === undefined) return;
  const question = object(list(properties.questions)[0]);
  const what = type.startsWith('question.')
    ? 'question'
    : (filled(properties.permission) ?? filled(properties.action) ?? filled(properties.type) ?? 'unknown');
  const pattern = patternOf(properties.pattern ?? properties.patterns ?? properties.resources);
  const title = filled(properties.title) ?? filled(question.question);
  sink.emit({
    type: 'permission.requested',
    permission_id: id,
    what,
    ...present({
      item_id:
        filled(properties.callID) ?? filled(object(properties.tool).callID) ?? filled(object(properties.source).callID),
      pattern,
      title: title === plainTitle(what, pattern) ? undefined : title,
    }),
  });
}

/** false: neither an answer nor a refusal. */
export function permissionReplied(sink: DecoderSink, type: string, properties: JsonObject): boolean {
  const rejected = type.endsWith('.rejected');
  if (!rejected && !type.endsWith('.replied')) return false;
  const id = filled(properties.requestID) ?? filled(properties.permissionID) ?? filled(properties.id);
  if (id === undefined) return true;
  const question = type.startsWith('question.');
  const reply = question
    ? undefined
    : (filled(properties.reply) ?? filled(properties.response) ?? filled(properties.decision));
  sink.emit({
    type: 'permission.resolved',
    permission_id: id,
    decision: question ? (rejected ? 'denied' : 'allowed') : decisionOf(reply ?? ''),
    ...present({ raw_decision: reply }),
  });
  return true;
}

function patternOf(pattern: Json | undefined): string | undefined {
  return filled(Array.isArray(pattern) ? pattern.map(asText).join(', ') : pattern);
}
