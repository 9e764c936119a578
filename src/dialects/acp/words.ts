import type { ErrorCode, ItemKind } from '../../events/event.ts';

/** ACP's names for the kinds of tools. */
export const wireKinds: Readonly<Record<string, ItemKind>> = {
  read: 'read',
  edit: 'file_edit',
  delete: 'file_edit',
  move: 'file_edit',
  search: 'search',
  execute: 'command',
  think: 'tool_call',
  fetch: 'web',
  switch_mode: 'tool_call',
  other: 'tool_call',
};

/** `search` looks for files, `fetch` gets something from another machine. */
export const kindOnWire: Readonly<Record<ItemKind, string>> = {
  tool_call: 'other',
  command: 'execute',
  file_edit: 'edit',
  read: 'read',
  search: 'search',
  web: 'fetch',
  mcp: 'other',
  subagent: 'think',
  plan: 'think',
  publish: 'other',
  branch_poll: 'other',
};

/** The names by which agents introduce themselves, where ours differ. */
export const agentIds: Readonly<Record<string, string>> = {
  'gemini-cli': 'gemini',
  'qwen-code': 'qwen',
  OpenCode: 'opencode',
  'claude-agent-acp': 'claude',
  'claude-code-acp': 'claude',
  'codex-acp': 'codex',
};

/** The stop reasons of turns that did not end well, and their meaning. */
export const stopReasons: Readonly<Record<string, ErrorCode>> = {
  max_tokens: 'output_length',
  max_turn_requests: 'turn_limit',
  refusal: 'refused',
};

export const endTurn = 'end_turn';
export const cancelled = 'cancelled';

/** Error codes of JSON-RPC and of ACP. */
export const authRequired = -32000;
const requestCancelled = -32800;
export const internalError = -32603;

export const codeOfRpc: Readonly<Record<number, ErrorCode>> = {
  [authRequired]: 'auth',
  [requestCancelled]: 'cancelled',
};

/** Methods that only a client sends. */
export const clientMethods: ReadonlySet<string> = new Set([
  'initialize',
  'authenticate',
  'logout',
  'session/new',
  'session/load',
  'session/resume',
  'session/list',
  'session/delete',
  'session/close',
  'session/fork',
  'session/prompt',
  'session/cancel',
  'session/set_mode',
  'session/set_model',
  'session/set_config_option',
]);

/** Methods that only an agent sends. */
export const agentMethods: ReadonlySet<string> = new Set([
  'session/update',
  'session/request_permission',
  'fs/read_text_file',
  'fs/write_text_file',
  'terminal/create',
  'terminal/output',
  'terminal/release',
  'terminal/wait_for_exit',
  'terminal/kill',
  'elicitation/create',
  'elicitation/complete',
]);

/** Names that the protocol reserves; all others are extensions, which may be ignored. */
const ownNames = /^(?:initialize|authenticate|logout)$|^(?:session|fs|terminal|elicitation)\//;

export function isExtension(method: string): boolean {
  return !ownNames.test(method);
}

/** Our key in `_meta`, for everything that ACP cannot express. */
export const ownMeta = 'runwire';
