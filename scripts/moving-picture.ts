// Draws docs/pictures/run.svg: the README's first run, as a terminal showed it. The command is really run, in a terminal of `script`
// (bsdutils), and every state of its screen becomes a picture of the animation. Who wants no motion sees the last one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shellQuote } from '../src/terminal/shell-quote.ts';
import { ScreenModel } from '../test/support/screen.ts';

const root = join(import.meta.dirname, '..');
const example = join(root, 'examples', 'fix-the-test');
const columns = 96;
/** A recorded model answers at once; people cannot read that fast. */
const slowness = 5;
const restMs = 6000;
const [cell, row, edge] = [7.8, 19, 18] as const;
const prompt = 'A test fails here. Find out why, and fix it.';

interface Frame {
  at: number;
  rows: readonly string[];
}

const colours: readonly (readonly [RegExp, colour: string])[] = [
  [/^\$ /, '#e6edf3'],
  [/^✓ /, '#7ee787'],
  [/^✗ /, '#ffa657'],
  [/^runwire: success/, '#3fb950'],
  [/^ {2}\| /, '#c9d1d9'],
  [/^(?:[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] |agent |changed |modified |created |next: |\d| {4})/u, '#8b949e'],
];

async function record(): Promise<Frame[]> {
  const folder = mkdtempSync(join(tmpdir(), 'runwire-picture-'));
  try {
    cpSync(join(example, 'project'), folder, { recursive: true });
    const bin = join(root, 'bin', 'runwire.js');
    const model = `replay/${join(example, 'model.jsonl')}`;
    const words = [process.execPath, bin, '--cwd', folder, '--model', model, '--allow', 'bash(node --test)', prompt];
    const command = `stty cols ${columns} rows 30; exec ${shellQuote(words)}`;
    const env = { PATH: process.env['PATH'], HOME: folder, TERM: 'xterm-256color' };
    const child = spawn('script', ['-qec', command, '/dev/null'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const screen = new ScreenModel(columns);
    const frames: Frame[] = [];
    const begun = performance.now();
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      screen.write(text);
      const rows = screen.text.split('\n').map((each) => tidy(each, folder));
      frames.push({ at: (performance.now() - begun) * slowness, rows });
    });
    const [status] = (await once(child, 'close')) as [number | null];
    if (status !== 0) throw new Error(`the run ended with ${status}`);
    return frames.filter(({ rows }, index) => rows.join('\n') !== frames[index + 1]?.rows.join('\n'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What is of this machine is not of the picture. */
const tidy = (text: string, folder: string): string =>
  text.replaceAll(folder, '~/median').replaceAll(join(root, 'examples'), 'examples');

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function draw(frames: readonly Frame[]): string {
  const head = [`$ runwire --allow 'bash(node --test)' "${prompt}"`];
  // The command line that resumes the session is long, and of no use to who only looks.
  const shown = frames.map(({ at, rows }) => {
    const next = rows.findIndex((each) => each.startsWith('next: '));
    return { at, rows: [...head, ...rows.slice(0, next === -1 ? undefined : next)] };
  });
  const last = shown.at(-1);
  if (last === undefined) throw new Error('the run showed nothing');
  const end = last.at + restMs;
  const height = last.rows.length * row + 2 * edge;
  const width = columns * cell + 2 * edge;
  const share = (at: number): string => `${((100 * at) / end).toFixed(2)}%`;
  const pictures = shown.map(({ at, rows }, index) => {
    const until = shown[index + 1]?.at;
    const from = index === 0 ? 0 : at;
    const steps =
      until === undefined
        ? `@keyframes f${index}{0%{opacity:0}${share(from)},100%{opacity:1}}`
        : `@keyframes f${index}{0%{opacity:${index === 0 ? 1 : 0}}${share(from)}{opacity:1}${share(until)},100%{opacity:0}}`;
    const style = `${steps}.f${index}{animation:f${index} ${Math.round(end)}ms step-end infinite${until === undefined ? '' : ';opacity:0'}}`;
    const texts = rows.map((text, line) => {
      const colour = colours.find(([pattern]) => pattern.test(text))?.[1] ?? '#e6edf3';
      return text === ''
        ? ''
        : `<text x="${edge}" y="${edge + (line + 1) * row - 5}" fill="${colour}">${escaped(text)}</text>`;
    });
    return { style, group: `<g class="f${index}">${texts.join('')}</g>` };
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.ceil(width)} ${height}" role="img" aria-label="A run in a terminal: the agent runs the tests, repairs a function, and Runwire ends with its verdict">`,
    `<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre}${pictures.map(({ style }) => style).join('')}@media (prefers-reduced-motion){g{animation:none!important}}</style>`,
    `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`,
    ...pictures.map(({ group }) => group),
    '</svg>\n',
  ].join('\n');
}

const picture = draw(await record());
writeFileSync(join(root, 'docs', 'pictures', 'run.svg'), picture);
process.stdout.write(`docs/pictures/run.svg: ${Math.round(picture.length / 1024)} KiB\n`);
