import type { ErrorCode, EventOf } from '../../../events/event.ts';
import type { Json, JsonObject, Loss } from '../../dialect.ts';
import { codeOfMessage } from '../../faults.ts';
import { compact, count, filled, object, string } from '../../read.ts';
import { isAny, minus, plus, type Tokens } from '../tokens.ts';
import { writeModelUsage, writeUsage } from './usage.ts';
import { codeOfStop, statuses, subtypes } from '../words.ts';

type Claim = EventOf<'agent.finished'>;
type Usage = EventOf<'usage.reported'>;

/** Gathers what a `result` line sums up, and writes it. */
export function closingLine(lose: (what: Loss) => void) {
  const threadTotals = new Map<string, Tokens>();
  const stepModels = new Set<string>();
  const denials = new Map<string, JsonObject>();
  let turnTotals: Tokens = {};
  let turnSeen = false;
  let written: Tokens = {};
  let onLines: Tokens = {};
  let onSubAgentLines: Tokens = {};
  let limit: EventOf<'limit.reached'> | undefined;
  let stop: string | null = null;
  let turns = 0;
  let messageId: string | undefined;
  let texts: string[] = [];
  let spoiled = false;
  let results = 0;

  function counts(event: Usage): void {
    const { input_tokens, output_tokens, reasoning_tokens, cache_read_tokens, cache_write_tokens, cost_usd } = event;
    const tokens: Tokens = compact({ input_tokens, output_tokens, reasoning_tokens, cache_read_tokens, cache_write_tokens, cost_usd });
    if (event.scope === 'thread') threadTotals.set(event.model ?? '', tokens);
    else if (event.scope === 'turn') {
      turnSeen = true;
      turnTotals = plus(turnTotals, tokens);
    } else {
      if (event.model !== undefined) stepModels.add(event.model);
      if (cost_usd !== undefined) turnTotals = plus(turnTotals, { cost_usd });
    }
  }

  /** `usage`, `modelUsage` and `total_cost_usd`, each in the sense of this wire. */
  function totals(report: JsonObject | undefined): JsonObject {
    if (threadTotals.size > 0 && !threadTotals.has('')) return byModel(threadTotals);
    const metrics = object(report?.metrics);
    const model = filled(metrics.model_name);
    const sum = report === undefined ? (threadTotals.get('') ?? turnTotals) : reported(metrics);
    if (isAny(sum) && report !== undefined && !turnSeen && results === 0 && model !== undefined && stepModels.size <= 1) {
      return byModel(new Map([[model, sum]]));
    }
    if (sum.reasoning_tokens) lose('token_split');
    const turn = minus(sum, written);
    written = plus(written, turn);
    const main = minus(turn, onSubAgentLines);
    onSubAgentLines = {};
    return { total_cost_usd: written.cost_usd ?? 0, usage: writeUsage(main), modelUsage: {} };
  }

  function byModel(models: ReadonlyMap<string, Tokens>): JsonObject {
    let sum: Tokens = {};
    for (const tokens of models.values()) sum = plus(sum, tokens);
    const turn = minus(sum, written);
    written = sum;
    return {
      total_cost_usd: sum.cost_usd ?? 0,
      usage: writeUsage(turn),
      modelUsage: Object.fromEntries([...models].map(([model, tokens]) => [model, writeModelUsage(tokens)])),
    };
  }

  /** How the run ended in the words of this wire. */
  function ending(claim: Claim | undefined, own: boolean, report: JsonObject | undefined): JsonObject {
    const reached = limit?.limit === 'turns' ? 'turn_limit' : limit?.limit === 'cost' ? 'cost_limit' : undefined;
    if (limit !== undefined && reached === undefined) lose('limit');
    const isDoubted = spoiled && object(report?.verdict).class !== 'success';
    if (claim?.status === 'ok' && limit === undefined && !isDoubted) {
      const harmless = codeOfStop(stop) === undefined ? stop : null;
      return { subtype: 'success', is_error: false, result: texts.join('\n').trim(), stop_reason: harmless, ...terminal(claim, own) };
    }
    if (claim?.status === 'ok' || (claim === undefined && reached === undefined)) lose('verdict');
    const details = object(report?.error_details);
    const code = reached ?? (claim?.status === 'failed' ? claim.code : undefined) ?? 'unknown';
    const message = filled(claim?.message) ?? filled(limit?.message) ?? filled(details.message) ?? '';
    const known = own ? string(claim?.raw_status?.split('/', 1)[0]) : undefined;
    if (claim?.status === 'cancelled' && limit === undefined) {
      const why = own && claim.raw_status !== undefined ? terminal(claim, own) : { terminal_reason: 'aborted_streaming' };
      return error('error_during_execution', message, why);
    }
    const subtype = known !== undefined && subtypes.has(known) && claim?.status === 'failed' ? known : subtypeOf(code);
    if (subtype !== 'success') {
      const startup = code === 'config' && codeOfMessage(message) !== 'config' ? { startup_failure_reason: message } : {};
      if (subtype === 'error_during_execution' && !own && code !== 'config' && codeOfMessage(message) !== code) lose('verdict');
      return error(subtype, message, { ...terminal(claim, own), ...startup });
    }
    const reason = code === 'refused' ? 'refusal' : code === 'output_length' ? 'max_tokens' : stop;
    return {
      subtype,
      is_error: true,
      result: message,
      stop_reason: reason,
      api_error_status: statuses[code] ?? null,
      ...terminal(claim, own),
    };
  }

  function error(subtype: string, message: string, more: JsonObject): JsonObject {
    const silent = message === '' || message === subtype || message === more.terminal_reason;
    return { subtype, is_error: true, errors: silent ? [] : [message], stop_reason: codeOfStop(stop) === undefined ? stop : null, ...more };
  }

  function result(claim: Claim | undefined, own: boolean, always: boolean, report?: JsonObject): JsonObject | undefined {
    if (claim === undefined && limit === undefined && !always) {
      const seen = object(report?.metrics);
      const differs =
        (count(seen.input_tokens) ?? 0) !== (onLines.input_tokens ?? 0) || count(seen.output_tokens) !== onLines.output_tokens;
      if (results === 0 && seen.tokens_used !== undefined && differs) lose('usage');
      return undefined;
    }
    const duration = claim?.duration_ms ?? count(object(report?.metrics).duration_ms) ?? 0;
    const line: JsonObject = {
      type: 'result',
      ...ending(claim, own, report),
      duration_ms: duration,
      duration_api_ms: duration,
      num_turns: limit === undefined ? turns : (limit.value ?? 0),
      ...totals(report),
      permission_denials: [...denials.values()],
    };
    results += 1;
    turns = 0;
    turnSeen = false;
    limit = undefined;
    denials.clear();
    return line;
  }

  return {
    counts,
    result,
    limits: (event: EventOf<'limit.reached'>): void => void (limit = event),
    turnStarted: (): void => void (turns += 1),
    turnEnded: (reason: string | null): void => void (stop = reason),
    /** The last line stops in the middle, or the process failed: then "ok" would be a lie. */
    spoils: (): void => void (spoiled = true),
    /** Usage that a line of a message shows. */
    onLine(known: Tokens, more: Tokens & { model?: string }, isSubAgent: boolean): Tokens {
      const { model: _, ...tokens } = more;
      onLines = plus(onLines, tokens);
      if (isSubAgent) onSubAgentLines = plus(onSubAgentLines, tokens);
      return plus(known, tokens);
    },
    denies(name: string, id: string, input: Json): void {
      if (denials.size < 1000) denials.set(id, { tool_name: name, tool_use_id: id, tool_input: input ?? {} });
    },
    says(id: string, text: string, isAlone: boolean): void {
      if (text.trim() === '') return;
      if (id !== messageId) {
        if (isAlone && texts.length > 0) lose('text');
        messageId = id;
        texts = [];
      }
      texts.push(text);
    },
  };
}

function subtypeOf(code: ErrorCode): string {
  if (code === 'turn_limit') return 'error_max_turns';
  if (code === 'cost_limit') return 'error_max_budget_usd';
  return statuses[code] !== undefined || code === 'refused' || code === 'output_length' ? 'success' : 'error_during_execution';
}

function terminal(claim: Claim | undefined, own: boolean): JsonObject {
  const reason = own ? claim?.raw_status?.split('/')[1] : undefined;
  return reason === undefined ? {} : { terminal_reason: reason };
}

function reported(metrics: JsonObject): Tokens {
  return compact({
    input_tokens: count(metrics.input_tokens),
    output_tokens: count(metrics.output_tokens),
    reasoning_tokens: count(metrics.reasoning_tokens),
    cache_read_tokens: count(metrics.cache_read_tokens),
    cache_write_tokens: count(metrics.cache_write_tokens),
    cost_usd: metrics.cost_source === 'reported' ? count(metrics.cost) : undefined,
  });
}
