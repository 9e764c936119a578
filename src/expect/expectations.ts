import { claimInWords, contradictedOf } from '../claims/in-words.ts';
import type { EventOf, EventRecord } from '../events/event.ts';
import { subject } from '../events/subject.ts';
import { cutText } from '../outcome/bounded.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { matchesPath } from '../files/path-pattern.ts';
import { holdsWords, matchesFile } from './patterns.ts';
import type { Expectation, Rule } from './rule.ts';
import { wordsOf } from './words.ts';

/** Checks that need more than the events. None of them rejects, and none runs for ever. */
export interface Judges {
  /** A string instead of a boolean says why there is no answer. */
  matches(pattern: string, flags: string, text: string): boolean | string;
  /** What is wrong with the text; undefined: it fits. */
  fits(schema: Record<string, unknown>, text: string): Promise<string | undefined>;
  passes(command: string): Promise<{ passed: boolean; detail: string }>;
}

interface Watched {
  rule: Rule;
  matches?: (record: EventOf<'item.started'> | EventOf<'file.edited'>, folder: string) => boolean;
  /** How often it happened, and its first occurrence. */
  count: number;
  first: string;
}

/** The rules about one run: they see its records as they arrive, and are judged when it is over. */
export class Expectations {
  readonly #watched: Watched[];
  readonly #isRedacted: boolean;
  /** Calls that have begun and that a rule applies to. */
  readonly #open = new Map<string, { about: string; watched: Watched[] }>();
  #folder = '';
  #failedTools = 0;
  #retries = 0;

  constructor(rules: readonly Rule[], { isRedacted = true }: { isRedacted?: boolean } = {}) {
    this.#watched = rules.map((rule) => ({ rule, ...matcherOf(rule), count: 0, first: '' }));
    this.#isRedacted = isRedacted;
  }

