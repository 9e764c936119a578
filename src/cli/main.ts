import { parseArgs } from 'node:util';
import { commands } from './commands.ts';

/** The whole program: arguments in, exit code out. Nothing heavy is loaded before a command is chosen. */
export async function main(args: readonly string[]): Promise<number> {
  const [first = '', ...rest] = args;
  if (first === '--version' || first === '-v') return show(`${(await import('../version.ts')).version}\n`);
  if (first === '--help' || first === '-h' || first === 'help') {
    return rest[0] === undefined || first !== 'help' ? show((await import('./help.ts')).rootHelp()) : runCommand(rest[0], ['--help']);
  }
  // Without a command it is a run: flags, a prompt, or stdin alone.
  const named = commands.some(({ name }) => name === first) || (await isMisspelt(first));
  return named ? runCommand(first, rest) : runCommand('run', args);
}

/** One word that is nearly a command was meant as one; a prompt has more to say. */
async function isMisspelt(word: string): Promise<boolean> {
  if (!/^[a-z]+$/i.test(word)) return false;
  return (await nearestCommand(word)) !== '';
}

async function nearestCommand(word: string): Promise<string> {
  const { nearest } = await import('./nearest.ts');
  return nearest(
    word,
    commands.map(({ name }) => name),
  );
}

async function runCommand(name: string, args: readonly string[]): Promise<number> {
  const { describeFailure, realContext, PipeClosed } = await import('./effects.ts');
  try {
    const entry = commands.find((each) => each.name === name);
    if (entry === undefined) {
      const { Failure } = await import('../failure.ts');
      throw new Failure('input', `unknown command "${name}"${await nearestCommand(name)}; see "runwire --help"`);
    }
    const command = await entry.load();
    if (asksForHelp(args)) return show((await import('./help.ts')).commandHelp(command));
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

/** What follows `--` is a prompt or a file, whatever it looks like. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const flags = end === -1 ? args : args.slice(0, end);
  return flags.includes('--help') || flags.includes('-h');
}

async function show(text: string): Promise<number> {
  const { realContext } = await import('./effects.ts');
  await realContext().print(text);
  return 0;
}
