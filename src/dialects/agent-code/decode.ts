import type { ErrorCode, ItemStatus } from '../../events/event.ts';
import type { Decoder, DecoderSink, Json, JsonObject } from '../dialect.ts';
import { codeOfMessage } from '../../faults.ts';
import { asText, compact, count, filled, integer, string, time } from '../read.ts';
import { cancelledOutput, deniedPrefix, editOf, kindOf } from './tools.ts';

interface OpenCall {
  tool: string;
  input: Json;
  turn: number;
  denied: boolean;
}

const turnLimit = /Agent stopped after (\d+) turns/;
const budgetLimit = /budget exhausted/i;

/** What the exit codes of this format, and those that shells know, say of a failure. */
export const codeOfExit: Readonly<Record<number, ErrorCode>> = {
  1: 'config',
  2: 'input',
  3: 'tool',
  4: 'server',
  5: 'cost_limit',
  6: 'turn_limit',
  7: 'permission',
  124: 'time_limit',
  130: 'cancelled',
  143: 'cancelled',
};
const providerCodes = new Set<ErrorCode>(['auth', 'quota', 'rate_limit', 'server', 'network', 'context_overflow', 'refused']);

export function decoder(sink: DecoderSink): Decoder {
  const open = new Map<string, OpenCall>();
  const sum = { input: 0, output: 0 };
  let turn = 0;
  let turnOpen = false;
  let turnsSeen = 0;
  let turnsCounted = 0;
  let calls = 0;
  let denials = 0;
  /** The last error, until the agent says or does something after it. */
  let fault: { message: string; code: ErrorCode } | undefined;
  let limit: ErrorCode | undefined;
  let cancelled = false;

  /** Versions before 0.19 have no `turn_start`: a changed number is a new turn. */
  function enter(wire: JsonObject, begins = false): void {
    const number = integer(wire.turn);
    if (number === undefined || number < 1) return;
    if (number === turn && (turnOpen || !begins)) return;
    turn = number;
    turnOpen = true;
    turnsSeen += 1;
    fault = undefined;
    sink.emit({ type: 'turn.started', iteration: number });
  }

  function start(tool: string, input: Json): string {
    calls += 1;
    const id = `call_${calls}`;
    open.set(id, { tool, input, turn, denied: false });
    sink.emit({ type: 'item.started', item_id: id, kind: kindOf(tool), name: tool, args: input });
    return id;
  }

  /** No ids on this wire: the first open call of that name, of this turn if there is one. */
  function callOf(tool: string): string | undefined {
    let other: string | undefined;
    for (const [id, call] of open) {
      if (call.tool !== tool) continue;
      if (call.turn === turn) return id;
      other ??= id;
    }
    return other;
  }

  function result(wire: JsonObject): void {
    const tool = asText(wire.tool);
    const id = callOf(tool) ?? start(tool, null);
    const call = open.get(id);
    open.delete(id);
    const output = asText(wire.output);
    const status = statusOf(wire.is_error, output, call?.denied === true);
    sink.emit({ type: 'item.completed', item_id: id, status, output });
    const edit = status === 'success' && call !== undefined ? editOf(tool, call.input) : undefined;
    if (edit !== undefined) sink.emit({ type: 'file.edited', ...edit, item_id: id });
  }

  function denied(wire: JsonObject): void {
    denials += 1;
    const tool = asText(wire.tool);
    const id = callOf(tool);
    const call = id === undefined ? undefined : open.get(id);
    if (call !== undefined) call.denied = true;
    const reason = asText(wire.reason);
    const place = { permission_id: `denial_${denials}`, ...compact({ item_id: id }) };
    sink.emit({ type: 'permission.requested', ...place, what: tool, title: reason === '' ? tool : `${tool}: ${reason}` });
    sink.emit({
      type: 'permission.resolved',
      ...place,
      decision: 'denied',
      by: reason === 'user denied at prompt' ? 'user' : 'rule',
    });
  }

  function usage(wire: JsonObject): void {
    const input = count(wire.input_tokens) ?? 0;
    const output = count(wire.output_tokens) ?? 0;
    if (input + output === 0) return;
    turnsCounted += 1;
    sum.input += input;
    sum.output += output;
    const cost = count(wire.cost_usd);
    sink.emit({
      type: 'usage.reported',
      scope: 'step',
      input_tokens: input,
      output_tokens: output,
      // Models without a price cost 0 here, which is not a price.
      ...(cost === undefined || cost === 0 ? {} : { cost_usd: cost }),
    });
  }

  function warn(message: string): void {
    const turns = turnLimit.exec(message);
    if (turns !== null) {
      limit = 'turn_limit';
      return sink.emit({ type: 'limit.reached', limit: 'turns', maximum: Number(turns[1]), message });
    }
    if (budgetLimit.test(message)) {
      limit = 'cost_limit';
      return sink.emit({ type: 'limit.reached', limit: /token/i.test(message) ? 'tokens' : 'cost', message });
    }
    if (message === 'Cancelled') cancelled = true;
    sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: message });
  }

  function end(wire: JsonObject): void {
    const total = count(wire.total_cost_usd) ?? 0;
    if (turnsCounted > 0 && turnsCounted < turnsSeen) sink.note('guessed', 'tokens of some model calls are not on this wire');
    if (total > 0)
      sink.emit({
        type: 'usage.reported',
        scope: 'thread',
        ...(turnsCounted === 0 ? {} : { input_tokens: sum.input, output_tokens: sum.output }),
        cost_usd: total,
      });
    const exit = integer(wire.exit_code);
    if (exit === undefined) return;
    const raw_status = String(exit);
    if (exit !== 0) return fail(exit, raw_status);
    // Limits, an interrupt and a stream that broke all end with code 0; only a finished reply has its turn completed.
    if (limit !== undefined) return sink.emit({ type: 'agent.finished', status: 'failed', code: limit, raw_status });
    if (cancelled) return sink.emit({ type: 'agent.finished', status: 'cancelled', raw_status });
    if (fault !== undefined) return sink.emit({ type: 'agent.finished', status: 'failed', ...fault, raw_status });
    if (turnOpen || turnsSeen === 0)
      return sink.emit({
        type: 'agent.finished',
        status: 'failed',
        code: 'unknown',
        raw_status,
        message: 'the last turn was not completed',
      });
    sink.emit({ type: 'agent.finished', status: 'ok', raw_status });
  }

  function fail(exit: number, raw_status: string): void {
    const message = compact({ message: fault?.message });
    const meaning = codeOfExit[exit] ?? 'unknown';
    const code = meaning === 'server' && fault !== undefined && providerCodes.has(fault.code) ? fault.code : meaning;
    sink.emit({ type: 'agent.finished', status: code === 'cancelled' ? 'cancelled' : 'failed', code, raw_status, ...message });
  }

  function line(wire: JsonObject): void {
    switch (wire.type) {
      case 'session_start':
        // The only time on this wire.
        sink.at(time(wire.timestamp));
        sink.emit({
          type: 'thread.started',
          agent: 'agent-code',
          ...compact({
            session_id: filled(wire.session_id),
            model: filled(wire.model),
            cwd: string(wire.cwd),
            agent_version: string(wire.agent_version),
          }),
        });
        return sink.at(undefined);
      case 'turn_start':
        return enter(wire, true);
      case 'text_delta':
        enter(wire);
        fault = undefined;
        return sink.emit({ type: 'text.delta', text: asText(wire.content) });
      case 'thinking':
        enter(wire);
        return sink.emit({ type: 'reasoning.completed', text: asText(wire.content) });
      case 'tool_call':
        enter(wire);
        fault = undefined;
        return void start(asText(wire.tool), wire.input ?? null);
      case 'permission_denied':
        enter(wire);
        return denied(wire);
      case 'tool_result':
        enter(wire);
        return result(wire);
      case 'turn_complete':
        enter(wire);
        usage(wire);
        turnOpen = false;
        return sink.emit({ type: 'turn.completed' });
      case 'error': {
        enter(wire);
        const message = asText(wire.message);
        fault = { message, code: codeOfMessage(message) };
        return sink.emit({ type: 'error', scope: 'provider', ...fault, fatal: true });
      }
      case 'warning':
        enter(wire);
        return warn(asText(wire.message));
      case 'compact':
        enter(wire);
        return sink.emit({ type: 'log', stream: 'agent', level: 'info', text: `compacted: freed ~${asText(wire.freed_tokens)} tokens` });
      case 'session_end':
        return end(wire);
      default:
        return sink.unknown(wire);
    }
  }

  /** Before 0.19 warnings were on stderr alone; later they are copies. */
  function stderr(text: string): boolean {
    if (text.startsWith('compacted: freed ~')) return true;
    const turns = turnLimit.exec(text);
    if (turns === null && !budgetLimit.test(text)) return false;
    if (limit === undefined) warn(text);
    return true;
  }

  return { line, stderr, end() {} };
}

function statusOf(isError: Json | undefined, output: string, denied: boolean): ItemStatus {
  if (isError === false) return 'success';
  if (denied || output.startsWith(deniedPrefix)) return 'denied';
  return output === cancelledOutput ? 'cancelled' : 'error';
}
