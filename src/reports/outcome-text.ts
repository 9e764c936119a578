import { claimInWords } from '../claims/in-words.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { compactDuration, costInWords, plural, tokens } from '../terminal/figures.ts';
import { paint } from '../terminal/paint.ts';
import { oneLine, plain } from '../terminal/plain.ts';

const shownLines = 40;
const shownFiles = 30;

/** An outcome for a person at a terminal: verdict and why, cost, answer, files, and what to try. */
export function outcomeText(outcome: RunOutcome, advice: readonly string[], screen: { colours: boolean }): string {
  const { verdict, metrics, provenance, status, artifacts, omitted, message, warnings } = outcome;
  const { cost_source: source, duration_ms: ms } = metrics;
  const cost = costInWords(metrics);
  const colour = status === 'success' ? 'green' : status === 'cancelled' ? 'yellow' : 'red';
  const section = (title: string, lines: readonly string[]): string =>
    lines.length === 0 ? '' : `\n${paint(title, 'bold', screen)}\n${lines.map((line) => `  ${line}\n`).join('')}`;
  const facts: [string, string | undefined][] = [
    ['agent', [provenance.agent, provenance.version].filter(Boolean).join(' ') || undefined],
    ['model', metrics.model_name],
    ['session', outcome.session_id || undefined],
    ['took', ms === undefined ? undefined : compactDuration(ms)],
    ['tokens', tokens(metrics.input_tokens, metrics.output_tokens)],
    ['cost', cost === undefined ? 'unknown' : `${cost} (${source})`],
    ['work', work(outcome)],
  ];
  const hidden = Math.max(0, artifacts.length - shownFiles) + (omitted?.artifacts ?? 0);
  const expectations = (outcome.expectations ?? []).map(
    ({ rule, passed, detail }) =>
      `${paint(passed ? 'holds ' : 'fails ', passed ? 'green' : 'red', screen)} ${oneLine(rule, 200)}: ${oneLine(detail, 300)}`,
  );
  return [
    `${paint(verdict.class, colour, screen)}  ${oneLine(verdict.evidence[0]?.detail ?? '', 400)}  ${paint(`(exit code ${verdict.exit_code})`, 'dim', screen)}\n`,
    facts
      .flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(8)} ${oneLine(value, 400)}\n`]))
      .join(''),
    section(
      'Why',
      verdict.evidence.slice(1).map(({ signal, detail }) => `${oneLine(signal)}: ${oneLine(detail, 400)}`),
    ),
    section('Expectations', expectations),
    section('Answer', message === '' ? [] : head(plain(message.trimEnd()).split('\n'))),
    section('Claims', head(claimLines(outcome))),
    section('Warnings', head(warnings.map((text) => oneLine(text, 400)))),
    section('Files', [
      ...artifacts.slice(0, shownFiles).map(({ path, operation }) => `${operation.padEnd(8)} ${oneLine(path, 400)}`),
      ...(hidden === 0 ? [] : [`… ${plural(hidden, 'more file')}`]),
    ]),
    section(
      'What to try',
      advice.map((line) => oneLine(line, 2000)),
    ),
  ].join('');
}

/** What the facts contradict or do not show, line by line; of the rest, the number. */
export function claimLines({ claims = [], omitted }: Pick<RunOutcome, 'claims' | 'omitted'>): string[] {
  const supported = claims.filter(({ verdict }) => verdict === 'supported').length;
  const hidden = omitted?.claims ?? 0;
  return [
    ...claims
      .filter(({ verdict }) => verdict === 'contradicted' || verdict === 'not_shown')
      .toSorted((one, other) => Number(other.verdict === 'contradicted') - Number(one.verdict === 'contradicted'))
      .map((claim) => oneLine(`${claim.verdict.replace('_', ' ')}: ${claimInWords(claim)}`, 600)),
    ...(supported === 0 ? [] : [`${supported} supported`]),
    ...(hidden === 0 ? [] : [`… ${plural(hidden, 'more claim')}`]),
  ];
}

function work({ metrics, artifacts, omitted }: RunOutcome): string {
  const files = artifacts.length + (omitted?.artifacts ?? 0);
  return [
    plural(metrics.turns, 'turn'),
    ...(metrics.tool_calls_count === undefined ? [] : [plural(metrics.tool_calls_count, 'tool call')]),
    plural(files, 'changed file'),
  ].join(', ');
}

function head(lines: readonly string[]): string[] {
  return lines.length <= shownLines
    ? [...lines]
    : [...lines.slice(0, shownLines), `… ${plural(lines.length - shownLines, 'more line')}`];
}
