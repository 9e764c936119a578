// The way of one line of Codex through the house, in order, from the file it is read from to stdout: `node scripts/walk.ts`. It is not planned but seen: the stack of a live run.
import { join } from 'node:path';
import { main } from '../src/cli/main.ts';

const root = join(import.meta.dirname, '..');
const src = join(root, 'src');
const recording = join(root, 'test', 'recordings', 'codex@0.166.0', 'multi-tool', 'stdout.jsonl');
/** What any room calls for its own work. */
const helpers = new Set(['files', 'ids', 'json', 'time', 'words']);

/** The files of the house in which calls are going on, outermost first. */
function stack(): string[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = Infinity;
  Error.prepareStackTrace = (_error, sites) => sites.map((site) => site.getFileName()?.replace('file://', '') ?? '');
  const paths = new Error().stack as unknown as string[];
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return paths
    .filter((path) => path.startsWith(`${src}/`))
    .map((path) => path.slice(src.length + 1))
    .filter((path) => path.includes('/') && !helpers.has(path.split('/')[0] ?? ''))
    .toReversed();
}

const sink = 'run/sinks/dialect.ts';
/** While the line of a command that Codex ran is made into a line for whoever reads stdout. */
let written: string[] | undefined;
/** While something leaves this process from that sink: as a rule, lines do so together, a moment later. */
let printed: string[] | undefined;

const { stringify } = JSON;
const watched = (...given: Parameters<typeof stringify>): string => {
  const paths = written === undefined ? stack() : [];
  if (paths.includes(sink) && paths.includes('dialects/codex/read/tools.ts')) written = paths;
  return stringify(...given);
};
Object.assign(JSON, { stringify: watched });
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = () => {
  const paths = stack();
  if (paths.includes(sink)) printed ??= paths;
  return true;
};
const fs = process.getBuiltinModule('node:fs');
const { writeSync } = fs;
const watchedSync = (file: number, bytes: Uint8Array, at?: number): number => {
  if (file !== 1) return writeSync(file, bytes, at);
  process.stdout.write('');
  return bytes.length;
};
Object.assign(fs, { writeSync: watchedSync });
const exitCode = await main(['run', '--quiet', '--ledger', 'none', '--to', 'agent-code', '--', 'cat', recording]);
Object.assign(process.stdout, { write });
Object.assign(fs, { writeSync });
Object.assign(JSON, { stringify });
if (exitCode !== 0 || written === undefined || printed === undefined)
  throw new Error(`the line was lost (exit code ${exitCode})`);

/** Each room that it enters, and the files that it passes there. */
const stretches: { room: string; files: string[] }[] = [];
for (const path of [...written, ...printed.slice(printed.lastIndexOf(sink) + 1)]) {
  const room = path.slice(0, path.indexOf('/'));
  const file = path.slice(room.length + 1);
  let last = stretches.at(-1);
  if (last?.room !== room) stretches.push((last = { room, files: [] }));
  if (!last.files.includes(file)) last.files.push(file);
}
const files = new Set([...written, ...printed]).size;
const entered = (room: string): number => stretches.filter((each) => each.room === room).length;
const figures = `${files} files, ${stretches.length - 1} changes of room; pipeline is entered ${entered('pipeline')} times, run ${entered('run')} times`;
console.log(
  process.argv.includes('--json')
    ? JSON.stringify({ stretches, figures })
    : [...stretches.flatMap(({ room, files: passed }) => [room, ...passed.map((file) => `  ${file}`)]), figures].join(
        '\n',
      ),
);
