import { present } from '../../../present.ts';
import type { Decoder, DecoderSink, Json, JsonObject } from '../../dialect.ts';
import { asText, count, filled, list, object, time } from '../../read.ts';
import { silent } from '../words.ts';
import { Ending } from './ending.ts';
import { Messages } from './messages.ts';
import { readDecision, readRequest } from './permissions.ts';
import { Tools } from './tools.ts';
import { Usage } from './usage.ts';

export function decoder(sink: DecoderSink): Decoder {
  const messages = new Messages(sink);
  const tools = new Tools(sink);
  const usage = new Usage(sink);
  const ending = new Ending(sink);
  let introduced = false;
  let model: string | undefined;

  function line(wire: JsonObject): void {
    const at = time(wire.timestamp);
    if (at !== undefined) sink.at(at);
    // Only `result` is flat, and in some runs it is the only line that names the session.
    if (wire.type === 'result') return readResult(wire);
    readEvent(wire, object(wire.data));
  }

  function readEvent(wire: JsonObject, data: JsonObject): void {
    if (wire.type !== 'session.start' && wire.type !== 'session.resume') introduce({});
    const parent = filled(data.parentToolCallId);
    const isMain = parent === undefined && wire.agentId === undefined;
    switch (wire.type) {
      case 'session.start':
      case 'session.resume':
        introduced = false;
        return introduce(data);
      case 'user.message':
        if (isMain) sink.emit({ type: 'prompt.submitted', text: asText(data.content) });
        return;
      case 'session.auto_mode_resolved':
        model = filled(data.chosenModel) ?? model;
        return;
      case 'session.model_change':
        model = modelOf(data.newModel) ?? model;
        return;
      case 'assistant.turn_start':
        if (!isMain) return;
        model = modelOf(data.model) ?? model;
        return sink.emit({ type: 'turn.started', ...present({ model }) });
      case 'assistant.turn_end':
        if (!isMain) return;
        tools.forgetRequests();
        return sink.emit({ type: 'turn.completed' });
      case 'assistant.message_start':
        return messages.start(filled(data.messageId), parent);
      case 'assistant.message_delta':
        return messages.delta('text.delta', data, parent);
      case 'assistant.message':
        return readMessage(data, parent);
      case 'assistant.reasoning_delta':
        return messages.delta('reasoning.delta', data, parent);
      case 'assistant.reasoning':
        return messages.reason(data, parent);
      case 'assistant.usage':
        return usage.readStep(data);
      case 'tool.execution_start':
      case 'tool.execution_progress':
      case 'tool.execution_partial_result':
      case 'tool.execution_complete':
        return readTool(wire, data, parent);
      case 'permission.requested':
      case 'permission.completed':
        return readPermission(wire, data);
      case 'session.error':
        return ending.fail(data);
      case 'session.warning':
      case 'subagent.failed':
        return sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: asText(data.message ?? data.error) });
      case 'session.info':
        return sink.emit({ type: 'log', stream: 'agent', level: 'info', text: asText(data.message) });
      case 'abort':
        return ending.abort(asText(data.reason));
      case 'session.shutdown':
        return readShutdown(data);
      default:
        // New kinds come with every release. An event that is not even stored in the session's file is not worth keeping.
        if (wire.ephemeral !== true && !silent.has(wire.type)) sink.unknown(wire);
    }
  }

  function introduce(data: JsonObject): void {
    if (introduced) return;
    introduced = true;
    model = modelOf(data.selectedModel) ?? model;
    sink.emit({
      type: 'thread.started',
      agent: 'copilot',
      ...present({
        session_id: filled(data.sessionId),
        agent_version: filled(data.copilotVersion),
        model,
        cwd: filled(object(data.context).cwd),
      }),
    });
  }

  function readMessage(data: JsonObject, parent: string | undefined): void {
    if (messages.say(data, parent) && parent === undefined) ending.recover();
    if (parent === undefined) model = modelOf(data.model) ?? model;
    usage.readMessage(data, model);
    for (const each of list(data.toolRequests)) tools.request(object(each), parent);
  }

  function readTool(wire: JsonObject, data: JsonObject, parent: string | undefined): void {
    const id = filled(data.toolCallId);
    if (id === undefined) return sink.unknown(wire);
    switch (wire.type) {
      case 'tool.execution_start':
        ending.recover();
        return tools.start(id, data, parent);
      case 'tool.execution_progress':
        return tools.progress(id, 'progress', data);
      case 'tool.execution_partial_result':
        return tools.progress(id, 'stdout', data);
      case 'tool.execution_complete':
        return tools.end(id, data);
    }
  }

  function readPermission(wire: JsonObject, data: JsonObject): void {
    const id = filled(data.requestId);
    if (id === undefined) return sink.unknown(wire);
    if (wire.type === 'permission.requested') readRequest(sink, id, data);
    else readDecision(sink, id, data);
  }

  function readShutdown(data: JsonObject): void {
    usage.readTotals(data.modelMetrics);
    tools.readChanges(data.codeChanges);
    if (data.shutdownType !== 'routine' && data.shutdownType !== 'error') return;
    usage.end();
    ending.read(data.shutdownType === 'routine', data.shutdownType, {});
  }

  function readResult(wire: JsonObject): void {
    introduced = false;
    introduce(wire);
    const totals = object(wire.usage);
    tools.readChanges(totals.codeChanges);
    usage.end();
    ending.read(wire.exitCode === 0, `exit ${asText(wire.exitCode)}`, present({ duration_ms: count(totals.sessionDurationMs) }));
  }

  function end(): void {
    usage.end();
    ending.end();
  }

  return { line, end };
}

/** `auto` is not a model: the actual one is reported later. */
function modelOf(name: Json | undefined): string | undefined {
  return name === 'auto' ? undefined : filled(name);
}
