import { tidyPath } from '../facts/paths.ts';
import type { Block } from './blocks.ts';

/** A clause as the kinds look at it. */
export interface Clause {
  /** As it stands in the answer. */
  quote: string;
  start: number;
  /** Without emphasis and link targets, in lower case, what is quoted in double quotation marks taken out. */
  plain: string;
  /** The same in the writer's case. */
  cased: string;
  /** What stands in backticks, and names that look like code. */
  codes: readonly string[];
  /** What looks like a file or a folder. */
  paths: readonly string[];
  /** What stands in quotation marks. */
  quoted: readonly string[];
  numbers: readonly number[];
  /** ✅ or ❌ before it or in its cell. */
  mark?: 'pass' | 'fail';
  block: Block;
  /** The whole sentence, plain. */
  sentence: string;
  /** Clauses of the same block before this one, plain; the last first. */
  before: string;
  isNegated: boolean;
  /** The whole answer, plain, and the paths that it names. */
  answer: string;
  named: readonly string[];
}

const words: Record<string, number> = {
  zero: 0,
  no: 0,
  none: 0,
  one: 1,
  single: 1,
  once: 1,
  two: 2,
  both: 2,
  twice: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  thirteen: 13,
  fourteen: 14,
  fifteen: 15,
  sixteen: 16,
  seventeen: 17,
  eighteen: 18,
  nineteen: 19,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
  hundred: 100,
  dozen: 12,
};

const extensions =
  /\.(?:[cm]?[jt]sx?|py|pyi|go|rs|rb|php|java|kt|kts|scala|swift|c|cc|cpp|cxx|h|hpp|cs|fs|ex|exs|erl|hrl|hs|ml|mli|clj|cljs|dart|lua|pl|pm|r|jl|zig|nim|vue|svelte|astro|html?|css|scss|sass|less|json[c5]?|ya?ml|toml|ini|cfg|conf|env|lock|md|mdx|rst|txt|adoc|sql|graphql|gql|proto|sh|bash|zsh|fish|ps1|bat|xml|csv|tsv|tf|hcl|gradle|sbt|cmake|mk|dockerfile|erb|haml|slim|ejs|hbs|pug|twig|blade|tpl|patch|diff|svg|png|jpe?g|gif|webp|pdf|ipynb|log|snap|lockb|sum|mod|cabal|gemspec|podspec|plist|pbxproj|xcodeproj|csproj|sln|properties|editorconfig|gitignore|npmrc|nvmrc|wasm|bin|dat|db|sqlite)$/i;
const bareFiles =
  /^(?:Makefile|Dockerfile|Gemfile|Rakefile|Procfile|Justfile|justfile|CMakeLists\.txt|LICENSE|README|CHANGELOG|NOTES|TODO|AUTHORS|CODEOWNERS|Vagrantfile|Jenkinsfile|Brewfile|Pipfile|Cargo\.lock|go\.sum|go\.mod|\.[a-z][\w.-]+(?:rc|ignore|config|env|attributes|keep|versions?))$/;

/** What a clause stands in. */
export interface Context {
  block: Block;
  sentence: string;
  before: string;
  answer: string;
  named: readonly string[];
}

export function clauseOf(quote: string, start: number, around: Context): Clause {
  const linked = quote.replaceAll(/\[([^\]\n]{0,300})\]\(([^)\s]{0,600})\)/g, '$1');
  const codes = [...linked.matchAll(/`([^`\n]{1,600})`/g)].map(([, code = '']) => code.trim());
  const quoted = [
    ...linked.matchAll(
      /"([^"\n]{1,300})"|“([^”\n]{1,300})”|«\s?([^»\n]{1,300}?)\s?»|「([^」\n]{1,300})」|„([^“”\n]{1,300})[“”]/g,
    ),
  ].map((found) => found.slice(1).find((each) => each !== undefined) ?? '');
  const cased = linked
    .replaceAll(/"[^"\n]{1,300}"|“[^”\n]{1,300}”|«[^»\n]{1,300}»/g, '"…"')
    .replaceAll(/\*\*|__|(?<![\w/])\*(?=\S)|(?<=\S)\*(?![\w/])/g, '')
    .replaceAll('’', "'")
    .replaceAll(/\s+/g, ' ')
    .trim();
  const bare = cased.replaceAll('`', '');
  const mark = /[✅✔✓☑🟢👍]/u.test(quote) ? 'pass' : /[❌✗✘🔴⛔🚫]/u.test(quote) ? 'fail' : undefined;
  const paths = pathsIn(quote, linked);
  const plain = inFigures(bare.toLowerCase().replaceAll(wide, narrow));
  return {
    quote,
    start,
    plain,
    cased: bare,
    codes,
    paths,
    quoted,
    numbers: numbersIn(plain),
    ...(mark === undefined ? {} : { mark }),
    ...around,
    isNegated: isNegated(plain),
  };
}

