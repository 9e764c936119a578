import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { childEnvironment } from '../../agents/environment.ts';
import { watchedLimits, wordsOf } from '../../contract/requested.ts';
import { findDialect } from '../../dialects/registry.ts';
import { version } from '../../version.ts';
import type { RunSpec } from '../../contract/spec.ts';
import type { Chosen, Variables } from './choose.ts';
import { ProcessSource } from './process.ts';
import { continuePrompt } from './resuming.ts';
import { settleVariable } from './settling.ts';

/** The variables that the built-in agent itself reads. */
export const builtInVariables: readonly string[] = [
  'RUNWIRE_*',
  'OPENAI_*',
  'ANTHROPIC_*',
  'GOOGLE_*',
  'GEMINI_*',
  'AZURE_*',
  'OLLAMA_*',
];

/** The built-in agent as a separate process, for when its tools must see a different file system. */
export function ownProcessSource(spec: RunSpec, { env, set, workspace }: Variables): Chosen {
  const { prompt, cwd, pass_env, limits } = spec;
  const source = new ProcessSource({
    canResume: true,
    settles: true,
    dialect: findDialect('runwire'),
    launch(resume, left) {
      const passed = childEnvironment(env, {
        pass: [...builtInVariables, ...pass_env],
        set: { ...set, [settleVariable]: '1' },
      });
      const attempt = { ...spec, limits: { ...limits, ...left }, resume: resume ?? spec.resume };
      const words = wordsOf(attempt, ({ isForAgent }) => isForAgent === true);
      const args = [ownProgram(), 'run', '--quiet', '--to=runwire', '--ledger=none', ...words];
      const order = { command: process.execPath, args, cwd, env: passed };
      return { ...(workspace?.inside(order) ?? order), stdin: resume === undefined ? prompt : continuePrompt };
    },
  });
  const introduction = { agent: 'runwire', agent_version: version };
  return { source, introduction, limits: watchedLimits(limits), warnings: [] };
}

/** The command of this package, wherever this file was built to. */
function ownProgram(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const program = join(folder, 'bin', 'runwire.js');
    if (existsSync(program) || folder === dirname(folder)) return program;
  }
}
