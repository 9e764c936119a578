import type { EventOf, EventRecord } from '../../events/event.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { oneLine, plain, prefix } from './plain.ts';

export interface NarratorOptions {
  /** A line for stderr. */
  say(line: string): void;
  colours: boolean;
  /** `errors`: only what went wrong. */
  tell: 'all' | 'errors';
}

type Colour = 'dim' | 'red' | 'green' | 'yellow';
const codes: Record<Colour, number> = { dim: 2, red: 31, green: 32, yellow: 33 };
const filesShown = 20;

/**
 * Tells people, on stderr and live, what a run does. Lines of ours begin with our name and a word of ours, so that no name,
 * path or message can pass for the last line; words of the agent begin with a bar.
 */
export class Narrator {
  readonly #options: NarratorOptions;
  readonly #names = new Map<string, string>();
  readonly #changes = new Map<string, { additions: number; deletions: number }>();
  /** Words that were not yet followed by anything: maybe the answer, which stdout gets. */
  #held: string | undefined;

  constructor(options: NarratorOptions) {
    this.#options = options;
  }

  record(record: EventRecord): void {
    switch (record.type) {
      case 'thread.started':
        return this.#line('dim', [
          `model ${record.model ?? 'unknown'}`,
          record.cwd && `in ${record.cwd}`,
          record.session_id && `session ${record.session_id}`,
        ]);
      case 'turn.started':
        return this.#release();
      case 'text.completed':
        if (record.parent_item_id !== undefined || record.text.trim() === '') return;
        this.#release();
        this.#held = record.text;
        return;
      case 'item.started':
        this.#release();
        this.#names.set(record.item_id, record.name);
        return this.#line('dim', [`tool ${record.name}`, subject(record.args)]);
      case 'item.completed':
        return this.#ended(record);
      case 'file.edited': {
        const known = this.#changes.get(record.path) ?? { additions: 0, deletions: 0 };
        known.additions += record.additions ?? 0;
        known.deletions += record.deletions ?? 0;
        this.#changes.set(record.path, known);
        return this.#line('dim', [`${record.operation} ${record.path}`, changed(record)]);
      }
      case 'usage.reported':
        if (record.scope === 'thread') return;
        return this.#line('dim', ['tokens', tokens(record.input_tokens, record.output_tokens), dollars(record.cost_usd)]);
      case 'retry.scheduled':
        return this.#line('yellow', [
          `retry ${record.attempt ?? ''}${record.max_attempts === undefined ? '' : ` of ${record.max_attempts}`}`,
          record.delay_ms === undefined ? undefined : `in ${seconds(record.delay_ms)}`,
          record.cause,
        ]);
      case 'limit.reached':
        return this.#line('yellow', [`limit reached: ${record.message ?? record.limit}`]);
      case 'error':
        if (record.fatal) return;
        return this.#line('yellow', [`warning: ${record.scope}: ${record.message}`]);
      case 'log':
        if (record.level === 'warning' || record.level === 'error') this.#line('yellow', [`warning: ${record.text}`]);
        return;
      default:
    }
  }

  /** The last word: how it ended, what it took, what it changed. */
  end(outcome: RunOutcome): void {
    const { verdict, metrics } = outcome;
    const good = verdict.class === 'success';
    if (!good) this.#release();
    for (const { path } of outcome.artifacts.slice(0, filesShown))
      this.#line('dim', [`changed ${path}`, changed(this.#changes.get(path) ?? {})]);
    const more = outcome.artifacts.length - filesShown + (outcome.omitted?.artifacts ?? 0);
    if (more > 0) this.#line('dim', [`changed ${more} more files`]);
    const why = outcome.error_details?.message ?? outcome.limits_hit.at(-1)?.message ?? verdict.evidence[0]?.detail ?? '';
    for (const { signal, detail } of good ? [] : verdict.evidence) if (signal === 'stderr') this.#quote(detail);
    const words = good ? 'success' : `failed: ${verdict.class}: ${oneLine(why, 1000)} (exit code ${verdict.exit_code})`;
    this.#say(good ? 'green' : 'red', words, 'errors');
    this.#line('dim', [
      metrics.duration_ms === undefined ? undefined : seconds(metrics.duration_ms),
      counted(metrics.turns, 'turn'),
      counted(metrics.tool_calls_count, 'tool call'),
      tokens(metrics.input_tokens, metrics.output_tokens),
      dollars(metrics.cost) ?? (metrics.tokens_used === undefined ? undefined : 'cost unknown'),
      counted(outcome.artifacts.length + (outcome.omitted?.artifacts ?? 0), 'changed file'),
    ]);
  }

  #ended(record: EventOf<'item.completed'>): void {
    const name = this.#names.get(record.item_id) ?? 'unknown';
    this.#names.delete(record.item_id);
    if (record.status === 'success') return;
    const words = { error: 'failed', denied: 'denied', cancelled: 'cancelled', abandoned: 'never ended' }[record.status];
    const output = record.error ?? (typeof record.output === 'string' ? record.output : JSON.stringify(record.output ?? ''));
    this.#line(record.status === 'denied' ? 'red' : 'yellow', [
      `tool ${name} ${words}${record.exit_code === undefined ? '' : ` with exit code ${record.exit_code}`}`,
      record.duration_ms === undefined ? undefined : `after ${seconds(record.duration_ms)}`,
      output === '' || output === '""' ? undefined : output,
    ]);
  }

  /** What is not the answer is still worth reading. */
  #release(): void {
    const text = this.#held;
    this.#held = undefined;
    if (text !== undefined && this.#options.tell === 'all') this.#quote(text.trim());
  }

  #quote(text: string): void {
    for (const line of plain(text).split('\n')) this.#options.say(`  | ${line}`);
  }

  #line(colour: Colour, parts: readonly (string | undefined)[]): void {
    const shown = parts.filter((part) => part !== undefined && part !== '');
    this.#say(colour, shown.map((part) => oneLine(part ?? '')).join(', '), 'all');
  }

  #say(colour: Colour, words: string, level: NarratorOptions['tell']): void {
    if (level === 'all' && this.#options.tell === 'errors') return;
    if (level === 'errors' && this.#options.tell === 'errors' && words === 'success') return;
    this.#options.say(this.#options.colours ? `\u001b[${codes[colour]}m${prefix}${words}\u001b[0m` : prefix + words);
  }
}

