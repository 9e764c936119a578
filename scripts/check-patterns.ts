// Proves that no regular expression in src or web takes more than linear time, whatever it is matched with: one that does would block
// the event loop on a small hostile text, and no time limit would be kept meanwhile.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { check } from 'recheck';
import { parseAst } from 'rolldown/parseAst';

interface Expression {
  where: string;
  source: string;
  flags: string;
}

const root = join(import.meta.dirname, '..');
/** Results are cached: each depends on the expression alone, and some take seconds. */
const cacheFile = join(root, 'node_modules', '.cache', 'check-patterns', 'linear.json');

/** Expressions that the checker cannot read, and why they are linear nonetheless. */
const unreadable: Readonly<Record<string, string>> = {
  'src/stores/words.ts':
    'a class, or a run of another class: no character is in both, so there is never a second way to match',
};

/** Files that build expressions at run time, from what is known only then, and why those are linear. */
const madeAtRunTime: Readonly<Record<string, string>> = {
  'src/agents/checkup.ts': 'a flag of ours, letter by letter, between two looks at one character',
  'src/builtin/models/recording.ts': 'the spellings of one path, letter by letter: each has a fixed length',
  'src/redact/pattern.ts': 'one class between the beginning and the end, matched with one character',
  'src/claims/facts/facts.ts': 'the name of a program, letter by letter, at the beginning of a line',
  'src/claims/kinds/git.ts': 'a number of a sentence before one word',
  'src/claims/kinds/scope.ts': 'one word before or behind a list of nouns, in one sentence',
  'src/claims/runners/summaries.ts': 'a number before or behind a word of ours, in one line',
  'src/claims/kinds/commands.ts': 'a number between two looks at one character',
  'src/claims/kinds/subjects.ts': 'the name of a program, letter by letter, behind a verb',
  'src/claims/kinds/reproductions.ts': 'a number between two looks at one character',
  'src/claims/answer/clause.ts': 'numbers in words of bounded length',
  'src/claims/kinds/values.ts': 'a number behind one character',
  'src/claims/kinds/dependencies.ts':
    'the name of a package, letter by letter, and a version of bounded parts behind it',
  'src/expect/words.ts': 'made to see whether it can be, and matched with nothing',
  'src/run/judges.ts': "the user's own pattern, which is matched under a time limit that the engine keeps",
  'src/builtin/answer/json-schema.ts':
    "the user's own pattern, which is matched under a time limit that the engine keeps",
};

/**
 * Rooms whose expressions read the language of people, with more choices than a proof can follow, and why their cost is linear all the same.
 */
const bounded: readonly (readonly [room: string, reason: string])[] = [
  ['src/claims/', 'each is matched with one sentence or one line, which is cut at 600 and 2,000 characters'],
  ['src/dialects/acp/read/server-words.ts', 'each is matched with the first 600 characters of an answer'],
];

/** The checker is trusted only as long as it finds these. */
const knownBad: readonly (readonly [source: string, flags: string])[] = [
  ['^(?:a+)+$', ''],
  ['\\s+$', ''],
  ['-----BEGIN [^-]*-----[^]*?-----END', ''],
  ['model[^.]*not found', 'i'],
  ['^(?:a|b|ab)*c', ''],
];

const files = ['src', 'web']
  .flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((path) => join(room, path)),
  )
  .filter((path) => /\.tsx?$/.test(path))
  .toSorted();

const isNode = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The literal expressions of a file, and whether it calls the constructor. */
function read(path: string): { literals: Expression[]; constructs: boolean } {
  const text = readFileSync(join(root, path), 'utf8');
  const literals: Expression[] = [];
  let constructs = false;
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (!isNode(node)) return;
    const { type, regex, callee, start } = node;
    if (type === 'Literal' && isNode(regex)) {
      const line = text.slice(0, Number(start)).split('\n').length;
      literals.push({ where: `${path}:${line}`, source: String(regex['pattern']), flags: String(regex['flags']) });
    }
    if (isNode(callee) && callee['type'] === 'Identifier' && callee['name'] === 'RegExp') constructs = true;
    for (const value of Object.values(node)) visit(value);
  };
  visit(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path));
  return { literals, constructs };
}

