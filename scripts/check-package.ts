// The package as a user gets it: packed twice, linted, installed into an empty folder, weighed, run, imported.
// It is installed with npm, pnpm, yarn and bun; `npm run check:package -- npm` uses only one of them.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { install, installers, pack, run, weigh } from './installing.ts';

const root = join(import.meta.dirname, '..');
const bin = join(root, 'node_modules', '.bin');
const folder = mkdtempSync(join(tmpdir(), 'runwire-package-'));
const most = { megabytes: 25, packages: 5 };

function expect(what: string, holds: boolean): void {
  if (!holds) throw new Error(`package: ${what}`);
  console.log(`ok   ${what}`);
}

/** Links in the packed pages that lead out of the package. */
function brokenLinks(paths: ReadonlySet<string>): string[] {
  const isThere = (path: string): boolean => paths.has(path) || [...paths].some((each) => each.startsWith(`${path}/`));
  return [...paths]
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) =>
      Array.from(readFileSync(join(root, path), 'utf8').matchAll(/\]\(([^)#\s]+)/g), ([, target = '']) => target)
        .filter(
          (target) => !/^\w+:/.test(target) && !isThere(normalize(join(dirname(path), target)).replace(/\/$/, '')),
        )
        .map((target) => `${path} → ${target}`),
    );
}

/** The first example of the README, with nothing but the package: the built-in agent repairs a test. */
function repairs(project: string): boolean {
  const examples = join(project, 'node_modules', 'runwire', 'examples', 'fix-the-test');
  const work = join(project, 'work');
  cpSync(join(examples, 'project'), work, { recursive: true });
  const flags = [
    '--ledger',
    'none',
    '--cwd',
    work,
    '--model',
    `replay/${join(examples, 'model.jsonl')}`,
    '--allow',
    'bash(node --test)',
  ];
  const { status, stdout } = spawnSync(
    join(project, 'node_modules', '.bin', 'runwire'),
    [...flags, 'A test fails here.'],
    {
      encoding: 'utf8',
    },
  );
  return (
    status === 0 && stdout.includes('tests pass') && spawnSync(process.execPath, ['--test'], { cwd: work }).status === 0
  );
}

try {
  const packed = pack(join(folder, 'first'));
  const paths = packed.files.map((file) => file.path);
  expect(
    `holds ${paths.length} files, ${(packed.size / 1e6).toFixed(1)} MB packed, no tests, no sources and no recordings`,
    paths.every((path) => !/^(test|scripts|src|web)\//.test(path)),
  );
  expect('is the same, byte by byte, when packed again', pack(join(folder, 'second')).shasum === packed.shasum);
  expect(
    `no link of its pages leads out of it ${brokenLinks(new Set(paths)).join(', ')}`.trim(),
    brokenLinks(new Set(paths)).length === 0,
  );
  const tarball = join(folder, 'first', packed.filename);
  run(join(bin, 'publint'), [tarball, '--strict'], root);
  console.log('ok   publint');
  run(join(bin, 'attw'), [tarball, '--profile', 'esm-only'], root);
  console.log('ok   are the types wrong: no');

  const project = install('npm', tarball, join(folder, 'npm'));
  const { megabytes, packages } = weigh(join(project, 'node_modules'));
  expect(
    `installed: ${megabytes.toFixed(1)} MB of at most ${most.megabytes}, ${packages} packages of at most ${most.packages}`,
    megabytes <= most.megabytes && packages <= most.packages,
  );
  const asked = process.argv.slice(2);
  for (const name of asked.length === 0 ? installers : asked) {
    const place = name === 'npm' ? project : install(name, tarball, join(folder, name));
    expect(`installed with ${name}, the first command of the README repairs the test`, repairs(place));
  }
  const command = join(project, 'node_modules', '.bin', 'runwire');
  const recording = join(root, 'examples', 'codex-run.jsonl');
  expect(
    'the installed command folds a recording',
    (JSON.parse(run(command, ['outcome', recording], project)) as { status: string }).status === 'success',
  );
  expect(
    'the installed command exits with the verdict',
    spawnSync(command, ['outcome', '--exit-code', join(root, 'examples', 'false-success.jsonl')], { stdio: 'ignore' })
      .status === 4,
  );
  writeFileSync(
    join(project, 'import.mjs'),
    "import { fold } from 'runwire';\nconst outcome = await fold([]);\nconsole.log(outcome.status);\n",
  );
  expect(
    'the installed library can be imported',
    run(process.execPath, ['import.mjs'], project).trim() === 'incomplete',
  );
  writeFileSync(
    join(project, 'typed.ts'),
    [
      "import { fold, type Ledger, openLedger, run, type RunOutcome, type RunRecord } from 'runwire';",
      'export const outcome: Promise<RunOutcome> = fold([]);',
      'export const runs = run;',
      'export const ledger: Promise<Ledger> = openLedger();',
      "export const last: Promise<RunRecord> = ledger.then((each) => each.find('last'));\n",
    ].join('\n'),
  );
  // Without the types of Node.js.
  run(
    join(bin, 'tsc'),
    ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024', '--types', '', 'typed.ts'],
    project,
  );
  console.log('ok   the installed types check, without any others');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