const subjects = ['command', 'path', 'file_path', 'pattern', 'url', 'query', 'prompt'];

/** The one argument that says most of a call. */
function subject(args: unknown): string {
  if (typeof args !== 'object' || args === null) return typeof args === 'string' ? args : '';
  const fields = args as Record<string, unknown>;
  const known = subjects.map((name) => fields[name]).find((value) => typeof value === 'string');
  if (typeof known === 'string') return known;
  return Object.keys(fields).length === 0 ? '' : JSON.stringify(args);
}

function changed({ additions, deletions }: { additions?: number | undefined; deletions?: number | undefined }): string | undefined {
  return additions === undefined && deletions === undefined ? undefined : `+${additions ?? 0} -${deletions ?? 0}`;
}

function seconds(ms: number): string {
  const whole = Math.floor(ms / 1000);
  if (whole < 60) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function tokens(input: number | undefined, output: number | undefined): string | undefined {
  const number = (value: number): string => String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
  if (input === undefined && output === undefined) return undefined;
  return [input === undefined ? undefined : `${number(input)} in`, output === undefined ? undefined : `${number(output)} out`]
    .filter((part) => part !== undefined)
    .join(' ');
}

function dollars(cost: number | undefined): string | undefined {
  return cost === undefined ? undefined : `$${cost.toFixed(cost < 1 ? 4 : 2)}`;
}

function counted(count: number, noun: string): string | undefined {
  return count === 0 ? undefined : `${count} ${noun}${count === 1 ? '' : 's'}`;
}
