import { isPrintableBase64 } from './randomness.ts';
import type { Shape } from './shapes.ts';
import type { Tail } from './secret-pattern.ts';
import { fails, undecided } from './undecided.ts';

/** How far the data of a Secret may be from its kind, on either side of it. */
const farthest = 4096;
const nextKind = /kind["'\\ \t]{0,8}:|\n---/;
const yamlData = /(?:\n|\\n)[ +-]{0,16}(?:stringData|data):[ \t]{0,4}(?:\r?\n|\\n)[ +-]{1,24}(?=[^ +-])/;
const jsonData =
  /[{,\n][ \t\n]{0,32}\\{0,3}"(?:stringData|data)\\{0,3}"[ \t]{0,2}:[ \t]{0,2}\{[ \t\n]{0,32}(?=[^ \t\n])/;

/** From the word `Secret` to the first entry of its data; or `fails`, or `undecided`. */
function toData(pattern: RegExp): (text: string, at: number, final: boolean) => number {
  return (text, at, final) => {
    if (at === text.length) return final ? fails : undecided;
    if (/\w/.test(text.charAt(at))) return fails;
    const window = text.slice(at, at + farthest);
    const stop = nextKind.exec(window)?.index ?? window.length;
    const found = pattern.exec(window.slice(0, stop));
    if (found !== null) return at + found.index + found[0].length;
    return final || stop < window.length || window.length === farthest ? fails : undecided;
  };
}

/** Fields beside the data, where its entries end. */
const otherField = /^[ \t+-]{0,16}(?:- )?(?:apiVersion|kind|metadata|type|immutable|data|stringData|status):/;
/** Long enough to recognise such a field. */
const enough = 48;

/** The entries of YAML: every further line that is indented, and is not another field. */
const yamlEntries: Tail = (text, at) => {
  let to = at;
  for (;;) {
    const end = lineEnd(text, to);
    if (end === undefined) return { to: text.length - (text.endsWith('\\') ? 1 : 0), done: false };
    to = end.at;
    const next = text.slice(end.next, end.next + enough);
    if (next.length < enough && !/\n|\\n/.test(next)) return { to, done: false };
    if (!/^[+-]?[ \t]/.test(next) || otherField.test(next) || next.trim() === '') return { to, done: true };
    to = end.next;
  }
};

function lineEnd(text: string, from: number): { at: number; next: number } | undefined {
  const plain = text.indexOf('\n', from);
  const escaped = text.slice(from, plain === -1 ? text.length : plain).indexOf('\\n');
  if (escaped !== -1) return { at: from + escaped, next: from + escaped + 2 };
  return plain === -1 ? undefined : { at: plain, next: plain + 1 };
}

/** The entries of JSON, up to the brace. */
const jsonEntries: Tail = (text, at) => {
  const to = text.indexOf('}', at);
  return to === -1 ? { to: text.length, done: false } : { to, done: true };
};

const kindAfterYaml = /(?:\n|\\n)[+-]?[ ]{0,8}kind:[ \t]{0,4}["']?(\w{1,64})(?=\W)/;
const kindAfterJson = /\}[ \t\n]{0,32},[^{}]{0,400}?\\{0,3}"kind\\{0,3}"[ \t]{0,2}:[ \t]{0,2}\\{0,3}"(\w{1,64})(?=\W)/;

/** The end of entries that stand before their kind, as `kubectl get` prints them; the kind decides, or else what the first one holds. */
function endBeforeKind(kind: RegExp, entries: Tail): (text: string, at: number, final: boolean) => number {
  return (text, at, final) => {
    const window = text.slice(at, at + farthest);
    const [, named] = kind.exec(window) ?? [];
    if (named === undefined && !final && window.length < farthest) return undecided;
    const first =
      /^\\{0,3}["']?[\w.-]{1,128}\\{0,3}["']?:[ \t]{0,4}\\{0,3}["']?([A-Za-z0-9+/=]{1,2048})/.exec(window)?.[1] ?? '';
    if (named === undefined ? !isPrintableBase64(first) : named !== 'Secret') return fails;
    return entries(text, at, final).to;
  };
}

const name = 'kubernetes-secret';
const entry = '["\\\\A-Za-z0-9._-]{1,200}';
const breaks = '[\\n\\r\\\\nr]{1,4}';

/** The data of a Kubernetes Secret, as one: all of its entries. */
export const kubernetesShapes: readonly Shape[] = [
  { name, context: 'kind: ["\']{0,1}Secret', contextEnd: toData(yamlData), secret: entry, entries: yamlEntries },
  {
    name,
    context: '"kind\\\\{0,3}"[ ]{0,2}:[ ]{0,2}\\\\{0,3}"Secret',
    contextEnd: toData(jsonData),
    secret: entry,
    entries: jsonEntries,
  },
  {
    name,
    context: `apiVersion: v1${breaks}[+]{0,1}[ ]{0,8}data:${breaks}[+]{0,1}[ ]{1,16}`,
    secret: entry,
    entries: yamlEntries,
    bodyEnd: endBeforeKind(kindAfterYaml, yamlEntries),
  },
  {
    name,
    context: '"data\\\\{0,3}"[ ]{0,2}:[ ]{0,2}\\{[ \\t\\n]{0,32}',
    behind: /"apiVersion\\{0,3}"[ ]?:[ ]?\\{0,3}"v1\\{0,3}",\s{0,32}\\{0,3}$/,
    secret: entry,
    entries: jsonEntries,
    bodyEnd: endBeforeKind(kindAfterJson, jsonEntries),
  },
  {
    name,
    context: '"data":[ ]{0,2}\\{[ ]{0,2}',
    inLine: /(?:\b|\\n|\dm)kubectl\b.{1,200}\bsecrets?\b/,
    secret: entry,
    entries: jsonEntries,
  },
];
