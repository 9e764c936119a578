import type { EventOf, EventRecord } from '../../events/event.ts';
import type { Encoder, EncoderSink, Json, JsonObject } from '../dialect.ts';
import { codeOfMessage } from '../../faults.ts';
import { lossOf } from '../losses.ts';
import { asText, count, isObject, list, object, string } from '../read.ts';
import { classWords, scratchpadFolder } from './response.ts';
import { errorPrefix, finished, isFileTool } from './tools.ts';

/** One JSON response: the whole run in one object, written at its end. */
export function responseEncoder(sink: EncoderSink): Encoder {
  const open = new Map<string, EventOf<'item.started'>>();
  const tools: JsonObject[] = [];
  let session: string | undefined;
  let turns = 0;
  let prompts = 0;
  let messageId: string | undefined;
  let limits = 0;
  let error: string | undefined;
  let editor: string | undefined;

  function toolRecord(start: EventOf<'item.started'>, end: EventOf<'item.completed'>): JsonObject {
    if (!isObject(start.args)) sink.lose('tool_args');
    return { name: start.name, args: isObject(start.args) ? start.args : { value: start.args }, result: resultText(start.name, end) };
  }

  /** A record has no status: a failure is told by its first word, and by the exit code inside a command's result. */
  function resultText(name: string, end: EventOf<'item.completed'>): string {
    const text = end.output === undefined || end.output === null ? (end.error ?? '') : asText(end.output);
    if (end.error !== undefined && text !== end.error) sink.lose('error');
    const read = finished(name, text);
    if (end.exit_code !== undefined && read.exit_code !== end.exit_code) sink.lose('exit_code');
    if (read.status === end.status) return text;
    if (end.status !== 'error') sink.lose('tool_status');
    return (end.status === 'error' || end.status === 'denied') && read.status !== 'error' ? errorPrefix + text : text;
  }

  function respond(report: JsonObject): void {
    const metrics = object(report.metrics);
    const verdict = object(report.verdict);
    const query = string(object(report.metadata).initial_prompt) ?? '';
    const failed = verdict.class !== 'success';
    const answer = string(report.message) ?? '';
    const usage = tokenUsage(metrics);
    if (failed) {
      for (let left = tools.length; left > 0; left -= 1) sink.lose('tool_call');
      if (answer !== '') sink.lose('text');
    }
    const detail = failed ? errorDetail(asText(verdict.class), query, failureMessage(report)) : undefined;
    if (error !== undefined && !asText(detail?.message).includes(error)) sink.lose('error');
    if (limits > 0 && !asText(verdict.class).endsWith('_limit')) sink.lose('limit');
    sink.line({
      status: failed ? 'error' : 'success',
      query,
      answer: failed ? '' : answer,
      tools: failed ? [] : tools,
      scratchpadFile: detail?.code === 'NO_QUERY' ? '' : scratchpadFile(),
      metadata: {
        model: string(metrics.model_name) ?? '',
        iterations: count(metrics.turns) ?? 0,
        totalTimeMs: Math.max(1, Math.round(count(metrics.duration_ms) ?? 0)),
        ...(usage === undefined ? {} : { tokenUsage: usage }),
      },
      ...(detail === undefined ? {} : { error: detail }),
    });
  }

  function tokenUsage(metrics: JsonObject): JsonObject | undefined {
    if (metrics.cost !== undefined && metrics.cost_source === 'reported') sink.lose('cost');
    if ((metrics.reasoning_tokens ?? metrics.cache_read_tokens ?? metrics.cache_write_tokens) !== undefined) sink.lose('token_split');
    const inputTokens = count(metrics.input_tokens);
    const outputTokens = count(metrics.output_tokens);
    if (inputTokens !== undefined && outputTokens !== undefined && inputTokens + outputTokens > 0)
      return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
    if (metrics.tokens_used !== undefined) sink.lose('usage');
    return undefined;
  }

  function scratchpadFile(): string {
    const name = (session ?? 'run').replace(/[^\w.-]/g, '_');
    if (session !== undefined && name !== session) sink.lose('session');
    return `${scratchpadFolder}${name}.jsonl`;
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
          return;
        case 'text.completed':
          if (event.parent_item_id !== undefined) return sink.lose('sub_agent');
          if (event.text.trim() === '') return;
          // Only the last message is the answer.
          if (messageId !== undefined && messageId !== event.message_id) sink.lose('text');
          messageId = event.message_id;
          return;
        case 'item.started':
          if (event.parent_item_id !== undefined) sink.lose('sub_agent');
          if (turns > 1) sink.lose('turn_boundary');
          open.set(event.item_id, event);
          return;
        case 'item.completed': {
          const start = open.get(event.item_id);
          if (start === undefined) return;
          open.delete(event.item_id);
          tools.push(toolRecord(start, event));
          editor = isFileTool(start.name) ? event.item_id : undefined;
          return;
        }
        case 'file.edited':
          // Told again by the tool that did it; the edits of another agent's tools have no place.
          if (event.item_id === undefined || event.item_id !== editor) sink.lose('file_edit');
          return;
        case 'limit.reached':
          limits += 1;
          return;
        case 'error':
          if (error !== undefined && error !== event.message) sink.lose('error');
          error = event.message;
          return;
        case 'thread.completed':
          return respond(event.final_report as JsonObject);
        case 'text.delta':
        case 'reasoning.delta':
        case 'turn.completed':
        case 'usage.reported':
        case 'agent.finished':
          // Said by the outcome: the answer, the totals, the verdict.
          return;
        default:
          return sink.lose(lossOf[event.type]);
      }
    },
    end() {},
  };
}

export function failureMessage(report: JsonObject): string {
  const evidence = object(list(object(report.verdict).evidence)[0]);
  return string(object(report.error_details).message) || asText(evidence.detail);
}

function errorDetail(verdict: string, query: string, message: string): { code: string; message: Json } {
  switch (verdict) {
    case 'config':
      return { code: 'CONFIG_ERROR', message };
    case 'provider':
      return { code: 'PROVIDER_ERROR', message };
    case 'input':
      if (query === '') return { code: 'NO_QUERY', message };
  }
  const told = classWords[verdict];
  if (told === undefined) return { code: 'UNKNOWN_ERROR', message };
  return { code: 'AGENT_ERROR', message: codeOfMessage(message) === told.code ? message : `${told.words}: ${message}` };
}
