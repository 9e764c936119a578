import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inside, type Live, type LiveOptions } from '../cli/run/live.ts';
import { folder } from '../cli/run/scripted.ts';
import type { TurnInput } from '../support/model-server/index.ts';
import { bash, brokenProject, git, serveModels, write } from './crew.ts';

export const usage = (input: number, output: number) => ({ input, output });
export const call = (name: string, args: Record<string, unknown>): TurnInput => ({
  calls: [{ name, args: args as never }],
  usage: usage(1000, 50),
});
export const done: TurnInput = { text: 'Done: the branch passes.', usage: usage(2000, 20) };

/** One fixes the value, the other writes notes. */
const workers = {
  fixer: [
    { calls: [write('value.txt', 'right\n')], usage: usage(300, 20) },
    { text: 'Fixed.', usage: usage(400, 5) },
  ],
  writer: [
    { calls: [write('notes.txt', 'What was wrong.\n')], usage: usage(200, 20) },
    { text: 'Noted.', usage: usage(300, 5) },
  ],
  spoiler: [
    { calls: [write('value.txt', 'left\n')], usage: usage(10, 10) },
    { text: 'Fixed.', usage: usage(10, 1) },
  ],
  breaker: [
    { calls: [bash('exit 7')], usage: usage(10, 10) },
    { text: 'It failed.', usage: usage(10, 1) },
  ],
} satisfies Record<string, readonly TurnInput[]>;

/** The same as a `codex` on PATH, which takes a tenth of what a built-in agent in a process of its own does: for what is not about agents. */
const byHand = { fixer: 'right', spoiler: 'left' };

export function pathWithCodex(path: string, does: string): string {
  const place = folder();
  const said = [
    { type: 'thread.started', thread_id: 't' },
    { type: 'turn.started' },
    { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'Fixed.' } },
    { type: 'turn.completed', usage: { input_tokens: 300, cached_input_tokens: 0, output_tokens: 20 } },
  ];
  const cases = Object.entries(byHand).map(([name, value]) => `*" --model=${name} "*) echo ${value} > value.txt ;;`);
  const lines = [
    '#!/bin/sh',
    'case " $* " in',
    '*" --version "*) exec echo codex-cli 0.166.0 ;;',
    ...cases,
    '*) exit 1 ;;',
    'esac',
    does,
  ];
  writeFileSync(
    join(place, 'codex'),
    [...lines, "cat <<'END'", ...said.map((line) => JSON.stringify(line)), 'END', ''].join('\n'),
    {
      mode: 0o755,
    },
  );
  return `${place}:${path}`;
}

interface Branch {
  branch_id: string;
  parent_branch_id?: string;
  commit?: string;
  verified?: string;
  files?: number;
  run_id?: string;
}
export interface Report {
  status: string;
  reason?: string;
  summary: string;
  lineage: { start_branch_id: string; latest_branch_id: string; branches: Branch[] };
  publish?: { status: string; ref?: string; message?: string; dry_run?: boolean };
  usage: { runs: number; tokens_used: number };
  warnings: string[];
}

interface Ask {
  brain: readonly TurnInput[];
  flags?: readonly string[];
  cwd?: string;
  agents?: readonly (keyof typeof workers)[];
  /** In place of the built-in ones. */
  codex?: readonly (keyof typeof byHand)[];
  /** What that one also does, as a shell script. */
  does?: string;
  models?: Readonly<Record<string, readonly TurnInput[]>>;
  env?: Record<string, string>;
  /** null: left open, and silent. */
  stdin?: string | null;
  /** Who needs a process asks for `live`. */
  start?: (args: readonly string[], options: Pick<LiveOptions, 'cwd' | 'env' | 'stdin'>) => Promise<Live>;
}

export async function orchestrate({
  brain,
  flags = [],
  cwd = brokenProject(),
  agents = ['fixer', 'writer'],
  codex,
  does = '',
  models = {},
  env = {},
  stdin = '',
  start = inside,
}: Ask) {
  const server = await serveModels({ brain, ...workers, ...models });
  const names = codex?.map((agent) => `codex=${agent}`) ?? agents.map((agent) => `builtin=openai-compatible/${agent}`);
  const own = codex === undefined ? {} : { PATH: pathWithCodex(env['PATH'] ?? process.env['PATH'] ?? '', does) };
  const model = [
    '--model',
    'openai-compatible/brain',
    '--base-url',
    server.baseUrl('chat'),
    '--permission-mode',
    'full',
  ];
  const args = ['orchestrate', '--task', 'Make the test pass', '--agents', names.join(','), ...model, ...flags];
  const result = await start(args, { cwd, env: { ...env, ...own }, stdin });
  return { ...result, cwd, server };
}

export const eventsOf = (stdout: string): Record<string, unknown>[] =>
  stdout
    .split('\n')
    .flatMap((line) => (line.startsWith('{"type"') ? [JSON.parse(line) as Record<string, unknown>] : []));
export const reportOf = (stdout: string): Report => JSON.parse(stdout.slice(stdout.lastIndexOf('\n{\n') + 1)) as Report;

export function withRemote(cwd: string): string {
  const remote = folder();
  git(remote, 'init', '-q', '--bare', '-b', 'main');
  git(cwd, 'remote', 'add', 'origin', remote);
  return remote;
}
