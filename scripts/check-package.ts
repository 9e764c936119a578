// The package as a user gets it: packed, linted, installed into an empty folder, run, imported.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const bin = join(root, 'node_modules', '.bin');
const folder = mkdtempSync(join(tmpdir(), 'runwire-package-'));
const run = (command: string, args: string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

function expect(what: string, holds: boolean): void {
  if (!holds) throw new Error(`package: ${what}`);
  console.log(`ok   ${what}`);
}

try {
  // `prepare` would build again; the build has just been made and is what we want to look at.
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root)) as [
    { filename: string; files: { path: string }[]; size: number },
  ];
  const tarball = join(folder, packed.filename);
  const paths = packed.files.map((file) => file.path);
  expect(
    `holds ${paths.length} files, ${(packed.size / 1e3).toFixed(0)} kB, no tests and no recordings`,
    paths.every((path) => !/^(test|bench|scripts|src)\//.test(path)),
  );
  run(join(bin, 'publint'), [tarball, '--strict'], root);
  console.log('ok   publint');
  run(join(bin, 'attw'), [tarball, '--profile', 'esm-only'], root);
  console.log('ok   are the types wrong: no');

  writeFileSync(join(folder, 'package.json'), '{"name":"consumer","private":true,"type":"module"}');
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', tarball], folder);
  const command = join(folder, 'node_modules', '.bin', 'runwire');
  const recording = join(root, 'examples', 'codex-run.jsonl');
  expect(
    'the installed command folds a recording',
    (JSON.parse(run(command, ['outcome', recording], folder)) as { status: string }).status === 'success',
  );
  expect(
    'the installed command exits with the verdict',
    spawnSync(command, ['outcome', '--exit-code', join(root, 'examples', 'false-success.jsonl')], { stdio: 'ignore' }).status === 4,
  );
  writeFileSync(
    join(folder, 'import.mjs'),
    "import { fold } from 'runwire';\nconst outcome = await fold([]);\nconsole.log(outcome.status);\n",
  );
  expect('the installed library can be imported', run(process.execPath, ['import.mjs'], folder).trim() === 'incomplete');
  writeFileSync(
    join(folder, 'typed.ts'),
    "import { fold, type RunOutcome } from 'runwire';\nexport const outcome: Promise<RunOutcome> = fold([]);\n",
  );
  run(join(bin, 'tsc'), ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024', 'typed.ts'], folder);
  console.log('ok   the installed types check');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
