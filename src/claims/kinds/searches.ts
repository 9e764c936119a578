import type { Clause } from '../answer/clause.ts';
import { count, numberOf } from '../answer/clause.ts';
import { argOf, type Call } from '../facts/call.ts';
import type { Facts, Step } from '../facts/facts.ts';
import { isInside, isSamePath } from '../facts/paths.ts';
import { byCall, contradicted, type Found, type Judgement, notShown, supported } from './kind.ts';
import { callText, short } from './why.ts';
import { talliesIn } from '../runners/summaries.ts';
import { stripTerminal } from '../facts/terminal-text.ts';

/** A search, and what it found. */
interface Search {
  call: Call;
  order: number;
  version: number;
  pattern: string;
  isCaseless: boolean;
  paths: readonly string[];
  /** Lines, and the files that they are in; absent: not reported. */
  matches?: number;
  files?: number;
  perFile: ReadonlyMap<string, number>;
  isCut: boolean;
  text: string;
}

const searchers = /^(?:grep|egrep|fgrep|zgrep|rg|ag|ack|git-grep|ugrep)$/;

function searchesOf(facts: Facts): Search[] {
  const found: Search[] = [];
  for (const step of facts.steps) {
    const search = ofStepSearch(step);
    if (search !== undefined) found.push(search);
  }
  for (const call of facts.calls) {
    if (call.kind !== 'search' || call.status !== 'success') continue;
    const pattern = argOf(call.args, 'pattern', 'query', 'regex', 'search', 'q', 'Query', 'SearchPattern');
    if (pattern === undefined) continue;
    const lines = call.output.split('\n');
    const reported =
      /Found (\d+) (?:total )?match(?:es|ing)?/i.exec(call.output)?.[1] ??
      /^Found (\d+) (?:files?|results?)/m.exec(call.output)?.[1];
    const none =
      /^No (?:matches|files|results)(?: were)? found|^no matches/im.test(call.output) || call.output.trim() === '';
    const files = /^Found (\d+) files?/m.exec(call.output)?.[1];
    const counted = countsIn(
      lines.filter((line) => !/^(?:Found \d+|---)/.test(line)),
      /glob|find|list/i.test(call.name)
        ? 'files'
        : (argOf(call.args, 'output_mode') ?? 'content') === 'files_with_matches'
          ? 'files'
          : argOf(call.args, 'output_mode') === 'count'
            ? 'count'
            : 'lines',
    );
    const steps = facts.steps.filter((step) => step.call.index < call.index);
    const writes = facts.writes.filter((write) => write.call.index < call.index);
    found.push({
      call,
      order: Math.max(0, ...steps.map(({ order }) => order), ...writes.map(({ order }) => order)) + 0.5,
      version: versionAt(facts, call.index),
      pattern,
      isCaseless:
        argOf(call.args, '-i') === 'true' ||
        (call.args as Record<string, unknown>)['-i'] === true ||
        /^grep_search|search_file_content$/.test(call.name),
      paths: [argOf(call.args, 'path', 'dir_path', 'include', 'glob', 'directory', 'file_path')].filter(
        (each) => each !== undefined,
      ),
      isCut: call.isCut,
      text: call.output,
      perFile: counted.perFile,
      ...(none
        ? { matches: 0, files: 0 }
        : reported === undefined
          ? { matches: counted.matches, files: counted.files }
          : {
              matches: Number(reported),
              ...(files === undefined ? (counted.files > 0 ? { files: counted.files } : {}) : { files: Number(files) }),
            }),
    });
  }
  return found.toSorted((a, b) => a.call.index - b.call.index || a.order - b.order);
}

/** The version of the files when a call that runs nothing was made. */
function versionAt(facts: Facts, index: number): number {
  const later = facts.writes.some(
    (write) => write.call.index > index && write.done !== 'no' && !/\.(?:md|txt|rst)$/.test(write.path),
  );
  return later ? -1 : facts.version;
}

