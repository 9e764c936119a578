import type { Tool, ToolResult } from './tool.ts';

/** Hides the input's type, so that all tools fit in one list; the caller passes what the tool's `input` has parsed. */
export function define<Input>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

export const success = (output: string): ToolResult => ({ status: 'success', output });
export const failed = (output: string): ToolResult => ({ status: 'error', output });
export const cancelled: ToolResult = { status: 'cancelled', output: 'cancelled' };