  record(record: EventRecord): void {
    switch (record.type) {
      case 'thread.started':
        this.#folder ||= record.cwd ?? '';
        return;
      case 'item.started': {
        const watched = this.#watched.filter(
          ({ rule, matches }) => rule.rule !== 'touch' && matches?.(record, this.#folder) === true,
        );
        if (watched.length > 0)
          this.#open.set(record.item_id, {
            about: cutText(`${record.name} ${subject(record.args)}`.trim(), 200),
            watched,
          });
        return;
      }
      case 'item.completed': {
        const call = this.#open.get(record.item_id);
        this.#open.delete(record.item_id);
        if (record.status === 'error') this.#failedTools += 1;
        // What was denied was not done.
        if (call !== undefined && record.status !== 'denied') for (const each of call.watched) see(each, call.about);
        return;
      }
      case 'file.edited':
        for (const each of this.#watched)
          if (each.rule.rule === 'touch' && each.matches?.(record, this.#folder) === true)
            see(each, `${record.operation} ${cutText(record.path, 200)}`);
        return;
      case 'retry.scheduled':
        this.#retries += 1;
        return;
      default:
    }
  }

  /** After the last record. */
  async judge(outcome: RunOutcome, judges: Judges): Promise<Expectation[]> {
    const results: Expectation[] = [];
    for (const watched of this.#watched) {
      const [passed, detail] = await this.#judged(watched, outcome, judges);
      results.push({ rule: wordsOf(watched.rule), passed, detail: cutText(detail, 500) });
    }
    return results;
  }

  async #judged(
    { rule, count, first }: Watched,
    outcome: RunOutcome,
    judges: Judges,
  ): Promise<[passed: boolean, detail: string]> {
    const { message } = outcome;
    switch (rule.rule) {
      case 'call':
      case 'run':
      case 'touch': {
        const happened = count === 0 ? 'it did not' : `${count === 1 ? 'once' : `${count} times`}, first: ${first}`;
        return [rule.not === true ? count === 0 : count > 0, happened];
      }
      case 'at_most':
      case 'at_least': {
        const value = figureOf(rule.of, outcome);
        if (value === undefined) return [false, `the number of ${rule.of} is not known`];
        return [
          rule.rule === 'at_most' ? value <= rule.count : value >= rule.count,
          `${Number(value.toFixed(6))} ${rule.of}`,
        ];
      }
      case 'answer_contains': {
        const isThere = message.includes(rule.text);
        return [isThere !== (rule.not === true), isThere ? 'it does' : 'it does not'];
      }
      case 'answer_matches': {
        const found = judges.matches(rule.pattern, rule.flags ?? '', message);
        if (typeof found === 'string') return [false, found];
        return [found !== (rule.not === true), found ? 'it does' : 'it does not'];
      }
      case 'answer_fits': {
        if (rule.schema === undefined) return [false, `${rule.file ?? 'the schema'} was not read`];
        const problem = await judges.fits(rule.schema, message);
        return [problem === undefined, problem ?? 'it does'];
      }
      case 'after': {
        // A command that judges the work has nothing to judge in a run that failed.
        if (outcome.verdict.class !== 'success') return [false, `not run: the run ended as ${outcome.verdict.class}`];
        const { passed, detail } = await judges.passes(rule.command);
        return [passed, detail];
      }
      case 'none': {
        if (rule.of === 'contradicted claims') {
          const contradicted = contradictedOf(outcome.claims);
          return [contradicted.length === 0, contradicted.map((each) => claimInWords(each)).join('; ') || 'none'];
        }
        if (rule.of === 'secrets' && !this.#isRedacted) return [false, 'nobody looked for them'];
        const value = this.#avoided(rule.of, outcome);
        return [value === 0, `${value} ${rule.of}`];
      }
      case 'ends':
        return [rule.classes.includes(outcome.verdict.class), outcome.verdict.class];
    }
  }

  #avoided(of: Exclude<Extract<Rule, { rule: 'none' }>['of'], 'contradicted claims'>, outcome: RunOutcome): number {
    switch (of) {
      case 'secrets':
        return outcome.provenance.redactions ?? 0;
      case 'denials':
        return outcome.denials?.count ?? 0;
      case 'failed tools':
        return this.#failedTools;
      case 'warnings':
        return outcome.warnings.length + (outcome.omitted?.warnings ?? 0);
      case 'retries':
        return this.#retries;
    }
  }
}

function see(watched: Watched, what: string): void {
  watched.count += 1;
  if (watched.count === 1) watched.first = what;
}

function matcherOf(rule: Rule): Pick<Watched, 'matches'> {
  switch (rule.rule) {
    case 'call': {
      const isSo = matchesPath(rule.tool.toLowerCase());
      return {
        matches: (record) =>
          record.type === 'item.started' &&
          [record.name, record.native_name, record.kind].some((name) => name !== undefined && isSo(name.toLowerCase())),
      };
    }
    case 'run': {
      const holds = holdsWords(rule.command);
      return {
        matches: (record) => record.type === 'item.started' && record.kind === 'command' && holds(subject(record.args)),
      };
    }
    case 'touch': {
      const isSo = matchesFile(rule.path);
      return { matches: (record, folder) => record.type === 'file.edited' && isSo(record.path, folder) };
    }
    default:
      return {};
  }
}

function figureOf(
  of: Extract<Rule, { rule: 'at_most' }>['of'],
  { metrics, artifacts, omitted, children }: RunOutcome,
): number | undefined {
  switch (of) {
    case 'turns':
      return metrics.turns;
    case 'tools':
      return metrics.tool_calls_count;
    case 'files':
      return artifacts.length + (omitted?.artifacts ?? 0);
    case 'dollars':
      if (children === undefined) return metrics.cost;
      return metrics.cost === undefined || children.cost_known < children.runs
        ? undefined
        : metrics.cost + (children.cost ?? 0);
    case 'seconds':
      return metrics.duration_ms === undefined ? undefined : metrics.duration_ms / 1000;
    case 'tokens':
      return metrics.tokens_used === undefined ? undefined : metrics.tokens_used + (children?.tokens_used ?? 0);
  }
}