function ofStepSearch(step: Step): Search | undefined {
  const { program, exit, isRefused, isMissing, ran } = step;
  const isGit = program.name === 'git' && program.args.includes('grep');
  if ((!searchers.test(program.name) && !isGit) || isRefused || isMissing || ran === 'no') return undefined;
  if (step.through.some(({ name }) => name === 'head') && step.lines.length >= 10) return undefined;
  if (step.fed !== undefined || step.call === undefined) return undefined;
  // What it found went on to a program that does something else with it.
  if (step.through.some(({ name }) => /^(?:xargs|while|sh|bash|python|node|perl|awk|sed|parallel|vim?)$/.test(name)))
    return undefined;
  // A filter of another program's output.
  const args = isGit ? program.args.slice(program.args.indexOf('grep') + 1) : program.args;
  const flags = args.filter((arg) => arg.startsWith('-') && !arg.startsWith('--')).join('');
  const at = args.findIndex((arg) => arg === '-e' || arg === '--regexp');
  const plain = args.filter(
    (arg, index) =>
      !arg.startsWith('-') &&
      !/^(?:-[gtTABCmef]|--(?:glob|type|include|exclude|exclude-dir|max-count|context|iglob|regexp))$/.test(
        args[index - 1] ?? '',
      ),
  );
  const pattern = at === -1 ? plain[0] : args[at + 1];
  if (pattern === undefined) return undefined;
  const paths = at === -1 ? plain.slice(1) : plain;
  const counter = step.through.find(({ name }) => name === 'wc');
  const lines = step.lines.filter((line) => line.trim() !== '' && line !== '--');
  const isNone =
    (exit === 'nonzero' && (step.code === undefined || step.code === 1) && lines.length === 0) ||
    (exit !== 'nonzero' && lines.length === 0 && step.through.length === 0);
  if (exit === 'nonzero' && !isNone && lines.length > 0 && step.code !== 1 && step.code !== undefined) return undefined;
  if (!step.isAlone && counter === undefined) return undefined;
  const mode =
    /[a-zA-Z]*c/.test(flags) && /c/.test(flags)
      ? 'count'
      : /[lL]/.test(flags) || args.includes('--files-with-matches') || args.includes('--count')
        ? args.includes('--count')
          ? 'count'
          : 'files'
        : 'lines';
  const counted = countsIn(lines, mode, paths.length === 1 ? paths[0] : undefined);
  const number = counter === undefined ? undefined : /^\s*(\d+)\s*$/.exec(lines.at(-1) ?? '')?.[1];
  return {
    call: step.call,
    order: step.order,
    version: step.version,
    pattern,
    isCaseless:
      /i/.test(flags) ||
      args.includes('--ignore-case') ||
      (program.name === 'rg' &&
        (flags.includes('S') || args.includes('--smart-case')) &&
        pattern === pattern.toLowerCase()),
    paths,
    perFile: number === undefined ? counted.perFile : new Map(),
    isCut: step.call.isCut || step.through.some(({ name }) => /^(?:head|tail)$/.test(name)),
    text: step.lines.join('\n'),
    ...(isNone
      ? { matches: 0, files: 0 }
      : number !== undefined
        ? { matches: Number(number), ...(mode === 'files' ? { files: Number(number) } : {}) }
        : { matches: counted.matches, files: counted.files }),
  };
}

function countsIn(
  lines: readonly string[],
  mode: string,
  file?: string,
): { matches: number; files: number; perFile: Map<string, number> } {
  const perFile = new Map<string, number>();
  let matches = 0;
  let heading = '';
  for (const line of lines) {
    if (line.trim() === '' || line === '--' || line.startsWith('…')) continue;
    if (mode === 'files') {
      perFile.set(line.trim(), 1);
      matches += 1;
    } else if (mode === 'count') {
      const [, path, number = '0'] = /^(?:(.+?)[:\s])?(\d+)$/.exec(line.trim()) ?? [];
      matches += Number(number);
      if (Number(number) > 0) perFile.set(path ?? file ?? '', Number(number));
    } else {
      const gemini = /^File: (\S+)/.exec(line)?.[1];
      if (gemini !== undefined) {
        heading = gemini;
        continue;
      }
      const path =
        /^((?:[A-Za-z]:)?[^\s:]{1,300}):\d+[:-]/.exec(line)?.[1] ??
        /^((?:[A-Za-z]:)?[\w./@-]{1,300}\.\w{1,8}|[\w./@-]{1,300}\/[\w.@-]+):/.exec(line)?.[1] ??
        (heading === '' ? file : heading);
      matches += 1;
      if (path !== undefined) perFile.set(path, (perFile.get(path) ?? 0) + 1);
    }
  }
  return { matches, files: perFile.size, perFile };
}

