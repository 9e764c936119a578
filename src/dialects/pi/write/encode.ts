import type { EventOf, EventRecord } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { present } from '../../../json/present.ts';
import type { Encoder, EncoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { lossOf } from '../../kit/losses.ts';
import { isObject } from '../../../json/read.ts';
import { Conversation } from './conversation.ts';
import { Ending } from './ending.ts';
import { Tools } from './tools.ts';
import { Usage } from './usage.ts';

type Placed<Type extends EventRecord['type']> = EventOf<Type> & EventRecord;

export function encoder(sink: EncoderSink): Encoder {
  /** A start that we added is written only if something follows it. */
  let introduction: JsonObject | undefined;
  /** The task that the run was started with; the agent may repeat it as a prompt. */
  let task: string | undefined;
  const usage = new Usage();
  const conversation = new Conversation(line, usage);
  const tools = new Tools(sink, line, conversation);
  const ending = new Ending();

  function line(wire: JsonObject): void {
    const first = introduction;
    introduction = undefined;
    if (first !== undefined) sink.line(first);
    sink.line(wire);
  }

  function startThread(event: Placed<'thread.started'>): void {
    conversation.model = event.model ?? '';
    if (event.task !== undefined) {
      task = event.task;
      conversation.prompt(event.task, event.timestamp);
    }
    const session = writeSession(event);
    if (event.synthetic) introduction = session;
    else line(session);
  }

  function delta(event: Placed<'text.delta' | 'reasoning.delta'>): void {
    if (event.parent_item_id !== undefined) return;
    const message = conversation.openMessage(event.timestamp, event.message_id);
    const word = event.type === 'text.delta' ? 'text' : 'thinking';
    const known = message.placeOf(event.block_id);
    const contentIndex = known ?? message.openBlock(event.block_id, word);
    if (known === undefined) update({ contentIndex, type: `${word}_start` });
    message.append(contentIndex, word, event.text);
    update({ contentIndex, type: `${word}_delta`, delta: event.text });
  }

  function endBlock(event: Placed<'text.completed' | 'reasoning.completed'>): void {
    if (event.parent_item_id !== undefined) return sink.lose('sub_agent');
    const contentIndex = conversation.message?.placeOf(event.block_id);
    if (contentIndex === undefined || conversation.message?.isClosed === true) return;
    update({ type: event.type === 'text.completed' ? 'text_end' : 'thinking_end', contentIndex, content: event.text });
  }

  function update(assistantMessageEvent: JsonObject): void {
    line({ type: 'message_update', assistantMessageEvent });
  }

  function record(event: EventRecord): void {
    ending.claims.see(event);
    if (event.type !== 'file.edited') tools.writeEnd();
    switch (event.type) {
      case 'thread.started':
        return startThread(event);
      case 'prompt.submitted':
        if (event.text === task) return void (task = undefined);
        return conversation.prompt(event.text, event.timestamp);
      case 'turn.started':
        conversation.settleTurn(tools.areOpen);
        if (event.model !== undefined) conversation.model = event.model;
        return conversation.openTurn();
      case 'turn.completed':
        conversation.turnEnd = event;
        return;
      case 'text.delta':
      case 'reasoning.delta':
        return delta(event);
      case 'text.completed':
      case 'reasoning.completed':
        return endBlock(event);
      case 'item.started':
        return tools.start(event);
      case 'item.output':
        return tools.progress(event);
      case 'item.completed':
        return tools.end(event);
      case 'file.edited':
        return tools.edit(event);
      case 'usage.reported':
        if (event.model !== undefined) conversation.model = event.model;
        if (event.reasoning_tokens) sink.lose('token_split');
        return usage.see(event);
      case 'retry.scheduled':
        return conversation.scheduleRetry(event, tools.areOpen);
      case 'error':
        if (event.fatal) ending.fatal = event;
        return sink.lose('error');
      case 'limit.reached':
        ending.claims.doubt();
        return sink.lose('limit');
      case 'permission.resolved':
        if (event.decision === 'denied') ending.claims.doubt();
        return sink.lose('permission');
      case 'line.unknown':
        if (event.dialect !== 'pi' || !isObject(event.wire)) return sink.lose('unknown_line');
        return line(event.wire);
      case 'agent.finished':
      case 'thread.completed':
        return;
      default:
        return sink.lose(lossOf[event.type]);
    }
  }

  function end(outcome: RunOutcome): void {
    const last = ending.write(outcome, conversation.turnEnd);
    if (last === undefined) return stopInTheMiddle(outcome);
    if (usage.settle(outcome.metrics)) sink.lose('usage');
    // The last message ended in calls; the outcome of the run needs one more.
    if (conversation.message?.isClosed === true) conversation.writeTurnEnd();
    conversation.closeMessage(last.reason, last.error);
    conversation.writeRunEnd(conversation.writeTurnEnd());
    if (last.reason === 'error') conversation.failRetry(last.error);
  }

  /** Nothing reported how the run ended, so this stream does not either. Usage is written if a message can carry it. */
  function stopInTheMiddle({ metrics }: RunOutcome): void {
    if (usage.isWaiting && conversation.message?.isClosed === false) conversation.closeMessage('toolUse');
    if (!usage.isComplete(metrics)) sink.lose('usage');
  }

  return { record, end };
}

function writeSession({
  session_id,
  thread_id,
  timestamp,
  cwd,
  parent_session_id,
}: Placed<'thread.started'>): JsonObject {
  return present({
    type: 'session',
    version: 3,
    id: session_id ?? thread_id,
    timestamp: timestamp ?? undefined,
    cwd: cwd ?? '',
    parentSession: parent_session_id,
  });
}
