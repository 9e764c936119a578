import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { z } from 'zod';
import { messageOf } from '../../failure.ts';
import { exitOf, startPrinting, type Exit, type Printing, type Program as Shell } from '../../processes/child.ts';
import { bordered } from '../../processes/confined.ts';
import {
  findNamespace,
  startContained,
  startFirst,
  type Contained,
  type Namespace,
} from '../../processes/namespace.ts';
import type { Tool, ToolResult, ToolRun } from './tool.ts';
import { withoutSecrets } from '../../redact/without-secrets.ts';
import type { Reach } from './reach.ts';
import { Clip, lastBreak } from './clip.ts';
import { cancelled, define, failed } from './define.ts';

const usualTime = 120_000;
const longestTime = 600_000;
const mostCharacters = 30_000;
const mostLive = 10 * mostCharacters;
/** How long output may still arrive after the shell itself has ended. */
const lastWords = 250;
/** How long the command may take to end after SIGTERM. */
const grace = 2000;
/** How long the command's child processes may take to end by themselves after the shell has ended. */
const timeToGo = 100;

const input = z.strictObject({
  command: z.string().min(1).describe('A command line for the shell, run in the working directory.'),
  timeout_ms: z.int().min(1).max(longestTime).optional().describe(`Time limit; ${usualTime} unless told.`),
});
type Input = z.infer<typeof input>;

/** `contained`: where the system supports it, a command sees only its own processes, and none of them outlives it; within a border that is so anyway. */
export function bash({ contained, reach }: { contained: boolean; reach?: Reach | undefined }): Tool {
  return define<Input>({
    name: 'bash',
    kind: 'command',
    description:
      'Run a shell command. There is no stdin and nobody to answer questions. What it leaves in the background ends with it, so start and use a server in one command.',
    input,
    need: ({ command }) => ({ access: 'execute', subject: command }),
    async run(args, run) {
      const namespace = contained && reach === undefined ? await findNamespace() : undefined;
      if (run.signal.aborted) return cancelled;
      const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
      const program = { command: shell, args: ['-c', args.command], cwd: run.cwd, env: withoutSecrets(run.env) };
      return follow(startShell(program, namespace, reach), args, run);
    },
  });
}

function startShell(program: Shell, namespace: Namespace | undefined, reach: Reach | undefined): Contained {
  if (reach !== undefined) {
    const { border } = reach;
    return startFirst(bordered({ ...program, env: { ...program.env, ...border.variables } }, border));
  }
  return namespace === undefined
    ? { ...startPrinting(program), leftSomething: () => false }
    : startContained(program, namespace);
}

async function follow({ child, end, leftSomething }: Contained, args: Input, run: ToolRun): Promise<ToolResult> {
  const output = new Clip(mostCharacters);
  const limit = args.timeout_ms ?? usualTime;
  let stopped: 'timeout' | 'abort' | undefined;
  let ending: Promise<number> | undefined;
  const stop = (why: 'timeout' | 'abort'): void => {
    stopped ??= why;
    ending ??= end(grace);
  };
  const onAbort = (): void => stop('abort');
  const timer = setTimeout(stop, limit, 'timeout');
  run.signal.addEventListener('abort', onAbort, { once: true });
  tell(child, output, run);
  const closed = new Promise<void>((resolve) => void child.once('close', resolve));
  try {
    const { code, signal } = await exitOf(child);
    await Promise.race([closed, pause(lastWords)]);
    ending ??= end(grace, timeToGo);
    const leftover = ((await ending) > 0 || leftSomething()) && stopped === undefined;
    await Promise.race([closed, pause(lastWords)]);
    return result(output, { code, signal, stopped, leftover, limit });
  } catch (error) {
    await end(0);
    return failed(`the command could not be started: ${messageOf(error)}`);
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener('abort', onAbort);
    // A process that left the process group may hold the pipes open for ever.
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

const pause = (time: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, time));

/** Both streams as they arrive, in one text for the model and as live events. */
function tell(child: Printing, output: Clip, run: ToolRun): void {
  let live = 0;
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output.add(text);
      if (live >= mostLive) return;
      // The rest of a word that is cut in two could not be recognised.
      const chunk = live + text.length <= mostLive ? text : text.slice(0, lastBreak(text.slice(0, mostLive - live)));
      live += text.length;
      run.emit({ type: 'item.output', item_id: run.itemId, stream, chunk: chunk.toWellFormed() });
      if (live < mostLive) return;
      run.emit({
        type: 'item.output',
        item_id: run.itemId,
        stream: 'progress',
        chunk: `[more than ${mostLive} characters; the rest is not shown live]`,
      });
    });
  }
}

interface Ending extends Exit {
  stopped: 'timeout' | 'abort' | undefined;
  leftover: boolean;
  limit: number;
}

function result(output: Clip, { code, signal, stopped, leftover, limit }: Ending): ToolResult {
  const text = output.toString();
  const say = (...notes: string[]): string =>
    [
      text === '' ? '(no output)' : text.replace(/\n$/, ''),
      ...notes,
      ...(leftover ? ['[its background processes were ended]'] : []),
    ].join('\n');
  if (stopped === 'abort') return { status: 'cancelled', output: say('[cancelled]') };
  if (stopped === 'timeout')
    return { status: 'error', output: say(`[ended: it ran longer than its time limit of ${limit} ms]`) };
  if (signal !== null)
    return { status: 'error', output: say(`[ended by ${signal}]`), exit_code: 128 + constants.signals[signal] };
  if (code === 0 || code === null) return { status: 'success', output: say(), exit_code: 0 };
  return { status: 'error', output: say(`[exit code ${code}]`), exit_code: code };
}
