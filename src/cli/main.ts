import { writeSync } from 'node:fs';
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
  const { nearest } = await import('../nearest.ts');
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
    const { parseArgs } = await import('node:util');
    const end = command.takesCommand === true ? args.indexOf('--') : -1;
    const own = end === -1 ? args : args.slice(0, end);
    const { values, positionals } = parseArgs({ args: [...own], options: command.options, allowPositionals: true, strict: true });
    return await command.run(values as never, positionals, realContext(), end === -1 ? undefined : args.slice(end + 1));
  } catch (error) {
    // The reader of stdout went away (`| head -1`): it has what it wanted.
    if (error instanceof PipeClosed) return 0;
    return describeFailure(error);
  }
}

/** What follows `--` is a command or a file, whatever it looks like. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const flags = end === -1 ? args : args.slice(0, end);
  return flags.includes('--help') || flags.includes('-h');
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
