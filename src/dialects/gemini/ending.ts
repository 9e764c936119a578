import type { EventOf, EventRecord } from '../../events/event.ts';
import type { JsonObject } from '../dialect.ts';
import { asText, count, list, object, string } from '../read.ts';
import { classOf } from './faults.ts';

export interface Ending {
  /** none: the stream just stops, as it does when the process is interrupted. */
  status: 'success' | 'error' | 'none';
  error?: { type: string; message: string };
}

/** Listens to every record for what the closing line has to say. */
export class EndingWatch {
  claim: EventOf<'agent.finished'> | undefined;
  #turnLimit: EventOf<'limit.reached'> | undefined;
  /** Something that this wire has no word for speaks against the agent's claim. */
  #doubted = false;

  see(event: EventRecord): void {
    switch (event.type) {
      case 'agent.finished':
        this.claim = event;
        return;
      case 'limit.reached':
        if (event.limit === 'turns') this.#turnLimit = event;
        this.#doubted = true;
        return;
      case 'process.ended':
        this.#doubted ||= event.exit_code !== 0;
        return;
      case 'permission.resolved':
        this.#doubted ||= event.decision === 'denied';
        return;
      case 'log':
        this.#doubted ||= event.cause === 'cut';
    }
  }

  end(report: JsonObject): Ending {
    const { claim } = this;
    const verdict = object(report.verdict);
    if (claim?.status === 'ok') {
      if (verdict.class === 'success' || !this.#doubted) return { status: 'success' };
      return { status: 'error', error: { type: this.#typeOf(claim), message: whyNot(verdict) } };
    }
    if (claim === undefined) {
      const limit = this.#turnLimit;
      if (limit === undefined) return { status: 'none' };
      return { status: 'error', error: { type: 'FatalTurnLimitedError', message: limit.message ?? whyNot(verdict) } };
    }
    const message = claim.message ?? string(object(report.error_details).message);
    return message === undefined && this.#typeOf(claim) === 'unknown'
      ? { status: 'error' }
      : { status: 'error', error: { type: this.#typeOf(claim), message: message ?? whyNot(verdict) } };
  }

  #typeOf(claim: EventOf<'agent.finished'>): string {
    if (this.#turnLimit !== undefined) return 'FatalTurnLimitedError';
    if (claim.status === 'cancelled') return 'FatalCancellationError';
    return claim.raw_status ?? classOf(claim.code);
  }
}

function whyNot(verdict: JsonObject): string {
  return asText(object(list(verdict.evidence)[0]).detail);
}

type Usage = EventOf<'usage.reported'>;

/** Totals per model: as the agent gave them, or the outcome's totals under the name of its one model. */
export class ModelTotals {
  readonly #threads = new Map<string, Usage>();

  see(usage: Usage): void {
    if (usage.scope === 'thread') this.#threads.set(usage.model ?? '', usage);
  }

  of(metrics: JsonObject): { models: [string, Usage][]; total: Usage } {
    const total: Usage = {
      type: 'usage.reported',
      scope: 'thread',
      input_tokens: count(metrics.input_tokens) ?? 0,
      output_tokens: count(metrics.output_tokens) ?? 0,
      reasoning_tokens: count(metrics.reasoning_tokens) ?? 0,
      cache_read_tokens: count(metrics.cache_read_tokens) ?? 0,
    };
    const models = [...this.#threads].filter(([model]) => model !== '');
    const named = string(metrics.model_name);
    if (models.length > 0 || this.#threads.size > 0 || named === undefined || metrics.tokens_used === undefined) return { models, total };
    return { models: [[named, total]], total };
  }
}
