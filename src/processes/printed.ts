import { pause } from '../time/pause.ts';
import { exitOf, startPrinting, type Program } from './child.ts';

export interface Printed {
  stdout: string;
  stderr: string;
  /** Null: it was ended by a signal, or by us after the time limit. */
  exitCode: number | null;
  timedOut: boolean;
}

const keptChars = 256 * 1024;
/** How long processes that it left behind may keep its pipes open. */
const lingerMs = 1000;

/** Runs a program that only prints something; whatever it started ends with it. Rejects when it cannot be started. */
export async function printed(program: Program, limitMs: number): Promise<Printed> {
  const { child, end } = startPrinting(program);
  const texts = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      if (texts[stream].length < keptChars) texts[stream] += text;
    });
  }
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    void end(0);
  }, limitMs);
  const closed = new AbortController();
  child.once('close', () => closed.abort());
  try {
    const { code } = await exitOf(child);
    await pause(lingerMs, closed.signal);
    return { ...texts, exitCode: code, timedOut };
  } finally {
    clearTimeout(timer);
    await end(0);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}
