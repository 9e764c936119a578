/** A command line as the shell would parse it, as far as that is certain without running it. */
export interface Script {
  /** The words of every simple command in it, including those inside substitutions and subshells. */
  commands: string[][];
  /** What it redirects from or to, other than /dev/null and its own streams. */
  files: string[];
}

/** Stands before every character that the shell would expand, so that `*` and `'*'` differ. */
export const expands = '\0';

const deepest = 50;
// eslint-disable-next-line no-control-regex -- control characters are what this looks for
const control = /[\0-\u0008\u000b-\u001f\u007f]/;
const blank = /(?:[ \t]|\\\n)*/y;
const redirection = /&>>?|\d*(?:>>|>\||>&|<&|<>|<<|>|<)/y;
const parameter = /\$(?:\{[A-Za-z_]\w*\}|[A-Za-z_]\w*|[\d?$!#@*-])/y;
const endsWord = new Set([' ', '\t', '\n', ';', '&', '|', '(', ')', '<', '>']);
const globs = new Set(['*', '?', '[', '~', '{']);
const reserved = new Set(
  '! { } [[ ]] case coproc do done elif else esac fi for function if in select then time until while'.split(' '),
);
const ownStreams = new Set(['/dev/null', '/dev/stdout', '/dev/stderr']);

/** The parts of a command line; undefined where only a shell could tell: loops, functions, here-documents, arithmetic. */
export function readScript(text: string): Script | undefined {
  const script: Script = { commands: [], files: [] };
  if (control.test(text)) return undefined;
  try {
    new ShellReader(text, script, 0).all();
  } catch (error) {
    if (error instanceof Unsure) return undefined;
    throw error;
  }
  return script;
}

class Unsure extends Error {}

class ShellReader {
  readonly #text: string;
  readonly #script: Script;
  #depth: number;
  #at = 0;

  constructor(text: string, script: Script, depth: number) {
    if (depth > deepest) throw new Unsure();
    this.#text = text;
    this.#script = script;
    this.#depth = depth;
  }

  all(): void {
    this.#list(undefined);
  }

  #list(closer: ')' | undefined): void {
    this.#depth += 1;
    if (this.#depth > deepest) throw new Unsure();
    for (;;) {
      this.#skipToCommand();
      const next = this.#text[this.#at];
      if (next === closer) {
        this.#at += 1;
        this.#depth -= 1;
        return;
      }
      if (next === undefined) throw new Unsure();
      if (next === '(') this.#subshell();
      else this.#command();
      if (!this.#separator() && this.#text[this.#at] !== closer) throw new Unsure();
    }
  }

  #skipToCommand(): void {
    do {
      this.#take(blank);
      if (this.#text[this.#at] === '#') this.#at = this.#until('\n', this.#text.length);
    } while (this.#text[this.#at] === '\n' && (this.#at += 1));
  }

  /** What may stand between two commands. */
  #separator(): boolean {
    this.#take(blank);
    if (this.#text[this.#at] === '#') this.#at = this.#until('\n', this.#text.length);
    return this.#take(/&&|\|\||\|&|[|&\n]|;(?![;&])/y) !== '';
  }

  #subshell(): void {
    this.#at += 1;
    if (this.#text[this.#at] === '(') throw new Unsure();
    this.#list(')');
    while (this.#redirect());
  }

  #command(): void {
    const words: string[] = [];
    const start = this.#at;
    for (;;) {
      if (this.#redirect()) continue;
      const next = this.#text[this.#at];
      if (next === '#' || next === undefined || endsWord.has(next)) break;
      const from = this.#at;
      words.push(this.#word());
      if (words.length === 1 && reserved.has(this.#text.slice(from, this.#at))) throw new Unsure();
    }
    if (this.#at === start || this.#text[this.#at] === '(') throw new Unsure();
    if (words.length > 0) this.#script.commands.push(words);
  }

  #redirect(): boolean {
    this.#take(blank);
    const operator = this.#take(redirection);
    if (operator === '') return false;
    if (operator.endsWith('<<') || this.#text[this.#at] === '(') throw new Unsure();
    this.#take(blank);
    const from = this.#at;
    const target = this.#word();
    if (this.#at === from) throw new Unsure();
    const isDuplicate = /[<>]&$/.test(operator) && /^(?:\d+-?|-)$/.test(target);
    if (!isDuplicate && !ownStreams.has(target)) this.#script.files.push(target);
    return true;
  }

  #word(): string {
    let word = '';
    for (;;) {
      const next = this.#text[this.#at];
      if (next === undefined || endsWord.has(next)) return word;
      if (next === "'") word += this.#quoted();
      else if (next === '"') word += this.#doubleQuoted();
      else if (next === '\\') word += this.#escaped();
      else if (next === '$') word += this.#dollar(false);
      else if (next === '`') word += this.#backticks();
      else {
        word += globs.has(next) && !this.#text.startsWith('{}', this.#at) ? expands + next : next;
        this.#at += 1;
      }
    }
  }

  #quoted(): string {
    const end = this.#until("'");
    const text = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    return text;
  }

  #doubleQuoted(): string {
    let text = '';
    this.#at += 1;
    for (;;) {
      const next = this.#text[this.#at];
      if (next === undefined) throw new Unsure();
      if (next === '"') break;
      if (next === '$') text += this.#dollar(true);
      else if (next === '`') text += this.#backticks();
      else if (next === '\\' && '$`"\\\n'.includes(this.#text[this.#at + 1] ?? ' ')) text += this.#escaped();
      else {
        text += next;
        this.#at += 1;
      }
    }
    this.#at += 1;
    return text;
  }

  #escaped(): string {
    const next = this.#text[this.#at + 1];
    if (next === undefined) throw new Unsure();
    this.#at += 2;
    return next === '\n' ? '' : next;
  }

  #dollar(isQuoted: boolean): string {
    const known = this.#take(parameter);
    if (known !== '') return expands + known;
    const next = this.#text[this.#at + 1] ?? '';
    if (next === '(') {
      if (this.#text[this.#at + 2] === '(') throw new Unsure();
      this.#at += 2;
      this.#list(')');
      return `${expands}$()`;
    }
    if (next === '{' || next === '[' || next === '\\' || (!isQuoted && (next === "'" || next === '"')))
      throw new Unsure();
    this.#at += 1;
    return '$';
  }

  #backticks(): string {
    const end = this.#until('`');
    const inner = this.#text.slice(this.#at + 1, end);
    // Inside backticks, a backslash is interpreted twice, by special rules.
    if (inner.includes('\\')) throw new Unsure();
    new ShellReader(inner, this.#script, this.#depth + 1).all();
    this.#at = end + 1;
    return `${expands}$()`;
  }

  #until(character: string, otherwise = -1): number {
    const end = this.#text.indexOf(character, this.#at + 1);
    if (end !== -1) return end;
    if (otherwise === -1) throw new Unsure();
    return otherwise;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += match.length;
    return match;
  }
}
