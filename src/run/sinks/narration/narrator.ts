import type { EventOf, EventRecord } from '../../../events/event.ts';
import { contradictedOf, quoteOf, whyOf } from '../../../claims/in-words.ts';
import { isUnchanged } from '../../../outcome/lineage.ts';
import { refusalInWords } from '../../../outcome/network.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { changeInWords } from '../../../outcome/warnings.ts';
import { Activity, type Call, toolOf, waitInWords } from './activity.ts';
import { isUnread } from '../../../outcome/verdict.ts';
import { endOf, gist } from './call.ts';
import type { Pace } from './pace.ts';
import {
  addChange,
  type Change,
  changed,
  counted,
  costInWords,
  dollars,
  seconds,
  tokens,
} from '../../../terminal/figures.ts';
import type { Line, Tone } from '../../../terminal/line.ts';
import { shortRunId } from '../../../ids/run-id.ts';
import { oneLine, plain } from '../../../terminal/plain.ts';

export interface NarratorOptions {
  say(line: Line): void;
  now(): number;
  /** `lines`: a line when a call begins; `live`: running calls are drawn below the lines, and a call gets its line when it ends. */
  calls: 'lines' | 'live';
  /** `errors`: only what went wrong. */
  tell: 'all' | 'errors';
  /** The agent was allowed everything that can be allowed. */
  isFull?: boolean;
  /** Unset: everything is shown, however much it is. */
  pace?: Pace;
  /** What the user could do next. */
  advise?(outcome: RunOutcome): readonly string[];
}

type Parts = readonly (string | undefined)[];
/** Counts of what was not shown, by kind. `line`: lines of a message whose beginning was shown. */
type LeftOut = Record<'message' | 'line' | 'tool call' | 'failed call' | 'warning', number>;
const filesShown = 20;
const callsDrawn = 5;
const timesKept = 2000;
const contradictionsShown = 5;
const troubles = {
  success: undefined,
  error: 'failed',
  denied: 'denied',
  cancelled: 'cancelled',
  abandoned: 'never ended',
} as const;
/** Shorter calls take no time worth mentioning, or are only being replayed. */
const worthTellingMs = 50;

const unreadShown = 8;

/**
 * Tells people what a run does: records in, lines out, and at any moment what is going on. Each line from Runwire begins with a fixed
 * word or mark, so that no name, path or message can pass for another line.
 */
export class Narrator {
  readonly #options: NarratorOptions;
  readonly #activity: Activity;
  /** Changes to the files that are named at the end. */
  readonly #changes = new Map<string, Change>();
  /** When calls ended, by their records. */
  readonly #times = new Map<number, string>();
  /** What arrived since the last line, faster than anybody can read. */
  #leftOut: LeftOut | undefined;
  /** Text that nothing has followed yet: it may be the answer, which goes to stdout. */
  #held: string | undefined;
  /** The last lines of stdout that are in no format: all that there is to show of a program that nobody can read. */
  readonly #unread: string[] = [];

  constructor(options: NarratorOptions) {
    this.#options = options;
    this.#activity = new Activity(options.now);
  }

