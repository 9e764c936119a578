const wide = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Emoji_Presentation}/u;
const unseen = /\p{Mn}|\p{Me}|\u200d|\u200c/u;

/** A terminal of endless height that knows what we use and refuses everything else. */
export class ScreenModel {
  #columns: number;
  /** Of each row its cells; the second half of a wide character is an empty one. */
  #rows: string[][] = [[]];
  /** Rows that go on in the next one because they were full. */
  #full = new Set<string[]>();
  #x = 0;
  #y = 0;
  writes: string[] = [];

  constructor(columns: number) {
    this.#columns = columns;
  }

  get columns(): number {
    return this.#columns;
  }

  write(text: string): void {
    this.writes.push(text);
    // eslint-disable-next-line no-control-regex -- what a terminal obeys is what this reads
    for (const [piece] of text.matchAll(/\u001b\[(\d*)([A-Za-z])|[\s\S]/gu)) this.#take(piece);
  }

  /** Texts are broken into rows anew, as most terminals do; the cursor stays with what it stood behind. */
  resize(columns: number): void {
    const cursor = this.#row();
    const offset = this.#x;
    const old = this.#rows;
    const full = this.#full;
    this.#columns = columns;
    [this.#rows, this.#full, this.#x, this.#y] = [[[]], new Set(), 0, 0];
    let place = { x: 0, y: 0 };
    old.forEach((row, index) => {
      const previous = old[index - 1];
      if (previous !== undefined && !full.has(previous)) this.#down();
      row.forEach((cell, x) => {
        if (row === cursor && x === offset) place = { x: this.#x, y: this.#y };
        if (cell !== '') this.#put(cell);
      });
      if (row === cursor && offset >= row.length) place = { x: this.#x, y: this.#y };
    });
    [this.#x, this.#y] = [place.x, place.y];
  }

  get text(): string {
    return this.#rows
      .map((cells) => cells.join('').trimEnd())
      .join('\n')
      .trimEnd();
  }

  #take(piece: string): void {
    if (piece === '\r') this.#x = 0;
    else if (piece === '\n') this.#down();
    else if (piece === '\u001b[K') this.#clear();
    else if (piece === '\u001b[A') this.#y = Math.max(0, this.#y - 1);
    else if (piece.startsWith('\u001b[') && piece.endsWith('m')) return;
    // eslint-disable-next-line no-control-regex -- anything else would be obeyed in ways that are not ours
    else if (/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/.test(piece))
      throw new Error(`a terminal would obey ${JSON.stringify(piece)}`);
    else this.#put(piece);
  }

  #clear(): void {
    const row = this.#row();
    row.length = Math.min(this.#x, row.length);
    this.#full.delete(row);
  }

  #put(character: string): void {
    if (unseen.test(character)) return;
    const width = wide.test(character) ? 2 : 1;
    if (this.#x + width > this.#columns) {
      this.#full.add(this.#row());
      this.#down();
    }
    const cells = this.#row();
    while (cells.length < this.#x) cells.push(' ');
    cells[this.#x] = character;
    if (width === 2) cells[this.#x + 1] = '';
    this.#x += width;
  }

  #down(): void {
    this.#y += 1;
    this.#x = 0;
    if (this.#y === this.#rows.length) this.#rows.push([]);
  }

  #row(): string[] {
    const row = this.#rows[this.#y];
    if (row === undefined) throw new Error('the cursor left the screen');
    return row;
  }
}
