import { type Token, tokensOf } from './lexer.ts';

/** One program with its arguments. */
export interface Simple {
  type: 'simple';
  words: string[];
  /** What it writes to by redirection, and what it reads. */
  writes: { path: string; isAppend: boolean }[];
  reads: string[];
  /** The text of its here-document. */
  body?: string;
}

/** A list in parentheses or braces, or in `sh -c`. */
export interface Group {
  type: 'group';
  list: List;
  writes: Simple['writes'];
  /** Its `cd` does not outlast it. */
  isSubshell: boolean;
  /** `if`, `for`, `while`, `case`, a function: what in it ran, and how often, is not known. */
  isUncertain: boolean;
}

export interface Pipeline {
  parts: (Simple | Group)[];
  isNegated: boolean;
  isBackground: boolean;
  /** What stands before it: nothing, `;`, `&&` or `||`. */
  joint: '' | ';' | '&&' | '||';
}
export type List = Pipeline[];

const openers = new Set(['if', 'for', 'while', 'until', 'case', 'select', 'function']);
const closers = new Set(['fi', 'done', 'esac']);
const inner = new Set(['then', 'else', 'elif', 'do', 'in']);
const deepest = 20;

/** The commands of a script. Lenient: what cannot be understood is passed over. */
export function parseShell(text: string): List {
  return new Parser(tokensOf(text)).list(0, undefined);
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  list(depth: number, closer: string | undefined): List {
    const list: List = [];
    let joint: Pipeline['joint'] = '';
    let current: Pipeline = begin(joint);
    const finish = (next: Pipeline['joint']): void => {
      if (current.parts.length > 0) {
        list.push(current);
        joint = next;
      } else if (next !== ';') joint = next;
      current = begin(joint);
    };
    for (;;) {
      const token = this.#tokens[this.#at];
      if (token === undefined) break;
      if (this.#isCloser(token, closer)) {
        this.#at += 1;
        break;
      }
      if (token.type === 'operator') {
        this.#at += 1;
        if (token.text === '(' && depth < deepest) {
          current.parts.push(this.#group(this.list(depth + 1, ')'), true, false));
        } else if (token.text === '&') {
          current.isBackground = true;
          finish(';');
        } else if (token.text === '&&' || token.text === '||') finish(token.text);
        else if (token.text === '|' || token.text === '|&') continue;
        else finish(';');
        continue;
      }
      if (token.type === 'word' && !token.isQuoted && this.#compound(token.text, current, depth)) continue;
      current.parts.push(this.#simple());
    }
    finish(';');
    return list;
  }

  #isCloser(token: Token, closer: string | undefined): boolean {
    if (closer === undefined || token.type === 'redirect') return false;
    if (closer === 'end') return token.type === 'word' && !token.isQuoted && closers.has(token.text);
    return token.text === closer && (closer === '}' ? token.type === 'word' : token.type === 'operator');
  }

  /** A word that begins something other than a program. */
  #compound(word: string, current: Pipeline, depth: number): boolean {
    if (word === '!') {
      current.isNegated = true;
      this.#at += 1;
      return true;
    }
    if (inner.has(word) || closers.has(word) || word === '}') {
      this.#at += 1;
      return true;
    }
    if (depth >= deepest) return false;
    if (word === '{') {
      this.#at += 1;
      current.parts.push(this.#group(this.list(depth + 1, '}'), false, false));
      return true;
    }
    if (!openers.has(word)) return false;
    this.#at += 1;
    if (word === 'for' || word === 'case' || word === 'select') this.#skipWords();
    current.parts.push(this.#group(this.list(depth + 1, 'end'), false, true));
    return true;
  }

  /** `x in a b c` of a loop. */
  #skipWords(): void {
    for (;;) {
      const token = this.#tokens[this.#at];
      if (token?.type !== 'word' || token.text === 'do') return;
      this.#at += 1;
    }
  }

  #group(list: List, isSubshell: boolean, isUncertain: boolean): Group {
    const { writes } = this.#redirects();
    return { type: 'group', list, writes, isSubshell, isUncertain };
  }

  #simple(): Simple {
    const words: string[] = [];
    const found: Omit<Simple, 'type' | 'words'> = { writes: [], reads: [] };
    for (;;) {
      const token = this.#tokens[this.#at];
      if (token === undefined || token.type === 'operator') break;
      this.#at += 1;
      if (token.type === 'word') words.push(token.text);
      else takeRedirect(token, found);
    }
    return { type: 'simple', words, ...found };
  }

  #redirects(): Omit<Simple, 'type' | 'words'> {
    const found: Omit<Simple, 'type' | 'words'> = { writes: [], reads: [] };
    for (;;) {
      const token = this.#tokens[this.#at];
      if (token?.type !== 'redirect') return found;
      this.#at += 1;
      takeRedirect(token, found);
    }
  }
}

function begin(joint: Pipeline['joint']): Pipeline {
  return { parts: [], isNegated: false, isBackground: false, joint };
}

function takeRedirect(token: Token & { type: 'redirect' }, found: Omit<Simple, 'type' | 'words'>): void {
  const { text, target } = token;
  if (token.body !== undefined) found.body = token.body;
  else if (text.endsWith('<<<')) found.body = target;
  else if (/[<>]&$/.test(text) && /^(?:\d+-?|-)$/.test(target)) return;
  else if (target.startsWith('/dev/') || target === '') return;
  else if (text.includes('>')) found.writes.push({ path: target, isAppend: text.includes('>>') });
  else found.reads.push(target);
}
