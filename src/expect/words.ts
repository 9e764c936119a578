import { Failure, messageOf } from '../failure.ts';
import { quoted } from '../redact/quoted.ts';
import { avoidable, countable, Rule, RuleFile } from './rule.ts';
import { parseInput } from '../json/parse.ts';

const grammar = `must call TOOL · must not call TOOL · must run WORDS · must not run WORDS · must touch PATH · must not touch PATH
at most N turns|tools|files|dollars|seconds|tokens · at least N …
answer contains TEXT · answer does not contain TEXT · answer matches /REGEX/ · answer does not match /REGEX/ · answer fits FILE|{SCHEMA}
after: COMMAND · no secrets|denials|failed tools|warnings|retries|contradicted claims · ends CLASS [or CLASS …]`;

/** One rule in words. If it is not a rule, throws a `Failure` that lists the known forms. */
export function parseRule(text: string): Rule {
  const line = text.trim();
  const found = action(line) ?? amountOf(line) ?? answer(line) ?? rest(line);
  const rule = found === undefined ? undefined : Rule.safeParse(found).data;
  if (rule === undefined)
    throw new Failure('input', `not a rule: ${JSON.stringify(quoted(line, 200))}; expected one of:\n${grammar}`);
  if (rule.rule === 'answer_matches') checkPattern(rule);
  return rule;
}

/** A file of rules: one per line, with `#` before comments, or a JSON array. */
export function parseRules(text: string): Rule[] {
  if (!text.trimStart().startsWith('[')) {
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map(parseRule);
  }
  const file = RuleFile.safeParse(parseInput(text));
  if (!file.success) {
    const [issue] = file.error.issues;
    throw new Failure(
      'input',
      `${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'not a list of rules'}; see "runwire schema expect"`,
    );
  }
  return file.data.map((each) => {
    if (typeof each === 'string') return parseRule(each);
    if (each.rule === 'answer_matches') checkPattern(each);
    return each;
  });
}

function action(line: string): unknown {
  const [, no, verb, what] = /^must (not )?(call|run|touch) (\S.*)$/.exec(line) ?? [];
  if (verb === undefined || what === undefined) return undefined;
  const given = no === undefined ? {} : { not: true };
  return verb === 'call'
    ? { rule: 'call', tool: what, ...given }
    : verb === 'run'
      ? { rule: 'run', command: what, ...given }
      : { rule: 'touch', path: what, ...given };
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** `at most 5 turns`, `at most $0.50`, `at most 5m`. */
function amountOf(line: string): unknown {
  const [, which, dollar, digits, word] = /^at (most|least) (\$)?(\d{1,15}(?:\.\d{1,9})?) ?([a-z]+)?$/.exec(line) ?? [];
  if (which === undefined || digits === undefined) return undefined;
  const rule = which === 'most' ? 'at_most' : 'at_least';
  const count = Number(digits);
  if (dollar !== undefined) return word === undefined ? { rule, count, of: 'dollars' } : undefined;
  const unit = units[word ?? ''];
  if (unit !== undefined) return { rule, count: count * unit, of: 'seconds' };
  const of = countable.find((each) => each === word || each === `${word}s`);
  return of === undefined ? undefined : { rule, count, of };
}

function answer(line: string): unknown {
  const [, no, text] = /^answer (does not contain|contains) (\S.*)$/.exec(line) ?? [];
  if (text !== undefined) return { rule: 'answer_contains', text, ...(no === 'contains' ? {} : { not: true }) };
  const [, how, pattern, flags] = /^answer (does not match|matches) \/(.+)\/([a-z]{0,4})$/.exec(line) ?? [];
  if (pattern !== undefined)
    return {
      rule: 'answer_matches',
      pattern,
      ...(flags === '' ? {} : { flags }),
      ...(how === 'matches' ? {} : { not: true }),
    };
  const [, schema] = /^answer fits (\S.*)$/.exec(line) ?? [];
  if (schema === undefined) return undefined;
  if (!schema.startsWith('{')) return { rule: 'answer_fits', file: schema };
  try {
    return { rule: 'answer_fits', schema: JSON.parse(schema) as unknown };
  } catch {
    return undefined;
  }
}

function rest(line: string): unknown {
  const [, command] = /^after: ?(\S.*)$/.exec(line) ?? [];
  if (command !== undefined) return { rule: 'after', command };
  const [, without] = /^no ([a-z ]+)$/.exec(line) ?? [];
  if (without !== undefined) return { rule: 'none', of: avoidable.find((each) => each === without) };
  const [, names] = /^ends ([a-z_ ]+)$/.exec(line) ?? [];
  return names === undefined ? undefined : { rule: 'ends', classes: names.split(' or ') };
}

function checkPattern({ pattern, flags = '' }: Extract<Rule, { rule: 'answer_matches' }>): void {
  try {
    void new RegExp(pattern, flags);
  } catch (error) {
    throw new Failure('input', `answer matches /${pattern}/${flags}: ${messageOf(error)}`);
  }
}

/** The rule as it is typed. */
export function wordsOf(rule: Rule): string {
  switch (rule.rule) {
    case 'call':
      return `must ${rule.not ? 'not ' : ''}call ${rule.tool}`;
    case 'run':
      return `must ${rule.not ? 'not ' : ''}run ${rule.command}`;
    case 'touch':
      return `must ${rule.not ? 'not ' : ''}touch ${rule.path}`;
    case 'at_most':
    case 'at_least':
      return `${rule.rule.replace('_', ' ')} ${rule.count} ${rule.of}`;
    case 'answer_contains':
      return `answer ${rule.not ? 'does not contain' : 'contains'} ${rule.text}`;
    case 'answer_matches':
      return `answer ${rule.not ? 'does not match' : 'matches'} /${rule.pattern}/${rule.flags ?? ''}`;
    case 'answer_fits':
      return `answer fits ${rule.file ?? JSON.stringify(rule.schema ?? {})}`;
    case 'after':
      return `after: ${rule.command}`;
    case 'none':
      return `no ${rule.of}`;
    case 'ends':
      return `ends ${rule.classes.join(' or ')}`;
  }
}