/** The expressions that these files construct when they are loaded. */
async function constructedBy(paths: readonly string[]): Promise<Expression[]> {
  const made: Expression[] = [];
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct(target, args: [string, string?], newTarget) {
      const expression: RegExp = Reflect.construct(target, args, newTarget);
      const caller = new Error('made here').stack
        ?.split('\n')
        .find((line) => line.includes('/src/') || line.includes('/web/'));
      const where = paths.find((path) => caller?.includes(pathToFileURL(join(root, path)).href));
      if (where !== undefined) made.push({ where, source: expression.source, flags: expression.flags });
      return expression;
    },
  });
  try {
    for (const path of paths) await import(pathToFileURL(join(root, path)).href);
  } finally {
    globalThis.RegExp = original;
  }
  return made;
}

/** Why an expression is not known to be linear; undefined if it is. Only a proof counts: a search for a bad input may miss it. */
async function faultOf({ where, source, flags }: Expression): Promise<string | undefined> {
  if (bounded.some(([room]) => where.startsWith(room))) return faultOfBounded(source);
  const result = await check(source, flags, {
    checker: 'automaton',
    // Longer than any takes, also where others are at work: it ends what would never end.
    timeout: 600_000,
    maxNFASize: 1e6,
    maxPatternSize: 1e6,
  });
  if (result.status === 'safe') return undefined;
  if (result.status === 'vulnerable') return `${result.complexity.summary}, with ${result.attack.pattern}`;
  if (result.error.kind === 'invalid' && where.slice(0, where.indexOf(':')) in unreadable) return undefined;
  return `cannot be proven (${result.error.kind}): write it without looking ahead or behind, with fewer choices`;
}

/** Where the text is bounded, only what may take more than a power of its length is refused: a repeat of a group that holds an unbounded repeat. */
function faultOfBounded(source: string): string | undefined {
  const bare = source.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/g, 'x');
  return /\((?:\?:)?[^()]*[+*][^()]*\)(?:[+*]|\{\d*,\})/.test(bare)
    ? 'a repeat within a repeat: bound one of them'
    : undefined;
}

function readCache(): Set<string> {
  try {
    const stored: unknown = JSON.parse(readFileSync(cacheFile, 'utf8'));
    return new Set(Array.isArray(stored) ? stored.map(String) : []);
  } catch {
    return new Set();
  }
}

const nameOf = ({ source, flags }: Expression): string => `/${source}/${flags}`;

const known = readCache();
const contents = files.map((path) => ({ path, ...read(path) }));
const constructing = contents.filter(({ constructs }) => constructs).map(({ path }) => path);
const constructed = await constructedBy(constructing);
const faults: string[] = constructing
  .filter((path) => !(path in madeAtRunTime) && !constructed.some(({ where }) => where === path))
  .map((path) => `${path} makes regular expressions that nobody has seen: write them out, or say why they are linear`);

const all = new Map(
  [...contents.flatMap(({ literals }) => literals), ...constructed].map((each) => [nameOf(each), each]),
);
const bad = knownBad.map(([source, flags]): Expression => ({ where: 'known to be bad', source, flags }));
const queue = [...bad, ...[...all.values()].filter((each) => !known.has(nameOf(each)))];
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    for (let each = queue.shift(); each !== undefined; each = queue.shift()) {
      const fault = await faultOf(each);
      if (bad.includes(each)) {
        if (fault === undefined) faults.push(`the checker does not find ${nameOf(each)}, which is known to be bad`);
      } else if (fault === undefined) known.add(nameOf(each));
      else faults.push(`${each.where} ${nameOf(each)}\n  ${fault}`);
    }
  }),
);

mkdirSync(dirname(cacheFile), { recursive: true });
writeFileSync(cacheFile, JSON.stringify([...known].filter((each) => all.has(each))));
for (const fault of faults) console.log(fault);
console.log(`${all.size} regular expressions, ${faults.length} problems`);
// The checker's own process would keep this one alive.
process.exit(faults.length === 0 ? 0 : 1);
