import type { ItemKind, ItemStatus } from '../../events/event.ts';
import type { Json, JsonObject } from '../dialect.ts';
import { list, object, string } from '../read.ts';

const kinds: Record<string, ItemKind> = {
  bash: 'command',
  read: 'read',
  ls: 'read',
  write: 'file_edit',
  edit: 'file_edit',
  grep: 'search',
  find: 'search',
};

const isOwn = (name: string): boolean => Object.hasOwn(kinds, name);

export function kindOf(name: string): ItemKind {
  return isOwn(name) ? (kinds[name] ?? 'tool_call') : 'tool_call';
}

/** The file that a successful call of this tool has changed. */
export function editedFile(name: string, args: JsonObject): { path: string; operation: 'created' | 'modified' } | undefined {
  const path = string(args.path);
  if (path === undefined) return undefined;
  if (name === 'write') return { path, operation: 'created' };
  return name === 'edit' ? { path, operation: 'modified' } : undefined;
}

/** The text of a tool's result; images are not text. */
export function resultText(result: Json | undefined): string {
  const content = list(object(result).content);
  if (content.length === 1) return textOf(content[0]) ?? '';
  return content.flatMap((block) => textOf(block) ?? []).join('\n');
}

function textOf(block: Json | undefined): string | undefined {
  const { type, text } = object(block);
  return type === 'text' ? string(text) : undefined;
}

export function resultStatus(name: string, isError: Json | undefined, text: string): ItemStatus {
  if (isError === false) return 'success';
  return isRefusal(name, text) ? 'denied' : 'error';
}

/** There are no permissions: a tool that may not be used is withheld, and then not found. */
export function isRefusal(name: string, text: string): boolean {
  return isOwn(name) && text === `Tool ${name} not found`;
}

const exitWords = /(?:^|\n)Command exited with code (\d{1,3})$/;

/** A command's exit code is the last line of its output, and only when it is not 0. */
export function exitCode(name: string, text: string): number | undefined {
  const code = name === 'bash' ? exitWords.exec(text.slice(-60))?.[1] : undefined;
  return code === undefined ? undefined : Number(code);
}
