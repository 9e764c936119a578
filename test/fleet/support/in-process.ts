import { Readable } from 'node:stream';
import type { Command, Entry } from '../../../src/cli/command.ts';
import { commands } from '../../../src/cli/commands.ts';
import { realContext } from '../../../src/cli/effects.ts';
import { parseWords } from '../../../src/cli/parse.ts';
import { Failure } from '../../../src/failure.ts';
import type { Result } from '../../support/command.ts';

/** A command line as `main` reads it, without the price of a process. */
export async function inProcess(
  args: readonly string[],
  { env, stdin, cwd }: { env: Record<string, string>; stdin?: string; cwd: string },
): Promise<Result> {
  const { command, rest } = await descend(commands, args);
  const end = command.takesCommand === true ? rest.indexOf('--') : -1;
  const [own, program] = end === -1 ? [rest, undefined] : [rest.slice(0, end), rest.slice(end + 1)];
  let [stdout, stderr] = ['', ''];
  const print = async (text: string | readonly string[]): Promise<void> =>
    void (stdout += typeof text === 'string' ? text : text.join(''));
  const context = {
    ...realContext(),
    env: { ...process.env, ...env },
    cwd,
    stdin: Readable.from([Buffer.from(stdin ?? '')]) as AsyncIterable<Uint8Array>,
    stdinIsTerminal: stdin === undefined,
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    columns: undefined,
    print,
    show: print,
    hideEnvironment() {},
    leaveSoon() {},
    warn: (line: string) => void (stderr += `${line}\n`),
  };
  try {
    const { values, operands } = parseWords(command, own);
    return { status: await command.run(values, operands, context, program), stdout, stderr };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { status: error.exitCode, stdout, stderr: `${stderr}runwire: ${error.message}\n` };
  }
}

async function descend(
  entries: readonly Entry[],
  [word, ...rest]: readonly string[],
): Promise<{ command: Command; rest: readonly string[] }> {
  const command = await entries.find(({ name }) => name === word)?.load();
  if (command === undefined) throw new Error(`no command ${word ?? ''}`);
  const isUnder = command.subcommands?.some(({ name }) => name === rest[0]) === true;
  return isUnder ? descend(command.subcommands ?? [], rest) : { command, rest };
}
