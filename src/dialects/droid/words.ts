import type { ToolKinds } from '../tool-kinds.ts';

export const toolKinds: ToolKinds = {
  Execute: 'command',
  Read: 'read',
  LS: 'search',
  Grep: 'search',
  Glob: 'search',
  Edit: 'file_edit',
  MultiEdit: 'file_edit',
  Create: 'file_edit',
  ApplyPatch: 'file_edit',
  WebSearch: 'web',
  FetchUrl: 'web',
  TodoWrite: 'plan',
  Task: 'subagent',
};

/** Tools of MCP servers are named `server___tool`. */
export const mcpName = /___/;

/** With nobody to ask, anything above the `--auto` level is refused, and the run often ends there. */
export const refusal =
  /insufficient permission|permission (?:to proceed|level)|--auto (?:low|medium|high)|--skip-permissions-unsafe|rejected by (?:the )?user/i;
