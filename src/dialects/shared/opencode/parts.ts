import type { Draft, ErrorCode, EventOf, FinishReason, ItemKind } from '../../../events/event.ts';
import type { Json, JsonObject } from '../../dialect.ts';
import { codeOfMessage } from '../../../faults.ts';
import { asText, compact, count, filled, integer, isObject, list, object, string, time } from '../../read.ts';

const kinds: Readonly<Record<string, ItemKind>> = {
  bash: 'command',
  write: 'file_edit',
  edit: 'file_edit',
  multiedit: 'file_edit',
  patch: 'file_edit',
  apply_patch: 'file_edit',
  read: 'read',
  list: 'search',
  glob: 'search',
  grep: 'search',
  codesearch: 'search',
  webfetch: 'web',
  websearch: 'web',
  task: 'subagent',
  todowrite: 'plan',
  todoread: 'plan',
};

export function kindOf(tool: string): ItemKind {
  return Object.hasOwn(kinds, tool) ? (kinds[tool] ?? 'tool_call') : 'tool_call';
}

const refusals = /^The user (?:has )?(?:rejected permission|specified a rule which prevents)|so the request was rejected/;

export function isRefusal(error: string): boolean {
  return refusals.test(error.length > 500 ? error.slice(0, 500) : error);
}

/** What may never be used is not offered to the model; a call of it all the same becomes a call of `invalid`. */
function isWithheld({ tool, error }: JsonObject): boolean {
  const name = asText(tool);
  return Object.hasOwn(kinds, name) && asText(error).startsWith(`Model tried to call unavailable tool '${name}'`);
}

/** Version 2 wraps what the tool said about itself: `{metadata, content, …}`. */
function detailsOf(state: JsonObject): JsonObject {
  const metadata = object(state.metadata);
  return isObject(metadata.metadata) && 'content' in metadata ? metadata.metadata : metadata;
}

type End = Omit<EventOf<'item.completed'>, 'type' | 'item_id'>;

/** How a tool part ended; undefined while it has not. */
export function endOf(tool: string, state: JsonObject): End | undefined {
  const from = time(object(state.time).start);
  const to = time(object(state.time).end);
  const duration = from === undefined || to === undefined || to < from ? {} : { duration_ms: to - from };
  switch (state.status) {
    case 'completed': {
      const details = detailsOf(state);
      // A command that fails is "completed"; only its exit code tells (null: it was stopped). So is a call that could not be parsed.
      const failed = tool === 'invalid' || ('exit' in details && details.exit !== 0);
      const withheld = tool === 'invalid' && isWithheld(object(state.input));
      return {
        status: withheld ? 'denied' : failed ? 'error' : 'success',
        output: asText(state.output),
        ...compact({ exit_code: integer(details.exit) }),
        ...duration,
      };
    }
    case 'error': {
      const error = asText(state.error);
      const interrupted = object(state.metadata).interrupted === true || error === 'Tool execution aborted';
      return { status: interrupted ? 'cancelled' : isRefusal(error) ? 'denied' : 'error', error, ...duration };
    }
  }
  return undefined;
}

export type Edit = Extract<Draft, { type: 'file.edited' }>;

/** The files that a successful call of an editing tool changed. */
export function editsOf(tool: string, state: JsonObject, itemId: string): Edit[] {
  const input = object(state.input);
  const details = detailsOf(state);
  const edit = { type: 'file.edited', item_id: itemId } as const;
  switch (tool) {
    case 'write':
    case 'edit':
    case 'multiedit': {
      const diff = object(details.filediff);
      const path = filled(input.filePath) ?? filled(details.filepath) ?? filled(diff.file);
      if (path === undefined) return [];
      const created = details.exists === false || (tool === 'edit' && input.oldString === '');
      return [{ ...edit, path, operation: created ? 'created' : 'modified', ...sizeOf(diff, details.diff) }];
    }
    case 'patch':
    case 'apply_patch': {
      const files = list(details.files).filter(isObject);
      if (files.length === 0)
        return patchedFiles(asText(input.patchText)).map(([path, operation]) => ({
          type: 'file.edited',
          item_id: itemId,
          path,
          operation,
        }));
      return files.flatMap((file) => {
        const path = filled(file.movePath) ?? filled(file.filePath) ?? filled(file.relativePath);
        if (path === undefined) return [];
        const operation = file.type === 'add' ? 'created' : file.type === 'delete' ? 'deleted' : 'modified';
        return [{ ...edit, path, operation, ...sizeOf(file, file.patch ?? file.diff) } as const];
      });
    }
  }
  return [];
}

