import { PrivateKeyLines } from './private-key.ts';
import { isPlaceholder } from './randomness.ts';
import { isSecretName } from './secret-field-names.ts';
import { secretFieldKind } from './secret-fields.ts';

const netrcLine = /^\s*(?:machine|login|account)\s+\S+\s*$/;
const netrcPassword = /^\s*password\s+(\S+)\s*$/;

/** A setting whose name and value are on separate lines, in YAML, JSON or a property list. */
const nameLine = /^[+-]?\s*(?:- ?)?["']?(?:name|key)["']? ?[:=] ?["']?([\w.-]+)["']?,?$|^[+-]?\s*<key>([^<>]+)<\/key>$/i;
const valueLine = /^[+-]?\s*["']?value["']? ?[:=] ?["']?([^\s"',]+)["']?,?$|^[+-]?\s*<string>([^<>]+)<\/string>$/i;

/** Follows secrets that are printed line by line, each line as a separate text: private keys, .netrc entries, named values. */
export class SecretLines {
  readonly #keys = new PrivateKeyLines();
  #isNetrc = false;
  /** The secret name on the previous line. */
  #name: string | undefined;

  /** The kind of secret that the whole line is, judged by the lines before it; undefined: the line must be searched by itself. */
  kindOf(line: string): string | undefined {
    if (this.#keys.isBody(line)) return 'private-key';
    const [, plain, listed = plain] = (this.#name === undefined ? undefined : valueLine.exec(line)) ?? [];
    const named = this.#name === undefined || listed === undefined ? undefined : secretFieldKind(this.#name, listed);
    const [, name, key = name] = nameLine.exec(line) ?? [];
    this.#name = key !== undefined && isSecretName(key) ? key : undefined;
    if (named !== undefined) return named;
    const password = this.#isNetrc ? netrcPassword.exec(line)?.[1] : undefined;
    this.#isNetrc = netrcLine.test(line) || password !== undefined;
    return password === undefined || isPlaceholder(password) ? undefined : 'netrc-password';
  }
}
