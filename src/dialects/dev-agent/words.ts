import type { ItemKind } from '../../events/event.ts';
import type { Verdict } from '../../outcome/outcome.ts';
import { kindIn, type ToolKinds } from '../tool-kinds.ts';

export const lineTypes: ReadonlySet<string> = new Set([
  'thread.started',
  'turn.started',
  'assistant.message',
  'turn.completed',
  'item.started',
  'item.completed',
  'thread.completed',
  'error',
]);

/** The kinds that this wire has. */
type WireKind = 'tool_call' | 'branch_poll' | 'publish';

/** What the tools of dev-agent, and of Runwire's own agent, do. */
const kindOfTool: ToolKinds = {
  execute_agent: 'subagent',
  parallel_explore: 'subagent',
  branch_output: 'branch_poll',
  check_status: 'branch_poll',
  branch_diff: 'read',
  read_artifact: 'read',
  verify: 'command',
  publish: 'publish',
  bash: 'command',
  edit: 'file_edit',
  write: 'file_edit',
  read: 'read',
  glob: 'search',
  grep: 'search',
  fetch: 'web',
  todo: 'plan',
};

/** Earlier streams of Runwire have our kinds. */
const kindOfWord: ToolKinds = {
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

export function wireKind(kind: ItemKind, name: string): WireKind {
  if (name === 'publish') return 'publish';
  return kind === 'publish' || kind === 'branch_poll' ? kind : 'tool_call';
}

/** What a call is that the wire calls so. */
export function readKind(word: string, name: string): ItemKind {
  const kind = kindIn(kindOfWord, word);
  if (kind !== 'tool_call' && name !== 'publish') return kind;
  return name.startsWith('mcp__') ? 'mcp' : kindIn(kindOfTool, name);
}

/** What may be shown of the arguments of dev-agent's own tools; prompts are shown by their first words. */
export const allowedArgs: Readonly<Record<string, readonly string[]>> = {
  execute_agent: ['agent', 'parent_branch_id', 'phase', 'model', 'project_name'],
  parallel_explore: ['agents', 'agent', 'parent_branch_id', 'num_branches', 'phase', 'model', 'project_name'],
  branch_output: ['branch_id', 'full_output'],
  branch_diff: ['branch_id', 'full_output'],
  read_artifact: ['branch_id', 'path'],
  verify: ['branch_id', 'command'],
  publish: ['branch_id', 'message', 'remote', 'agent', 'parent_branch_id', 'project_name'],
};

/** How a run ended; all other classes are an `error`. */
export const statusOfClass: Readonly<Partial<Record<Verdict['class'], string>>> = {
  success: 'completed',
  turn_limit: 'iteration_limit',
  tool: 'FINISHED_WITH_ERROR',
};

/** The id of the message that only the final report holds. */
export const reportMessage = 'final_report';