  record(record: EventRecord): void {
    if (record.type === 'item.completed') this.#noteTime(record);
    if (this.#options.tell === 'errors') return;
    const call = record.type === 'item.completed' ? this.#activity.call(record.item_id) : undefined;
    this.#activity.record(record);
    if (record.type === 'file.edited') this.#noteChange(record);
    // Runwire's own records are rare, and always shown.
    if (this.#options.pace?.room === 0 && record.source === 'agent') return this.#leaveOut(record);
    this.#tellLeftOut();
    this.#tell(record, call);
  }

  #tell(record: EventRecord, call: Call | undefined): void {
    switch (record.type) {
      case 'thread.started':
        return this.#line('dim', [
          `agent ${[record.agent ?? 'unknown', record.agent_version].filter(Boolean).join(' ')}`,
          record.model && `model ${record.model}`,
          record.cwd && `in ${record.cwd}`,
          record.session_id && `session ${record.session_id}`,
        ]);
      case 'turn.started':
        return this.#release();
      case 'text.completed':
        if (!isMessage(record)) return;
        this.#release();
        this.#held = record.text;
        return;
      case 'item.started':
        this.#release();
        if (this.#options.calls === 'lines') this.#begun(this.#activity.call(record.item_id));
        return;
      case 'item.completed':
        return this.#ended(record, call);
      case 'file.edited':
        return this.#line('dim', [`${record.operation} ${this.#activity.nearby(record.path)}`, changed(record)]);
      case 'usage.reported':
        if (record.scope === 'thread' || this.#options.calls === 'live') return;
        return this.#line('dim', [
          'tokens',
          tokens(record.input_tokens, record.output_tokens),
          dollars(record.cost_usd),
        ]);
      case 'retry.scheduled':
        return this.#line('yellow', [
          record.agent !== undefined && record.scope === 'run'
            ? `falling back on ${record.agent}`
            : `retry ${record.attempt ?? ''}${record.max_attempts === undefined ? '' : ` of ${record.max_attempts}`}${
                record.delay_ms === undefined ? '' : ` in ${seconds(record.delay_ms)}`
              }${record.scope === 'run' ? `, ${record.resumes === true ? 'in the same session' : 'from the start'}` : ''}`,
          record.cause,
        ]);
      case 'run.paused':
        return this.#line('yellow', [
          record.reason === 'limit'
            ? record.until_ms === undefined
              ? 'waiting for a limit to reset'
              : waitInWords(record.until_ms, this.#options.now())
            : `paused${record.by === undefined ? '' : ` by ${record.by}`}; "runwire runs resume" lets it go on`,
        ]);
      case 'run.resumed':
        return this.#line('yellow', [
          `going on after ${seconds(record.paused_ms)}${record.by === undefined ? '' : `, resumed by ${record.by}`}`,
        ]);
      case 'limit.changed':
        return this.#line('yellow', [changeInWords(record)]);
      case 'limit.reached':
        return this.#line('yellow', [`limit reached: ${record.message ?? record.limit}`]);
      case 'network.refused':
        return this.#line('yellow', [refusalInWords(record)]);
      case 'branch.updated':
        return this.#branch(record);
      case 'branch.published':
        return this.#published(record);
      case 'error':
        if (record.fatal) return;
        return this.#line('yellow', [`warning: ${record.scope}: ${record.message}`]);
      case 'log':
        if (record.level === 'warning' || record.level === 'error')
          return this.#line('yellow', [`warning: ${record.text}`]);
        if (record.stream === 'stdout' && record.cause === 'noise') {
          this.#unread.push(record.text);
          if (this.#unread.length > unreadShown) this.#unread.shift();
        }
        // A remark of the agent on its own work, such as that it has compacted the conversation.
        if (record.level === 'info' && record.stream === 'agent') this.#line('dim', [`notice: ${record.text}`]);
        return;
      default:
    }
  }

  /** Only counts the record; but the last text may be the answer, so it is held. */
  #leaveOut(record: EventRecord): void {
    switch (record.type) {
      case 'text.completed':
        return isMessage(record) ? this.#hold(record.text) : undefined;
      case 'turn.started':
        return this.#hold(undefined);
      case 'item.started':
        if (this.#options.calls === 'lines') this.#countOut('tool call');
        return this.#hold(undefined);
      case 'item.completed':
        if (record.status !== 'success') this.#countOut('failed call');
        else if (this.#options.calls === 'live') this.#countOut('tool call');
        return;
      case 'error':
        if (!record.fatal) this.#countOut('warning');
        return;
      case 'log':
        if (record.level === 'warning' || record.level === 'error') this.#countOut('warning');
        return;
      case 'retry.scheduled':
      case 'limit.reached':
        return this.#countOut('warning');
      default:
    }
  }

  #hold(words: string | undefined): void {
    if (this.#held !== undefined) this.#countOut('message');
    this.#held = words;
  }

  #countOut(what: keyof LeftOut, count = 1): void {
    this.#leftOut ??= { message: 0, line: 0, 'tool call': 0, 'failed call': 0, warning: 0 };
    this.#leftOut[what] += count;
  }

  #tellLeftOut(): void {
    if (this.#leftOut === undefined) return;
    const what = Object.entries(this.#leftOut).map(([name, count]) => counted(count, name));
    this.#leftOut = undefined;
    this.#line('yellow', [
      `left out: ${what.filter((each) => each !== undefined).join(', ')}: more than anybody can read in this time`,
    ]);
  }

  #noteTime({ sequence, timestamp }: EventRecord): void {
    if (timestamp === null) return;
    this.#times.set(sequence, timestamp);
    const [oldest] = this.#times.keys();
    if (this.#times.size > timesKept && oldest !== undefined) this.#times.delete(oldest);
  }

  /** What the agent claims and what happened says otherwise, with the time of what shows it. */
  #contradictions(claims: RunOutcome['claims']): string[] {
    const contradicted = contradictedOf(claims);
    const more = contradicted.length - contradictionsShown;
    return [
      ...contradicted.slice(0, contradictionsShown).map((claim) => {
        const times = claim.evidence.map(({ sequence }) => this.#times.get(sequence ?? 0));
        const time = times.find((each) => each !== undefined);
        const at = time === undefined ? '' : ` (at ${new Date(time).toTimeString().split(':', 2).join(':')})`;
        return `contradicted: ${oneLine(quoteOf(claim), 300)} — ${oneLine(whyOf(claim), 600)}${at}`;
      }),
      ...(more > 0 ? [`contradicted: ${more} more of its claims`] : []),
    ];
  }

  #noteChange(edit: EventOf<'file.edited'>): void {
    const known = this.#changes.get(edit.path);
    if (known !== undefined || this.#changes.size < filesShown) this.#changes.set(edit.path, addChange(known, edit));
  }

  /** The text that is held, although nothing has followed yet: somebody has to read it now. */
  tellHeld(): void {
    this.#release();
  }

  /** A warning from Runwire that is not part of the run. */
  warn(message: string): void {
    this.#say('yellow', `warning: ${oneLine(message, 1000)}`);
  }

  /** The summary: how the run ended, what it used, what it changed. */
  end(outcome: RunOutcome): void {
    const { verdict, metrics, artifacts } = outcome;
    const good = verdict.class === 'success';
    this.#tellLeftOut();
    this.#options.pace?.renew();
    if (!good) this.#release();
    this.#tellLeftOut();
    for (const { path } of artifacts.slice(0, filesShown))
      this.#line('dim', [`changed ${this.#activity.nearby(path)}`, changed(this.#changes.get(path) ?? {})]);
    const more = artifacts.length - filesShown + (outcome.omitted?.artifacts ?? 0);
    if (more > 0) this.#line('dim', [`changed ${more} more files`]);
    const why =
      outcome.error_details?.message ?? outcome.limits_hit.at(-1)?.message ?? verdict.evidence[0]?.detail ?? '';
    for (const { signal, detail } of good ? [] : verdict.evidence) if (signal === 'stderr') this.#quote(detail);
    if (isUnread(outcome)) for (const text of this.#unread) this.#quote(oneLine(text));
    if (!good) this.#judge('red', `failed: ${verdict.class}: ${oneLine(why, 1000)} (exit code ${verdict.exit_code})`);
    else if (this.#options.tell === 'all') this.#judge('green', 'success');
    for (const words of this.#contradictions(outcome.claims)) this.#judge('red', words);
    const figures = [
      metrics.duration_ms === undefined ? undefined : seconds(metrics.duration_ms),
      counted(metrics.turns, 'turn'),
      counted(metrics.tool_calls_count ?? 0, 'tool call'),
      tokens(metrics.input_tokens, metrics.output_tokens),
      cost(metrics),
      counted(artifacts.length + (outcome.omitted?.artifacts ?? 0), 'changed file'),
    ];
    this.#line('dim', [figures.filter((each) => each !== undefined).join(' · ')]);
    if (good && verdict.evidence.some(({ signal }) => signal === 'answer'))
      this.#line('yellow', ['warning: the last answer is empty']);
    for (const words of keptWords(outcome)) this.#line('plain', [words]);
    if (outcome.denials !== undefined) this.#line('yellow', [this.#denied(outcome.denials)]);
    if (this.#options.tell === 'errors') return;
    for (const sentence of this.#options.advise?.(outcome) ?? []) {
      const line = ours('plain', `next: ${plain(sentence)}`);
      this.#options.say(sentence.startsWith('runwire ') ? { ...line, isCommand: true } : line);
    }
  }

  #denied({ count, every, flag }: NonNullable<RunOutcome['denials']>): string {
    const what = `denied: ${every ? 'every attempt to act' : counted(count, 'attempt')}${every ? ` (${count})` : ''}`;
    const allowing =
      flag !== undefined && this.#options.isFull !== true ? `; ${flag} would allow ${count === 1 ? 'it' : 'them'}` : '';
    return `${what}${allowing}`;
  }

  /** What is going on at the moment, in at most this many lines; the last one is the run itself. */
  live(rows: number): Line[] {
    const calls = this.#activity.running(Math.min(callsDrawn, rows - 1));
    return [...calls.map((text) => ours('plain', text)), ours('dim', this.#activity.status())];
  }

  /** The same in one line, for a log that has been silent for a while. */
  pulse(): Line {
    return ours('dim', this.#activity.pulse());
  }

  #begun(call: Call | undefined): void {
    this.#line('dim', [`› ${toolOf(call)}`, call?.subject]);
  }

  #ended(record: EventOf<'item.completed'>, call: Call | undefined): void {
    const { status, exit_code: code } = record;
    const good = status === 'success';
    if (good && this.#options.calls === 'lines') return;
    const took = record.duration_ms ?? (call === undefined ? 0 : this.#options.now() - call.since);
    const output = good ? gist(record.summary ?? record.output) : (record.error ?? spelt(record.output));
    const isShort = output === undefined || good || gist(output) === output;
    this.#line(toneOf(status), [
      `${good ? '✓' : '✗'} ${toolOf(call)}`,
      call?.subject,
      code === undefined || (code === 0 && status !== 'denied') ? troubles[status] : `exit ${code}`,
      took < worthTellingMs ? undefined : seconds(took),
      isShort ? output : undefined,
    ]);
    if (!isShort) for (const line of endOf(output)) this.#options.say(printed(oneLine(line)));
  }

  #branch({
    branch_id,
    agent,
    status,
    verified,
    files,
    cost_usd: usd,
    isolation,
    commit,
  }: EventOf<'branch.updated'>): void {
    // Its name alone is no news.
    if (status === undefined && verified === undefined && (isolation === undefined || commit !== undefined)) return;
    this.#line(verified === 'failed' ? 'yellow' : 'dim', [
      `branch ${branch_id}`,
      agent,
      status,
      isolation && `in a private copy (${isolation})`,
      verified && `verify ${verified.replace('_', ' ')}`,
      files === undefined ? undefined : counted(files, 'changed file'),
      dollars(usd),
    ]);
  }

  #published({ branch_id, status, remote, ref, url, dry_run, message }: EventOf<'branch.published'>): void {
    const isGood = status === 'success';
    const words = isGood ? (dry_run === true ? 'would publish' : 'published') : 'publish failed:';
    const to = [remote, ref].filter((part) => part !== undefined).join(' ');
    this.#line(isGood ? 'plain' : 'yellow', [`${words} ${branch_id}${to === '' ? '' : ` to ${to}`}`, url, message]);
  }

  /** Text that is not the answer is still worth reading. */
  #release(): void {
    const text = this.#held;
    this.#held = undefined;
    if (text !== undefined) this.#quote(text.trim());
  }

  #quote(text: string): void {
    const lines = plain(text).split('\n');
    const shown = lines.slice(0, this.#options.pace?.room);
    for (const line of shown) this.#options.say({ voice: 'agent', tone: 'plain', text: line });
    this.#options.pace?.shown(shown.length);
    if (shown.length < lines.length) this.#countOut('line', lines.length - shown.length);
  }

  #line(tone: Tone, parts: Parts): void {
    if (this.#options.tell === 'errors') return;
    let text = '';
    for (const part of parts) if (part !== undefined && part !== '') text += (text === '' ? '' : '  ') + oneLine(part);
    this.#say(tone, text);
  }

  #judge(tone: Tone, text: string): void {
    this.#options.pace?.shown(1);
    this.#options.say({ voice: 'verdict', tone, text });
  }

  #say(tone: Tone, text: string): void {
    this.#options.pace?.shown(1);
    this.#options.say(ours(tone, text));
  }
}

