import { basename } from 'node:path';
import { Fork } from '../../dialects/codex/read/fork.ts';
import { ResponseTotals } from '../../dialects/codex/read/response-totals.ts';
import { tokensOf } from '../../dialects/codex/read/usage.ts';
import { growth, isAny, minus, plus, tokensOf as fieldsOf, type Tokens } from '../../dialects/kit/tokens.ts';
import type { Json, JsonObject } from '../../json/json.ts';
import { filled, object, string, time } from '../../json/read.ts';
import type { FileFacts, Found, LineFormat, LineReader } from './format.ts';
import { Picker } from './pick.ts';
import { counted } from './tokens.ts';

/** Session files of Codex, `sessions/YYYY/MM/DD/rollout-*.jsonl`: running totals, and beside each the tokens of the latest model call. */
export const codex: LineFormat = {
  kind: 'lines',
  marks: [
    '"token_count"',
    '"turn_context"',
    '"session_meta"',
    '"token_usage_record"',
    '"task_started"',
    '"turn_started"',
  ],
  reader: (file, found, state) => new CodexReader(file, found, object(state)),
};

const picker = new Picker({
  timestamp: true,
  type: true,
  payload: {
    type: true,
    info: true,
    model: true,
    turn_id: true,
    id: true,
    session_id: true,
    cwd: true,
    forked_from_id: true,
    parent_thread_id: true,
    // Of one response.
    usage: true,
    thread_token_usage: true,
    response_id: true,
  },
});

class CodexReader implements LineReader {
  readonly wantsAll = false;
  readonly #file: FileFacts;
  readonly #found: Found;
  readonly #fork: Fork;
  readonly #responses: ResponseTotals;
  #session: string | undefined;
  #cwd: string | undefined;
  #model: string | undefined;
  /** The last total of the file. */
  #total: Tokens;
  #place: number | undefined;

  constructor(file: FileFacts, found: Found, state: JsonObject) {
    this.#file = file;
    this.#found = found;
    this.#fork = new Fork(object(state.fork));
    this.#responses = new ResponseTotals(object(state.responses));
    this.#session = string(state.session);
    this.#cwd = string(state.cwd);
    this.#model = string(state.model);
    this.#total = fieldsOf(object(state.total));
  }

  get state(): Json {
    return {
      fork: this.#fork.state,
      responses: this.#responses.state,
      session: this.#session ?? null,
      cwd: this.#cwd ?? null,
      model: this.#model ?? null,
      total: { ...this.#total },
    };
  }

  line(bytes: Buffer, from: number, to: number): void {
    const wire = picker.pick(bytes, from, to);
    if (wire === undefined) return this.#found.damaged();
    const at = time(wire.timestamp);
    const payload = object(wire.payload);
    switch (wire.type) {
      case 'session_meta':
        this.#fork.introduce(payload, at);
        this.#session ??= filled(payload.id) ?? filled(payload.session_id);
        this.#cwd ??= filled(payload.cwd);
        return;
      case 'turn_context':
        this.#fork.turn(filled(payload.turn_id));
        this.#model = filled(payload.model) ?? this.#model;
        return;
      case 'token_usage_record':
        return this.#count(this.#responses.add(payload), payload.usage, at);
      case 'event_msg':
        if (payload.type === 'token_count') {
          const { total_token_usage: total, last_token_usage: last } = object(payload.info);
          return this.#count(total, last, at);
        }
        if (payload.type === 'task_started' || payload.type === 'turn_started')
          this.#fork.turn(filled(payload.turn_id));
    }
  }

  end(): void {
    // Nothing is open: each total was counted when it came.
  }

  /** A total that has not grown is the same one again; one that was copied from the parent is the parent's. */
  #count(total: Json | undefined, last: Json | undefined, at: number | undefined): void {
    const now = tokensOf(object(total));
    if (!isAny(now)) return;
    const more = growth(now, this.#total);
    this.#total = now;
    if (this.#fork.isCopying(at) || !isAny(more)) return;
    const call = tokensOf(object(last));
    const isTold = isAny(call) && !isAny(growth(call, { ...none, ...more }));
    if (isTold) this.#found.call({ ...this.#facts(at), ...counted(call) });
    const rest = minus(plus(none, more), isTold ? call : {});
    if (isAny(rest)) this.#found.call({ ...this.#facts(at), kind: 'rest', ...counted(rest) });
  }

  #facts(at: number | undefined) {
    const session = (this.#place ??= this.#found.session({
      id: this.#session ?? basename(this.#file.path).split('.jsonl')[0] ?? '',
      ...(this.#cwd === undefined ? {} : { project: this.#cwd }),
    }));
    return { session, at, model: this.#model };
  }
}

const none: Tokens = {
  input_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
};
