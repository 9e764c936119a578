import { childEnvironment } from '../agents/environment.ts';
import { withinMs } from '../builtin/answer/time-limit.ts';
import { timeInWords } from '../time/duration.ts';
import { openOutputSchema } from '../builtin/answer/output-schema.ts';
import type { Judges } from '../expect/expectations.ts';
import { messageOf } from '../failure.ts';
import type { Environment } from '../words/vocabulary.ts';
import type { Border } from '../processes/confined.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { placed } from './sources/placed.ts';
import { runInside } from '../workspace/run-inside.ts';
import { quotedEnd } from '../redact/quoted.ts';

/** How long one regular expression, and one schema, may take. */
const thoughtMs = 500;
const commandMs = 10 * 60_000;
const outputShown = 300;

export interface CommandContext {
  /** Where commands are run: a private copy, or the folder itself. */
  workspace: Parameters<typeof runInside>[0];
  env: Environment;
  passEnv: readonly string[];
  variables: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

/** What rules need besides events. A regular expression that takes too long is stopped; a command runs as an agent's command would. */
export function judgesIn({ workspace, env, passEnv, variables, signal }: CommandContext): Judges {
  return {
    matches(pattern, flags, text) {
      try {
        return withinMs(thoughtMs, () => new RegExp(pattern, flags).test(text));
      } catch (error) {
        return messageOf(error);
      }
    },
    async fits(schema, text) {
      try {
        return (await openOutputSchema(schema, thoughtMs))(text);
      } catch (error) {
        return messageOf(error);
      }
    },
    async passes(command) {
      try {
        const declared = childEnvironment(env, { pass: passEnv, set: { CI: 'true', ...variables } });
        const { exitCode, output, timedOut } = await runInside(workspace, command, {
          env: declared,
          signal,
          timeoutMs: commandMs,
        });
        if (exitCode === 0) return { passed: true, detail: 'exit code 0' };
        const how = timedOut
          ? `it took longer than ${timeInWords(commandMs)}`
          : exitCode === null
            ? 'it was stopped'
            : `exit code ${exitCode}`;
        return {
          passed: false,
          detail: [how, quotedEnd(output, outputShown, { ...env, ...variables })].filter(Boolean).join(': '),
        };
      } catch (error) {
        return { passed: false, detail: messageOf(error) };
      }
    },
  };
}

/** Where commands are run: in the copy that the agent worked in, else in the folder itself; within its border, if it had one. */
export function placeOf({
  cwd,
  workspace,
  border,
}: {
  cwd: string;
  workspace?: Workspace | undefined;
  border?: Border | undefined;
}): CommandContext['workspace'] {
  return { cwd: workspace?.cwd ?? cwd, inside: (order) => placed(order, { workspace, border }) };
}

/** The folder itself. */
export const folderItself = (cwd: string): CommandContext['workspace'] => placeOf({ cwd });