/** Where the work is that this run did in a private copy. */
function keptWords({ lineage }: RunOutcome): string[] {
  return (lineage?.branches ?? []).flatMap((each) => {
    const { branch_id: branch, run_id: id, isolation, commit, files } = each;
    if (lineage === undefined || isolation === undefined || commit === undefined || id === undefined) return [];
    if (isUnchanged(lineage, each)) return ['nothing was changed: no branch is kept'];
    const short = shortRunId(id);
    return [
      `kept as ${branch}${files === 0 ? ' (nothing was changed)' : `: runwire apply ${short} takes it, runwire drop ${short} discards it`}`,
    ];
  });
}

/** Blank text says nothing, and sub-agents report separately. */
function isMessage({ parent_item_id, text }: EventOf<'text.completed'>): boolean {
  return parent_item_id === undefined && text.trim() !== '';
}

function ours(tone: Tone, text: string): Line {
  return { voice: 'runwire', tone, text };
}

function printed(text: string): Line {
  return { voice: 'output', tone: 'dim', text };
}

function toneOf(status: EventOf<'item.completed'>['status']): Tone {
  return status === 'success' ? 'plain' : status === 'denied' ? 'red' : 'yellow';
}

function spelt(output: unknown): string | undefined {
  return typeof output === 'string' || output === undefined || output === null
    ? (output ?? undefined)
    : JSON.stringify(output);
}

function cost(metrics: RunOutcome['metrics']): string | undefined {
  const { cost_source: source, tokens_used: used } = metrics;
  const usd = costInWords(metrics);
  if (usd === undefined) return used === undefined ? undefined : 'cost unknown';
  return `${usd}${source === 'computed' ? ' by list price' : ''}`;
}
