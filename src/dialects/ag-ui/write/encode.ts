import type { EventOf, EventRecord } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { present } from '../../../json/present.ts';
import type { Encoder, EncoderSink } from '../../dialect.ts';
import { fieldsOf } from '../../kit/told.ts';
import { approvalReason, customPrefix, protocolVersion } from '../words.ts';
import { writeEnding } from './ending.ts';
import { Events } from './events.ts';
import { Messages } from './messages.ts';
import { Tools } from './tools.ts';

/** One run, from `RUN_STARTED` to `RUN_FINISHED` or `RUN_ERROR`. */
export function encoder(sink: EncoderSink): Encoder {
  const events = new Events(sink);
  const tools = new Tools(events);
  const messages = new Messages(events, tools.subagents);
  let isStarted = false;
  /** The client knows its own prompt; one that it did not send comes while the agent is at work. */
  let hasWorked = false;
  let step: string | undefined;

  function start(event: EventRecord): void {
    if (isStarted) return;
    isStarted = true;
    const opening: Partial<EventOf<'thread.started'>> = event.type === 'thread.started' ? event : {};
    events.threadId = opening.session_id || event.thread_id;
    events.runId = opening.run_id ?? events.threadId;
    events.write('RUN_STARTED', {
      threadId: events.threadId,
      runId: events.runId,
      protocolVersion,
      ...present({ parentRunId: opening.parent_run_id }),
      metadata: present({
        agent: opening.agent,
        agentVersion: opening.agent_version,
        model: opening.model,
        cwd: opening.cwd,
        prompt: opening.task,
      }),
    });
  }

  function startStep({ iteration, model }: EventOf<'turn.started'>): void {
    finishStep();
    hasWorked = true;
    messages.ofTurn = undefined;
    step = `turn ${iteration}`;
    events.write('STEP_STARTED', { stepName: step, ...(model === undefined ? {} : { metadata: { model } }) });
  }

  function finishStep(reason?: string): void {
    if (step !== undefined)
      events.write('STEP_FINISHED', {
        stepName: step,
        ...(reason === undefined ? {} : { metadata: { finishReason: reason } }),
      });
    step = undefined;
  }

  function custom(event: EventRecord): void {
    const toolCallId = 'item_id' in event ? tools.idOf(event.item_id) : undefined;
    events.write('CUSTOM', {
      name: `${customPrefix}${event.type}`,
      value: { ...fieldsOf(event), ...present({ toolCallId }) },
    });
  }

  function record(event: EventRecord): void {
    events.timestamp = event.timestamp;
    start(event);
    switch (event.type) {
      case 'thread.started':
        return;
      case 'prompt.submitted':
        return hasWorked ? messages.ask(event.text) : custom(event);
      case 'turn.started':
        return startStep(event);
      case 'turn.completed':
        return finishStep(event.finish_reason);
      case 'text.delta':
      case 'reasoning.delta':
        return messages.delta(event);
      case 'text.completed':
      case 'reasoning.completed':
        return messages.end(event);
      case 'item.started':
        return tools.start(event, messages);
      case 'item.completed':
        return tools.end(event);
      case 'permission.requested':
        tools.ask(event, approvalReason);
        return custom(event);
      case 'permission.resolved':
        tools.answer(event);
        return custom(event);
      case 'line.unknown':
        return events.write('RAW', { event: event.wire, source: event.dialect });
      case 'thread.completed':
        // Covered by the last event.
        return;
      default:
        return custom(event);
    }
  }

  function end(outcome: RunOutcome): void {
    messages.close();
    tools.close();
    finishStep();
    if (isStarted) writeEnding(outcome, tools.interrupts, events);
  }

  return { record, end };
}