/** Lines added and taken away, and the diff itself, where they are told. */
export function sizeOf(counts: JsonObject, diff: Json | undefined): Pick<Edit, 'additions' | 'deletions' | 'diff'> {
  return compact({ additions: whole(counts.additions), deletions: whole(counts.deletions), diff: filled(diff) });
}

function whole(value: Json | undefined): number | undefined {
  const number = integer(value);
  return number === undefined || number < 0 ? undefined : number;
}

const patchHeads = [
  ['*** Add File: ', 'created'],
  ['*** Update File: ', 'modified'],
  ['*** Delete File: ', 'deleted'],
] as const;

function patchedFiles(patch: string): [path: string, operation: Edit['operation']][] {
  return patch.split('\n').flatMap((line) => {
    for (const [head, operation] of patchHeads) if (line.startsWith(head)) return [[line.slice(head.length).trim(), operation]];
    return [];
  });
}

const finishes: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  'content-filter': 'content_filter',
  error: 'error',
};

export function finishOf(word: string | undefined): { finish_reason?: FinishReason; raw_finish_reason?: string } {
  if (word === undefined) return {};
  return { finish_reason: Object.hasOwn(finishes, word) ? (finishes[word] ?? 'other') : 'other', raw_finish_reason: word };
}

export type Claim = Omit<Extract<Draft, { type: 'agent.finished' }>, 'type'>;

/** What the end of a run says of it: the last finish word, whether a refusal stopped it, and the error it did not get over. */
export function claimOf(finish: string | undefined, denied: boolean, fault: Fault | undefined): Claim | undefined {
  if (fault !== undefined) return { status: fault.code === 'cancelled' ? 'cancelled' : 'failed', code: fault.code, message: fault.message };
  if (finish === undefined) return undefined;
  if (finish === 'stop') return { status: 'ok' };
  const codes: Record<string, ErrorCode> = { length: 'output_length', 'content-filter': 'refused' };
  const code = finish === 'tool-calls' && denied ? 'permission' : Object.hasOwn(codes, finish) ? codes[finish] : undefined;
  return { status: 'failed', code: code ?? 'unknown', raw_status: finish };
}

export interface Fault {
  name: string;
  message: string;
  code: ErrorCode;
  http_status?: number;
  retryable?: boolean;
}

/** OpenCode's own names, then those that Runwire writes where OpenCode has none. */
export const codeOfName: Readonly<Record<string, ErrorCode>> = {
  ProviderAuthError: 'auth',
  MessageOutputLengthError: 'output_length',
  MessageAbortedError: 'cancelled',
  aborted: 'cancelled',
  ContextOverflowError: 'context_overflow',
  ContentFilterError: 'refused',
  ConfigError: 'config',
  InputError: 'input',
  ToolError: 'tool',
  PermissionError: 'permission',
  TurnLimitError: 'turn_limit',
  CostLimitError: 'cost_limit',
  TimeLimitError: 'time_limit',
};

