// The package as a user gets it: packed twice, linted, installed into an empty folder, weighed, run, imported.
// `npm run check:package -- npm pnpm yarn bun` installs it with each of these; the others than npm are fetched.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';

const root = join(import.meta.dirname, '..');
const bin = join(root, 'node_modules', '.bin');
const folder = mkdtempSync(join(tmpdir(), 'runwire-package-'));
const most = { megabytes: 25, packages: 5 };

const run = (command: string, args: string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

function expect(what: string, holds: boolean): void {
  if (!holds) throw new Error(`package: ${what}`);
  console.log(`ok   ${what}`);
}

interface Packed {
  filename: string;
  shasum: string;
  size: number;
  files: { path: string }[];
}

// `prepare` would build again; the build has just been made and is what we want to look at.
function pack(destination: string): Packed {
  mkdirSync(destination, { recursive: true });
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', destination], root)) as [Packed];
  return packed;
}

/** Links of the packed pages that lead out of the package. */
function brokenLinks(paths: ReadonlySet<string>): string[] {
  const isThere = (path: string): boolean => paths.has(path) || [...paths].some((each) => each.startsWith(`${path}/`));
  return [...paths]
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) =>
      Array.from(readFileSync(join(root, path), 'utf8').matchAll(/\]\(([^)#\s]+)/g), ([, target = '']) => target)
        .filter((target) => !/^\w+:/.test(target) && !isThere(normalize(join(dirname(path), target)).replace(/\/$/, '')))
        .map((target) => `${path} → ${target}`),
    );
}

function weigh(modules: string): { megabytes: number; packages: number } {
  const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  const packages = files.filter((entry) => entry.name === 'package.json' && /node_modules\/(@[^/]+\/)?[^/@.][^/]*$/.test(entry.parentPath));
  return { megabytes: bytes / 1e6, packages: packages.length };
}

const installers: Record<string, readonly string[]> = {
  npm: ['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error'],
  pnpm: ['npx', '--yes', 'pnpm', 'add', '--silent'],
  yarn: ['npx', '--yes', 'yarn@1', 'add', '--silent', '--no-progress'],
  bun: ['npx', '--yes', 'bun', 'add', '--silent'],
};

/** An empty project that has the package and nothing else. */
function install(installer: string, tarball: string): string {
  const project = join(folder, installer);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"name":"consumer","private":true,"type":"module"}');
  const [command = '', ...args] = installers[installer] ?? [];
  if (command === '') throw new Error(`unknown installer ${installer}; known: ${Object.keys(installers).join(', ')}`);
  run(command, [...args, tarball], project);
  return project;
}

/** What the README shows first, with what is in the package alone: the built-in agent repairs a test. */
function repairs(project: string): boolean {
  const examples = join(project, 'node_modules', 'runwire', 'examples', 'fix-the-test');
  const work = join(project, 'work');
  cpSync(join(examples, 'project'), work, { recursive: true });
  const flags = ['--ledger', 'none', '--cwd', work, '--model', `replay/${join(examples, 'model.jsonl')}`, '--allow', 'bash(node --test)'];
  const { status, stdout } = spawnSync(join(project, 'node_modules', '.bin', 'runwire'), [...flags, 'A test fails here.'], {
    encoding: 'utf8',
  });
  return status === 0 && stdout.includes('tests pass') && spawnSync(process.execPath, ['--test'], { cwd: work }).status === 0;
}

try {
  const packed = pack(join(folder, 'first'));
  const paths = packed.files.map((file) => file.path);
  expect(
    `holds ${paths.length} files, ${(packed.size / 1e6).toFixed(1)} MB packed, no tests, no sources and no recordings`,
    paths.every((path) => !/^(test|scripts|src|web)\//.test(path)),
  );
  expect('is the same, byte by byte, when packed again', pack(join(folder, 'second')).shasum === packed.shasum);
  expect(`no link of its pages leads out of it ${brokenLinks(new Set(paths)).join(', ')}`.trim(), brokenLinks(new Set(paths)).length === 0);
  const tarball = join(folder, 'first', packed.filename);
  run(join(bin, 'publint'), [tarball, '--strict'], root);
  console.log('ok   publint');
  run(join(bin, 'attw'), [tarball, '--profile', 'esm-only'], root);
  console.log('ok   are the types wrong: no');

  const asked = process.argv.slice(2);
  for (const installer of asked.length === 0 ? ['npm'] : asked) {
    const project = install(installer, tarball);
    expect(`installed with ${installer}, the first command of the README repairs the test`, repairs(project));
  }
  const project = existsSync(join(folder, 'npm')) ? join(folder, 'npm') : install('npm', tarball);
  const { megabytes, packages } = weigh(join(project, 'node_modules'));
  expect(
    `installed: ${megabytes.toFixed(1)} MB of at most ${most.megabytes}, ${packages} packages of at most ${most.packages}`,
    megabytes <= most.megabytes && packages <= most.packages,
  );
  const command = join(project, 'node_modules', '.bin', 'runwire');
  const recording = join(root, 'examples', 'codex-run.jsonl');
  expect(
    'the installed command folds a recording',
    (JSON.parse(run(command, ['outcome', recording], project)) as { status: string }).status === 'success',
  );
  expect(
    'the installed command exits with the verdict',
    spawnSync(command, ['outcome', '--exit-code', join(root, 'examples', 'false-success.jsonl')], { stdio: 'ignore' }).status === 4,
  );
  writeFileSync(
    join(project, 'import.mjs'),
    "import { fold } from 'runwire';\nconst outcome = await fold([]);\nconsole.log(outcome.status);\n",
  );
  expect('the installed library can be imported', run(process.execPath, ['import.mjs'], project).trim() === 'incomplete');
  writeFileSync(
    join(project, 'typed.ts'),
    "import { fold, run, type RunOutcome } from 'runwire';\nexport const outcome: Promise<RunOutcome> = fold([]);\nexport const runs = run;\n",
  );
  run(join(bin, 'tsc'), ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024', 'typed.ts'], project);
  console.log('ok   the installed types check');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
