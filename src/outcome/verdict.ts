import type { ErrorCode, EventOf, ItemStatus } from '../events/event.ts';
import { exitCodes, interruptCodes, type VerdictClass } from '../failure.ts';
import { BoundedList, LastLines } from './bounded.ts';
import { Attempted } from './denials.ts';
import { classOfCode } from './faults.ts';
import type { IdleAnswer } from './idle-answer.ts';
import { codeOfLimit } from './limits.ts';
import type { Evidence, Expectation, Verdict } from './outcome.ts';
import { isEndedFromOutside, signalOf, timeoutCode } from './process-signal.ts';
import { present } from '../json/present.ts';
import { idleAnswers } from './warnings.ts';
import type { LastFailure } from './wire.ts';

/** Every signal a run gives about how it ended; the fold collects them, `judge` weighs them once. */
export interface Signals {
  claim: EventOf<'agent.finished'> | undefined;
  /** How the run or turn before this one ended, of several in one stream. */
  earlier: EventOf<'agent.finished'> | undefined;
  process: EventOf<'process.ended'> | undefined;
  /** The last error that the agent did not recover from. */
  fatal: EventOf<'error'> | undefined;
  limit: EventOf<'limit.reached'> | undefined;
  /** A limit that became known only after the agent had finished. */
  lateLimit: EventOf<'limit.reached'> | undefined;
  /** What the main thread did last: it said something, or a tool call ended with this status. */
  last: 'text' | ItemStatus | undefined;
  /** A call of the main thread whose end was never reported. */
  leftOpen: string | undefined;
  /** A denial after which nothing more was said. */
  openDenial: string | undefined;
  /** What it tried to do, and how much of it was denied. */
  attempted: Attempted;
  hasText: boolean;
  /** Text followed the last call that it began: there is a final answer. */
  answered: boolean;
  did: boolean;
  cut: boolean;
  /** A line after the agent's last event that should be JSON but is not. */
  damagedEnd: boolean;
  /** Such a line anywhere. */
  damaged: boolean;
  /** Such a line that seems to be about a call. */
  damagedCall: boolean;
  /** Such a line that seems to tell a failure. */
  damagedFailure: boolean;
  /** A line of no known type, while a call was under way, that says that something failed. */
  unreadFailure: boolean;
  /** An answer that speaks of no work at all, with its first words. */
  idle: { kind: IdleAnswer; words: string } | undefined;
  /** Any line of a known dialect at all. */
  heard: boolean;
  /** It began to work: there was a turn or a call. */
  began: boolean;
  /** The last lines of stderr. */
  stderr: LastLines;
  /** A failed tool call, a denial or a warning anywhere in the run, for callers who want to fail on it. */
  toolFailed: boolean;
  denied: boolean;
  warned: boolean;
  /** Claims of its answer that the facts of the run contradict, for callers who want to fail on them. */
  contradicted: readonly string[];
  /** What was expected of it. */
  expectations: BoundedList<Expectation>;
  /** The last request to a model, as far as somebody saw it, and it failed. */
  modelFailure: LastFailure | undefined;
  /** Sentences about models that answered in place of others. */
  swaps: readonly string[];
}

const nothingRead = 'no output in a known format was received';

/** Nothing that it printed could be read. */
export function isUnread({ verdict }: { verdict: Verdict }): boolean {
  return verdict.evidence[0]?.detail === nothingRead;
}

export function noSignals(): Signals {
  return {
    claim: undefined,
    earlier: undefined,
    process: undefined,
    fatal: undefined,
    limit: undefined,
    lateLimit: undefined,
    last: undefined,
    leftOpen: undefined,
    openDenial: undefined,
    attempted: new Attempted(),
    hasText: false,
    answered: false,
    did: false,
    cut: false,
    damagedEnd: false,
    damaged: false,
    damagedCall: false,
    damagedFailure: false,
    unreadFailure: false,
    idle: undefined,
    heard: false,
    began: false,
    stderr: new LastLines(),
    toolFailed: false,
    denied: false,
    warned: false,
    contradicted: [],
    expectations: new BoundedList(),
    modelFailure: undefined,
    swaps: [],
  };
}

/**
 * What a caller may treat as a failure although the run continued: `--fail-on`. `none`: not even a run in which every attempt to act was
 * denied, which is otherwise a failure.
 */
export const failOnWords = ['tool', 'denied', 'empty', 'warning', 'limit', 'model', 'claims', 'none'] as const;
export type FailOn = (typeof failOnWords)[number];

