// Everything that can be checked without running the program. All checks run before the result is known.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const checks: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ['format', 'oxfmt', '--check', '.'],
  ['lint', 'oxlint', '--deny-warnings'],
  // What was found about files that have not changed since is kept, as the checks of expressions and scripts keep theirs.
  ['types', 'tsc', '-p', '.', '--incremental', '--tsBuildInfoFile', 'node_modules/.cache/types.tsbuildinfo'],
  ['dead code', 'knip'],
  ['regular expressions are linear', 'node', 'scripts/check-patterns.ts'],
  ['shell scripts', 'node', 'scripts/check-shell.ts'],
  ['import directions and generated files', 'vitest', 'run', 'test/house.test.ts', '--reporter=dot'],
];

function run([name, command, ...args]: (typeof checks)[number]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(join(root, 'node_modules', '.bin', command), args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (data: Buffer) => void (output += data.toString()));
    child.stderr.on('data', (data: Buffer) => void (output += data.toString()));
    child.on('close', (code) => {
      console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name}`);
      if (code !== 0) console.log(output);
      resolve(code === 0);
    });
  });
}

// Lint and types follow imports into dist; the tests would rebuild a stale one under them.
const isBuilt = await run(['build', 'node', 'scripts/build.ts', '--if-stale']);
const results = [
  isBuilt,
  ...(await Promise.all(checks.filter(([, command]) => isBuilt || command !== 'vitest').map(run))),
];
process.exitCode = results.every(Boolean) ? 0 : 1;
