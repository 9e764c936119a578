// `runwire serve` killed with -9 again and again while runs elsewhere report to it and viewers watch them: uploads and viewers
// resume, and every sequence is there once. Larger: BENCH_SECONDS, BENCH_RUNS, BENCH_RATE, BENCH_VIEWERS, BENCH_KILLS.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const runs = number('BENCH_RUNS', 200);
const rate = number('BENCH_RATE', 5000);
const viewers = number('BENCH_VIEWERS', 50);
const seconds = number('BENCH_SECONDS', 10);
const kills = number('BENCH_KILLS', 3);

const bin = join(import.meta.dirname, '..', 'bin', 'runwire.js');
const folder = mkdtempSync(join(tmpdir(), 'runwire-bench-'));
const token = 'report-token-of-a-bench-0123456789';
const readToken = 'read-token-of-a-bench-0123456789';
const env = { ...process.env, XDG_STATE_HOME: folder, RUNWIRE_REPORT_TOKEN: token, RUNWIRE_READ_TOKEN: readToken };
const headers = { Authorization: `Bearer ${readToken}`, Accept: 'application/x-ndjson' };
const children = new Set<ChildProcess>();
const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

async function serve(port: string): Promise<{ child: ChildProcess; origin: string }> {
  const child = spawn(process.execPath, [bin, 'serve', '--port', port], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  children.add(child);
  for await (const line of createInterface({ input: child.stderr })) {
    const origin = /open (http:\/\/\S+?)\/login/.exec(line)?.[1];
    if (origin !== undefined) return { child, origin };
  }
  throw new Error('the server did not start');
}

/** Reads records until the end of the run, wherever the server is meanwhile. Answers the sequences that it saw. */
async function watch(origin: string, id: string): Promise<number[]> {
  const seen: number[] = [];
  for (;;) {
    try {
      const response = await fetch(`${origin}/api/runs/${id}/records?after=${seen.at(-1) ?? 0}`, { headers });
      if (!response.ok || response.body === null) throw new Error('not yet');
      let text = '';
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        const lines = text.split('\n');
        text = lines.pop() ?? '';
        for (const line of lines) {
          const record = JSON.parse(line) as { sequence: number; type: string };
          seen.push(record.sequence);
          if (record.type === 'thread.completed') return seen;
        }
      }
    } catch {
      // It is away.
    }
    await pause(100);
  }
}

/** How many of 1 … last are missing, and how many are there more than once. */
function faults(sequences: readonly number[], last: number): { lost: number; twice: number } {
  const known = new Set(sequences);
  return { lost: Math.max(0, last - known.size), twice: sequences.length - known.size };
}

try {
  let { child, origin } = await serve('0');
  const port = new URL(origin).port;
  const reporter = spawn(
    process.execPath,
    [join(import.meta.dirname, 'serve-reporter.ts'), origin, String(runs), String(rate), String(seconds)],
    { env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  children.add(reporter);
  const said = createInterface({ input: reporter.stdout })[Symbol.asyncIterator]();
  const ids = JSON.parse(String((await said.next()).value)) as string[];
  const watching = ids.slice(0, viewers).map((id) => watch(origin, id));
  for (let time = 0; time < kills; time += 1) {
    await pause((seconds * 1000) / (kills + 1));
    child.kill('SIGKILL');
    await pause(500);
    ({ child, origin } = await serve(port));
  }
  const lasts = JSON.parse(String((await said.next()).value)) as number[];
  const seen = await Promise.all(watching);
  let [lost, twice] = [0, 0];
  for (const [index, sequences] of seen.entries()) {
    const found = faults(sequences, lasts[index] ?? 0);
    lost += found.lost;
    twice += found.twice;
  }
  console.log(`${viewers} viewers over ${kills} kills: lost ${lost}, twice ${twice}`);
  let [events, missing, doubled] = [0, 0, 0];
  for (const [index, id] of ids.entries()) {
    const text = await (await fetch(`${origin}/api/runs/${id}/tape`, { headers })).text();
    const found = faults(
      text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { sequence: number }).sequence),
      lasts[index] ?? 0,
    );
    events += lasts[index] ?? 0;
    missing += found.lost;
    doubled += found.twice;
  }
  console.log(`${ids.length} reported runs, ${events} events: lost ${missing}, twice ${doubled}`);
  process.exitCode = lost + twice + missing + doubled === 0 ? 0 : 1;
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
