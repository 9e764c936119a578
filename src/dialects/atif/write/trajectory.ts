import type { EventOf, EventRecord } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { Loss } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { writtenVersion } from '../words.ts';
import type { SizeLimit } from './size-limit.ts';
import { Step } from './steps.ts';

type TextEvent = EventOf<'text.completed' | 'reasoning.completed'>;

/** The steps of one agent, and of the sub-agents that it started. A step is one model answer, as far as that is known. */
export class Trajectory {
  readonly id: string;
  readonly children: Trajectory[] = [];
  /** The call that started it. */
  readonly parentCall: string | undefined;
  readonly #sizeLimit: SizeLimit;
  readonly #lose: (loss: Loss) => void;
  readonly #steps: Step[] = [];
  #omitted = 0;
  #open: Step | undefined;
  #last: Step | undefined;
  #turn: EventOf<'turn.started'> | undefined;
  #isTurnEmpty = false;

  constructor(id: string, sizeLimit: SizeLimit, lose: (loss: Loss) => void, parentCall?: string) {
    this.id = id;
    this.#sizeLimit = sizeLimit;
    this.#lose = lose;
    this.parentCall = parentCall;
  }

  get isEmpty(): boolean {
    return this.#steps.length === 0;
  }

  add(source: 'system' | 'user', text: string, timestamp: string | null): Step {
    this.close();
    const step = this.#begin(source, timestamp);
    step.texts.push(this.#sizeLimit.text(text, 'text'));
    this.#open = undefined;
    return step;
  }

  startTurn(event: EventOf<'turn.started'>): void {
    this.close();
    this.#turn = event;
    this.#isTurnEmpty = true;
  }

  /** A model call without any output is a step too. */
  endTurn(timestamp: string | null): void {
    if (this.#isTurnEmpty) this.agentStep(timestamp);
    this.close();
    this.#turn = undefined;
  }

  close(): void {
    this.#open = undefined;
  }

  say(event: TextEvent & EventRecord): void {
    if (event.text === '') return;
    const isText = event.type === 'text.completed';
    const open = this.#open;
    if (open !== undefined && isText && open.messageId !== undefined && open.messageId !== event.message_id)
      this.close();
    const step = this.agentStep(event.timestamp);
    if (isText) step.messageId = event.message_id;
    (isText ? step.texts : step.reasoning).push(this.#sizeLimit.text(event.text, isText ? 'text' : 'reasoning'));
  }

  /** The step to which the model's next output belongs. */
  agentStep(timestamp: string | null): Step {
    if (this.#open?.isAnswered === true || this.#open?.isOrphan === true) this.close();
    if (this.#open !== undefined) return this.#open;
    const step = this.#begin('agent', timestamp);
    if (this.#turn !== undefined) step.extra['turn'] = this.#turn.iteration;
    step.model = this.#turn?.model;
    return step;
  }

  /** For results whose calls are not known. */
  orphanStep(timestamp: string | null): Step {
    if (this.#open?.isOrphan === true) return this.#open;
    this.close();
    const step = this.#begin('agent', timestamp);
    step.isOrphan = true;
    return step;
  }

  /** Usage may be reported after its step, or without one. */
  use(usage: EventOf<'usage.reported'> & EventRecord): void {
    const last = this.#open ?? (this.#last?.source === 'agent' ? this.#last : undefined);
    const step = last === undefined || last.isOrphan || this.#isTurnEmpty ? this.agentStep(usage.timestamp) : last;
    // A turn's total is the sum of its answers' usage.
    if (usage.scope === 'step' || !step.hasUsage) step.use(usage);
  }

  #begin(source: Step['source'], timestamp: string | null): Step {
    const step = new Step(source, timestamp);
    if (this.#sizeLimit.isFull) {
      this.#omitted += 1;
      this.#lose('text');
    } else this.#steps.push(step);
    this.#sizeLimit.frame();
    this.#isTurnEmpty = false;
    this.#open = step;
    this.#last = step;
    return step;
  }

  /** The ids of calls that never ended. */
  *unfinished(): Iterable<string> {
    for (const { calls } of this.#steps) for (const { id, result } of calls) if (result === undefined) yield id;
  }

  wire(head: JsonObject, tail: { final?: JsonObject; extra: JsonObject }): JsonObject {
    const kept = this.#steps.length;
    const extra = present({ ...tail.extra, parent_tool_call_id: this.parentCall });
    const children = this.children.filter((child) => !child.isEmpty);
    return present({
      schema_version: writtenVersion,
      ...head,
      trajectory_id: this.id,
      steps: this.#steps.map((step, index) => step.wire(index + 1)),
      notes:
        this.#omitted === 0 ? undefined : `${this.#omitted} later steps are left out: one document cannot hold them`,
      final_metrics: { ...tail.final, total_steps: kept + this.#omitted },
      subagent_trajectories:
        children.length === 0 ? undefined : children.map((child) => child.wire(head, { extra: {} })),
      extra: Object.keys(extra).length === 0 ? undefined : extra,
    });
  }
}