/** `{name, data: {message}}`, `{name, message}`, `{type, message}`, `{_tag, message}` or a plain string. */
export function faultOf(error: Json | undefined): Fault {
  const fields = object(error);
  const data = object(fields.data);
  const name = filled(fields.name) ?? filled(fields.type) ?? filled(fields._tag) ?? 'UnknownError';
  const message = filled(data.message) ?? filled(fields.message) ?? filled(error) ?? name;
  const status = integer(data.statusCode) ?? integer(fields.statusCode);
  const retryable = data.isRetryable ?? fields.isRetryable;
  return {
    name,
    message,
    code: (Object.hasOwn(codeOfName, name) ? codeOfName[name] : undefined) ?? codeOfMessage(message, status),
    ...(status === undefined ? {} : { http_status: status }),
    ...(typeof retryable === 'boolean' ? { retryable } : {}),
  };
}

/**
 * How a version counts: whether `input` already holds the cached tokens, and `output` the reasoning.
 * Up to 1.0 both do; from 1.1 the input does not; from 1.4 neither does.
 */
export interface Habit {
  inputHoldsCache: boolean;
  outputHoldsReasoning: boolean;
}
export const inclusive: Habit = { inputHoldsCache: true, outputHoldsReasoning: true };
export const exclusive: Habit = { inputHoldsCache: false, outputHoldsReasoning: false };

export function habitOf(version: string | undefined): Habit {
  const numbers = /^(\d+)\.(\d+)/.exec(version ?? '');
  if (numbers === null) return inclusive;
  const [major, minor] = [Number(numbers[1]), Number(numbers[2])];
  return {
    inputHoldsCache: major < 1 || (major === 1 && minor < 1),
    outputHoldsReasoning: major < 1 || (major === 1 && minor < 4),
  };
}

export interface Counts {
  input_tokens?: number;
  output_tokens?: number;
  reasoning_tokens?: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
  cost_usd?: number;
}

/** Tokens of one model call, cached ones within the input and reasoning within the output; undefined when none were counted. */
export function countsOf(tokens: JsonObject, cost: Json | undefined, habit: Habit): Counts | undefined {
  const input = count(tokens.input) ?? 0;
  const output = count(tokens.output) ?? 0;
  const reasoning = count(tokens.reasoning) ?? 0;
  const read = count(object(tokens.cache).read) ?? 0;
  const write = count(object(tokens.cache).write) ?? 0;
  if (input + output + reasoning + read + write === 0) return undefined;
  const { inputHoldsCache, outputHoldsReasoning } = countedBy(
    count(tokens.total),
    { input, output, reasoning, cache: read + write },
    habit,
  );
  const usd = count(cost);
  return {
    input_tokens: inputHoldsCache ? input : input + read + write,
    output_tokens: outputHoldsReasoning ? output : output + reasoning,
    reasoning_tokens: reasoning,
    cache_read_tokens: read,
    cache_write_tokens: write,
    // A model without a price costs 0 here, which is not what it costs.
    ...(usd === undefined || usd === 0 ? {} : { cost_usd: usd }),
  };
}

/** The provider's own total gives the habit away; a part that is larger than its whole does too. */
function countedBy(
  total: number | undefined,
  of: { input: number; output: number; reasoning: number; cache: number },
  habit: Habit,
): Habit {
  if (total !== undefined) {
    if (total === of.input + of.output + of.reasoning + of.cache) return exclusive;
    if (total === of.input + of.output + of.cache) return { inputHoldsCache: false, outputHoldsReasoning: true };
    if (total === of.input + of.output) return inclusive;
    if (total === of.input + of.output + of.reasoning) return { inputHoldsCache: true, outputHoldsReasoning: false };
    return exclusive;
  }
  return {
    inputHoldsCache: habit.inputHoldsCache && of.cache <= of.input,
    outputHoldsReasoning: habit.outputHoldsReasoning && of.reasoning <= of.output,
  };
}

// eslint-disable-next-line no-control-regex -- colours are what it removes
const colours = /\u001b\[[0-9;]*m/g;

export function plainText(text: string): string {
  return text.replace(colours, '').trim();
}

/** The id of a call: `callID`, or in version 2 `id` beside a `partID`. */
export function callIdOf(part: JsonObject): string | undefined {
  return filled(part.callID) ?? filled(part.id) ?? string(part.partID);
}
