import type { Hash } from 'node:crypto';
import type { EventRecord } from '../events/event.ts';

/** The label of a run whose agent names no session: a digest of what it said and did. */
export const contentLabel = 'run.content';

/**
 * A digest of what a run said and did, which identifies a run whose agent names no session. It is the same for the run itself, what it
 * printed, and a tape of either; times, ids and additions by Runwire differ, and are left out.
 */
export class RunContent {
  /** Created on demand: Node.js takes long to load the crypto module, and most agents name their session. */
  #hash: Hash | undefined;
  #isNamed = false;

  see(record: EventRecord): void {
    if (record.type === 'thread.started' && record.session_id) this.#isNamed = true;
    if (this.#isNamed || record.synthetic || record.source !== 'agent') return;
    const content = contentOf(record);
    if (content === undefined) return;
    this.#hash ??= process.getBuiltinModule('node:crypto').createHash('sha256');
    this.#hash.update(`${JSON.stringify([record.type, ...content])}\n`);
  }

  /** Undefined: the session identifies it, or there is nothing to identify it by. */
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
