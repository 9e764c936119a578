import type { EventOf, EventRecord } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { EncoderSink, Loss } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';

// The documented objects of the bus, with their fields in order. An unknown time is 0.

interface Summary {
  additions: number;
  deletions: number;
  files: number;
}

/** Beyond this many, files are no longer counted. */
const mostFiles = 100_000;

type Started = Partial<EventOf<'thread.started'>>;

/** The run's session: everything is written through it, and it opens before the first event. */
export class Session {
  /** The time of the record that is being written. */
  now = 0;
  id = '';
  thread: Started = {};
  /** The model that was named last. */
  model: string | undefined;
  readonly #sink: EncoderSink;
  readonly #summary: Summary = { additions: 0, deletions: 0, files: 0 };
  readonly #files = new Set<string>();
  #createdAt = 0;
  #isOpen = false;
  #isBusy = false;
  #parts = 0;
  #children = 0;

  constructor(sink: EncoderSink) {
    this.#sink = sink;
  }

  start(record: EventRecord & EventOf<'thread.started'>): void {
    this.thread = record;
    this.id = record.session_id ?? record.thread_id;
    this.#createdAt = this.now;
    if (!record.synthetic) this.#open();
  }

  write(type: string, properties: JsonObject): void {
    this.#open();
    this.#sink.line({ type, properties });
  }

  /** Writes one of OpenCode's own lines as it was read. */
  repeat(wire: JsonObject): void {
    this.#sink.line(wire);
  }

  lose(what: Loss): void {
    this.#sink.lose(what);
  }

  newPart(): string {
    return `prt_${++this.#parts}`;
  }

  /** The session of a sub-agent that a call in the session `parent` started. */
  newChild(parent: string): string {
    const id = `${this.id}_${++this.#children}`;
    const times = { created: this.now, updated: this.now };
    const thread: Started = { ...present({ cwd: this.thread.cwd }), parent_session_id: parent };
    this.write('session.created', { info: sessionInfo(thread, id, times, noChanges) });
    return id;
  }

  status(status: JsonObject): void {
    this.write('session.status', { sessionID: this.id, status });
  }

  busy(): void {
    if (!this.#isBusy) this.status({ type: 'busy' });
    this.#isBusy = true;
  }

  idle(): void {
    if (this.#summary.files > 0) {
      const times = { created: this.#createdAt, updated: this.now };
      this.write('session.updated', { info: sessionInfo(this.thread, this.id, times, this.#summary) });
    }
    this.status({ type: 'idle' });
    this.write('session.idle', { sessionID: this.id });
    this.#isBusy = false;
  }

  /** Counts an edit for the summary of the session, where a file that was edited twice counts once. */
  count(edit: EventOf<'file.edited'>): void {
    if (this.#files.size < mostFiles) this.#files.add(edit.path);
    this.#summary.files = this.#files.size;
    this.#summary.additions += edit.additions ?? 0;
    this.#summary.deletions += edit.deletions ?? 0;
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const times = { created: this.#createdAt, updated: this.#createdAt };
    this.#sink.line({
      type: 'session.created',
      properties: { info: sessionInfo(this.thread, this.id, times, noChanges) },
    });
  }
}

const noChanges: Summary = { additions: 0, deletions: 0, files: 0 };

function sessionInfo(
  thread: Started,
  id: string,
  times: { created: number; updated: number },
  summary: Summary,
): JsonObject {
  return {
    id,
    projectID: thread.project_name ?? '',
    directory: thread.cwd ?? '',
    ...present({ parentID: thread.parent_session_id }),
    title: thread.task ?? '',
    version: thread.agent_version ?? '',
    time: times,
    summary: { ...summary },
  };
}