function classOfLimit({ limit }: EventOf<'limit.reached'>): VerdictClass {
  return classOfCode[codeOfLimit[limit]];
}

const interruptions: Record<string, number> = interruptCodes;

export function judge(signals: Signals, failOn: readonly FailOn[] = []): Verdict {
  const evidence = gatherEvidence(signals);
  const verdict = (name: VerdictClass, why: string, code?: ErrorCode | undefined): Verdict => ({
    class: name,
    exit_code: name === 'cancelled' ? cancelledCode(signals) : exitCodes[name],
    ...present({ code }),
    // Where nobody said what went wrong, the last lines of stderr are the best guess.
    evidence: [
      { signal: 'verdict', detail: why },
      ...evidence,
      ...(name === 'incomplete' && code === undefined ? lastWords(signals) : []),
    ],
  });
  const { claim, process, fatal, limit, modelFailure } = signals;

  if (limit?.limit === 'repeats') return verdict('turn_limit', 'the agent went in circles', codeOfLimit.repeats);
  if (limit !== undefined) return verdict(classOfLimit(limit), `the ${limit.limit} limit was reached`);
  if (claim?.status === 'failed') {
    const code =
      claim.code !== undefined && claim.code !== 'unknown'
        ? claim.code
        : (fatal?.code ?? modelFailure?.code ?? claim.code ?? 'unknown');
    return verdict(
      classOfCode[code],
      fatal?.scope === 'runwire' ? failedByUs(code) : 'the agent says that it failed',
      code,
    );
  }
  if (claim?.status === 'ok') {
    const doubt = doubtSuccess(signals, failOn) ?? objection(signals, failOn);
    return doubt === undefined
      ? verdict('success', 'the agent finished, and nothing contradicts it')
      : verdict(...doubt);
  }
  if (signals.earlier !== undefined && signals.cut)
    return verdict('incomplete', 'the stream stops inside a turn that followed a finished one');
  if (claim?.status === 'cancelled')
    return verdict('cancelled', stoppedBy(signals) ?? 'the agent says that it was cancelled', 'cancelled');
  if (fatal !== undefined && fatal.code !== 'cancelled')
    return verdict(classOfCode[fatal.code], 'an error that the agent did not recover from', fatal.code);
  const interrupted = interruption(process);
  if (interrupted !== undefined || fatal !== undefined)
    return verdict('cancelled', stoppedBy(signals) ?? 'the process was interrupted', 'cancelled');
  if (process?.reason === 'timeout' || process?.exit_code === timeoutCode)
    return verdict('time_limit', 'the process ran into a time limit', 'time_limit');
  if (signals.openDenial !== undefined && !signals.cut)
    return verdict('permission', 'the run ended on a denial', 'permission');
  const broken = brokenInstall(signals);
  if (broken !== undefined) return verdict('config', broken, 'config');
  if (modelFailure !== undefined)
    return verdict(
      'provider',
      'the agent never said how it ended, and its last request to a model failed',
      modelFailure.code,
    );
  if (!signals.heard) return verdict('incomplete', nothingRead);
  return verdict('incomplete', 'the stream stopped without an end');
}

/** What ended a live run that did not end by itself; undefined: nothing that we know of. */
function stoppedBy({ claim, process }: Signals): string | undefined {
  const signal = /^SIG(?:INT|TERM|HUP)$/.exec(claim?.message ?? '')?.[0];
  const name = signal ?? (claim?.message === unread ? undefined : process?.requested_signal);
  if (name === undefined) return claim?.message === unread ? `cancelled: ${unread}` : undefined;
  return name === 'SIGINT' ? 'cancelled by you (SIGINT)' : `cancelled from outside (${name})`;
}

/** The message for a run whose reader went away. */
export const unread = 'nobody reads stdout anymore';

function failedByUs(code: ErrorCode): string {
  return code === 'config' || code === 'input' ? 'the agent could not be started' : 'Runwire ended the run';
}