/** Chinese and Japanese have wide forms of the signs that the expressions know. */
const wide = /[\uFF01-\uFF5E]/g;

function narrow(sign: string): string {
  return String.fromCharCode(sign.charCodeAt(0) - 0xfe_e0);
}

const tens = '(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)';
let large: RegExp | undefined;

/** Numbers above ten in figures: `forty-two` is 42. The smaller ones have other meanings, too. */
function inFigures(plain: string): string {
  if (!/teen\b|ty\b|ty-|\beleven\b|\btwelve\b|\bdozen\b/.test(plain)) return plain;
  large ??= new RegExp(
    String.raw`\b(?:${tens}(?:[- ](one|two|three|four|five|six|seven|eight|nine))?|(eleven|twelve|\w{3,5}teen|(?:a |one )?dozen))\b`,
    'g',
  );
  return plain.replaceAll(large, (text, ten?: string, one?: string, teen?: string) => {
    const number = (ten === undefined ? 0 : (words[ten] ?? 0)) + (one === undefined ? 0 : (words[one] ?? 0));
    if (ten !== undefined) return String(number);
    const small = words[(teen ?? '').replace(/^(?:a|one) /, '')];
    return small === undefined ? text : String(small);
  });
}

/** A path as the answer names it: in code, in a link, or bare with an extension. */
export function pathsIn(quote: string, linked: string): string[] {
  const found: string[] = [];
  const add = (text: string): void => {
    const path = tidyPath(text.replace(/[.,;:!?)]+$/, '').replace(/^[(]+/, ''));
    if (path !== '' && !found.includes(path)) found.push(path);
  };
  for (const [, label = '', target = ''] of quote.matchAll(/\[([^\]\n]{0,300})\]\(([^)\s]{0,600})\)/g))
    if (isPath(tidyPath(target)) && !/^https?:/.test(target))
      add(
        isPath(tidyPath(label.replaceAll('`', ''))) && target.includes(label.replaceAll('`', ''))
          ? label.replaceAll('`', '')
          : target,
      );
  for (const [, code = ''] of linked.matchAll(/`([^`\n]{1,300})`/g))
    if (isPath(tidyPath(code)) || /^[\w.-]+\/$/.test(code)) add(code);
  for (const [word] of linked.replaceAll(/`[^`\n]{0,600}`/g, ' ').matchAll(/[\w./@~+-]{2,300}/g)) {
    const bare = word.replace(/[.,;:!?)]+$/, '');
    if (isPath(bare) && !found.some((path) => path.endsWith(bare) || bare.endsWith(path))) add(bare);
  }
  return found.slice(0, 50);
}

function isPath(text: string): boolean {
  if (text.length < 2 || /[\s()'"<>|$;&,=]/.test(text) || /^https?:|^www\.|^-/.test(text)) return false;
  const name = text.slice(text.lastIndexOf('/') + 1);
  if (/^console\.(?:log|error|warn|info|debug)$/.test(text)) return false;
  if (bareFiles.test(name)) return true;
  if (extensions.test(name) && !/^\.\w+$/.test(name)) return !/^\d{1,9}(?:\.\d{1,9}){0,4}\.\w$/.test(name);
  return (
    /^(?:\.{0,2}\/|~\/)?[\w.@-]+\/[\w.@/-]*[\w@-]$/.test(text) &&
    text.includes('/') &&
    !/^\d+\/\d+$/.test(text) &&
    // `Cart.total/1` is a function, `origin/main` a branch.
    !/\/\d{1,2}$/.test(text) &&
    !/^(?:origin|upstream|refs|remotes|heads)\//.test(text) &&
    !/^(?:and|or|n)\//.test(text) &&
    !/\/(?:or|and|a)$/.test(text) &&
    !text.startsWith('@')
  );
}

export function numbersIn(plain: string): number[] {
  const found: number[] = [];
  for (const [text] of plain.matchAll(
    /(?<![\w.#-])\d{1,3}(?:[,  ]\d{3})+(?![\d,])|(?<![\w.#-])\d+(?:\.\d+)?(?![\w-])|\b[a-z]+\b/g,
  )) {
    if (/^\d/.test(text)) found.push(Number(text.replaceAll(/[,  ]/g, '')));
    else if (Object.hasOwn(words, text)) found.push(words[text] ?? 0);
  }
  return found;
}

export function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d/.test(text)) return Number(text.replaceAll(/[,  ]/g, ''));
  return Object.hasOwn(words, text) ? words[text] : undefined;
}

/** For patterns: a number, in figures or as a word. */
export const count = String.raw`(\d{1,3}(?:,\d{3})+|\d+|zero|no|one|a single|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty)`;

export function isNegated(plain: string): boolean {
  return /\b(?:not|never|no|none|nothing|neither|nor|without|cannot|unable)\b|n't\b|\bkein|\bnicht\b|\bne\b.{1,30}\bpas\b|\bn'.{1,30}\bpas\b|没有|未|不|ません|ない/.test(
    plain,
  );
}
