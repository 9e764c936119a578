import type { EventOf, EventRecord } from '../events/event.ts';
import { codeOfClass } from '../outcome/faults.ts';
import { OutcomeFold } from '../outcome/fold.ts';
import { LastClaim } from '../outcome/last-claim.ts';
import type { ModelUsage, RunOutcome } from '../outcome/outcome.ts';
import { tokenFields } from '../outcome/token-fields.ts';
import { present } from '../json/present.ts';

type Opening = EventRecord & EventOf<'thread.started'>;

export interface RunPartsOptions {
  /** A turn that follows a finished one is part of the same run. */
  tellsTurns: boolean;
  /** Its totals are those of the session, including earlier runs. */
  countsSessions: boolean;
}

/** A run that is over. */
export interface EndedPart {
  outcome: RunOutcome;
  /** How it ended, if it was cut off by the next run: a reader of the written lines must know that it is over. */
  claim: EventRecord | undefined;
  /** An introduction for the one that follows, if it has none of its own. */
  opening: Opening | undefined;
}

/**
 * The runs in one stream of records. Most wire formats have one final line per run: a reader of the written lines must find the border
 * between two runs, or it would judge the last run by what the previous one did.
 */
export class RunParts {
  readonly #options: RunPartsOptions;
  readonly #fold = new OutcomeFold({ claims: false });
  readonly #lastClaim = new LastClaim();
  #opening: Opening | undefined;
  /** The outcome of everything before this part. */
  #before: RunOutcome | undefined;
  #limitsBefore = 0;
  #count = 1;

  constructor(options: RunPartsOptions) {
    this.#options = options;
  }

  /** There is an earlier part. */
  get isLater(): boolean {
    return this.#count > 1;
  }

  /** The introduction of a later part. Without a session id it would be taken for that of the previous run. */
  introduced(record: Opening): Opening {
    return record.session_id === undefined ? { ...record, session_id: `${record.thread_id}-${this.#count}` } : record;
  }

  /** Returns the part that this record ends. */
  see(record: EventRecord): EndedPart | undefined {
    const hasClaim = this.#lastClaim.current !== undefined;
    const isFinished = this.#lastClaim.see(record, record.synthetic) !== undefined;
    const isOpening = record.type === 'thread.started';
    const isOver = isOpening
      ? this.#opening !== undefined
      : isFinished && record.type !== 'agent.finished' && !this.#options.tellsTurns;
    const ended = isOver ? this.#end(record, hasClaim) : undefined;
    if (isOpening) this.#opening = record;
    this.#fold.apply(record, undefined, record.synthetic);
    return ended;
  }

  /** The end of the last of several parts, if it was never reported: that it began may be all that is known about it. */
  unclaimedEnd(outcome: RunOutcome, last: EventRecord): EventRecord | undefined {
    if (!this.isLater || this.#lastClaim.current !== undefined || outcome.verdict.class === 'success') return undefined;
    return cutOff(outcome, last);
  }

  /** The outcome of the current part, given the outcome of the whole stream. */
  last(outcome: RunOutcome): RunOutcome {
    const { metrics, usage_by_model, limits_hit } = outcome;
    const before = this.#before;
    return {
      ...outcome,
      metrics: before === undefined ? metrics : less(metrics, before.metrics),
      ...present({ usage_by_model: before === undefined ? usage_by_model : lessByModel(usage_by_model, before) }),
      limits_hit: limits_hit.slice(this.#limitsBefore),
    };
  }

  #end(next: EventRecord, hasClaim: boolean): EndedPart {
    const outcome = this.#fold.outcome(this.#opening?.agent ?? 'unknown', []);
    const part = this.last(outcome);
    const opening = this.#opening;
    const isOpening = next.type === 'thread.started';
    const isSameSession = !isOpening || (next.session_id !== undefined && next.session_id === opening?.session_id);
    if (!isSameSession || !this.#options.countsSessions) this.#before = outcome;
    this.#limitsBefore = outcome.limits_hit.length;
    this.#count += 1;
    return {
      outcome: part,
      claim: hasClaim ? undefined : cutOff(part, next),
      opening: isOpening ? undefined : opening,
    };
  }
}

function cutOff({ verdict, error_details }: RunOutcome, next: EventRecord): EventRecord {
  const { sequence, timestamp, thread_id } = next;
  const message = error_details?.message ?? verdict.evidence[0]?.detail;
  const code = verdict.class === 'success' ? undefined : (verdict.code ?? codeOfClass[verdict.class]);
  const place = { sequence, timestamp, thread_id, source: 'runner', synthetic: true } as const;
  return { type: 'agent.finished', status: 'failed', ...present({ code, message }), ...place };
}

const counts = ['tokens_used', ...tokenFields, 'cost'] as const;
type Counts = { [Name in (typeof counts)[number]]?: number | undefined };

/** A difference of 0 becomes unknown: nothing has been counted since. */
function less<T extends Counts>(all: T, before: Counts): T {
  const rest: T = { ...all };
  for (const count of counts) {
    const value = all[count];
    const known = before[count];
    if (value === undefined || known === undefined) continue;
    if (value > known) rest[count] = (value - known) as T[typeof count];
    else delete rest[count];
  }
  return rest;
}

function lessByModel(models: readonly ModelUsage[] | undefined, before: RunOutcome): ModelUsage[] | undefined {
  const known = before.usage_by_model ?? [{ model_name: before.metrics.model_name, ...before.metrics }];
  const rest = models?.map((each) => less(each, known.find(({ model_name }) => model_name === each.model_name) ?? {}));
  return rest?.filter(({ input_tokens, output_tokens }) => input_tokens !== undefined || output_tokens !== undefined);
}
