import type { EventOf, EventRecord } from '../events/event.ts';
import { reportedOutcome } from '../outcome/report.ts';
import { present } from '../json/present.ts';
import { attributes, short, SpanEvents, spanName, usageAttributes } from './attributes.ts';
import { answerMessage, shortened, userMessage } from './content.ts';
import { errorType, errorTypeOf, finishReasonOf, finishReasonOfRun } from './failures.ts';
import { recordSpanId, runSpanId, traceIdOf } from './ids.ts';
import { ModelCall } from './model-call.ts';
import { eventNames, names, operations, ownNames } from './names.ts';
import { modelName, providerOf } from './providers.ts';
import type { AttributeValue, Span } from './span.ts';
import { ToolCall } from './tool-call.ts';
import { parseTraceParent } from './trace-context.ts';

export interface SpanFoldOptions {
  /** Called for every span when it has ended; the last is that of the run. */
  onSpan(span: Span): void;
  /** Whether content is exported: prompts, answers, arguments, results. */
  capturesContent: boolean;
  /** The id for a run whose records name none. */
  runId: string;
  /** The start time for a run whose records have no times. */
  startedAt: number;
  /** The vendors' `tracestate` of a joined trace, to be passed on. */
  traceState?: string | undefined;
}

/** How many records wait for the first one with a time. */
const mostHeld = 100;
const longestValue = 1000;

/** Folds the records of one run into spans: the run, each model call, each tool call, each agent below it. */
export class SpanFold {
  readonly #options: SpanFoldOptions;
  readonly #calls = new Map<string, ToolCall>();
  readonly #events = new SpanEvents();
  #held: EventRecord[] | undefined = [];
  #introduction: Partial<EventOf<'thread.started'>> = {};
  #place: { runId: string; spanId: string; traceId: string; parentSpanId: string | undefined };
  #prompt: string | undefined;
  #model: string | undefined;
  #turn: ModelCall | undefined;
  /** A call that has ended, until it is clear that nothing more is reported about it. */
  #ended: { itemId: string; span: Omit<Span, 'traceId'>; events: SpanEvents } | undefined;
  #now = 0;
  #first = Infinity;
  #last = -Infinity;
  /** The earliest time of the next model call: the start, the end of an answer, or a result. */
  #askedAt: number | undefined;
  #toolErrors = 0;
  /** Whether other runs do the work. */
  #directs = false;
  #hasUsage = false;
  #isTimed = true;

  constructor(options: SpanFoldOptions) {
    const { runId } = options;
    this.#options = options;
    this.#place = { runId, spanId: runSpanId(runId), traceId: traceIdOf(runId), parentSpanId: undefined };
  }

  record(record: EventRecord): void {
    // The agent's own turns are the model calls of a trace.
    if (record.source === 'wire') return;
    if (this.#held === undefined) return this.#see(record);
    this.#held.push(record);
    // Records without a time get the time of the first record that has one.
    if (record.timestamp === null && record.type !== 'thread.completed' && this.#held.length < mostHeld) return;
    const held = this.#held;
    this.#held = undefined;
    this.#isTimed = record.timestamp !== null;
    this.#now = record.timestamp === null ? this.#options.startedAt : Date.parse(record.timestamp);
    for (const each of held) this.#see(each);
  }

  #see(record: EventRecord): void {
    // The time of the verdict depends on when the run is read; its work was over before.
    if (record.timestamp !== null && this.#isTimed && record.type !== 'thread.completed')
      this.#now = Date.parse(record.timestamp);
    this.#first = Math.min(this.#first, this.#now);
    this.#last = Math.max(this.#last, this.#now);
    this.#askedAt ??= this.#now;
    // The files that a call changed are reported right after its end.
    if (record.type !== 'file.edited' || record.item_id !== this.#ended?.itemId) this.#tellEnded();
    switch (record.type) {
      case 'thread.started':
        return this.#begin(record);
      case 'prompt.submitted':
        this.#prompt ??= record.text;
        this.#askedAt = this.#now;
        return;
      case 'turn.started':
        return this.#beginTurn(record);
      case 'turn.completed':
        return this.#endTurn(finishReasonOf(record.finish_reason));
      case 'text.delta':
      case 'reasoning.delta':
        if (record.parent_item_id === undefined) this.#turn?.spoke(this.#now);
        return;
      case 'text.completed':
      case 'reasoning.completed':
        return this.#addText(record);
      case 'usage.reported':
        this.#hasUsage = true;
        this.#model ??= record.model;
        if (record.scope === 'step') this.#turn?.count(record);
        return;
      case 'item.started':
        return this.#beginCall(record);
      case 'item.completed':
        return this.#endCall(record);
      case 'branch.updated':
        return this.#delegated(record);
      case 'thread.completed':
        return this.#end(record);
      default:
        return this.#note(record);
    }
  }

  #begin(record: EventOf<'thread.started'>): void {
    this.#introduction = { ...this.#introduction, ...record };
    this.#prompt ??= record.task;
    this.#model = record.model ?? this.#model;
    const {
      run_id: runId = this.#options.runId,
      root_run_id: root,
      parent_run_id: parent,
      traceparent,
    } = this.#introduction;
    const joined = traceparent === undefined ? undefined : parseTraceParent(traceparent);
    this.#place = {
      runId,
      spanId: runSpanId(runId),
      traceId: joined?.traceId ?? traceIdOf(root ?? runId),
      parentSpanId: joined?.parentSpanId ?? (parent === undefined ? undefined : runSpanId(parent)),
    };
  }

