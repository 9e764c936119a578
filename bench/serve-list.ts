// The dashboard's list and search of a large ledger beside "runs list" on the same file, as ratios within one run. Usage: node bench/serve-list.ts [RUNS]
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillLedger } from './ledger.ts';

const count = Number(process.argv[2] ?? 50_000);
const rounds = 5;
const bin = join(import.meta.dirname, '..', 'bin', 'runwire.js');
const folder = mkdtempSync(join(tmpdir(), 'runwire-serve-list-'));
const ledger = join(folder, 'ledger.db');

/** The fastest of some: others share the machine. */
async function fastest(work: () => unknown): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    await work();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

const command = (words: readonly string[]): void => {
  const { status, stderr } = spawnSync(process.execPath, [bin, 'runs', ...words, '--ledger', ledger], {
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (status !== 0) throw new Error(stderr);
};

async function serve(): Promise<{ origin: string; stop: () => void }> {
  const child = spawn(process.execPath, [bin, 'serve', '--port', '0', '--no-token', '--ledger', ledger], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  for await (const text of child.stderr.setEncoding('utf8')) {
    said += String(text);
    const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
    if (origin !== undefined) return { origin, stop: () => void child.kill() };
  }
  throw new Error(`the server did not start: ${said}`);
}

const questions: [name: string, query: string, words: readonly string[]][] = [
  ['the newest 50', 'limit=50', ['list', '--limit', '50']],
  ['first view: open runs first, counted', 'limit=50&live=1&total=1', ['list', '--limit', '50']],
  [
    'errors of codex',
    'limit=50&status=error&agent=codex',
    ['list', '--limit', '50', '--status', 'error', '--agent', 'codex'],
  ],
  ['search: one rare word', 'limit=50&text=case1234', ['list', '--limit', '50', '--text', 'case1234']],
  ['search: two common words', 'limit=50&text=parser+login', ['list', '--limit', '50', '--text', 'parser login']],
];

try {
  await fillLedger(ledger, count);
  const empty = await fastest(() => spawnSync(process.execPath, [bin, '--version']));
  const { origin, stop } = await serve();
  console.log(
    `${count} runs; ms, the fastest of ${rounds}; runs list without the ${empty.toFixed(0)} ms of "runwire --version"`,
  );
  for (const [name, query, words] of questions) {
    const page = await fastest(async () => {
      const answer = await fetch(`${origin}/api/runs?${query}`);
      if (!answer.ok) throw new Error(await answer.text());
      await answer.arrayBuffer();
    });
    const listed = (await fastest(() => command(words))) - empty;
    console.log(
      `${name.padEnd(40)} page ${page.toFixed(1).padStart(7)}  runs list ${listed.toFixed(1).padStart(7)}  ratio ${(page / listed).toFixed(2)}`,
    );
  }
  const stats = await fastest(async () => void (await (await fetch(`${origin}/api/stats?by=day`)).arrayBuffer()));
  const counted = (await fastest(() => command(['stats', '--by', 'day']))) - empty;
  console.log(
    `${'stats by day'.padEnd(40)} page ${stats.toFixed(1).padStart(7)}  runs stats ${counted.toFixed(1).padStart(6)}  ratio ${(stats / counted).toFixed(2)}`,
  );
  stop();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
