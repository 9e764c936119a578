// dist/: the library and the command, split so that each command loads only what it uses, the types, and the page. With --if-stale, only where the sources have changed.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { transformSync } from 'esbuild';
import { rolldown } from 'rolldown';
import { buildPage } from './build-page.ts';
import { buildStamp, isBuilt, writeStamp } from './build-stamp.ts';
import { buildTypes } from './build-types.ts';
import { licences, packageIn } from './licences.ts';

if (process.argv.includes('--if-stale') && isBuilt()) process.exit();

const root = join(import.meta.dirname, '..');
const src = (path: string): string => join(root, 'src', path);
const dist = join(root, 'dist');
/** The dependencies, which are installed with the package; all other packages are bundled. */
const installed = Object.keys(
  (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: Record<string, string> })
    .dependencies,
);
const external = [...installed.map((name) => new RegExp(`^${name}(/|$)`)), /^pg-native$/];

const stamp = buildStamp();
for (const folder of [dist, join(root, '.cache')]) rmSync(folder, { recursive: true, force: true });
const run = needed(
  [
    'cli/effects.ts',
    'cli/commands/run.ts',
    'cli/run/start.ts',
    'cli/parse.ts',
    'run/sinks/ledger.ts',
    'run/sources/builtin-options.ts',
    'builtin/agent.ts',
    'dialects/agent-code/index.ts',
  ].map(src),
);
// A user who asks for help or the version does not wait for what runs need.
const help = needed(['cli/help.ts', 'version.ts'].map(src));
// Reading a stream of unknown dialect needs the readers of all dialects.
const read = needed(['dialects/registry.ts', 'pipeline/reader.ts', 'cli/streams.ts'].map(src));
const library = needed([src('index.ts')]);
// A status bar asks what was used every few seconds: it loads none of what only runs need, and they share what both need.
// The same the other way: who imports the library does not load what only a report of use needs, such as node:zlib.
const usage = needed(
  ['cli/effects.ts', 'cli/parse.ts', 'cli/commands/usage.ts', 'usage/usage.ts', 'cli/usage/status-line.ts'].map(src),
);
const basis = new Set([...usage].filter((path) => run.has(path) || read.has(path) || library.has(path)));
// Needed by commands of the built-in agent and by other agents.
const children = needed(['processes/child.ts', 'processes/namespace.ts'].map(src));
const supervise = needed(['run/sources/command.ts', 'run/sources/agent.ts'].map(src));
// What a run does last.
const tidy = needed(['ledger/one-run.ts', 'ledger/close-interrupted.ts', 'ledger/tidy.ts'].map(src));
const bundled = [
  ...(await build(
    { index: src('index.ts'), 'cli/main': src('cli/main.ts') },
    { help, basis, run, children, read, supervise, tidy, usage },
  )),
  ...(await build({ portable: src('portable.ts') }, {})),
  // A thread loads nothing that it does not need.
  ...(await build({ 'usage/read-thread': src('usage/read-thread.ts') }, {})),
  ...(await buildPage()),
];
writeFileSync(join(dist, 'licences.txt'), licences(bundled));
buildTypes(root, installed);
writeStamp(stamp);

/** Returns all bundled modules. `together`: modules that form one file; the first group that has a module gets it. Node.js takes longer to find and link a file than to read ten times as much. */
async function build(input: Record<string, string>, together: Record<string, ReadonlySet<string>>): Promise<string[]> {
  const plugins = [{ name: 'shell-scripts', transform: (code: string, id: string) => withScripts(code, dirname(id)) }];
  const bundle = await rolldown({ cwd: root, input, platform: 'node', external, logLevel: 'silent', plugins });
  const { output } = await bundle.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: ({ moduleIds }) => `chunks/${packageIn(moduleIds) ?? '[name]'}-[hash].js`,
    codeSplitting: {
      groups: Object.entries(together).map(([name, modules], index) => ({
        name,
        test: (id) => modules.has(id),
        priority: 10 - index,
      })),
    },
    plugins: [{ name: 'lean-builtins', renderChunk: (code) => leanBuiltins(code) }],
  });
  const chunks = output.filter((part) => part.type === 'chunk');
  for (const { fileName, code, moduleIds } of chunks)
    if (packageIn(moduleIds) !== undefined) writeFileSync(join(dist, fileName), smaller(code));
  return chunks.flatMap(({ moduleIds }) => moduleIds);
}

/** What others wrote is made small, when it is finished; our own code stays as it is, so that a stack trace names its lines. */
function smaller(code: string): string {
  return transformSync(code, { minify: true, format: 'esm', target: 'node22', legalComments: 'none' }).code;
}

/** The text of a shell script instead of the call that reads it: nothing has to be found or read at run time. */
function withScripts(code: string, folder: string): string {
  return code.replace(/\bshellScript\(import\.meta\.dirname, '([^']+)'\)/g, (_call, path: string) =>
    JSON.stringify(readFileSync(join(folder, path), 'utf8')),
  );
}

/**
 * An `import` of a Node.js module asks for all its exports, and so loads things that hardly anybody uses: streams and readline with
 * `node:fs`, worker threads with `node:util`. Taking names from the module object loads nothing else.
 */
function leanBuiltins(code: string): string {
  return code.replace(
    /^import (?:(\w+)|(\{[^}]*\})) from "(node:[\w/]+)";$/gm,
    (_all, whole?: string, names?: string, builtin?: string) => {
      const taken = whole ?? names?.replaceAll(' as ', ': ');
      return `const ${taken} = process.getBuiltinModule("${builtin}");`;
    },
  );
}

/** These modules and everything that they import statically: what a run needs for its first line. */
function needed(modules: readonly string[], found = new Set<string>()): ReadonlySet<string> {
  for (const path of modules) {
    if (found.has(path)) continue;
    found.add(path);
    const imports = readFileSync(path, 'utf8').matchAll(/^(?:import|export) (?!type )[^;]*?from '(\.[^']+)'/gm);
    needed(
      Array.from(imports, ([, target = '']) => resolve(dirname(path), target)),
      found,
    );
  }
  return found;
}
