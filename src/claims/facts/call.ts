import type { FileOperation, ItemKind, ItemStatus } from '../../events/event.ts';

/** One tool call as the records tell it, its output cut. */
export interface Call {
  /** Its place among the calls. */
  index: number;
  /** The record to cite: its end, or its start if it has none. */
  sequence: number;
  kind: ItemKind;
  name: string;
  args: unknown;
  status: ItemStatus | 'running';
  output: string;
  /** Something was cut out of the output. */
  isCut: boolean;
  exitCode?: number;
  edits: Edit[];
}

interface Edit {
  path: string;
  operation: FileOperation;
  additions?: number;
  deletions?: number;
}

/** The first of these arguments that is a text. */
export function argOf(args: unknown, ...names: readonly string[]): string | undefined {
  if (typeof args !== 'object' || args === null) return undefined;
  for (const name of names) {
    const value = (args as Record<string, unknown>)[name];
    if (typeof value === 'string') return value;
  }
  return undefined;
}

/** The command line of a call, as it was given to a shell. */
export function commandOf(call: Call): string | undefined {
  const text = argOf(call.args, 'command', 'cmd', 'script', 'CommandLine', 'commandLine', 'command_line');
  if (text !== undefined) return text;
  const words =
    typeof call.args === 'object' && call.args !== null ? (call.args as { command?: unknown }).command : undefined;
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) return undefined;
  return words
    .map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ');
}

export function pathOf(call: Call): string | undefined {
  return argOf(
    call.args,
    'file_path',
    'path',
    'filePath',
    'absolute_path',
    'target_file',
    'filename',
    'file',
    'notebook_path',
    'AbsolutePath',
    'TargetFile',
    'relative_path',
  );
}
