import { fit, rowsOf, wrap } from '../../../terminal/cells.ts';
import { commandRows } from '../../../terminal/shell-words.ts';
import { type Line, margin, render } from '../../../terminal/line.ts';

export interface Terminal {
  write(text: string): void;
  size(): { columns: number; rows: number };
  now(): number;
}

/** Ten times a second is smooth enough, and a flood of lines does not raise it. */
export const redrawMs = 100;
/** On a narrower terminal nothing is drawn in place: the room beside the margin would be too small to read. */
const fewestColumns = 24;
const fewestForText = 8;
/** Columns left free: a terminal shows `^C` where its cursor stands. */
const spared = 3;
/** What follows the first row of a line of ours. */
const indent = 4;

const marginOf = (line: Line): string => margin(line, 'terminal');

/** Lines that stay, and below them a few that are redrawn in place until the end. Each update is a single write. */
export class Screen {
  readonly #terminal: Terminal;
  readonly #colours: boolean;
  /** What is going on, in at most this many lines. */
  readonly #live: (rows: number) => readonly Line[];
  #waiting: Line[] = [];
  /** The rows below the lines, as currently shown. */
  #drawn: readonly string[] = [];
  #drawnAt = Number.NEGATIVE_INFINITY;
  #closed = false;
  #rests = false;

  constructor(terminal: Terminal, colours: boolean, live: (rows: number) => readonly Line[]) {
    this.#terminal = terminal;
    this.#colours = colours;
    this.#live = live;
  }

  say(line: Line): void {
    this.#waiting.push(line);
    if (this.#closed) this.#flush();
    else this.tick();
  }

  /** Time has passed. */
  tick(): void {
    const now = this.#terminal.now();
    if (this.#closed || this.#rests || now - this.#drawnAt < redrawMs) return;
    this.#drawnAt = now;
    const { columns, rows } = this.#size();
    const shown = columns < fewestColumns ? [] : this.#live(rows - 1);
    const live = shown.map((line) => ({ ...line, text: fit(line.text, columns - spared - marginOf(line).length) }));
    const text =
      this.#erased() + this.#lines() + live.map((line) => render(line, this.#colours, marginOf(line))).join('\n');
    this.#drawn = live.map((line) => marginOf(line) + line.text);
    this.#terminal.write(text);
  }

  /** Something else is about to write to the same terminal. */
  hide(): void {
    this.#flush();
    this.#drawnAt = this.#terminal.now();
  }

  /** While it rests, the cursor belongs to somebody else, and lines wait. */
  rest(rests: boolean): void {
    this.#flush();
    this.#rests = rests;
  }

  /** Only lines from here on. */
  close(): void {
    this.#flush();
    this.#closed = true;
  }

  #flush(): void {
    const text = this.#erased() + this.#lines();
    this.#drawn = [];
    if (text !== '') this.#terminal.write(text);
  }

  /** A terminal that has become narrower has wrapped each row into several. */
  #erased(): string {
    const { columns } = this.#size();
    const above = this.#drawn.reduce((sum, row) => sum + rowsOf(row, columns), 0) - 1;
    // Row by row: when the whole screen is cleared at once, tmux keeps a copy in its history.
    return above < 0 ? '' : `\r\u001b[K${'\u001b[A\u001b[K'.repeat(above)}`;
  }

  /** Only the first row of a line begins at the left edge, so that an agent's text cannot wrap into what looks like a line from Runwire. */
  #lines(): string {
    const { columns } = this.#size();
    const lines = this.#waiting.flatMap((line) => {
      const first = marginOf(line);
      const following = line.voice === 'agent' ? first : ' '.repeat(Math.max(first.length, indent));
      const room = Math.max(columns - 1 - following.length, fewestForText);
      const rows = line.isCommand === true ? commandRows(line.text, room) : [line.text.replaceAll('\t', '    ')];
      return rows
        .flatMap((row) => wrap(row, room))
        .map((text, index) => render({ ...line, text }, this.#colours, index === 0 ? first : following));
    });
    this.#waiting = [];
    return lines.map((line) => `${line}\n`).join('');
  }

  #size(): { columns: number; rows: number } {
    const { columns, rows } = this.#terminal.size();
    return { columns: Math.max(columns, 1), rows: Math.max(rows, 2) };
  }
}
