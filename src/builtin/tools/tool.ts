import type { z } from 'zod';
import type { Draft, ItemKind, ItemStatus } from '../../events/event.ts';
import type { Environment } from '../../words/vocabulary.ts';

/** What a call wants to do, in the terms of permission rules: `bash(npm test)`, `write(src/a.ts)`, `fetch(example.com)`. */
export interface Need {
  access: 'none' | 'read' | 'write' | 'execute' | 'network';
  subject: string;
}

/** The context in which one call runs. */
export interface ToolRun {
  itemId: string;
  cwd: string;
  env: Environment;
  signal: AbortSignal;
  /** For `item.output` and `file.edited` events of this call. */
  emit(draft: Draft): void;
}

export interface ToolResult {
  status: ItemStatus;
  /** What the model sees. */
  output: string;
  exit_code?: number;
  /** The branch that it created or looked at. */
  branch_id?: string;
  /** The result in a few words. */
  summary?: string;
}

export interface Tool<Input = never> {
  readonly name: string;
  readonly kind: ItemKind;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  need(input: Input, run: Pick<ToolRun, 'cwd'>): Need;
  /** Never throws for an ordinary problem (a missing file, a failing command): that is a result. */
  run(input: Input, run: ToolRun): Promise<ToolResult>;
}
