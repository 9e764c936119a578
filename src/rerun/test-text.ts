/** What a test file says, as far as it can be read without running it. */
export interface TestFile {
  tests: Map<string, TestCase>;
}

export interface TestCase {
  name: string;
  isSkipped: boolean;
  /** It asserts only what is always true, or does nothing at all. */
  cannotFail: boolean;
  /** Its lines, for a comparison. */
  body: string;
}

interface Language {
  /** A line that begins a test; its last group is the name. */
  test: RegExp;
  /** In the lines right before, in the line itself, or in the body. */
  skip: RegExp;
}

const languages: readonly { ending: RegExp; language: Language }[] = [
  {
    ending: /\.py$/,
    language: {
      test: /^\s*(?:async )?def (test\w*)\s*\(/,
      skip: /@(?:pytest\.mark\.)?(?:skip\w*|xfail)\b|@unittest\.(?:skip\w*|expectedFailure)|\bpytest\.(?:skip|xfail)\(|self\.skipTest\(/,
    },
  },
  {
    ending: /\.[cm]?[jt]sx?$/,
    language: {
      test: /^\s*(?:await )?x?(?:it|test|specify)(?:\.\w+)*\s*\(\s*["'`]([^"'`]+)["'`]\s*,/,
      skip: /^\s*(?:await )?(?:x(?:it|test|describe)\b|(?:it|test|describe|specify)\.(?:skip|todo|fails|failing)\b)|\{ ?(?:skip|todo): ?(?:true|["'`])|\bt\.(?:skip|todo)\(|this\.skip\(/,
    },
  },
  { ending: /\.go$/, language: { test: /^func (Test\w+)\(/, skip: /\bt\.Skip(?:f|Now)?\(/ } },
  { ending: /\.rs$/, language: { test: /^\s*(?:async )?fn (\w+)\s*\(\s*\)/, skip: /#\[ignore/ } },
  {
    ending: /\.(?:java|kt)$/,
    language: { test: /^\s*(?:public |private |protected )?(?:void|fun) (\w+)\s*\(/, skip: /@(?:Disabled|Ignore)\b/ },
  },
  {
    ending: /\.(?:sh|bash|bats)$/,
    language: {
      test: /^\s*(?:@test ["']([^"']+)["']|(?:function )?(test_?\w+)\s*\(\))/,
      skip: /^\s*(?:skip\b|startSkipping\b|# skip\b)/i,
    },
  },
  {
    ending: /\.rb$/,
    language: { test: /^\s*(?:it|specify|test) ["']([^"']+)["']/, skip: /^\s*(?:xit|skip|pending)\b/ },
  },
];

const mostLines = 20_000;

/** Undefined: nothing is known of such files. */
export function readTests(path: string, text: string): TestFile | undefined {
  const language = languages.find(({ ending }) => ending.test(path))?.language;
  if (language === undefined) return undefined;
  const lines = text.split('\n', mostLines);
  const starts = lines.flatMap((line, index) => {
    const found = language.test
      .exec(line)
      ?.slice(1)
      .findLast((each) => each !== undefined);
    return found === undefined ? [] : [{ index, name: found }];
  });
  const isAllSkipped = /^pytestmark\s*=\s*(?:\[\s*)?pytest\.mark\.skip/m.test(text);
  const tests = new Map<string, TestCase>();
  for (const [at, { index, name }] of starts.entries()) {
    const next = starts[at + 1]?.index ?? lines.length;
    // Decorators of the next test belong to that one.
    const own = withoutTail(lines.slice(index + 1, next));
    const before = marksBefore(lines, index);
    const body = own.join('\n');
    tests.set(name, {
      name,
      isSkipped: isAllSkipped || [...before, lines[index] ?? '', ...own].some((line) => language.skip.test(line)),
      cannotFail: cannotFail(lines[index] ?? '', own),
      body: `${lines[index] ?? ''}\n${body}`,
    });
  }
  return { tests };
}

const mark = /^\s*(?:@\w|#\[)/;

function marksBefore(lines: readonly string[], index: number): string[] {
  const found: string[] = [];
  for (let at = index - 1; at >= 0 && mark.test(lines[at] ?? ''); at -= 1) found.push(lines[at] ?? '');
  return found;
}

function withoutTail(lines: readonly string[]): readonly string[] {
  let end = lines.length;
  while (end > 0 && (mark.test(lines[end - 1] ?? '') || (lines[end - 1] ?? '').trim() === '')) end -= 1;
  return lines.slice(0, end);
}

const assertions: readonly RegExp[] = [
  /\bassert/,
  /\b(?:expect|should|fail|raises)\b/,
  /\bt\.(?:is|not|true|false|equal|deepEqual|same|throws|Error|Errorf|Fatal|Fatalf|Fail|FailNow)\b/,
  /\brequire\./,
  /^(?:\[\[? |test |check |is |ok )/,
  /\|\| (?:exit|return|fail)/,
  /\bpanic!/,
];

function asserts(line: string): boolean {
  const text = line.trimStart();
  return assertions.some((each) => each.test(text));
}

/** Braces, and words that do nothing. */
const nothing = /^(?:[\])}]*[;,]*|pass|\.\.\.|return;?|:|true;?|do|then|fi|done|end)$/;
const comments = ['//', '#', '*', '/*', '"""'];

function isIdle(line: string): boolean {
  const text = line.trim();
  return nothing.test(text) || comments.some((each) => text.startsWith(each));
}

function cannotFail(first: string, body: readonly string[]): boolean {
  // `test('x', () => {})` and `def test_x(): pass` on one line.
  const rest = oneLiner(first);
  const lines = [...(rest === undefined ? [] : [rest]), ...body].filter((line) => !isIdle(line));
  if (lines.length === 0) return true;
  const asserted = lines.filter(asserts);
  return asserted.length > 0 && asserted.every(isAlwaysTrue);
}

function oneLiner(line: string): string | undefined {
  const open = Math.max(line.lastIndexOf('=> '), line.lastIndexOf('{ '), line.lastIndexOf('): '));
  return open === -1 ? undefined : withoutBraces(line.slice(open + 2));
}

/** `{ return x; });` is `return x`. */
function withoutBraces(text: string): string {
  const end = ['});', '})', ');', ')'].find((each) => text.trimEnd().endsWith(each)) ?? '';
  const bare = text.trimEnd().slice(0, end === '' ? undefined : -end.length);
  return bare.replace(/^[{:>\s]+/, '').trim();
}

const literal = /^(?:-?\d+(?:\.\d+)?|true|True|!0|["'`][^"'`]*["'`])$/;

const equals = ['toBe', 'toEqual', 'toStrictEqual', 'to.equal', 'to.be', 'to.eql', 'to.deep.equal'].map(
  (name) => `).${name}(`,
);
const truths = ['.toBeTruthy()', '.toBeDefined()', '.to.be.true', '.to.be.ok'];
const asserting =
  /^(?:self\.|t\.|assert\.|Assert\.|require\.)?(?:assert\w*|ok|equal|strictEqual|deepEqual|deepStrictEqual|is|true|True|Equal)!?\(/;

/** `assert True`, `expect(1).toBe(1)`, `assert.equal(x, x)`, `[ 1 = 1 ]`: the same on both sides, or a constant. */
function isAlwaysTrue(line: string): boolean {
  const text = line
    .trim()
    .replace(/;$/, '')
    .replace(/^await /, '');
  if (text.startsWith('assert ')) {
    const [claim = ''] = text.slice('assert '.length).split(/, ?["']/, 1);
    return (
      literal.test(claim) || claim.endsWith(' or True') || claim.startsWith('True or ') || isSame(claim.split(' == '))
    );
  }
  if (text.startsWith('expect(')) {
    const equal = equals.find((each) => text.includes(each));
    if (equal !== undefined && text.endsWith(')')) {
      const at = text.indexOf(equal);
      return isSame([text.slice('expect('.length, at), text.slice(at + equal.length, -1)]);
    }
    const truth = truths.find((each) => text.endsWith(each));
    return truth !== undefined && literal.test(text.slice('expect('.length, -truth.length - 1));
  }
  const called = asserting.exec(text)?.[0];
  if (called !== undefined && text.endsWith(')')) {
    const args = text.slice(called.length, -1).split(/,\s*/);
    return args.length === 1 ? literal.test(args[0] ?? '') : isSame(args.slice(0, 2));
  }
  const words = text.split(/\s+/);
  if (words[0] === '[' || words[0] === '[[' || words[0] === 'test')
    return ['=', '==', '-eq'].includes(words[2] ?? '') && words[1] === words[3];
  // check "a name" 1 1
  return helper.test(text) && words.length > 2 && literal.test(words.at(-1) ?? '') && words.at(-1) === words.at(-2);
}

const helper = /^(?:check|is|ok|assert\w*|expect\w*) /;

function isSame([one = '', other = '', more]: readonly string[]): boolean {
  return more === undefined && one.trim() !== '' && one.trim() === other.trim();
}
