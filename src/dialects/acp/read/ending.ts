import { eventIn } from '../../../events/check.ts';
import type { Claim, ErrorCode, FinishReason } from '../../../events/event.ts';
import { codeOfMessage } from '../../../outcome/faults.ts';
import { type RelayedFault, relayedFault } from './relayed-fault.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText, filled, integer, isObject, object, string, wordIn } from '../../../json/read.ts';
import { authRequired, cancelled, codeOfRpc, endTurn, internalError, ownMeta, stopReasons } from '../words.ts';
import type { Heard } from './heard.ts';
import { faultIn, ownMetaOf } from './meta.ts';
import type { Prompts } from './prompts.ts';
import type { Sessions } from './sessions.ts';
import type { Texts } from './texts.ts';
import type { Tools } from './tools.ts';

const finishReasons: Readonly<Record<string, FinishReason>> = {
  [endTurn]: 'stop',
  [cancelled]: 'aborted',
  max_tokens: 'length',
  refusal: 'content_filter',
};

function finishReason(stopReason: string): FinishReason {
  return wordIn(finishReasons, stopReason) ?? 'other';
}

/** Requests without which there is no run. */
const needed = new Set([
  'initialize',
  'authenticate',
  'session/new',
  'session/load',
  'session/resume',
  'session/prompt',
]);

/** How prompts end, and failures before the first one. */
export class Ending {
  readonly #sink: DecoderSink;
  readonly #sessions: Sessions;
  readonly #prompts: Prompts;
  readonly #texts: Texts;
  readonly #tools: Tools;
  readonly #heard: Heard;
  /** A request for a login is not a failure if a login follows. */
  #held: Fault | undefined;

  constructor(
    sink: DecoderSink,
    sessions: Sessions,
    prompts: Prompts,
    work: { texts: Texts; tools: Tools; heard: Heard },
  ) {
    this.#sink = sink;
    this.#sessions = sessions;
    this.#prompts = prompts;
    this.#texts = work.texts;
    this.#tools = work.tools;
    this.#heard = work.heard;
  }

  /** The answer to a prompt. */
  read(answer: JsonObject, claim: Claim): void {
    const reason = string(answer.stopReason) ?? '';
    const fault = claim.status === 'ok' && ownMetaOf(answer) === undefined ? this.#passedOn(answer) : undefined;
    if (fault === undefined) return this.#close(reason, claim);
    this.#close(reason, tellFault(fault, this.#sink, 'provider'), 'error');
  }

  /** An error of the model's server that the agent took for the end of a turn: told beside its answer, or in place of it. */
  #passedOn(answer: JsonObject): Fault | undefined {
    const relayed = faultIn(object(answer._meta));
    const raw = endTurn;
    if (relayed !== undefined)
      return { code: codeOfMessage(relayed), message: relayed, raw, status: undefined, claim: undefined };
    const { text = '', lastChunk = '' } = this.#texts.answer ?? {};
    if (this.#heard.isQuoted(text)) return undefined;
    const fault = relayedFault(text) ?? appendedFault(text, lastChunk);
    return fault && { code: fault.code, message: fault.message, raw, status: fault.status, claim: undefined };
  }

  fail(error: JsonObject, method: string): void {
    const fault = readFault(error, method);
    if (!needed.has(method))
      return this.#sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: `${method}: ${fault.message}` });
    if (method !== 'session/prompt' && error.code === authRequired) {
      this.#held = fault;
      return;
    }
    this.#fail(
      this.#prompts.isCancelled ? { ...fault, code: 'cancelled' } : fault,
      method === 'session/prompt' ? 'provider' : 'agent',
    );
  }

  /** The requested login has happened. */
  logIn(): void {
    this.#held = undefined;
  }

  /** There will be no login. */
  release(): void {
    const fault = this.#held;
    this.#held = undefined;
    if (fault !== undefined) this.#fail(fault, 'agent');
  }

  /** Nothing more comes. */
  end(): void {
    this.release();
    this.#closeTurn();
  }

  #fail(fault: Fault, scope: 'agent' | 'provider'): void {
    if (!this.#sessions.isIntroduced) this.#sessions.introduce({});
    const isOpen = this.#prompts.areOpen;
    const claim = tellFault(fault, this.#sink, scope);
    if (isOpen) this.#close('error', claim);
    else this.#sink.emit(claim);
  }

  #close(reason: string, claim: Claim, finish_reason = reason === 'error' ? 'error' : finishReason(reason)): void {
    const all = this.#prompts.end(claim);
    if (all === undefined) return;
    this.#closeTurn();
    if (!this.#prompts.tellsTurns)
      this.#sink.emit({ type: 'turn.completed', finish_reason, raw_finish_reason: reason });
    this.#sink.emit(all);
  }

  #closeTurn(): void {
    this.#texts.closeAll();
    this.#tools.endTurn();
  }
}

