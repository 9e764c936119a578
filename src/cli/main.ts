import { parseArgs } from 'node:util';
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
    const { values, positionals } = parse(command.options, args);
    return await command.run(values as never, positionals, realContext());
  } catch (error) {
    // The reader of stdout went away (`| head -1`): it has what it wanted.
    if (error instanceof PipeClosed) return 0;
    return describeFailure(error);
  }

  function parse(options: Record<string, { type: 'string' | 'boolean' }>, given: readonly string[]) {
    return parseArgs({ args: [...given], options, allowPositionals: true, strict: true });
  }
}

async function show(text: string): Promise<number> {
  const { realContext } = await import('./effects.ts');
  await realContext().print(text);
  return 0;
}
