import { PrivateKeyLines } from './private-key.ts';
import { isPlaceholder } from './randomness.ts';

const netrcLine = /^\s*(?:machine|login|account)\s+\S+\s*$/;
const netrcPassword = /^\s*password\s+(\S+)\s*$/;

/** Follows secrets that are printed line by line, each line a text of its own: private keys, and entries of a .netrc. */
export class SecretLines {
  readonly #keys = new PrivateKeyLines();
  #isNetrc = false;

  /** The kind of secret that the whole line is, known by the lines before it; undefined: look at it by itself. */
  kindOf(line: string): 'private-key' | 'netrc-password' | undefined {
    if (this.#keys.isBody(line)) return 'private-key';
    const password = this.#isNetrc ? netrcPassword.exec(line)?.[1] : undefined;
    this.#isNetrc = netrcLine.test(line) || password !== undefined;
    return password === undefined || isPlaceholder(password) ? undefined : 'netrc-password';
  }
}