/** What the answer to a prompt claims. */
export function readEnding(result: JsonObject, sink: DecoderSink): Claim {
  const own = ownClaim(ownMetaOf(result));
  const raw_status = string(result.stopReason) ?? '';
  if (own !== undefined && (own.status !== 'ok' || raw_status === endTurn)) return own;
  if (raw_status === endTurn) return { type: 'agent.finished', status: 'ok', raw_status };
  if (raw_status === cancelled) return { type: 'agent.finished', status: 'cancelled', raw_status };
  const code = wordIn(stopReasons, raw_status);
  if (code === undefined) sink.note('guessed', 'stop reason that is not known: a failure');
  return { type: 'agent.finished', status: 'failed', code: code ?? 'unknown', raw_status };
}

/** An answer that was broken off, with an error behind it: an agent appends that in one piece, where a model goes on in small ones. */
function appendedFault(text: string, lastChunk: string): RelayedFault | undefined {
  const before = text.slice(0, text.length - lastChunk.length).trimEnd();
  if (before === '' || /[:"'`«„“(]$|```/.test(before)) return undefined;
  const fault = relayedFault(lastChunk);
  return fault?.isAnnounced === true ? fault : undefined;
}

/** What an error says about a run. */
interface Fault {
  code: ErrorCode;
  message: string;
  raw: string;
  status: number | undefined;
  /** The claim that Runwire wrote; its errors are reported separately. */
  claim: Claim | undefined;
}

function readFault(error: JsonObject, method: string): Fault {
  const data = object(error.data);
  const details = filled(data.details) ?? filled(data.message) ?? filled(data.error) ?? filled(error.data);
  const ownMessage = asText(error.message);
  const isBare = ownMessage === '' || /^internal error$/i.test(ownMessage);
  const message =
    isBare && details !== undefined
      ? details
      : details === undefined || ownMessage.includes(details)
        ? ownMessage
        : `${ownMessage}: ${details}`;
  const raw = integer(error.code);
  const status = integer(data.status) ?? integer(data.statusCode) ?? integer(data.httpStatus);
  return {
    code: codeOf(raw, isBare ? (details ?? '') : message, status, method),
    message: message === '' ? `error ${raw ?? 'without a code'}` : message,
    raw: `error ${raw ?? ''}`.trim(),
    status: status !== undefined && status >= 100 && status <= 599 ? status : undefined,
    claim: ownClaim(isObject(data[ownMeta]) ? data[ownMeta] : undefined),
  };
}

function codeOf(raw: number | undefined, words: string, status: number | undefined, method: string): ErrorCode {
  const known = raw === undefined ? undefined : codeOfRpc[raw];
  if (known !== undefined) return known;
  const worded = codeOfMessage(words, status);
  if (worded !== 'unknown') return worded;
  // An agent that fails before the first prompt does not speak this protocol, or speaks another version.
  if (method !== 'session/prompt' && raw !== internalError) return 'config';
  return 'unknown';
}

function ownClaim(own: JsonObject | undefined): Claim | undefined {
  const claim = own === undefined ? undefined : eventIn({ type: 'agent.finished', ...object(own.claim) });
  return claim?.type === 'agent.finished' ? claim : undefined;
}

function tellFault(fault: Fault, sink: DecoderSink, scope: 'agent' | 'provider'): Claim {
  const { code, message, raw: raw_status, status, claim } = fault;
  // An error is never a success, whatever its claim.
  if (claim !== undefined && claim.status !== 'ok') return claim;
  if (code === 'cancelled') return { type: 'agent.finished', status: 'cancelled', message, raw_status };
  sink.emit({ type: 'error', scope, code, message, fatal: true, ...present({ http_status: status }) });
  return { type: 'agent.finished', status: 'failed', code, message, raw_status };
}
