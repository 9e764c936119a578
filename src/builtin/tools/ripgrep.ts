import { Failure, messageOf } from '../../failure.ts';
import { startPrinting } from '../../processes/child.ts';
import { quoted } from '../../redact/quoted.ts';

const longestComplaint = 2000;
const longestTime = 30_000;
/** A line of a file may be as long as the file. */
const longest = 16 * 1024 * 1024;

/** Passes everything that ripgrep prints to `take`, split at `separator`, until it has enough. */
export async function ripgrep(
  args: readonly string[],
  separator: '\n' | '\0',
  { cwd, signal }: { cwd: string; signal: AbortSignal },
  take: (text: string) => 'more' | 'enough',
): Promise<void> {
  signal.throwIfAborted();
  const stop = new AbortController();
  const time = AbortSignal.timeout(longestTime);
  // Without --no-config, a config file named in the environment could add options.
  const program = { command: await findProgram(), args: ['--no-config', '--no-messages', ...args], cwd, env: {} };
  const { child, end } = startPrinting(program);
  AbortSignal.any([signal, time, stop.signal]).addEventListener('abort', () => void end(0), { once: true });
  let rest = '';
  let complaint = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (stop.signal.aborted) return;
    const pieces = (rest + text).split(separator);
    rest = pieces.pop() ?? '';
    if (rest.length > longest || pieces.some((piece) => take(piece) === 'enough')) stop.abort();
  });
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => void (complaint += complaint.length < longestComplaint ? text : ''));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => reject(cannotRun(error)));
    child.once('close', resolve);
  }).finally(() => end(0));
  if (stop.signal.aborted) return;
  signal.throwIfAborted();
  if (time.aborted)
    throw new Failure('tool', `the search took longer than ${longestTime} ms; search in a smaller folder`);
  if (code === 2 && complaint !== '')
    throw new Failure('tool', quoted(complaint, longestComplaint).replace(/^rg: /, ''));
}

async function findProgram(): Promise<string> {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch (error) {
    throw cannotRun(error);
  }
}

function cannotRun(error: unknown): Failure {
  const why = messageOf(error);
  return new Failure('tool', `ripgrep, which grep and glob need, cannot be run here: ${why}`);
}
