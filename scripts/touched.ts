// What one more of a kind costs: `node scripts/touched.ts` prints how many files one more limit flag, filter, column, event type and sink touch, and the
// size of each room; with names (`max_turns agent_version`), the files that spell these. `--at REV` looks at an earlier commit, for the names of today.
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { limitFields } from '../src/contract/request.ts';
import { rowFields } from '../src/contract/row.ts';
import { rowFilters } from '../src/contract/row-filters.ts';
import { AgentEvent } from '../src/events/event.ts';
import { generatedFiles } from './generated-files.ts';

const root = join(import.meta.dirname, '..');

interface Source {
  path: string;
  text: string;
}

/** The sources of now or of a commit, without those that are made from others. */
async function sources(revision: string | undefined): Promise<Source[]> {
  const generated = await generatedFiles();
  const folder = revision === undefined ? root : mkdtempSync(join(tmpdir(), 'runwire-touched-'));
  try {
    if (revision !== undefined) {
      const archive = execFileSync('git', ['archive', revision, 'src', 'web'], { cwd: root, maxBuffer: 1 << 30 });
      execFileSync('tar', ['-x', '-C', folder], { input: archive });
    }
    return globSync('{src,web}/**/*.{ts,tsx,css}', { cwd: folder })
      .filter((path) => !generated.has(path))
      .toSorted()
      .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
  } finally {
    if (revision !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** `max_turns`, `max-turns`, `maxTurns`. */
function spellings(name: string): string[] {
  const words = name.split(/[_-]/);
  const inCamelCase = words.map((word, index) => (index === 0 ? word : word.slice(0, 1).toUpperCase() + word.slice(1)));
  return [words.join('_'), words.join('-'), inCamelCase.join('')];
}

function spelling(files: readonly Source[], names: readonly string[]): string[] {
  const wanted = new RegExp(
    `(?<![\\w-])(?:--)?(?:${names
      .flatMap(spellings)
      .join('|')
      .replaceAll('.', String.raw`\.`)})(?![\\w-])`,
  );
  return files.filter(({ text }) => wanted.test(text)).map(({ path }) => path);
}

/** The files that spell the member of a kind which is spelt in the fewest: what nobody can leave out. */
function cheapest(files: readonly Source[], kind: Readonly<Record<string, readonly string[]>>): string[] {
  const counted = Object.values(kind).map((names) => spelling(files, names));
  return counted.filter(({ length }) => length > 0).toSorted((a, b) => a.length - b.length)[0] ?? [];
}

/** The files that spell most of a kind's members, which is a list of them: members of these kinds are also words of other things. */
function lists(files: readonly Source[], names: readonly string[], share: number): string[] {
  const counts = new Map<string, number>();
  for (const path of names.flatMap((name) => spelling(files, [name]))) counts.set(path, (counts.get(path) ?? 0) + 1);
  return files.map(({ path }) => path).filter((path) => (counts.get(path) ?? 0) >= share * names.length);
}

/** What the files of `run/sinks` export that are sinks, by file. */
function sinksOf(files: readonly Source[]): Record<string, string[]> {
  const sinks = files.filter(
    ({ path, text }) => path.startsWith('src/run/sinks/') && /\bimplements Sink\b|\): Sink\b/.test(text),
  );
  return Object.fromEntries(
    sinks.map(({ path, text }) => [
      path,
      Array.from(text.matchAll(/^export (?:class|function) (\w+)/gm), ([, name = '']) => name),
    ]),
  );
}

function printTouched(files: readonly Source[]): void {
  const ours = files.filter(({ path }) => !/^src\/(?:dialects|agents)\//.test(path));
  const flags = Object.entries(limitFields).map(([name, { flag }]) => [name, [name, flag.name]] as const);
  const touched = {
    'limit flag': cheapest(ours, Object.fromEntries(flags)),
    filter: lists(ours, Object.keys(rowFilters), 2 / 3),
    column: lists(ours, Object.keys(rowFields), 3 / 4),
    'event type': cheapest(
      ours,
      Object.fromEntries(AgentEvent.options.map(({ shape }) => [shape.type.value, [shape.type.value]])),
    ),
    sink: cheapest(ours, sinksOf(files)),
  };
  console.log('files that one more of each kind touches, without dialects and agents');
  for (const [kind, paths] of Object.entries(touched))
    console.log(`${kind.padEnd(11)} ${String(paths.length).padStart(2)}  ${paths.join(' ')}`);
  console.log(`\nthe turn limit is spelt in ${spelling(ours, ['max_turns']).length} files`);
}

function printRooms(files: readonly Source[]): void {
  const rooms = Map.groupBy(files, ({ path }) =>
    path
      .split('/')
      .slice(0, path.startsWith('src/') && path.split('/').length > 2 ? 2 : 1)
      .join('/'),
  );
  const linesOf = (all: readonly Source[]): number =>
    all.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
  console.log('\nlines  files  room');
  for (const [room, all] of [...rooms, ['all', files] as const])
    console.log(`${String(linesOf(all)).padStart(5)} ${String(all.length).padStart(6)}  ${room}`);
}

const { positionals: names, values } = parseArgs({ allowPositionals: true, options: { at: { type: 'string' } } });
const files = await sources(values.at);
for (const name of names) {
  const found = spelling(files, [name]);
  console.log([`${name}: ${found.length} files`, ...found.map((path) => `  ${path}`)].join('\n'));
}
if (names.length === 0) {
  printTouched(files);
  printRooms(files);
}
