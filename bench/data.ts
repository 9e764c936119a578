import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const recordings = join(root, 'test', 'recordings');
const home = join(import.meta.dirname, 'data');

/** How a dialect's recordings become one long run: which lines repeat, and which ids must stay unique. */
interface Recipe {
  folder: string;
  /** Lines of these types open and close the run; everything else is its body. */
  isHead: (type: string) => boolean;
  isTail: (type: string) => boolean;
  /** Ids to renumber on each repetition: the JSON text `"id":"…"` values that match. */
  ids: RegExp;
}

const recipes: Record<string, Recipe> = {
  codex: {
    folder: 'codex@0.166.0',
    isHead: (type) => type === 'thread.started' || type === 'turn.started',
    isTail: (type) => type === 'turn.completed',
    ids: /"item_(\d+)"/g,
  },
  opencode: {
    folder: 'opencode@1.18.33',
    isHead: () => false,
    isTail: () => false,
    ids: /"((?:prt|msg|call)_)(\w+)"/g,
  },
};

const scenarios = [
  'plain',
  'shell',
  'multi-tool',
  'parallel',
  'failing-shell',
  'unicode',
  'unicode-split',
  'model-warning',
  'shell-sandboxed',
  'slow-stream',
];

/** `recorded`: as the agent printed them; `short`: some 200 bytes each, where the cost of a line shows; `long`: 8 KB of output. */
export type Lines = 'recorded' | 'short' | 'long';

/** A file of at least `bytes` bytes that reads as one successful run of this dialect; made once, kept. */
export function longRun(dialect: keyof typeof recipes & string, bytes: number, lines: Lines = 'recorded'): string {
  mkdirSync(home, { recursive: true });
  const path = join(home, `${dialect}-${lines}-${bytes / 1e6}.jsonl`);
  if (existsSync(path)) return path;
  const recipe = recipes[dialect];
  if (recipe === undefined) throw new Error(`no recipe for ${dialect}`);
  const head: string[] = [];
  const body: string[] = [];
  const tail: string[] = [];
  const present = new Set(readdirSync(join(recordings, recipe.folder)));
  for (const scenario of scenarios.filter((each) => present.has(each))) {
    for (const line of readFileSync(join(recordings, recipe.folder, scenario, 'stdout.jsonl'), 'utf8').split('\n')) {
      if (line === '') continue;
      const { type } = JSON.parse(line) as { type: string };
      if (recipe.isHead(type)) head.push(line);
      else if (recipe.isTail(type)) tail.push(line);
      else if (lines === 'long') body.push(lengthened(line));
      else if (lines === 'recorded' || line.length >= 110) body.push(line);
    }
  }
  // Whole or not there: another bench may want the same one.
  const own = `${path}.${process.pid}`;
  const file = openSync(own, 'w');
  let written = 0;
  const put = (text: string): void => void (written += writeSync(file, text));
  if (head.length > 0)
    put(
      `${[...new Set(head.map((line) => (JSON.parse(line) as { type: string }).type))].map((type) => head.find((line) => line.includes(`"${type}"`))).join('\n')}\n`,
    );
  const block = `${body.join('\n')}\n`;
  for (let round = 0; written < bytes; round += 1) {
    put(
      block.replace(recipe.ids, (_whole, first: string, second: unknown) =>
        typeof second === 'string' ? `"${first}${round}x${second}"` : `"item_${round * 1000 + Number(first)}"`,
      ),
    );
  }
  const last = tail.at(-1);
  if (last !== undefined) put(`${last}\n`);
  closeSync(file);
  renameSync(own, path);
  return path;
}

const outputs = new Set(['aggregated_output', 'text', 'output']);

/** The same line with 8 KB more of what the agent or its tool said: this file, as a tool would print it. */
function lengthened(line: string): string {
  const source = readFileSync(import.meta.filename, 'utf8')
    .repeat(2)
    .slice(0, 8192);
  return JSON.stringify(
    JSON.parse(line, (key, value: unknown) => (outputs.has(key) && typeof value === 'string' ? value + source : value)),
  );
}
