import type { ErrorCode } from '../../events/event.ts';
import type { ToolKinds } from '../tool-kinds.ts';

export const toolKinds: ToolKinds = {
  bash: 'command',
  read_bash: 'command',
  write_bash: 'command',
  stop_bash: 'command',
  powershell: 'command',
  view: 'read',
  create: 'file_edit',
  edit: 'file_edit',
  str_replace_editor: 'file_edit',
  apply_patch: 'file_edit',
  grep: 'search',
  glob: 'search',
  web_search: 'web',
  web_fetch: 'web',
  fetch: 'web',
  task: 'subagent',
  update_todo: 'plan',
};

/** The types of errors that say what went wrong, whatever the message is. */
export const errorTypes: Readonly<Record<string, ErrorCode>> = {
  authentication: 'auth',
  authorization: 'auth',
  quota: 'quota',
  rate_limit: 'rate_limit',
  context_limit: 'context_overflow',
};

/** Known events that are of no use to a reader. */
export const silent: ReadonlySet<unknown> = new Set([
  'assistant.idle',
  'assistant.intent',
  'assistant.streaming_delta',
  'command.completed',
  'command.queued',
  'hook.end',
  'model.call_finished',
  'model.call_start',
  'hook.start',
  'pending_messages.modified',
  'session.background_tasks_changed',
  'session.compaction_complete',
  'session.compaction_start',
  'session.context_changed',
  'session.custom_agents_updated',
  'session.extensions_loaded',
  'session.handoff',
  'session.idle',
  'session.mcp_server_status_changed',
  'session.mcp_servers_loaded',
  'session.mode_changed',
  'session.permissions_changed',
  'session.plan_changed',
  'session.skills_loaded',
  'session.snapshot_rewind',
  'session.task_complete',
  'session.title_changed',
  'session.tools_updated',
  'session.truncation',
  'session.usage_checkpoint',
  'session.usage_info',
  'session.workspace_file_changed',
  'skill.invoked',
  'subagent.completed',
  'subagent.deselected',
  'subagent.selected',
  'subagent.started',
  'system.message',
  'system.notification',
  'tool.user_requested',
]);

export const refusal =
  /permission denied and could not request permission|denied by (?:the )?(?:rule|user|policy)|rejected by (?:the )?user/i;
