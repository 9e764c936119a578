/** A word of a command line, or an operator between commands. */
export type Token =
  | { type: 'word'; text: string; isQuoted: boolean }
  | { type: 'operator'; text: string }
  | { type: 'redirect'; text: string; target: string; body?: string };

const operators = ['&&', '||', ';;', '|&', ';', '|', '&', '(', ')', '\n'] as const;
const redirection = /(?:\d*|&)(?:<<<|<<-?|>>|>\||>&|<&|<>|>|<)/y;
const blank = ' \t\r';

/** More tokens than this are no longer a command that a person reads. */
const mostTokens = 20_000;

/** Splits as a shell does. What only a shell can tell (expansions) is left as it stands, so that nothing is ever refused. */
export function tokensOf(text: string): Token[] {
  return new Lexer(text).all();
}

class Lexer {
  readonly #text: string;
  readonly #tokens: Token[] = [];
  /** Here-documents whose bodies begin after the line. */
  #bodies: { redirect: Token & { type: 'redirect' }; isIndented: boolean }[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  all(): Token[] {
    while (this.#at < this.#text.length && this.#tokens.length < mostTokens) this.#next();
    return this.#tokens;
  }

  #next(): void {
    const next = this.#text[this.#at] ?? '';
    if (blank.includes(next)) this.#at += 1;
    else if (this.#text.startsWith('\\\n', this.#at)) this.#at += 2;
    else if (next === '#') this.#comment();
    else if (this.#redirect() || this.#operator()) return;
    else this.#word();
  }

  #comment(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end === -1 ? this.#text.length : end;
  }

  #operator(): boolean {
    const operator = operators.find((each) => this.#text.startsWith(each, this.#at));
    if (operator === undefined) return false;
    this.#at += operator.length;
    this.#tokens.push({ type: 'operator', text: operator });
    if (operator === '\n') this.#readBodies();
    return true;
  }

  #redirect(): boolean {
    redirection.lastIndex = this.#at;
    const operator = redirection.exec(this.#text)?.[0];
    if (operator === undefined || this.#text[this.#at + operator.length] === '(') return false;
    this.#at += operator.length;
    while (blank.includes(this.#text[this.#at] ?? '\n')) this.#at += 1;
    const redirect: Token & { type: 'redirect' } = { type: 'redirect', text: operator, target: this.#wordText().text };
    this.#tokens.push(redirect);
    if (operator.endsWith('<<') || operator.endsWith('<<-'))
      this.#bodies.push({ redirect, isIndented: operator.endsWith('-') });
    return true;
  }

  #readBodies(): void {
    for (const { redirect, isIndented } of this.#bodies) {
      const lines: string[] = [];
      while (this.#at < this.#text.length) {
        const end = this.#text.indexOf('\n', this.#at);
        const line = this.#text.slice(this.#at, end === -1 ? undefined : end);
        this.#at = end === -1 ? this.#text.length : end + 1;
        if ((isIndented ? line.trimStart() : line) === redirect.target) break;
        lines.push(line);
      }
      redirect.body = lines.join('\n');
    }
    this.#bodies = [];
  }

  #word(): void {
    const from = this.#at;
    const word = this.#wordText();
    if (this.#at === from) this.#at += 1;
    else this.#tokens.push({ type: 'word', ...word });
  }

  #wordText(): { text: string; isQuoted: boolean } {
    let text = '';
    let isQuoted = false;
    for (;;) {
      const next = this.#text[this.#at];
      if (next === undefined || ' \t\r\n;&|()<>'.includes(next)) return { text, isQuoted };
      if (next === "'" || next === '"') {
        isQuoted = true;
        text += next === "'" ? this.#single() : this.#double();
      } else if (next === '\\') {
        const after = this.#text[this.#at + 1] ?? '';
        text += after === '\n' ? '' : after;
        this.#at += 2;
      } else if (next === '$' && this.#text[this.#at + 1] === "'") {
        this.#at += 1;
        isQuoted = true;
        text += this.#single();
      } else if (next === '$' && '({'.includes(this.#text[this.#at + 1] ?? ' ')) text += this.#expansion();
      else if (next === '`') text += this.#upTo('`');
      else {
        text += next;
        this.#at += 1;
      }
    }
  }

  #single(): string {
    const text = this.#upTo("'");
    return text.slice(1, text.endsWith("'") && text.length > 1 ? -1 : undefined);
  }

  #double(): string {
    let text = '';
    this.#at += 1;
    for (;;) {
      const next = this.#text[this.#at];
      if (next === undefined) return text;
      if (next === '"') {
        this.#at += 1;
        return text;
      }
      if (next === '$' && '({'.includes(this.#text[this.#at + 1] ?? ' ')) {
        text += this.#expansion();
        continue;
      }
      if (next === '\\') {
        const after = this.#text[this.#at + 1] ?? '';
        text += '$`"\\'.includes(after) ? after : after === '\n' ? '' : `\\${after}`;
        this.#at += 2;
        continue;
      }
      text += next;
      this.#at += 1;
    }
  }

  /** `$(…)` and `${…}`, with what is nested in them, as they stand. */
  #expansion(): string {
    const from = this.#at;
    const opener = this.#text[this.#at + 1] ?? '(';
    const closer = opener === '(' ? ')' : '}';
    let depth = 0;
    while (this.#at < this.#text.length) {
      const next = this.#text[this.#at];
      this.#at += 1;
      if (next === '\\') this.#at += 1;
      else if (next === opener) depth += 1;
      else if (next === closer) {
        depth -= 1;
        if (depth === 0) break;
      }
    }
    return this.#text.slice(from, this.#at);
  }

  /** From here to the next such character, both included. */
  #upTo(character: string): string {
    const end = this.#text.indexOf(character, this.#at + 1);
    const text = this.#text.slice(this.#at, end === -1 ? undefined : end + 1);
    this.#at += text.length;
    return text;
  }
}
