// How cost grows: four times the stream may take at most five times the CPU, and no memory but for what must be held.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { readNames, writtenNames } from './growth/lookalikes.ts';
import type { Measured } from './growth/measure.ts';
import { type Shape, shapes } from './growth/shapes.ts';

const maxRatio = 5;
const maxMegabytes = 20;
/** Seconds of CPU time: a measure that takes more has lost already. */
const patience = 30;
/** A line is held as bytes, as text, as a value, in an event and as what is written of it: by some of them at once. */
const heldOfLine = 10;
/** A stream that comes to less is one that this dialect cannot say. */
const leastBytes = 100_000;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    shape: { type: 'string', multiple: true, default: [] },
    jobs: { type: 'string', default: '2' },
  },
});

interface Row {
  mode: 'read' | 'write' | 'outcome';
  name: string;
}

interface Cell {
  row: Row;
  shape: Shape;
  ratio: number;
  /** Beyond what must be held. */
  megabytes: number;
}

const title = ({ mode, name }: Row): string => (mode === 'outcome' ? mode : `${mode} ${name}`);
const isBroken = ({ ratio, megabytes }: Cell): boolean => ratio > maxRatio || megabytes > maxMegabytes;

const home = join(import.meta.dirname, 'data', 'growth');
const code = join(home, 'code');

/** Loading a hundred source files takes longer than most measures. */
async function bundle(): Promise<void> {
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  await build({
    entryPoints: [join(import.meta.dirname, 'growth', 'measure.ts')],
    outdir: code,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'warning',
  });
}

async function inProcess(...args: string[]): Promise<string | undefined> {
  const command = [process.execPath, '--expose-gc', '--max-semi-space-size=1', join(code, 'measure.js'), ...args];
  const child = spawn('/bin/sh', ['-c', `ulimit -t ${patience}; exec "$@"`, 'sh', ...command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (data: Buffer) => void (out += data.toString()));
  await once(child, 'close');
  if (child.signalCode !== null) return undefined;
  if (child.exitCode !== 0) throw new Error(`measure ${args.join(' ')} → ${child.exitCode}`);
  return out;
}

/** undefined: it took too long; `nothing`: the dialect has no words for this stream. */
async function measure(row: Row, shape: Shape, parts: number): Promise<Measured | undefined | 'nothing'> {
  const path = join(home, `${title(row).replaceAll(/\W/g, '-')}-${shape.name}-${parts}`);
  try {
    if (row.mode === 'read') {
      if ((await inProcess('prepare', row.name, shape.name, String(parts), path)) === undefined) return undefined;
      if (parts === shape.parts && statSync(path).size < leastBytes) return 'nothing';
    }
    const out = await inProcess(row.mode, row.name, shape.name, String(parts), path);
    return out === undefined ? undefined : (JSON.parse(out) as Measured);
  } finally {
    rmSync(path, { force: true });
  }
}

async function cellOf(row: Row, shape: Shape, parts = shape.parts): Promise<Cell | undefined> {
  const long = await measure(row, shape, parts);
  if (long === 'nothing') return undefined;
  const short = long === undefined ? undefined : await measure(row, shape, parts / 4);
  if (long === undefined || short === undefined || short === 'nothing') {
    return { row, shape, ratio: Number.POSITIVE_INFINITY, megabytes: Number.POSITIVE_INFINITY };
  }
  const held = shape.held(parts) - shape.held(parts / 4) + (long.line - short.line) * heldOfLine;
  return { row, shape, ratio: long.cpu / short.cpu, megabytes: Math.max(0, long.memory - short.memory - held) / 1e6 };
}

/**
 * What breaks a bound is measured again, since noise only ever makes it worse, and then at twice the length: what outgrows a
 * cache does so once, but what is worse than linear is worse still there.
 */
async function bestCell(row: Row, shape: Shape): Promise<Cell | undefined> {
  const best = await cellOf(row, shape);
  if (best === undefined) return undefined;
  for (const times of [1, 2]) {
    if (!Number.isFinite(best.ratio) || !isBroken(best)) break;
    const next = await cellOf(row, shape, shape.parts * times);
    best.ratio = Math.min(best.ratio, next?.ratio ?? best.ratio);
    best.megabytes = Math.min(best.megabytes, next?.megabytes ?? best.megabytes);
  }
  return best;
}

const quickRows = new Set([
  'outcome',
  'read codex:exec',
  'read opencode:bus',
  'read goose',
  'write codex:exec',
  'write agent-code:events',
  'write runwire:tape',
]);
const quickShapes = new Set(['plain', 'never-closed', 'reverse-closed', 'parallel']);

const rows: Row[] = [
  { mode: 'outcome', name: 'outcome' } as const,
  ...readNames.map((name): Row => ({ mode: 'read', name })),
  ...writtenNames.map((name): Row => ({ mode: 'write', name })),
]
  .filter((row) => values.only.length === 0 || values.only.some((word) => title(row).includes(word)))
  .filter((row) => !values.quick || quickRows.has(title(row)));
const columns = shapes.filter(
  ({ name }) => (values.shape.length === 0 || values.shape.includes(name)) && (!values.quick || quickShapes.has(name)),
);

const titleWidth = Math.max(...rows.map((row) => title(row).length));
const width = 15;
const number = (value: number, digits: number): string => (Number.isFinite(value) ? value.toFixed(digits) : 'too long');

function textOf(cell: Cell | undefined): string {
  if (cell === undefined) return '–'.padStart(width);
  const text = Number.isFinite(cell.ratio)
    ? `${number(cell.ratio, 1)} ${number(cell.megabytes, 0).padStart(3)}`
    : 'too long';
  return `${isBroken(cell) ? '! ' : ''}${text}`.padStart(width);
}

await bundle();
console.log(
  `CPU time at 4 × the stream (at most ${maxRatio}), and MB that it takes beyond what must be held (at most ${maxMegabytes})\n`,
);
console.log(' '.repeat(titleWidth) + columns.map(({ name }) => name.padStart(width)).join(''));

const waiting = rows.flatMap((row) => columns.map((shape) => ({ row, shape })));
const done = new Map<Row, (Cell | undefined)[]>();
let printed = 0;

async function work(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { row, shape } = next;
    const cell = await bestCell(row, shape);
    const cells = done.get(row) ?? [];
    done.set(row, cells);
    cells[columns.indexOf(shape)] = cell;
    print();
  }
}

/** Rows in their order, each as soon as it is whole. */
function print(): void {
  for (let row = rows[printed]; row !== undefined; row = rows[++printed]) {
    const cells = done.get(row);
    if (cells === undefined || Object.keys(cells).length < columns.length) return;
    console.log(title(row).padEnd(titleWidth) + columns.map((_, index) => textOf(cells[index])).join(''));
  }
}

await Promise.all(Array.from({ length: Math.max(1, Number(values.jobs)) }, work));
rmSync(home, { recursive: true, force: true });

const broken = [...done.values()].flat().filter((cell) => cell !== undefined && isBroken(cell)) as Cell[];
if (broken.length > 0) {
  console.log(`\n${broken.length} broken, the worst first`);
  for (const cell of broken.toSorted((a, b) => b.ratio - a.ratio || b.megabytes - a.megabytes)) {
    console.log(`  ${title(cell.row).padEnd(titleWidth)}  ${cell.shape.name.padEnd(width)} ${textOf(cell)}`);
  }
  process.exitCode = 1;
}
