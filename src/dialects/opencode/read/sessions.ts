import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { filled } from '../../../json/read.ts';
import { type Habit, habitOf, inclusive } from '../../shared/opencode/read/usage.ts';
import { Lane } from './lane.ts';

/** The sessions of a run: its own, and those of the sub-agents that its calls started. */
export class Sessions {
  readonly main = new Lane();
  /** How this version counts tokens. */
  habit: Habit = inclusive;
  readonly #sink: DecoderSink;
  readonly #children = new Map<string, Lane>();
  #root: string | undefined;
  #isStarted = false;
  #hasStrangers = false;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  get children(): Iterable<Lane> {
    return this.#children.values();
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  start(sessionId: string | undefined, info: JsonObject = {}): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#root = filled(sessionId);
    const version = filled(info.version);
    this.habit = habitOf(version);
    this.#sink.emit({
      type: 'thread.started',
      agent: 'opencode',
      ...present({
        agent_version: version,
        session_id: this.#root,
        parent_session_id: filled(info.parentID),
        cwd: filled(info.directory),
      }),
    });
  }

  /** The lane of a session; undefined for sessions that do not belong to this run. */
  laneOf(sessionId: string | undefined): Lane | undefined {
    if (sessionId === undefined || sessionId === '' || sessionId === this.#root) return this.main;
    if (this.#root === undefined) {
      this.#root = sessionId;
      return this.main;
    }
    const child = this.#children.get(sessionId);
    if (child === undefined && !this.#hasStrangers) {
      this.#hasStrangers = true;
      this.#sink.note('lost', 'events of another session');
      this.#sink.emit({
        type: 'log',
        stream: 'agent',
        level: 'warning',
        text: 'events of another session are not read',
      });
    }
    return child;
  }

  isRoot(sessionId: string | undefined): boolean {
    return sessionId !== undefined && sessionId === this.#root;
  }

  /** Whether this session may belong to a new sub-agent: it is neither the run's own nor that of another call. */
  isNew(sessionId: string): boolean {
    return sessionId !== this.#root && !this.#children.has(sessionId);
  }

  /** false: the session already belongs to this call. */
  adopt(sessionId: string, itemId: string): boolean {
    if (this.#children.get(sessionId)?.parent === itemId) return false;
    this.#children.set(sessionId, new Lane(itemId));
    return true;
  }

  /** The call that started these sessions has ended. */
  dismiss(sessionIds: Iterable<string>): void {
    for (const id of sessionIds) this.#children.delete(id);
  }
}
