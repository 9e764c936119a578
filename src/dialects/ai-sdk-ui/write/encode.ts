import type { EventOf, EventRecord } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { present } from '../../../json/present.ts';
import type { Encoder, EncoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { fieldsOf } from '../../kit/told.ts';
import { lasting } from '../words.ts';
import { Blocks } from './blocks.ts';
import { writeEnding } from './ending.ts';
import { Tools } from './tools.ts';

/** One assistant message, whatever is in the stream: a front end shows one answer to one request. */
export function encoder(sink: EncoderSink): Encoder {
  const line = (wire: JsonObject): void => sink.line(wire);
  const blocks = new Blocks(line);
  const tools = new Tools(sink);
  let isStarted = false;
  /** The client knows its own prompt; one that it did not send comes while the agent is at work. */
  let hasWorked = false;
  let isStepOpen = false;
  let prompts = 0;
  let finish: EventOf<'turn.completed'>['finish_reason'];

  function start(event: EventOf<'thread.started'> & EventRecord): void {
    if (isStarted) return data(event);
    isStarted = true;
    const { agent, agent_version, model, session_id, run_id, task, thread_id } = event;
    line({
      type: 'start',
      messageId: run_id ?? session_id ?? thread_id,
      messageMetadata: present({
        agent,
        agentVersion: agent_version,
        model,
        sessionId: session_id ?? thread_id,
        runId: run_id,
        prompt: task,
      }),
    });
  }

  function prompt(event: EventOf<'prompt.submitted'> & EventRecord): void {
    if (!hasWorked) return data(event);
    prompts += 1;
    line({
      type: 'steering-message',
      id: event.message_id ?? `prompt_${prompts}`,
      parts: [{ type: 'text', text: event.text }],
    });
  }

  function startStep(): void {
    finishStep();
    isStepOpen = true;
    hasWorked = true;
    line({ type: 'start-step' });
  }

  function finishStep(): void {
    if (isStepOpen) line({ type: 'finish-step' });
    isStepOpen = false;
  }

  function data(event: EventRecord): void {
    line({
      type: `data-${event.type.replaceAll(/[._]/g, '-')}`,
      data: fieldsOf(event),
      ...(lasting.has(event.type) ? {} : { transient: true }),
    });
  }

  function record(event: EventRecord): void {
    switch (event.type) {
      case 'thread.started':
        return start(event);
      case 'prompt.submitted':
        return prompt(event);
      case 'turn.started':
        return startStep();
      case 'turn.completed':
        finish = event.finish_reason;
        return finishStep();
      case 'text.delta':
      case 'reasoning.delta':
        return blocks.delta(event);
      case 'text.completed':
      case 'reasoning.completed':
        return blocks.end(event);
      case 'item.started':
        return tools.start(event);
      case 'item.output':
        return line({
          type: 'data-tool-output',
          data: present({ toolCallId: event.item_id, stream: event.stream, chunk: event.chunk }),
          transient: true,
        });
      case 'item.completed':
        return tools.end(event);
      case 'permission.requested':
        return tools.ask(event) ? undefined : data(event);
      case 'permission.resolved':
        return tools.answer(event) ? undefined : data(event);
      case 'thread.completed':
        // Covered by the last chunks.
        return;
      default:
        return data(event);
    }
  }

  function end(outcome: RunOutcome): void {
    blocks.close();
    tools.close();
    finishStep();
    if (!isStarted) line({ type: 'start', messageId: outcome.session_id || 'run', messageMetadata: {} });
    writeEnding(outcome, finish, line);
  }

  return { record, end };
}
