import { writeSync } from 'node:fs';
import { commands } from './commands.ts';

/** The whole program: arguments in, exit code out. Nothing heavy is loaded before a command is chosen. */
export async function main(args: readonly string[]): Promise<number> {
  const [first = '', ...rest] = args;
  if (first === '--version' || first === '-v') return show(`${(await import('../version.ts')).version}\n`);
  if (first === '--help' || first === '-h' || first === 'help') {
    return rest[0] === undefined || first !== 'help' ? show((await import('./help.ts')).rootHelp()) : runCommand(rest[0], ['--help']);
  }
  return runCommand(first, rest);
}

async function runCommand(name: string, args: readonly string[]): Promise<number> {
  const { describeFailure, realContext, PipeClosed } = await import('./effects.ts');
  try {
    const { Failure } = await import('../failure.ts');
    if (name === '') throw new Failure('input', 'no command given; see "runwire --help"');
    const entry = commands.find((each) => each.name === name);
    if (entry === undefined) {
      const { nearest } = await import('./nearest.ts');
      throw new Failure(
        'input',
        `unknown command "${name}"${nearest(
          name,
          commands.map((each) => each.name),
        )}; see "runwire --help"`,
      );
    }
    const command = await entry.load();
    if (args.includes('--help') || args.includes('-h')) return show((await import('./help.ts')).commandHelp(command));
    const { parseArgs } = await import('node:util');
    const { values, positionals } = parseArgs({ args: [...args], options: command.options, allowPositionals: true, strict: true });
    return await command.run(values as never, positionals, realContext());
  } catch (error) {
    // The reader of stdout went away (`| head -1`): it has what it wanted.
    if (error instanceof PipeClosed) return 0;
    return describeFailure(error);
  }
}

/** Short texts go out at once: setting up the stream of stdout costs a good part of a start. */
function show(text: string): number {
  try {
    writeSync(1, text);
  } catch (error) {
    // A full pipe takes it later; a closed one does not want it.
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') process.stdout.write(text);
    else if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
  return 0;
}
