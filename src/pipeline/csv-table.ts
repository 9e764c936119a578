import type { Enveloped } from './envelope.ts';

const name = '"?[@\\w .-]{1,60}"?';
const header = new RegExp(`^${name}(?:,${name}){1,40}$`);
const lines: ReadonlySet<string> = new Set('message @message content line log msg _raw textpayload'.split(' '));
const times: ReadonlySet<string> = new Set('timestamp @timestamp time date _time'.split(' '));

/** The lines of a log in a table, one in each row. */
export class CsvTable {
  readonly #line: number;
  readonly #time: number;
  readonly #columns: number;
  /** The lines of a row of which a field is open. */
  #open: string[] = [];
  #openLength = 0;

  private constructor(columns: readonly string[]) {
    this.#columns = columns.length;
    this.#line = columns.findIndex((each) => lines.has(each));
    this.#time = columns.findIndex((each) => times.has(each));
  }

  /** The table that begins with this line; undefined: none does. */
  static begun(line: string): CsvTable | undefined {
    if (!header.test(line)) return undefined;
    const columns = line.split(',').map((each) => each.replaceAll('"', '').trim().toLowerCase());
    return columns.some((each) => lines.has(each)) ? new CsvTable(columns) : undefined;
  }

  /** Nothing is kept of a row that goes on in the next line; undefined: this is no row of the table. */
  take(line: string): Enveloped | 'open' | undefined {
    // Quotes in a field are doubled.
    const isWithin = this.#open.length > 0 !== (line.split('"').length % 2 === 0);
    if (isWithin && this.#openLength < longest) {
      this.#open.push(line);
      this.#openLength += line.length;
      return 'open';
    }
    const fields = fieldsOf([...this.#open, line].join('\n'), this.#columns);
    this.#open = [];
    this.#openLength = 0;
    const text = fields[this.#line];
    if (text === undefined || fields.length !== this.#columns) return undefined;
    const time = fields[this.#time] ?? '';
    const at = /^\d{13}$/.test(time) ? Number(time) : Date.parse(time);
    return { text, isPartial: false, stream: 'stdout', at: Number.isNaN(at) ? undefined : at };
  }
}

/** A quote that is never closed does not take the rest of the log with it. */
const longest = 1024 * 1024;

function fieldsOf(row: string, most: number): string[] {
  const fields: string[] = [];
  for (let at = 0; at <= row.length && fields.length <= most;) {
    if (row.charAt(at) !== '"') {
      const end = row.indexOf(',', at);
      fields.push(row.slice(at, end === -1 ? row.length : end));
      if (end === -1) return fields;
      at = end + 1;
      continue;
    }
    let text = '';
    let from = at + 1;
    for (;;) {
      const quote = row.indexOf('"', from);
      if (quote === -1) return fields;
      text += row.slice(from, quote);
      from = quote + 1;
      if (row.charAt(from) !== '"') break;
      text += '"';
      from += 1;
    }
    fields.push(text);
    if (from >= row.length) return fields;
    at = from + 1;
  }
  return fields;
}
