import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { UsageDocument } from '../../src/usage/document.ts';
import { inside } from '../cli/run/live.ts';
import { folder } from '../cli/run/scripted.ts';

/** A home with these files in it: texts, or lines as objects. */
export function homeWith(files: Readonly<Record<string, string | readonly object[]>>, home = folder()): string {
  for (const [name, content] of Object.entries(files)) {
    const path = join(home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      typeof content === 'string' ? content : content.map((line) => `${JSON.stringify(line)}\n`).join(''),
    );
  }
  return home;
}

/** What `runwire usage` says of a home. */
export async function usageOf(
  home: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<UsageDocument & { stderr: string }> {
  const { stdout, stderr, status } = await inside(['usage', ...args, '--json'], { env: { HOME: home, ...env } });
  if (status !== 0) throw new Error(stderr);
  return { ...(JSON.parse(stdout) as UsageDocument), stderr };
}

/** Where an agent keeps a session, below its user's home. */
export const places = {
  claude: '.claude/projects/-w/s-claude.jsonl',
  codex: '.codex/sessions/2026/11/01/rollout-2026-11-01T10-00-00-s-codex.jsonl',
  qwen: '.qwen/projects/-w/chats/s-qwen.jsonl',
  pi: '.pi/agent/sessions/--w--/2026-11-01_s-pi.jsonl',
} as const;
