import { version } from '../version.ts';
import type { Command } from './command.ts';
import { commands } from './commands.ts';
import type { Context } from './context.ts';
import { commandHelp, rootHelp } from './help.ts';

/** The whole program: arguments in, exit code out. Nothing heavy is loaded before a command is chosen. `outside` replaces this process, for tests. */
export async function main(args: readonly string[], outside?: Context): Promise<number> {
  const [first = '', ...rest] = args;
  if (first === '--version' || first === '-v') {
    if (!rest.includes('--json')) return show(`${version}\n`, outside);
    const { priceTable } = await import('../outcome/price-source.ts');
    return show(`${JSON.stringify({ version, node: process.versions.node, prices: priceTable })}\n`, outside);
  }
  if (first === '--help' || first === '-h' || first === 'help') {
    return rest[0] === undefined || first !== 'help'
      ? show(rootHelp(helpWidth()), outside)
      : runCommand(rest[0], [...rest.slice(1), '--help'], { outside });
  }
  if (commands.some(({ name }) => name === first)) return runCommand(first, rest, { outside });
  // Without a command it is a run: flags, a prompt, or stdin alone.
  return runCommand('run', args, { isImplied: true, outside });
}

interface Invocation {
  isImplied?: boolean;
  outside: Context | undefined;
}

async function runCommand(
  name: string,
  args: readonly string[],
  { isImplied = false, outside }: Invocation,
): Promise<number> {
  const [{ describeFailure, realContext }, { PipeClosed }] = await Promise.all([
    import('./effects.ts'),
    import('./stdout.ts'),
  ]);
  try {
    const { command, rest } = await chosen(name, args, isImplied);
    if (asksForHelp(rest)) return await show(commandHelp(command, helpWidth(), wantsAll(rest)), outside);
    const end = command.takesCommand === true ? rest.indexOf('--') : -1;
    const [own, program] = end === -1 ? [rest, undefined] : [rest.slice(0, end), rest.slice(end + 1)];
    const [{ parseWords }, { Failure }] = await Promise.all([import('./parse.ts'), import('../failure.ts')]);
    try {
      const { values, operands } = parseWords(command, own);
      if (command.name === 'run' && values['prompt'] === undefined) await refuseMistyped(operands, !isImplied);
      return await command.run(values, operands, outside ?? realContext(), program);
    } catch (error) {
      if (!(error instanceof Failure) || error.code === 'output' || command.refuse === undefined) throw error;
      return await command.refuse(error, own, outside ?? realContext());
    }
  } catch (error) {
    // The reader of stdout closed it (`| head -1`): it has what it wanted.
    if (error instanceof PipeClosed) return 0;
    return await describeFailure(error, outside);
  }
}

async function chosen(
  name: string,
  args: readonly string[],
  isImplied: boolean,
): Promise<{ command: Command; rest: readonly string[] }> {
  // `stats --by model`: the flags cannot be read before the command is known.
  if (isImplied && args[0]?.startsWith('-') === false) await refuseMistyped(args, false);
  const entry = commands.find((each) => each.name === name);
  if (entry !== undefined) return descend(await entry.load(), args);
  await refuseMistyped([name], false);
  const { Failure } = await import('../failure.ts');
  throw new Failure('input', `unknown command "${name}"; see "runwire --help"`);
}

/** A typing error must not start a paid run. */
async function refuseMistyped([word, ...more]: readonly string[], isExplicit: boolean): Promise<void> {
  if (word === undefined) return;
  const { mistyped } = await import('./mistyped.ts');
  const problem = mistyped({ word, isAlone: more.length === 0, isExplicit });
  if (problem === undefined) return;
  const { Failure } = await import('../failure.ts');
  throw new Failure('input', problem);
}

/** `runs show ID`: finds the subcommand. */
async function descend(
  command: Command,
  args: readonly string[],
): Promise<{ command: Command; rest: readonly string[] }> {
  const [word] = args;
  if (command.subcommands === undefined || word === undefined || word.startsWith('-')) return { command, rest: args };
  const entry = command.subcommands.find(({ name }) => name === word);
  if (entry !== undefined) return descend(await entry.load(), args.slice(1));
  const [{ Failure }, { nearest }] = await Promise.all([import('../failure.ts'), import('../words/nearest.ts')]);
  const close = nearest(
    word,
    command.subcommands.map(({ name }) => name),
  );
  throw new Failure('input', `unknown command "${command.name} ${word}"${close}; see "runwire ${command.name} --help"`);
}

/** After `--`, every word belongs to a command or names a file, whatever it looks like. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const flags = end === -1 ? args : args.slice(0, end);
  return flags.includes('--help') || flags.includes('-h') || flags.includes('-hh');
}

/** `--help --all`, or `-hh`. */
function wantsAll(args: readonly string[]): boolean {
  return args.includes('--all') || args.includes('-hh');
}

const [narrowest, widest] = [40, 100];

/** At most as wide as is easy to read, which is also the width in a file or a pipe. */
function helpWidth(): number {
  const columns = Number(process.env['COLUMNS']) || (stdoutIsTerminal() ? process.stdout.columns : widest);
  return Math.max(narrowest, Math.min(widest, columns));
}

/** Anything but a character device, and the null device, cannot be a terminal: known without loading sockets and streams. */
function stdoutIsTerminal(): boolean {
  const { fstatSync, statSync } = process.getBuiltinModule('node:fs');
  const stdout = fstatSync(1);
  if (!stdout.isCharacterDevice() || stdout.rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev)
    return false;
  return process.getBuiltinModule('node:tty').isatty(1);
}

/** Writes short texts synchronously: setting up the stream of stdout takes a good part of the start-up time, and so does importing `node:fs`, which loads all streams. */
async function show(text: string, outside: Context | undefined): Promise<number> {
  if (outside !== undefined) {
    await outside.show(text);
    return 0;
  }
  const { PipeClosed, writeOutNow } = await import('./stdout.ts');
  try {
    writeOutNow(text);
  } catch (error) {
    if (!(error instanceof PipeClosed)) return (await import('./effects.ts')).describeFailure(error);
  }
  return 0;
}
