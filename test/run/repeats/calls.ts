import type { AgentEvent, ItemKind, ItemStatus } from '../../../src/events/event.ts';
import type { Json } from '../../../src/json/json.ts';

/** One call of a made-up run. */
export interface Made {
  kind: ItemKind;
  name: string;
  args: Json;
  output?: Json;
  error?: string;
  exit?: number;
  status?: ItemStatus;
  /** The agent below that it belongs to. */
  parent?: string;
}

export const bash = (command: string, output: string, exit = 0): Made => ({
  kind: 'command',
  name: 'bash',
  args: { command },
  output,
  exit,
  status: exit === 0 ? 'success' : 'error',
});
export const read = (path: string, output: string): Made => ({ kind: 'read', name: 'read', args: { path }, output });
export const edit = (path: string, before: string, after: string): Made => ({
  kind: 'file_edit',
  name: 'edit',
  args: { path, old_string: before, new_string: after },
  output: 'edited',
});
export const write = (path: string, content: string): Made => ({
  kind: 'file_edit',
  name: 'write',
  args: { path, content },
  output: 'written',
});
export const patch = (lines: string): Made => ({
  kind: 'file_edit',
  name: 'apply_patch',
  args: { patch: lines },
  output: 'Success.',
});
export const mcp = (name: string, args: Json, output: Json): Made => ({ kind: 'mcp', name, args, output });

export const times = (count: number, made: (index: number) => Made | readonly Made[]): Made[] =>
  Array.from({ length: count }, (_, index) => made(index)).flat();

/** The events of such a run, with its calls one after the other. */
export function eventsOf(calls: readonly Made[]): AgentEvent[] {
  return [
    { type: 'thread.started', agent: 'made-up', session_id: 'session-1' },
    { type: 'turn.started', turn_id: 'turn-1', iteration: 1 },
    ...calls.flatMap((call, index): AgentEvent[] => {
      const { kind, name, args, output, error, exit, status = 'success', parent } = call;
      const item_id = `item-${index}`;
      return [
        {
          type: 'item.started',
          item_id,
          turn_id: 'turn-1',
          kind,
          name,
          args,
          ...(parent === undefined ? {} : { parent_item_id: parent }),
        },
        {
          type: 'item.completed',
          item_id,
          status,
          ...(output === undefined ? {} : { output }),
          ...(error === undefined ? {} : { error }),
          ...(exit === undefined ? {} : { exit_code: exit }),
        },
      ];
    }),
    { type: 'text.completed', turn_id: 'turn-1', message_id: 'm-1', block_id: 'b-1', text: 'Done.' },
    {
      type: 'turn.completed',
      turn_id: 'turn-1',
      iteration: 1,
      tool_call_count: calls.length,
      has_final_report: true,
      finish_reason: 'stop',
    },
    { type: 'agent.finished', status: 'ok' },
  ];
}
