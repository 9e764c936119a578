import type { JsonObject } from '../../../json/json.ts';
import { filled, object } from '../../../json/read.ts';

/** A title of one word is a name; a sentence is meant for people. */
const word = /^[A-Za-z_][\w.:-]{0,63}$/;
/** Gemini CLI names a call after its tool: `read_file__…`, `read_file-1700000000000…`. */
const geminiCall = /^([a-z][a-z0-9_]{0,60}?)(?:__|-\d)/;

/** The name of a tool: the protocol got a field for it only recently, and agents had their own. */
export function nameOf(id: string, update: JsonObject, agent: string | undefined): string | undefined {
  const meta = object(update._meta);
  const named = filled(update.name) ?? filled(meta.toolName) ?? filled(object(meta.claudeCode).toolName);
  if (named !== undefined) return named;
  if (agent === 'gemini') return geminiCall.exec(id)?.[1];
  const title = filled(update.title);
  return title !== undefined && update.sessionUpdate === 'tool_call' && word.test(title) ? title : undefined;
}
