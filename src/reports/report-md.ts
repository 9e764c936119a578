import { quoteOf, whyOf as whyOfClaim } from '../claims/in-words.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { changed, compactDuration, costInWords, plural, tokens } from '../terminal/figures.ts';
import { codeSpan, fenced, folded } from './markdown.ts';
import type { Entry, Story } from './story.ts';

const filesShown = 100;
const rulesShown = 100;
const evidenceShown = 50;
/** The size of the markup around the transcript. */
const frameBytes = 300;
const messageShown = 20_000;

/** A run as Markdown: verdict and why, cost, answer, files, and what happened, within `limit` bytes of UTF-8. */
export function reportMarkdown(outcome: RunOutcome, story: Story, limit = Infinity): string {
  const bytes = (text: string): number => new TextEncoder().encode(text).length;
  let left = limit - frameBytes;
  // A part that does not fit is left out; the first ones are short.
  const fits = (part: string): boolean => {
    const size = bytes(part) + 1;
    if (part === '' || size > left) return false;
    left -= size;
    return true;
  };
  const head = [
    `## ${outcome.status === 'success' ? '✅' : '❌'} Runwire: ${outcome.verdict.class}\n`,
    `${whyLine(outcome)}\n`,
    facts(outcome),
    section('Expectations', rules(outcome.expectations ?? [])),
    section('Answer', outcome.message === '' ? '' : fenced(cut(outcome.message, messageShown))),
    section('Claims', claims(outcome)),
    section(
      'Evidence',
      list(
        outcome.verdict.evidence.slice(1, evidenceShown).map(({ signal, detail }) => `${signal}: ${codeSpan(detail)}`),
      ),
    ),
    section('Warnings', list(outcome.warnings.slice(0, 20).map((text) => codeSpan(text)))),
    section('Files', files(outcome, story)),
  ].filter(fits);
  const parts = story.entries.map(entryMarkdown);
  const whole = (count: number): string => {
    const hidden = story.omitted + parts.length - count;
    const shown = [...parts.slice(0, count), ...(hidden === 0 ? [] : [`… ${plural(hidden, 'step')} not shown\n`])];
    return [
      ...head,
      ...(parts.length === 0
        ? []
        : [folded(`Transcript (${plural(parts.length + story.omitted, 'step')})`, shown.join('\n'))]),
    ].join('\n');
  };
  let room = limit - bytes(whole(0));
  let count = 0;
  for (const part of parts) {
    room -= bytes(part) + 1;
    if (room < 0) break;
    count += 1;
  }
  return whole(count);
}

/** If there are many rules, those that do not hold come first. */
function rules(all: NonNullable<RunOutcome['expectations']>): string {
  const shown =
    all.length <= rulesShown ? all : all.toSorted((a, b) => Number(a.passed) - Number(b.passed)).slice(0, rulesShown);
  const lines = shown.map(
    ({ rule, passed, detail }) => `${passed ? '✅' : '❌'} ${codeSpan(rule)}: ${codeSpan(detail)}`,
  );
  return list(shown.length === all.length ? lines : [...lines, `… ${plural(all.length - shown.length, 'more rule')}`]);
}

const claimsShown = 50;
const marks = { contradicted: '❌', not_shown: '❔', supported: '✅', not_checkable: '' } as const;

/** What the answer claims, with what shows it; what is contradicted comes first. */
function claims({ claims: all = [], omitted }: RunOutcome): string {
  const order = ['contradicted', 'not_shown', 'supported', 'not_checkable'];
  const sorted = all.toSorted((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict));
  const lines = sorted.slice(0, claimsShown).map((claim) => {
    const why = whyOfClaim(claim);
    const words = `${marks[claim.verdict]} ${claim.verdict.replace('_', ' ')}: ${codeSpan(quoteOf(claim))}`;
    return why === '' ? words : `${words}: ${codeSpan(why, 500)}`;
  });
  const hidden = all.length - lines.length + (omitted?.claims ?? 0);
  return list(hidden === 0 ? lines : [...lines, `… ${plural(hidden, 'more claim')}`]);
}

/** The main reason for a verdict. */
function whyOf({ verdict }: Pick<RunOutcome, 'verdict'>): string {
  return verdict.evidence[0]?.detail ?? verdict.class;
}

function whyLine(outcome: RunOutcome): string {
  const { error_details: error } = outcome;
  const more = outcome.status === 'success' || error?.message === undefined ? '' : `: ${codeSpan(error.message)}`;
  return `${codeSpan(whyOf(outcome))}${more} (exit code ${outcome.verdict.exit_code})`;
}

function facts({ metrics, provenance, children }: RunOutcome): string {
  const { cost_source: source, duration_ms: ms, waited_ms: waited } = metrics;
  const cost = costInWords(metrics);
  const agent = [provenance.agent, provenance.version].filter((word) => word !== undefined).join(' ');
  const lines: [string, string | undefined][] = [
    ['agent', agent === '' ? undefined : codeSpan(agent)],
    ['model', metrics.model_name === undefined ? undefined : codeSpan(metrics.model_name)],
    ['cost', cost === undefined ? 'unknown' : `${cost} (${source})`],
    [
      'below it',
      children === undefined
        ? undefined
        : [plural(children.runs, 'run'), costInWords(children)].filter(Boolean).join(', '),
    ],
    ['tokens', tokens(metrics.input_tokens, metrics.output_tokens)],
    ['time', ms === undefined ? undefined : compactDuration(ms)],
    ['of that, waited for limits', waited === undefined ? undefined : compactDuration(waited)],
    [
      'work',
      [
        plural(metrics.turns, 'turn'),
        ...(metrics.tool_calls_count === undefined ? [] : [plural(metrics.tool_calls_count, 'tool call')]),
      ].join(', '),
    ],
  ];
  return list(lines.flatMap(([name, value]) => (value === undefined ? [] : [`**${name}**: ${value}`])));
}

function files({ artifacts, omitted }: RunOutcome, story: Story): string {
  const shown = artifacts.slice(0, filesShown).map(({ path, operation }) => {
    const size = changed(story.changeOf(path) ?? {});
    return `${operation} ${codeSpan(path)}${size === undefined ? '' : ` ${size}`}`;
  });
  const hidden = Math.max(0, artifacts.length - filesShown) + (omitted?.artifacts ?? 0);
  return list(hidden === 0 ? shown : [...shown, `… ${plural(hidden, 'more file')}`]);
}

function entryMarkdown({ kind, name, text, status, output }: Entry): string {
  if (kind === 'text') return fenced(text);
  if (kind === 'error') return `**error** ${codeSpan(text)}\n`;
  const line = `**tool** ${codeSpan(name ?? '', 60)} ${text === '' ? '' : codeSpan(text)} ${status ?? 'no end'}\n`;
  return output === undefined || output.trim() === '' ? line : `${line}\n${fenced(output)}`;
}

function section(title: string, body: string): string {
  return body === '' ? '' : `### ${title}\n\n${body}`;
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}\n`).join('');
}

function cut(text: string, limit: number): string {
  return text.length <= limit
    ? text
    : `${text.slice(0, limit).toWellFormed()}\n[… ${text.length - limit} characters …]`;
}
