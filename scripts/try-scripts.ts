// Runs every script of `small-scripts.ts` to its end, two at a time, and says how long each took: `npm run test:scripts`, or `-- NAME …` for some of them.
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { type Small, smallScripts } from './small-scripts.ts';

const root = join(import.meta.dirname, '..');
const atOnce = 2;
/** Only what hangs. */
const mostMinutes = 10;

function run(name: string, { env, args = [] }: Small): Promise<boolean> {
  return new Promise((resolve) => {
    const begun = performance.now();
    // A group of its own, so that nothing of it is left.
    const child = spawn('npm', ['run', '--silent', name, '--', ...args], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const stop = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), mostMinutes * 60_000);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => void (output += text));
    child.on('close', (code) => {
      clearTimeout(stop);
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(24)} ${seconds.padStart(6)} s`);
      if (code !== 0) console.log(output);
      resolve(code === 0);
    });
  });
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in smallScripts));
if (unknown.length > 0)
  throw new Error(`no small settings for ${unknown.join(', ')}; known: ${Object.keys(smallScripts).join(', ')}`);
const waiting = Object.entries(smallScripts).filter(([name]) => asked.length === 0 || asked.includes(name));
let isGood = true;
// Once, and not by two of them at the same time.
execFileSync(process.execPath, [join(root, 'scripts', 'build.ts'), '--if-stale'], { stdio: 'inherit' });

async function work(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) isGood = (await run(...next)) && isGood;
}

await Promise.all(Array.from({ length: atOnce }, work));
process.exitCode = isGood ? 0 : 1;
