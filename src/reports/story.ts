import type { EventRecord } from '../events/event.ts';
import { subject } from '../events/subject.ts';
import { BoundedList, BoundedMap, cutText } from '../outcome/bounded.ts';
import { addChange, type Change } from '../terminal/figures.ts';

/** One thing that was said or done. */
export interface Entry {
  kind: 'text' | 'call' | 'error';
  /** Of a call: the tool. */
  name?: string;
  /** What was said; of a call, what it was about. */
  text: string;
  /** Of a call: how it ended, and what it gave back. */
  status?: string;
  output?: string;
}

const shownEntries = 200;
const shownFiles = 500;
const shownText = 4000;

/** What a report says about a run besides its outcome: what was said and done, and how much of each file changed. Its size is bounded. */
export class Story {
  readonly #entries = new BoundedList<Entry>(shownEntries);
  readonly #open = new Map<string, Entry>();
  readonly #changes = new BoundedMap<{ path: string } & Change>(shownFiles);

  record(record: EventRecord): void {
    switch (record.type) {
      case 'text.completed':
        if (record.text.trim() !== '') this.#entries.push({ kind: 'text', text: cutText(record.text, shownText) });
        return;
      case 'item.started': {
        const entry: Entry = {
          kind: 'call',
          name: cutText(record.name, 200),
          text: cutText(subject(record.args), shownText),
        };
        // Even if calls never end, no more are kept than are shown.
        if (this.#open.size < shownEntries) this.#open.set(record.item_id, entry);
        this.#entries.push(entry);
        return;
      }
      case 'item.completed': {
        const entry = this.#open.get(record.item_id);
        this.#open.delete(record.item_id);
        if (entry === undefined) return;
        const output = record.output ?? record.error;
        entry.status = record.status;
        if (output !== undefined && output !== null)
          entry.output = cutText(typeof output === 'string' ? output : JSON.stringify(output), shownText);
        return;
      }
      case 'error':
        this.#entries.push({ kind: 'error', text: cutText(record.message, shownText) });
        return;
      case 'file.edited': {
        const { path, additions, deletions } = record;
        this.#changes.set(path, { path, ...addChange(this.#changes.get(path), { additions, deletions }) });
        return;
      }
      default:
    }
  }

  get entries(): Entry[] {
    return this.#entries.toArray();
  }

  /** How many entries are not kept. */
  get omitted(): number {
    return this.#entries.omitted;
  }

  changeOf(path: string): Change | undefined {
    return this.#changes.get(path);
  }
}
