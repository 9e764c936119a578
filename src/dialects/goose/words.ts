import type { ToolKinds } from '../tool-kinds.ts';

/** The tools of the built-in extension `developer`. */
export const toolKinds: ToolKinds = {
  shell: 'command',
  execute_command: 'command',
  read: 'read',
  tree: 'search',
  list_windows: 'read',
  read_module: 'read',
  read_resource: 'read',
  search: 'search',
  rg: 'search',
  glob: 'search',
  grep: 'search',
  analyze: 'search',
  text_editor: 'file_edit',
  write: 'file_edit',
  edit: 'file_edit',
};

export const extensionKinds: ToolKinds = { todo: 'plan', subagent: 'subagent', dynamic_task: 'subagent' };

// Goose prints these in the assistant's name; they are not the model's text.
export const providerError = /^(?:Ran into this error|Network error): ?(.*)/s;
export const turnLimit = "I've reached the maximum number of actions I can do without user input";

export const refusal = /user has declined to run this tool|tool call was skipped in goose chat mode/i;
