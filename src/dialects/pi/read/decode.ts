import { present } from '../../../json/present.ts';
import type { Decoder, DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { codeOfMessage } from '../../../outcome/faults.ts';
import { asText, count, filled, list, object, time, whole } from '../../../json/read.ts';
import { Ending, endTurn } from './ending.ts';
import { Messages } from './messages.ts';
import { SessionFile } from './session.ts';
import { contentText, Tools } from './tools.ts';

export function decoder(sink: DecoderSink): Decoder {
  const ending = new Ending();
  const messages = new Messages(sink, ending);
  const tools = new Tools(sink);
  const file = new SessionFile(sink, messages, tools, ending);
  let isStarted = false;

  function line(wire: JsonObject): void {
    switch (wire.type) {
      case 'session':
        return readSession(wire);
      case 'agent_start':
        messages.expect();
        if (ending.isGood) ending.read(sink);
        return ending.begin();
      case 'turn_start':
        messages.expect();
        ending.isFinished = false;
        return sink.emit({ type: 'turn.started' });
      case 'message_start':
        if (spokenNow(wire).role === 'assistant') messages.start();
        return;
      case 'message_update':
        return messages.update(wire);
      case 'message_end':
        return endMessage(spokenNow(wire));
      case 'turn_end':
        endAnswer(wire.message);
        return endTurn(sink, ending.reason);
      case 'agent_end':
        ending.isRetrying = false;
        endAnswer(list(wire.messages).at(-1));
        ending.isFinished = true;
        return;
      case 'message':
        return readStored(spokenNow(wire));
      case 'tool_execution_start':
        return tools.start(wire);
      case 'tool_execution_update':
        return tools.progress(wire);
      case 'tool_execution_end':
        return tools.end(wire);
      case 'auto_retry_start':
        ending.isRetrying = true;
        return readRetry(wire);
      case 'auto_retry_end':
        if (wire.success !== true) ending.gaveUp(filled(wire.finalError));
        return;
      case 'compaction_end':
      case 'auto_compaction_end': {
        const error = filled(wire.errorMessage);
        if (error !== undefined) sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: error });
        return;
      }
      case 'compaction_start':
      case 'auto_compaction_start':
      case 'queue_update':
      case 'agent_settled':
      case 'compaction':
      case 'branch_summary':
      case 'model_change':
      case 'thinking_level_change':
      case 'custom':
      case 'custom_message':
      case 'label':
      case 'session_info':
      case 'context_edit':
      case 'usage':
      case 'entry_appended':
        return;
      default:
        return sink.unknown(wire);
    }
  }

  function readSession(wire: JsonObject): void {
    ending.read(sink);
    ending.begin();
    isStarted = true;
    const ms = time(wire.timestamp);
    if (ms !== undefined) sink.at(ms);
    sink.emit({
      type: 'thread.started',
      agent: 'pi',
      ...present({
        session_id: filled(wire.id),
        model: filled(wire.modelId),
        parent_session_id: filled(wire.parentSession),
        cwd: filled(wire.cwd),
      }),
    });
  }

  /** The message of a line; its time applies to what follows. */
  function spokenNow(wire: JsonObject): JsonObject {
    const message = object(wire.message);
    const ms = time(message.timestamp);
    if (ms !== undefined) sink.at(ms);
    return message;
  }

  function endMessage(message: JsonObject): void {
    switch (message.role) {
      case 'assistant':
        return messages.end(message);
      case 'user':
        return sink.emit({ type: 'prompt.submitted', text: userText(message.content) });
      case 'toolResult':
        return tools.endByMessage(message);
    }
  }

  function endAnswer(wire: Json | undefined): void {
    const message = object(wire);
    if (message.role === 'assistant') messages.end(message);
  }

  function readStored(message: JsonObject): void {
    if (!isStarted) sink.emit({ type: 'thread.started', agent: 'pi' });
    isStarted = true;
    if (file.isCopy(message)) return;
    if (message.role === 'toolResult') return tools.endByMessage(message);
    file.closeTurn();
    if (message.role === 'assistant') return file.answer(message);
    if (message.role === 'user') {
      // What was said before does not answer this.
      ending.read(sink);
      ending.begin();
    }
    endMessage(message);
  }

  function readRetry(wire: JsonObject): void {
    const cause = asText(wire.errorMessage);
    sink.emit({
      type: 'retry.scheduled',
      code: codeOfMessage(cause),
      cause,
      ...present({
        attempt: whole(wire.attempt),
        max_attempts: whole(wire.maxAttempts),
        delay_ms: count(wire.delayMs),
      }),
    });
  }

  function end(): void {
    file.closeTurn();
    ending.read(sink);
  }

  return { line, end };
}

function userText(content: Json | undefined): string {
  return typeof content === 'string' ? content : contentText(content);
}