/** A pattern without what only says how it is to be matched. */
function bare(pattern: string): string {
  return pattern
    .replaceAll(/\\[bB<>]|\^|\$$|\\s[*+]?|\(\?[:i]\)?|\\\(|\\\)|[()]/g, '')
    .replaceAll(/\\(?=[.\-[\]/'"])/g, '')
    .trim();
}

function fits(search: Search, subject: string): 'same' | 'narrower' | 'wider' | 'caseless' | undefined {
  const pattern = bare(search.pattern);
  const wanted = bare(subject);
  const alternatives = pattern.split(/\\?\|/);
  for (const each of alternatives) {
    if (each === wanted || (search.isCaseless && each.toLowerCase() === wanted.toLowerCase())) return 'same';
  }
  const low = wanted.toLowerCase();
  for (const each of alternatives) {
    if (each.toLowerCase() === low) return 'caseless';
    if (
      each !== '' &&
      (search.isCaseless ? low.includes(each.toLowerCase()) : wanted.includes(each)) &&
      each.length > 2
    )
      return 'wider';
    if (wanted !== '' && each.toLowerCase().includes(low)) return 'narrower';
  }
  return undefined;
}

const things = String.raw`(?:statements?|match(?:es)?|hits?|results?|occurrences?|references?|usages?|uses?|mentions?|call ?sites?|callers?|calls|instances?|places?|spots?|locations?|times|imports?|importers?|consumers?|todos?|fixmes?|comments?|leftovers?|files?|modules?|lines?|entries|findings|traces?|remnants?|remains|sites|endpoints?|routes?|definitions?|declarations?)`;
const none = new RegExp(
  [
    String.raw`\b(?:no|zero|0|not a single|no other|no more|no remaining|any) (?:\S+ ){0,3}?${things}\b.{0,60}\b(?:left|remain\w*|found|exists?|any\s?more|to|of|in|for|at all|anywhere|were|was|are|is)\b`,
    String.raw`\bno (?:\S+ ){0,2}?(?:${things})\b`,
    String.raw`\bnothing (?:\w+ )?(?:uses?|references?|imports?|calls?|mentions?|depends? on|matches|points? to|was found|came up|turned up|found|left|remains?)\b`,
    String.raw`\b(?:found|finds|find|returned|returns|yielded|gave|turned up|came up with|shows?|showed|produced|brought up) (?:absolutely |literally )?(?:nothing|none|no\b|zero|0\b)`,
    String.raw`\b(?:is|are|was|were) (?:not|no longer|never|n't) (?:\w+ )?(?:used|referenced|imported|called|mentioned|found|present)\b(?: anywhere| any\s?more)?`,
    String.raw`\b(?:does|do)(?: not|n't) (?:appear|occur|show up|exist)\b.{0,20}(?:any\s?more|anywhere|any longer|at all|in )?`,
    String.raw`\b(?:unused|unreferenced)\b`,
    String.raw`\bempty[- ]handed\b|\b(?:search|grep|lookup|scan)\b.{0,40}\b(?:is|was|came back|comes back|came up|turned up|returned|stays?|remained) (?:\w+ )?empty\b`,
  ].join('|'),
);
const counted = new RegExp(String.raw`\b(?:exactly |only |about |in |just |all )?${count} (?:\S+ ){0,3}?${things}\b`);
const repeated =
  /\b(?:appears?|appeared|occurs?|occurred|used|uses|called|referenced|mentioned|found|shows? up|exists?|imported|hits?|matches|matched|contains?|turned up)\b.{0,60}?\b(once|twice|\d+ times|thrice)\b|\b(once|twice|thrice)\b.{0,40}\b(?:in|package|module|file|folder|code)\b/;
const searching =
  /\b(?:search\w*|grep\w*|rg|ripgrep|look(?:ed|ing)? for|scan\w*|found|find|occurr\w*|references?|usages?|match\w*|used|uses|called|referenced|mentioned|appears?|occurs?|contain\w*|hits?|call ?sites?|callers?|mention\w*|todos?|fixmes?|there (?:is|are|was|were)|leftovers?|imports?|importing|remain\w*|left|count\w*|still|turn(?:s|ed) up|shows? up|showed up)\b/;

/** What a search found, or did not. */
export function searches(clause: Clause): Found | undefined {
  const { plain } = clause;
  const subjects = [
    ...clause.codes.filter((code) => !/^(?:rg|grep|git grep|ag)\b/.test(code)),
    ...clause.quoted,
    ...[...clause.cased.matchAll(/\b(?:TODO|FIXME|XXX|HACK)\b/g)].map(([word]) => word),
  ];
  if (subjects.length === 0) subjects.push(...bareIdentifiers(clause.cased));
  const row = rowCount(clause);
  if (row !== undefined) return { kind: 'search_count', judge: (facts) => judgeRow(facts, row, clause) };
  const testCount = new RegExp(
    String.raw`\b(?:there (?:are|is)|has|have|contains?|holds|found|finds|collect(?:ed|s)|discover(?:ed|s)|consists? of|counts?) (?:a total of |exactly |only )?${count} (?:\w+ )?(?:tests?|specs?|test cases?)\b(?! (?:pass|fail|skip))|^${count} (?:tests?|specs?) (?:collected|found|exist|in total)`,
  ).exec(plain);
  if (testCount !== null) {
    const number = numberOf(testCount[1] ?? testCount[2]);
    return number === undefined ? undefined : { kind: 'search_count', judge: (facts) => judgeTestCount(facts, number) };
  }
  if (
    /\b(?:error|errors|warning|warnings|failure|failures|issue|issues|problem|problems|vulnerabilit\w+|conflict|conflicts|offen[sc]es?|violations?|tests?|lint\w*|insertions?|changed|modified|touched|edited|added|deleted|commits?)\b/.test(
      plain,
    ) &&
    !/\b(?:grep|search|found no matches|occurrences?|references?|usages?|matches)\w*\b/.test(plain)
  )
    return undefined;
  // Left to those who know linters, and what was run.
  if (
    /\b(?:shellcheck|eslint|ruff|flake8|pylint|mypy|pyright|tsc|clippy|rubocop|phpstan|psalm|detekt|ktlint|hadolint|stylelint|prettier|golangci-lint|staticcheck|credo|dialyzer|the (?:linter|compiler|type checker|formatter))\b.{0,20}\b(?:finds?|found|reports?|reported|has|had|raises?|raised|shows?|showed|flags?|flagged)\b/.test(
      plain,
    )
  )
    return undefined;
  if (
    /\bunused (?:imports?|variables?|exports?)\b|^(?:so |then )?(?:i|we) (?:also )?(?:used|ran|replaced|updated|changed|edited)\b/.test(
      plain,
    )
  )
    return undefined;
  if (
    none.test(plain) &&
    (searching.test(plain) || subjects.length > 0) &&
    !/\bno longer (?!used|referenced|imported|called|found|appears|present|mentioned)/.test(plain)
  ) {
    const isEnd = /\b(?:left|remain\w*|any\s?more|any longer|no longer|still|leftovers?|now|is|are)\b/.test(plain);
    if (
      subjects.length === 0 &&
      !/\b(?:search|grep|look|leftover|match|occurrence|reference|usage|hit|result|caller|calls? (?:to|of|remain)|uses of|mention|import)\w*/.test(
        plain,
      )
    )
      return undefined;
    return { kind: 'nothing_found', isWhole: true, judge: (facts) => judgeNone(facts, subjects, isEnd, clause) };
  }
  const number =
    numberOf(counted.exec(plain)?.[1]) ??
    timesOf(
      repeated
        .exec(plain)
        ?.slice(1)
        .find((each) => each !== undefined),
    );
  if (number === undefined || number === 0 || !searching.test(plain)) return undefined;
  if (
    subjects.length === 0 &&
    !/\b(?:turn(?:s|ed) up|search|grep|occurr|match|import|reference|usage|todo|fixme|hit|found|call ?site|caller)\w*/.test(
      plain,
    )
  )
    return undefined;
  if (/\b(?:lines? \d|read only|reads? only|limit|seconds?|ms|bytes|kb|mb)\b/.test(plain) && subjects.length === 0)
    return undefined;
  const first = counted.exec(plain)?.[0];
  const isFiles = first === undefined ? /\b(?:files?|modules?)\b/.test(plain) : /\b(?:files?|modules?)$/.test(first);
  return {
    kind: 'search_count',
    isWhole: true,
    judge: (facts) => judgeCount({ facts, subjects, number, isFiles, clause }),
  };
}

/** `legacyFetch`, `old_name`, `OLD_NAME` without backticks. */
function bareIdentifiers(cased: string): string[] {
  const subject =
    /^(?:the (?:string |word |name |symbol |function |class |old )*)?([A-Za-z_$][\w.$-]{2,40})(?:\(\))? (?:is |was |are |were |still |only |also )*(?:turn(?:s|ed) up|shows? up|showed up|appear(?:s|ed)|occur(?:s|red)|used|called|referenced|mentioned|imported|found)\b/.exec(
      cased,
    )?.[1];
  if (
    subject !== undefined &&
    !/^(?:it|this|that|they|there|which|search|grep|import|file|code|nothing|these|those|module|function|class)s?$/i.test(
      subject,
    )
  )
    return [subject];
  return [
    ...cased.matchAll(/(?<![\w/.@-])(?:console\.\w+|[a-z]+[A-Z]\w*|[A-Za-z]+_\w+|[A-Z][a-z]+[A-Z]\w*)(?![\w/-]|\.\w)/g),
  ]
    .map(([name]) => name)
    .filter((name) => !/^test|Test$/.test(name))
    .slice(0, 4);
}

function timesOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return text === 'once' ? 1 : text === 'twice' ? 2 : text === 'thrice' ? 3 : Number.parseInt(text, 10);
}

interface Row {
  path: string;
  number: number;
}

/** A row of a table, or an item, that is a path and a number. */
function rowCount(clause: Clause): Row | undefined {
  const cells = clause.block.cells;
  const [path] = clause.paths;
  if (path === undefined) return undefined;
  const text =
    cells === undefined
      ? /^\W{0,3}[\w./@-]+\W{1,5}(\d+)(?: (?:match(?:es)?|hits?|occurrences?|times|todos?|uses|usages|references))?\W?$/.exec(
          clause.plain,
        )?.[1]
      : cells.length === 2 && /^\**`?[\w./@-]+`?\**$/.test(cells[0] ?? '')
        ? /^\**(\d+)\**(?: (?:match(?:es)?|hits?|occurrences?))?$/.exec(cells[1] ?? '')?.[1]
        : undefined;
  return text === undefined ? undefined : { path, number: Number(text) };
}

function judgeRow(facts: Facts, { path, number }: Row, clause: Clause): Judgement {
  const around = `${clause.block.heading} ${clause.block.intro} ${clause.block.columns?.join(' ') ?? ''}`.toLowerCase();
  const all = searchesOf(facts).filter(({ perFile, matches }) => perFile.size > 0 || matches === 0);
  const named = all.filter((search) => around.includes(bare(search.pattern).toLowerCase()));
  const list = named.length > 0 ? named : all.length === 1 ? all : [];
  for (const search of list.toReversed()) {
    const real = [...search.perFile].find(([file]) => isSamePath(file, path))?.[1];
    if (
      real === undefined &&
      search.paths.length > 0 &&
      !search.paths.some((each) => isInside(path, each) || each === '.')
    )
      continue;
    if (search.isCut && (real ?? 0) !== number) continue;
    return (real ?? 0) === number ? supported(ofSearch(search)) : contradicted(ofSearch(search));
  }
  return notShown;
}

function ofSearch(search: Search): ReturnType<typeof byCall> {
  const result =
    search.matches === undefined ? '' : search.matches === 0 ? ': no match' : `: ${search.matches} matches`;
  return byCall(
    search.call,
    `${search.call.kind === 'search' ? `${search.call.name} ${short(search.pattern, 60)}` : callText(search.call)}${result}`,
  );
}

function judgeNone(facts: Facts, subjects: readonly string[], isEnd: boolean, clause: Clause): Judgement {
  const all = searchesOf(facts);
  const isLater = (search: Search): boolean => search.version === facts.version;
  const fresh = isEnd || /\bleftovers?\b/.test(clause.plain) ? all.filter(isLater) : all;
  const isLeftover = subjects.length === 0;
  if (isLeftover) {
    const last = fresh.at(-1);
    if (last === undefined) return notShown;
    if (/\bleftovers?\b/.test(clause.plain) && !isLater(last)) return notShown;
    return last.matches === 0
      ? supported(ofSearch(last))
      : last.matches === undefined
        ? notShown
        : contradicted(ofSearch(last));
  }
  for (const search of fresh.toReversed()) {
    const how = subjects.map((subject) => fits(search, subject)).find((each) => each !== undefined);
    if (how === undefined) continue;
    if (search.matches === 0) {
      if (how === 'same' || how === 'wider') return supported(ofSearch(search));
      continue;
    }
    if (search.matches !== undefined && (how === 'same' || how === 'narrower') && !search.isCaseless)
      return contradicted(ofSearch(search));
    if (
      search.matches !== undefined &&
      how === 'same' &&
      subjects.some((subject) => search.text.includes(bare(subject)))
    )
      return contradicted(ofSearch(search));
  }
  return notShown;
}

function judgeCount({
  facts,
  subjects,
  number,
  isFiles,
  clause,
}: {
  facts: Facts;
  subjects: readonly string[];
  number: number;
  isFiles: boolean;
  clause: Clause;
}): Judgement {
  const all = searchesOf(facts);
  const isEnd = /\b(?:still|left|remain\w*|now)\b/.test(clause.plain);
  const named =
    subjects.length === 0
      ? []
      : all.filter((search) =>
          subjects.some((subject) => ['same', 'narrower', 'caseless'].includes(fits(search, subject) ?? '')),
        );
  const list =
    named.length > 0
      ? named
      : all.filter(
          (search) => clause.codes.length === 0 || subjects.some((subject) => fits(search, subject) !== undefined),
        );
  const usable = list.filter((search) => !isEnd || search.version === facts.version);
  const agrees = (search: Search): boolean =>
    isFiles
      ? search.files === number || search.perFile.size === number
      : search.matches === number ||
        search.files === number ||
        (search.matches === undefined && search.files === number);
  const own = usable.findLast(agrees);
  if (own !== undefined && (named.length > 0 || all.length === 1 || isFiles || clause.codes.length === 0))
    return supported(ofSearch(own));
  const last = usable.at(-1);
  if (last === undefined || last.isCut) return notShown;
  const isSure =
    subjects.some((subject) => fits(last, subject) === 'same') ||
    (named.length === 0 && subjects.length === 0 && all.length === 1);
  const real = isFiles ? (last.files ?? (last.matches === 0 ? 0 : undefined)) : last.matches;
  if (!isSure || real === undefined || real === number) return notShown;
  // Before the change or after it: whichever search is meant, none found so many.
  const others = isEnd
    ? []
    : usable.filter((each) => each !== last && subjects.some((subject) => fits(each, subject) === 'same'));
  return contradicted(...[...others, last].slice(-3).map(ofSearch));
}

function judgeTestCount(facts: Facts, number: number): Judgement {
  for (const run of facts.runs.toReversed()) {
    if (!run.check.families.includes('tests') || run.step.isRefused || run.step.isMissing) continue;
    const text = stripTerminal(run.call.output);
    const collected = /\b(\d+)(?:\/\d+)? tests? (?:collected|found)|collected (\d+) items?|^(\d+) tests?, \d+ bench/m
      .exec(text)
      ?.slice(1)
      .find((each) => each !== undefined);
    const total = collected === undefined ? (talliesIn(text.split('\n'))[0]?.total ?? undefined) : Number(collected);
    if (total === undefined) continue;
    const evidence = byCall(run.call, `${callText(run.call)}: ${total} tests`);
    if (total === number) return supported(evidence);
    return run.check.limits.length > 0 ? notShown : contradicted(evidence);
  }
  return notShown;
}