/** Messages of programs that are missing a part of their installation. */
const missingPart = [
  /native binary not installed|cannot find module|optional dependency|exec format error|cannot execute/i,
  /error while loading shared libraries|version `\w{1,100}' not found|command not found/i,
  /: not found$/i,
];

/** The program ended before it did anything because a part of it is missing: starting it again would not help. */
function brokenInstall({ began, hasText, process, stderr }: Signals): string | undefined {
  const { first } = stderr;
  if (began || hasText || process === undefined || process.exit_code === 0 || first === undefined) return undefined;
  return missingPart.some((words) => words.test(first)) || process.exit_code === 127 || process.exit_code === 126
    ? `the program does not work as it is installed: ${first}`
    : undefined;
}

/** Reasons not to believe an agent that claims success. */
function doubtSuccess(
  signals: Signals,
  failOn: readonly FailOn[],
): [VerdictClass, string, (ErrorCode | undefined)?] | undefined {
  const { process, fatal } = signals;
  // It was told to exit, or ended from outside, after its last event: how it did so says nothing about its work.
  const dismissed = process !== undefined && (process.requested_signal !== undefined || isEndedFromOutside(process));
  if (process !== undefined && process.exit_code !== null && process.exit_code !== 0 && !dismissed) {
    const code = fatal?.code;
    return [
      code === undefined ? 'incomplete' : classOfCode[code],
      `the agent says ok, but the process exited with ${process.exit_code}`,
      code,
    ];
  }
  if (process?.signal && !isEndedFromOutside(process))
    return ['incomplete', `the agent says ok, but the process was killed by ${process.signal}`];
  // It came after the claim, for instance because the work could not be kept.
  if (fatal?.scope === 'runwire')
    return [classOfCode[fatal.code], 'the agent says ok, but Runwire could not finish the run', fatal.code];
  if (signals.modelFailure !== undefined)
    return ['provider', 'the agent says ok, but its last request to a model failed', signals.modelFailure.code];
  if (signals.cut) return ['incomplete', 'the last line is cut off'];
  if (signals.damagedEnd) return ['incomplete', 'the end, or the output after it, is damaged'];
  const isWithheld = signals.claim?.is_answer_withheld === true;
  if (signals.openDenial !== undefined && signals.last !== 'text' && !isWithheld)
    return ['permission', 'the run ended on a denial', 'permission'];
  if (signals.last === 'error') return ['tool', 'the run ended on a failed tool call', 'tool'];
  if (signals.leftOpen !== undefined && !signals.answered)
    return ['incomplete', `the run ended while a tool was still running: ${signals.leftOpen}`];
  if (signals.attempted.isAllDenied && !failOn.includes('none'))
    return ['permission', 'every attempt to act was denied', 'permission'];
  // What was denied, or failed, may be in the lines that cannot be read.
  const isInVain = signals.attempted.isAllInVain || (signals.leftOpen !== undefined && signals.attempted.hasNotActed);
  if ((signals.damaged && isInVain) || (signals.damagedCall && signals.attempted.hasNotActed))
    return ['incomplete', 'some lines are damaged, and the others show no work'];
  const isUnreadFailure = signals.damagedFailure || (signals.unreadFailure && signals.leftOpen !== undefined);
  if (isUnreadFailure && signals.attempted.hasNotActed)
    return ['incomplete', 'a line that cannot be read mentions a failure, and the others show no work'];
  if (!signals.hasText && !signals.did && !isWithheld)
    return ['incomplete', 'the agent gave no answer and did nothing'];
  return undefined;
}

/** Reasons why the caller does not accept the run as a success. */
function objection(
  signals: Signals,
  failOn: readonly FailOn[],
): [VerdictClass, string, (ErrorCode | undefined)?] | undefined {
  if (failOn.includes('denied') && signals.denied)
    return ['permission', 'something was denied (--fail-on denied)', 'permission'];
  if (failOn.includes('tool') && signals.toolFailed) return ['tool', 'a tool call failed (--fail-on tool)', 'tool'];
  if (failOn.includes('empty') && !signals.answered) return ['incomplete', 'there is no answer (--fail-on empty)'];
  if (failOn.includes('empty') && signals.idle !== undefined)
    return ['incomplete', `${idleAnswers[signals.idle.kind]} (--fail-on empty)`];
  if (failOn.includes('model') && signals.swaps.length > 0)
    return ['provider', 'another model than the requested one answered (--fail-on model)'];
  const [contradicted] = signals.contradicted;
  if (failOn.includes('claims') && contradicted !== undefined)
    return ['tool', `what happened contradicts the answer: ${contradicted} (--fail-on claims)`, 'tool'];
  const { lateLimit } = signals;
  if (failOn.includes('limit') && lateLimit !== undefined)
    return [classOfLimit(lateLimit), `the ${lateLimit.limit} limit was reached (--fail-on limit)`];
  // If the model continued and answered, a failed or denied tool call still counts as a warning.
  const { warned, toolFailed, denied, idle } = signals;
  if (failOn.includes('warning') && (warned || toolFailed || denied || idle !== undefined || lacksAnswer(signals)))
    return ['incomplete', 'there are warnings (--fail-on warning)'];
  const unmet = unmetOf(signals.expectations.toArray());
  return unmet === undefined ? undefined : ['expectation', unmet, 'expectation'];
}

/** A sentence about the rules that were not met; undefined: all were. */
export function unmetOf(expectations: readonly Expectation[]): string | undefined {
  const unmet = expectations.filter(({ passed }) => !passed);
  return unmet.length === 0
    ? undefined
    : `${unmet.length} of ${expectations.length} expectations not met: ${unmet[0]?.rule}`;
}

const unmetShown = 10;

/** One entry for each rule that was not met. */
export function unmetEvidence(expectations: readonly Expectation[]): Evidence[] {
  const unmet = expectations.filter(({ passed }) => !passed);
  return unmet
    .slice(0, unmetShown)
    .map(({ rule, detail }) => ({ signal: 'expectation', detail: `${rule}: ${detail}` }));
}

/** The agent claims success, but its last answer is empty. */
export function lacksAnswer({ claim, answered }: Signals): boolean {
  return claim?.status === 'ok' && claim.is_answer_withheld !== true && !answered;
}

function interruption(process: EventOf<'process.ended'> | undefined): number | undefined {
  if (process === undefined) return undefined;
  if (process.requested_signal !== undefined) return interruptions[process.requested_signal] ?? exitCodes.cancelled;
  return interruptions[signalOf(process) ?? ''];
}

function cancelledCode(signals: Signals): number {
  return interruption(signals.process) === interruptCodes.SIGTERM ? interruptCodes.SIGTERM : exitCodes.cancelled;
}

const idleWords = {
  asks: 'only a question for the task, and no tool was called',
  announces: 'only an announcement',
} as const satisfies Record<IdleAnswer, string>;

const evidenceLimit = 500;
const swapsShown = 10;
const claimsShown = 10;

function lastWords({ stderr }: Signals): Evidence[] {
  const detail = stderr.within(evidenceLimit);
  return detail === '' ? [] : [{ signal: 'stderr', detail }];
}

function gatherEvidence(signals: Signals): Evidence[] {
  const evidence: Evidence[] = [];
  const add = (signal: string, detail: string): void => void evidence.push({ signal, detail });
  const { claim, process, fatal, limit } = signals;
  if (claim === undefined && signals.earlier !== undefined)
    add('claim', `none since it continued after finishing (${signals.earlier.status})`);
  else if (claim === undefined) add('claim', 'none: the agent never said how it ended');
  else add('claim', [claim.status, claim.raw_status, claim.message].filter(Boolean).join(': '));
  if (process !== undefined) {
    const after = process.requested_signal === undefined ? '' : ` after runwire sent ${process.requested_signal}`;
    add(
      'process',
      `${process.signal === null ? `exit code ${process.exit_code}` : `ended by ${process.signal}`}${after}`,
    );
  }
  if (fatal !== undefined) add('error', `${fatal.code}: ${fatal.message}`);
  if (signals.modelFailure !== undefined) add('wire', `${signals.modelFailure.code}: ${signals.modelFailure.detail}`);
  for (const swap of signals.swaps.slice(0, swapsShown)) add('model', swap);
  for (const words of signals.contradicted.slice(0, claimsShown)) add('claims', `contradicted: ${words}`);
  const reached = limit ?? signals.lateLimit;
  if (reached !== undefined) add('limit', reached.message ?? reached.limit);
  if (signals.openDenial !== undefined) add('denied', signals.openDenial);
  else if (signals.attempted.isAllDenied) add('denied', `${signals.attempted.denied} denied, nothing was allowed`);
  evidence.push(...unmetEvidence(signals.expectations.toArray()));
  if (signals.cut) add('stream', 'the last line is cut off');
  if (!signals.hasText && claim?.is_answer_withheld === true) add('answer', 'not in this log');
  else if (!signals.hasText) add('answer', signals.did ? 'none, but tools ran' : 'none');
  else if (lacksAnswer(signals)) add('answer', 'none after the last tool call');
  else if (claim?.status === 'ok' && signals.idle !== undefined)
    add('answer', `${idleWords[signals.idle.kind]}: ${JSON.stringify(signals.idle.words)}`);
  return evidence.map((each) => ({
    ...each,
    detail: each.detail.length > evidenceLimit ? `${each.detail.slice(0, evidenceLimit).toWellFormed()}…` : each.detail,
  }));
}
