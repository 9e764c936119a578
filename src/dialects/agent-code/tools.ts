import type { FileOperation, ItemKind } from '../../events/event.ts';
import type { Json } from '../dialect.ts';
import { filled, object } from '../read.ts';
import { kindIn } from '../tool-kinds.ts';
import { toolKinds } from './words.ts';

export function kindOf(tool: string): ItemKind {
  return tool.startsWith('mcp__') ? 'mcp' : kindIn(toolKinds, tool);
}

export interface Edit {
  path: string;
  operation: FileOperation;
}

/** The file that this call writes if it succeeds: not on the wire, but it follows from the input. */
export function editOf(tool: string, input: Json): Edit | undefined {
  if (kindOf(tool) !== 'file_edit') return undefined;
  const path = filled(object(input).file_path) ?? filled(object(input).path);
  return path === undefined ? undefined : { path, operation: tool.endsWith('Write') ? 'created' : 'modified' };
}
