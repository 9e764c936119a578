import type { DecoderSink, Json, JsonObject } from '../dialect.ts';
import { codeOfMessage } from '../../faults.ts';
import { asText, compact, filled, integer, list, object, string } from '../read.ts';
import { claimOf, countsOf, editsOf, endOf, exclusive, type Fault, faultOf, finishOf, kindOf } from '../shared/opencode/parts.ts';
import { modelOf } from './lane.ts';

export interface Native {
  /** false: not an event that only version 2 has. */
  event(type: string, data: JsonObject, start: () => void): boolean;
}

/** The events of the version 2 server, `{id, type, created, data}`, that version 1 does not have. */
export function nativeDecoder(sink: DecoderSink): Native {
  let root: string | undefined;
  let denied = false;
  let fault: Fault | undefined;
  const names = new Map<string, string>();
  const open = new Map<string, { name: string; input: Json; shown: number }>();

  function text(type: 'text' | 'reasoning', phase: string, data: JsonObject): void {
    const message = asText(data.assistantMessageID);
    const place = { block_id: `${message}_${type}-${integer(data.ordinal) ?? 0}`, message_id: message || 'message' };
    if (phase === 'delta' && asText(data.delta) !== '') sink.emit({ type: `${type}.delta`, text: asText(data.delta), ...place });
    if (phase === 'ended' && asText(data.text) !== '') sink.emit({ type: `${type}.completed`, text: asText(data.text), ...place });
  }

  function startTool(id: string, data: JsonObject): { name: string; input: Json; shown: number } {
    const known = open.get(id);
    if (known !== undefined) return known;
    const name = names.get(id) ?? filled(data.name) ?? filled(data.tool) ?? 'tool';
    names.delete(id);
    const call = { name, input: data.input ?? {}, shown: 0 };
    open.set(id, call);
    sink.emit({ type: 'item.started', item_id: id, kind: kindOf(name), name, args: call.input });
    return call;
  }

  function endTool(id: string, data: JsonObject, failed: boolean): void {
    const { name, input } = startTool(id, data);
    open.delete(id);
    const output = list(data.content)
      .flatMap((block) => string(object(block).text) ?? [])
      .join('\n');
    const state: JsonObject = failed
      ? { status: 'error', input, error: faultOf(data.error).message }
      : { status: 'completed', input, output, metadata: object(data.metadata) };
    const end = endOf(name, state);
    if (end === undefined) return;
    if (end.status === 'denied') denied = true;
    sink.emit({ type: 'item.completed', item_id: id, ...end });
    if (end.status === 'success') for (const edit of editsOf(name, state, id)) sink.emit(edit);
  }

  function tool(phase: string, data: JsonObject): void {
    const id = filled(data.id) ?? filled(data.callID);
    if (id === undefined) return;
    switch (phase) {
      case 'input.started':
        return void names.set(id, filled(data.name) ?? filled(data.tool) ?? 'tool');
      case 'called':
        return void startTool(id, data);
      case 'progress': {
        const output = string(object(data.metadata).output) ?? '';
        const known = open.get(id);
        if (known === undefined || output.length <= known.shown) return;
        sink.emit({ type: 'item.output', item_id: id, chunk: output.slice(known.shown) });
        known.shown = output.length;
        return;
      }
      case 'success':
        return endTool(id, data, false);
      case 'failed':
        return endTool(id, data, true);
    }
  }

  function raise(error: Json | undefined): void {
    const next = faultOf(error);
    const repeated = fault?.message === next.message;
    fault = next;
    if (!repeated) sink.emit({ type: 'error', scope: 'session', fatal: true, ...next });
  }

  function execution(phase: string, data: JsonObject): void {
    switch (phase) {
      case 'succeeded':
        return sink.emit({ type: 'agent.finished', status: 'ok', raw_status: phase });
      case 'failed': {
        raise(data.error);
        return sink.emit({ type: 'agent.finished', ...(claimOf(undefined, denied, fault) ?? { status: 'failed' }), raw_status: phase });
      }
      case 'interrupted':
        if (denied) return sink.emit({ type: 'agent.finished', status: 'failed', code: 'permission', raw_status: phase });
        return sink.emit({ type: 'agent.finished', status: 'cancelled', raw_status: phase, ...compact({ message: filled(data.reason) }) });
    }
  }

  function step(name: string, data: JsonObject): void {
    switch (name) {
      case 'started': {
        fault = undefined;
        denied = false;
        return sink.emit({ type: 'turn.started', ...compact({ model: modelOf(object(data.model).providerID, object(data.model).id) }) });
      }
      case 'ended': {
        const counts = countsOf(object(data.tokens), data.cost, exclusive);
        if (counts !== undefined) sink.emit({ type: 'usage.reported', scope: 'step', ...counts });
        return sink.emit({ type: 'turn.completed', ...finishOf(filled(data.finish)) });
      }
      case 'failed':
        raise(data.error);
        return sink.emit({ type: 'turn.completed', finish_reason: 'error' });
    }
  }

  return {
    event(type, data, start) {
      const [, family = '', ...rest] = type.split('.');
      if (
        !['step', 'text', 'reasoning', 'tool', 'execution', 'retried', 'inbox', 'prompted', 'compaction', 'shell', 'revert'].includes(
          family,
        )
      )
        return false;
      const session = filled(data.sessionID);
      root ??= session;
      // Sub-agents speak in sessions of their own, and nothing says which call they work for.
      if (session !== undefined && session !== root) return true;
      start();
      const name = rest.join('.');
      switch (family) {
        case 'step':
          step(name, data);
          break;
        case 'text':
        case 'reasoning':
          text(family, name, data);
          break;
        case 'tool':
          tool(name, data);
          break;
        case 'execution':
          execution(name, data);
          break;
        case 'retried': {
          const cause = faultOf(data.error).message;
          sink.emit({ type: 'retry.scheduled', cause, code: codeOfMessage(cause), ...compact({ attempt: integer(data.attempt) }) });
        }
      }
      return true;
    },
  };
}
