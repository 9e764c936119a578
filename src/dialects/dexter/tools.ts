import type { FileOperation, ItemStatus } from '../../events/event.ts';
import type { Json } from '../dialect.ts';
import { compact, integer, object, string } from '../read.ts';
import { errorPrefix, operationOf } from './words.ts';

/** A finished call in words of ours. A command that failed is a normal result to Dexter: its code is inside the JSON text. */
export function finished(tool: string, result: Json | undefined): { status: ItemStatus; exit_code?: number } {
  if (typeof result === 'string' && result.startsWith(errorPrefix)) return { status: 'error' };
  if (tool !== 'bash') return { status: 'success' };
  const data = object(object(parsed(result)).data);
  const exit_code = integer(data.exitCode);
  const failed = data.timedOut === true || (exit_code !== undefined && exit_code !== 0);
  const status = data.interrupted === true ? 'cancelled' : failed ? 'error' : 'success';
  return { status, ...compact({ exit_code }) };
}

function parsed(result: Json | undefined): Json | undefined {
  if (typeof result !== 'string') return result;
  if (!result.startsWith('{')) return undefined;
  try {
    const value: Json = JSON.parse(result);
    return value;
  } catch {
    return undefined;
  }
}

export interface Edit {
  path: string;
  operation: FileOperation;
}

/** The file that this call writes if it succeeds: not on the wire, but it follows from the arguments. */
export function editOf(tool: string, args: Json | undefined): Edit | undefined {
  const operation = Object.hasOwn(operationOf, tool) ? operationOf[tool] : undefined;
  const path = string(object(args).path);
  return operation === undefined || path === undefined ? undefined : { path, operation };
}
