import type { Hash } from 'node:crypto';
import type { EventRecord } from '../events/event.ts';

/** The label of a run whose agent names no session: what it said and did. */
export const contentLabel = 'run.content';

/**
 * What a run said and did, as a digest: the name of a run whose agent names no session. It is the same for the run itself, what it
 * printed, and a tape of either; times, ids and what Runwire added differ there, and are left out.
 */
export class RunContent {
  /** Made when it is needed: Node.js takes long to load what makes it, and most agents name their session. */
  #hash: Hash | undefined;
  #isNamed = false;

  see(record: EventRecord): void {
    if (record.type === 'thread.started' && record.session_id) this.#isNamed = true;
    if (this.#isNamed || record.synthetic || record.source !== 'agent') return;
    const said = contentOf(record);
    if (said === undefined) return;
    this.#hash ??= process.getBuiltinModule('node:crypto').createHash('sha256');
    this.#hash.update(`${JSON.stringify([record.type, ...said])}\n`);
  }

  /** Undefined: its session is its name, or there is nothing to know it by. */
  digest(): string | undefined {
    return this.#isNamed ? undefined : this.#hash?.copy().digest('hex').slice(0, 32);
  }
}

function contentOf(record: EventRecord): unknown[] | undefined {
  switch (record.type) {
    case 'text.completed':
      return [record.text];
    case 'item.started':
      return [record.name, record.args];
    case 'item.completed':
      return [record.status, record.output, record.error];
    case 'agent.finished':
      return [record.status, record.message, record.duration_ms];
    default:
      return undefined;
  }
}
