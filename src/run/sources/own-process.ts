import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { childEnvironment } from '../../agents/environment.ts';
import { findDialect } from '../../dialects/registry.ts';
import { Failure } from '../../failure.ts';
import { version } from '../../version.ts';
import type { RunSpec } from '../spec.ts';
import type { Chosen, Variables } from './choose.ts';
import { ProcessSource } from './process.ts';
import { continuePrompt } from './resuming.ts';
import { settleVariable } from './settling.ts';

/** The variables that the built-in agent itself reads. */
export const builtInVariables: readonly string[] = ['RUNWIRE_*', 'OPENAI_*', 'ANTHROPIC_*', 'GOOGLE_*', 'GEMINI_*', 'AZURE_*', 'OLLAMA_*'];

/** The built-in agent as a separate process, for when its tools must see a different file system. */
export function ownProcessSource(spec: RunSpec, { env, set, workspace }: Variables): Chosen {
  const { prompt, cwd, pass_env, limits } = spec;
  if (spec.output_schema !== undefined) throw new Failure('input', '--output-schema: not with --isolate');
  const source = new ProcessSource({
    canResume: true,
    settles: true,
    dialect: findDialect('runwire'),
    launch(resume, left) {
      const passed = childEnvironment(env, { pass: [...builtInVariables, ...pass_env], set: { ...set, [settleVariable]: '1' } });
      const args = [ownProgram(), ...flagsOf({ ...spec, limits: { ...limits, ...left }, resume: resume ?? spec.resume })];
      const order = { command: process.execPath, args, cwd, env: passed };
      return { ...(workspace?.inside(order) ?? order), stdin: resume === undefined ? prompt : continuePrompt };
    },
  });
  // It enforces these two itself, before the model call that would exceed them.
  const { max_turns: _turns, max_cost_usd: _cost, ...watched } = limits;
  return { source, introduction: { agent: 'runwire', agent_version: version }, limits: watched, warnings: [] };
}

/** The command of this package, wherever this file was built to. */
function ownProgram(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const program = join(folder, 'bin', 'runwire.js');
    if (existsSync(program) || folder === dirname(folder)) return program;
  }
}

function flagsOf(spec: RunSpec): string[] {
  const { limits, price } = spec;
  const given: readonly (readonly [flag: string, value: string | number | undefined])[] = [
    ['--to', 'runwire'],
    ['--ledger', 'none'],
    ['--model', spec.model],
    ['--base-url', spec.base_url],
    ['--price', price === undefined ? undefined : priceWords(price)],
    ['--permission-mode', spec.permission_mode],
    ['--resume', spec.resume],
    ['--system', spec.system],
    ['--append-system', spec.append_system],
    ['--max-turns', limits.max_turns],
    ['--max-cost-usd', limits.max_cost_usd],
    ['--record-model', spec.record_model],
    ['--project-name', spec.project_name],
    ['--parent-branch-id', spec.parent_branch_id],
    ...spec.allow.map((rule) => ['--allow', rule] as const),
    ...spec.deny.map((rule) => ['--deny', rule] as const),
    ...spec.directories.map((folder) => ['--add-dir', folder] as const),
  ];
  const words = given.flatMap(([flag, value]) => (value === undefined ? [] : [`${flag}=${value}`]));
  return ['run', '--quiet', ...(spec.redact ? [] : ['--no-redact']), ...words];
}

function priceWords(price: NonNullable<RunSpec['price']>): string {
  return Object.entries(price)
    .flatMap(([name, usd]) => (usd === undefined ? [] : [`${name}=${usd}`]))
    .join(',');
}
