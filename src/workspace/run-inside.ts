import { once } from 'node:events';
import { exitOf, startPrinting } from '../processes/child.ts';
import type { Environment } from '../words/vocabulary.ts';
import { safeStart } from '../redact/safe-cut.ts';
import type { Workspace } from './workspace.ts';

export interface RanInside {
  /** Null: we ended it, because its time was up or the run was stopped. */
  exitCode: number | null;
  /** The end of its output, both streams in order of arrival. */
  output: string;
  timedOut: boolean;
}

const keptChars = 64 * 1024;

/** Runs one shell command to its end in a copy, with only the given environment. */
export async function runInside(
  workspace: Pick<Workspace, 'cwd' | 'inside'>,
  command: string,
  { env, signal, timeoutMs }: { env: Environment; signal: AbortSignal; timeoutMs?: number },
): Promise<RanInside> {
  const given = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const { child, end } = startPrinting(
    workspace.inside({ command: '/bin/sh', args: ['-c', command], cwd: workspace.cwd, env: given }),
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      // Twice as much as is asked for, so that the end of it is whole lines.
      if (output.length > 4 * keptChars) output = output.slice(-2 * keptChars);
    });
  let stopped: 'time' | 'abort' | undefined;
  const stop = (why: 'time' | 'abort'): void => {
    stopped ??= why;
    void end(500);
  };
  const onAbort = (): void => stop('abort');
  const timer = timeoutMs === undefined ? undefined : setTimeout(stop, timeoutMs, 'time');
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  const closed = once(child, 'close');
  closed.catch(() => {});
  try {
    const { code } = await exitOf(child);
    // Ends what it left running; then all output has arrived.
    await end(500);
    await closed;
    return {
      exitCode: stopped === undefined ? code : null,
      output: output.slice(safeStart(output, output.length - keptChars)),
      timedOut: stopped === 'time',
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    await end(0);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}
