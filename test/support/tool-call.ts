import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parseRules, type PermissionRules } from '../../src/builtin/permissions/rules.ts';
import type { Tool, ToolResult } from '../../src/builtin/tools/tool.ts';
import { builtinTools, type BuiltinToolsOptions } from '../../src/builtin/tools/index.ts';
import type { Draft } from '../../src/events/event.ts';
import { present } from '../../src/json/present.ts';

/** A folder that is gone when the test is. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'runwire-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Called extends ToolResult {
  drafts: Draft[];
}

export interface CallOptions {
  cwd: string;
  env?: Record<string, string>;
  signal?: AbortSignal;
  permissions?: PermissionRules;
  network?: BuiltinToolsOptions['network'];
  contained?: boolean;
  onDraft?: (draft: Draft) => void;
}

/** One call of a built-in tool, as the loop makes it. */
export function callBuiltin(name: string, input: unknown, options: CallOptions): Promise<Called> {
  const { permissions = parseRules('full'), network, contained } = options;
  const tool = builtinTools({ permissions, ...present({ network, contained }) }).find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return callTool(tool, input, options);
}

export async function callTool(tool: Tool, input: unknown, options: CallOptions): Promise<Called> {
  const drafts: Draft[] = [];
  const result = await tool.run(tool.input.parse(input), {
    itemId: 'item-1',
    cwd: options.cwd,
    env: options.env ?? { PATH: process.env.PATH ?? '' },
    signal: options.signal ?? new AbortController().signal,
    emit(draft) {
      drafts.push(draft);
      options.onDraft?.(draft);
    },
  });
  return { ...result, drafts };
}
