import type { ItemKind } from '../../events/event.ts';
import type { Verdict } from '../../outcome/outcome.ts';
import type { ToolKinds } from '../tool-kinds.ts';

/** The kinds of items on this wire are ours. */
export const itemKinds: ToolKinds = {
  tool_call: 'tool_call',
  command: 'command',
  file_edit: 'file_edit',
  read: 'read',
  search: 'search',
  web: 'web',
  mcp: 'mcp',
  subagent: 'subagent',
  plan: 'plan',
  publish: 'publish',
  branch_poll: 'branch_poll',
} satisfies Record<ItemKind, ItemKind>;

/** How a run ended; all other classes are an `error`. */
export const statusOfClass: Readonly<Partial<Record<Verdict['class'], string>>> = {
  success: 'completed',
  turn_limit: 'iteration_limit',
  tool: 'FINISHED_WITH_ERROR',
};

/** The id of the message that only the final report holds. */
export const reportMessage = 'final_report';
