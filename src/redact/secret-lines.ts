import { PrivateKeyLines } from './private-key.ts';
import { isPlaceholder, isPrintableBase64 } from './randomness.ts';
import { isSecretName } from './secret-field-names.ts';
import { secretFieldKind } from './secret-fields.ts';

const netrcLine = /^\s*(?:machine|login|account)\s+\S+\s*$/;
const netrcPassword = /^\s*password\s+(\S+)\s*$/;

/** A setting whose name and value are on separate lines, in YAML, JSON or a property list. */
const nameLine =
  /^[+-]?\s*(?:- ?)?["']?(?:name|key)["']? ?[:=] ?["']?([\w.-]+)["']?,?$|^[+-]?\s*<key>([^<>]+)<\/key>$/i;
const valueLine = /^[+-]?\s*["']?value["']? ?[:=] ?["']?([^\s"',]+)["']?,?$|^[+-]?\s*<string>([^<>]+)<\/string>$/i;

/** Follows secrets that are printed line by line, each line as a separate text: private keys, .netrc entries, named values. */
export class SecretLines {
  readonly #keys = new PrivateKeyLines();
  #isNetrc = false;
  /** The secret name on the previous line. */
  #name: string | undefined;

  /** In the document so far: `kind: Secret`, and the lines below `data:`. */
  #isSecret: boolean | undefined;
  #isData = false;
  /** The indent of its fields: it may be one of a list, or in a diff. */
  #indent = 0;

  /** A line of a Kubernetes Secret; before its kind is known, what its value holds decides. */
  #isEntry(line: string): boolean {
    const [, indent = '', word, value = ''] =
      /^([+-]?[ \t]{0,16}(?:- )?)([A-Za-z]{1,20})?(?::[ \t]*(\S*))?/.exec(line) ?? [];
    if (word === 'apiVersion' || word === 'kind') this.#indent = indent.length;
    const field = indent.length <= this.#indent ? word : undefined;
    if (line.startsWith('---') || field === 'apiVersion') this.#isSecret = undefined;
    if (field === 'kind') this.#isSecret = value.replaceAll(/["']/g, '') === 'Secret';
    if (indent.length <= this.#indent) {
      this.#isData = (field === 'data' || field === 'stringData') && value === '';
      return false;
    }
    if (!this.#isData || this.#isSecret === false) return false;
    return (
      this.#isSecret === true ||
      isPrintableBase64(/^[+-]?[ \t]+[\w.-]+: ["']?([A-Za-z0-9+/=]+)["']?$/.exec(line)?.[1] ?? '')
    );
  }

  /** The kind of secret that the whole line is, judged by the lines before it; undefined: the line must be searched by itself. */
  kindOf(line: string): string | undefined {
    if (this.#keys.isBody(line)) return 'private-key';
    if (this.#isEntry(line)) return 'kubernetes-secret';
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