  #beginTurn({ sequence, model }: EventOf<'turn.started'> & { sequence: number }): void {
    this.#endTurn(undefined);
    this.#model = model ?? this.#model;
    this.#turn = new ModelCall({
      sequence,
      start: Math.min(this.#askedAt ?? this.#now, this.#now),
      now: this.#now,
      model: this.#model,
      capturesContent: this.#options.capturesContent,
    });
  }

  #endTurn(finishReason: string | undefined): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    this.#turn = undefined;
    this.#askedAt = this.#now;
    // A run that directs others by a script has turns but no model.
    if (this.#directs && !this.#hasUsage) return;
    const { agent, session_id: session } = this.#introduction;
    const span = turn.span(finishReason, this.#now, { agent, session });
    const { runId, spanId } = this.#place;
    if (span !== undefined)
      this.#tell({ ...span, spanId: recordSpanId(runId, turn.sequence, 'chat'), parentSpanId: spanId });
  }

  #addText(record: EventOf<'text.completed' | 'reasoning.completed'>): void {
    const { parent_item_id: parent } = record;
    if (parent === undefined) {
      this.#turn?.spoke(this.#now);
      return this.#turn?.addText(record);
    }
    const call = this.#calls.get(parent);
    if (call !== undefined && this.#options.capturesContent && record.type === 'text.completed')
      call.answer = shortened(record.text);
  }

  #beginCall(record: EventOf<'item.started'> & { sequence: number }): void {
    const { item_id: id, parent_item_id: parent } = record;
    const { runId, spanId } = this.#place;
    if (parent === undefined) this.#turn?.addCall(record, this.#now);
    const parentSpanId = (parent === undefined ? undefined : this.#calls.get(parent)?.innerSpanId) ?? spanId;
    const { capturesContent } = this.#options;
    this.#calls.set(id, new ToolCall(record, { runId, parentSpanId, now: this.#now, capturesContent }));
  }

  #endCall(record: EventOf<'item.completed'>): void {
    const { item_id: itemId, status } = record;
    const call = this.#calls.get(itemId);
    if (call === undefined) return;
    this.#calls.delete(itemId);
    call.includes(this.#now, this.#now);
    if (call.parentItem === undefined) {
      this.#turn?.answered();
      this.#askedAt = this.#now;
    }
    if (status !== 'success') this.#toolErrors += 1;
    const { capturesContent } = this.#options;
    const spans = call.spans(record, { agent: this.#introduction.agent, model: this.#model, capturesContent });
    if (call.parentItem !== undefined) this.#calls.get(call.parentItem)?.includes(spans.call.start, spans.call.end);
    if (spans.agent !== undefined) this.#tell(spans.agent);
    this.#ended = { itemId, span: spans.call, events: call.events };
  }

  #delegated({ item_id: item, run_id: run }: EventOf<'branch.updated'>): void {
    if (item === undefined || run === undefined) return;
    this.#directs = true;
    this.#calls.get(item)?.delegate();
  }

  #tellEnded(): void {
    const ended = this.#ended;
    if (ended === undefined) return;
    this.#ended = undefined;
    this.#tell({ ...ended.span, events: ended.events.list, droppedEvents: ended.events.dropped });
  }

  /** Records that are not part of the work itself become events of the span that they belong to. */
  #note(record: EventRecord): void {
    switch (record.type) {
      case 'file.edited':
        return this.#happened(eventNames.fileChange, record.item_id, {
          [ownNames.filePath]: short(record.path, longestValue),
          [ownNames.fileChange]: record.operation,
        });
      case 'permission.requested':
        return this.#happened(eventNames.permissionRequested, record.item_id, {});
      case 'permission.resolved': {
        const call = record.item_id === undefined ? undefined : this.#calls.get(record.item_id);
        if (call !== undefined) call.permission = record.decision;
        const { decision, by } = record;
        return this.#happened(eventNames.permissionResolved, record.item_id, {
          [ownNames.permissionDecision]: decision,
          [ownNames.permissionBy]: by,
        });
      }
      case 'retry.scheduled': {
        const { attempt, delay_ms: delay, code } = record;
        return this.#happened(eventNames.retry, undefined, {
          [ownNames.retryAttempt]: attempt,
          [ownNames.retryDelay]: delay === undefined ? undefined : Math.round(delay),
          [names.errorType]: code === undefined ? undefined : errorType(code),
        });
      }
      case 'limit.reached':
        return this.#happened(eventNames.limit, undefined, {
          [ownNames.limit]: record.limit,
          [ownNames.limitMaximum]: record.maximum,
        });
      case 'expectation.checked':
        return this.#happened(eventNames.expectation, undefined, { [ownNames.expectationPassed]: record.passed });
      case 'error':
        return this.#failed(record);
      default:
    }
  }

  #failed(record: EventOf<'error'> & Pick<EventRecord, 'source'>): void {
    const { item_id: item, code, message, source } = record;
    if (item === undefined && source === 'agent') this.#turn?.failed(errorType(code));
    // The message of a failed tool is its result, and so it is content.
    const isContent = item !== undefined || code === 'tool' || code === 'permission';
    this.#happened(eventNames.exception, item, {
      [names.exceptionType]: errorType(code),
      [names.exceptionMessage]: isContent && !this.#options.capturesContent ? undefined : short(message, longestValue),
    });
  }

  #happened(name: string, item: string | undefined, given: Readonly<Record<string, AttributeValue | undefined>>): void {
    const event = { name, at: this.#now, attributes: attributes(given) };
    const call = item === undefined ? undefined : this.#calls.get(item);
    call?.includes(this.#now, this.#now);
    if (call === undefined && item !== undefined && this.#ended?.itemId === item) {
      this.#ended.span.end = Math.max(this.#ended.span.end, this.#now);
      this.#ended.events.add(event);
    } else (call?.events ?? this.#events).add(event);
  }

  #end(record: EventOf<'thread.completed'>): void {
    this.#endTurn('error');
    for (const item_id of this.#calls.keys()) {
      this.#endCall({ type: 'item.completed', item_id, status: 'abandoned' });
      this.#tellEnded();
    }
    const outcome = reportedOutcome(record);
    const { metrics, verdict, provenance } = outcome;
    const {
      agent = provenance.agent,
      agent_version: version = provenance.version,
      session_id,
      cwd,
      run_id,
    } = this.#introduction;
    const model = this.#model ?? metrics.model_name;
    const type = verdict.class === 'success' ? undefined : errorTypeOf(verdict);
    const reason = finishReasonOfRun(verdict);
    const isWorkflow = this.#directs && !this.#hasUsage;
    const operation = isWorkflow ? operations.invokeWorkflow : operations.invokeAgent;
    const who = isWorkflow
      ? { [names.workflow]: agent }
      : {
          [names.provider]: providerOf(model, agent),
          [names.agent]: agent,
          [names.agentVersion]: version,
          [names.conversation]: session_id,
          [names.requestModel]: model === undefined ? undefined : modelName(model),
          [names.finishReasons]: [reason],
        };
    const { capturesContent } = this.#options;
    const { spanId, parentSpanId } = this.#place;
    this.#tell({
      spanId,
      ...(parentSpanId === undefined ? {} : { parentSpanId, hasRemoteParent: true }),
      name: spanName(operation, agent),
      kind: 'internal',
      start: this.#first,
      end: this.#last,
      attributes: attributes({
        [names.operation]: operation,
        ...who,
        ...usageAttributes(metrics),
        [names.errorType]: type,
        [ownNames.run]: run_id,
        [ownNames.status]: outcome.status,
        [ownNames.class]: verdict.class,
        [ownNames.runExitCode]: verdict.exit_code,
        [ownNames.turns]: metrics.turns,
        [ownNames.toolCalls]: metrics.tool_calls_count,
        [ownNames.toolErrors]: this.#toolErrors,
        [ownNames.cost]: metrics.cost,
        [ownNames.costSource]: metrics.cost_source,
        [ownNames.costIs]: metrics.cost_is,
        [ownNames.cwd]: cwd === undefined ? undefined : short(cwd, longestValue),
        [ownNames.timesSynthetic]: this.#isTimed ? undefined : true,
        [names.inputMessages]: capturesContent && this.#prompt !== undefined ? userMessage(this.#prompt) : undefined,
        [names.outputMessages]:
          capturesContent && outcome.message !== '' ? answerMessage(outcome.message, reason) : undefined,
      }),
      events: this.#events.list,
      droppedEvents: this.#events.dropped,
      error: type === undefined ? undefined : short(verdict.evidence[0]?.detail ?? verdict.class),
    });
  }

  #tell(span: Omit<Span, 'traceId' | 'traceState'>): void {
    const { traceId } = this.#place;
    this.#options.onSpan({
      traceId,
      ...present({ traceState: this.#options.traceState }),
      ...span,
      end: Math.max(span.start, span.end),
    });
  }
}
