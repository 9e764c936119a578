import { contradictedOf } from '../claims/in-words.ts';
import type { Draft, ErrorCode } from '../events/event.ts';
import { messageOf, type VerdictClass } from '../failure.ts';
import { codeOfClass } from '../outcome/faults.ts';
import type { Script } from '../run/sources/script.ts';
import { version } from '../version.ts';
import type { Best } from '../words/vocabulary.ts';
import { tellStart } from './brain.ts';
import { type Branch, type Crew, until } from './crew.ts';
import type { AgentChoice } from './settings.ts';
import { isGood, isVerified, summaryOf } from './words.ts';
import { present } from '../json/present.ts';

export interface RaceAsk {
  contestants: readonly AgentChoice[];
  best: Best;
  /** The deadline for all, in ms from the start. */
  timeoutMs: number | undefined;
  /** Called with all results, for a table. */
  onEnd(entries: readonly Entry[], winner: Winner | undefined): void;
}

/** A contestant, and how it ended. */
export interface Entry {
  branch: Branch;
  /** In the order they were given. */
  place: number;
  /** The duration of the work and its verification. */
  durationMs: number;
  /** In the order they ended. */
  finished: number;
}

/** The same task for several agents, or several times for one; a fixed rule chooses the winner from facts. */
export function raceOf(crew: Crew, { contestants, best, timeoutMs, onEnd }: RaceAsk): Script {
  return async ({ prompt, signal, cwd, projectName, parentBranchId }, emit) => {
    const { clock, verify } = crew.settings;
    const startedAt = clock();
    const turn = { turn_id: 'turn_1', iteration: 1 };
    const place = { cwd, project_name: projectName, parent_branch_id: parentBranchId };
    emit({ type: 'thread.started', task: prompt, agent: 'runwire', agent_version: version, ...place, headless: true });
    emit({ type: 'prompt.submitted', text: prompt });
    tellStart(crew, emit);
    emit({ type: 'turn.started', ...turn, message_count: 1, tool_count: contestants.length });
    const over = new AbortController();
    const stopped = AbortSignal.any([signal, over.signal]);
    // The base first, so that no agent is blamed for what was already red.
    const endsAt = timeoutMs === undefined ? undefined : startedAt + timeoutMs;
    const tools = { turn_id: turn.turn_id, emit, signal: until(endsAt, signal, clock) };
    const base = verify === undefined ? undefined : await verifyBase(crew, verify, tools);
    let ended = 0;
    const entries = await Promise.all(
      contestants.map(async (choice, index): Promise<Entry> => {
        const item_id = `attempt_${index + 1}`;
        emit({
          type: 'item.started',
          item_id,
          turn_id: turn.turn_id,
          kind: 'subagent',
          name: 'execute_agent',
          args: argsOf(choice, prompt),
        });
        const begun = clock();
        const branch = await crew.execute({ ...choice, prompt, endsAt }, { itemId: item_id, signal: stopped, emit });
        // Without the time that it waited for a slot.
        const durationMs = Math.round((branch.workMs ?? 0) + (branch.verification?.duration_ms ?? 0));
        const entry: Entry = { branch, place: index, durationMs, finished: (ended += 1) };
        const status = isGood(branch) ? 'success' : stopped.aborted ? 'cancelled' : 'error';
        const summary = summaryOf(branch);
        if (status === 'error')
          emit({ type: 'error', scope: 'tool', code: 'tool', message: summary, fatal: false, item_id });
        emit({
          type: 'item.completed',
          item_id,
          status,
          output: summary,
          summary,
          branch_id: branch.id,
          duration_ms: Math.round(clock() - begun),
        });
        if (best === 'first' && isEligible(entry, verify !== undefined) && doubtOf(entry) === 0) over.abort();
        return entry;
      }),
    );
    const winner = winnerOf(entries, best, verify !== undefined);
    if (winner !== undefined) emit({ type: 'branch.updated', branch_id: winner.entry.branch.id, winner: true });
    await crew.dropUnchanged();
    onEnd(entries, winner);
    const text = winner === undefined ? lost(entries, base) : won(winner, best);
    emit({ type: 'text.completed', text });
    emit({
      type: 'turn.completed',
      ...turn,
      tool_call_count: contestants.length,
      has_final_report: true,
      finish_reason: 'stop',
    });
    const isLate = endsAt !== undefined && clock() >= endsAt;
    emit({
      type: 'agent.finished',
      ...endOf({ winner, entries, isLate }, text, signal),
      duration_ms: Math.round(clock() - startedAt),
    });
  };
}

function argsOf({ agent, model }: AgentChoice, prompt: string): Record<string, string> {
  return { agent, ...present({ model }), prompt };
}

async function verifyBase(
  crew: Crew,
  command: string,
  { turn_id, emit, signal }: { turn_id: string; emit(draft: Draft): void; signal: AbortSignal },
): Promise<string | undefined> {
  const { base, clock } = crew.settings;
  const item_id = 'base';
  const startedAt = clock();
  emit({
    type: 'item.started',
    item_id,
    turn_id,
    kind: 'command',
    name: 'verify',
    args: { branch_id: base.branchId, command },
  });
  const end = (status: 'success' | 'error', summary: string, exit: { exit_code?: number } = {}): void =>
    emit({
      type: 'item.completed',
      item_id,
      status,
      output: summary,
      summary,
      branch_id: base.branchId,
      duration_ms: Math.round(clock() - startedAt),
      ...exit,
    });
  try {
    const { base: result, exit_code: code } = await crew.verifier.verify(base.commit, command, signal);
    const colour = result === 'passed' ? 'green' : result === 'flaky' ? 'flaky' : 'red';
    end('success', `the base is ${colour}`, code === null ? {} : { exit_code: code });
    return result;
  } catch (error) {
    end('error', `the base could not be verified: ${messageOf(error)}`);
    return undefined;
  }
}

/** It succeeded, passed verification if there is one, and neither deleted tests nor touched protected files. */
function isEligible({ branch }: Entry, isVerifying: boolean): boolean {
  const { facts } = branch;
  if (!isGood(branch) || (isVerifying && !isVerified(branch))) return false;
  return facts === undefined || facts.tests_deleted.length + facts.protected_touched.length === 0;
}

export interface Winner {
  entry: Entry;
  /** Others that tied by the rule. */
  tied: readonly Entry[];
}

/**
 * Flaky work, work that changed the files of its own verify command, and work without changes win only if there is nothing better;
 * and so, all else equal, does work whose answer the facts contradict.
 */
function doubtOf({ branch: { changes, facts, verification, outcome } }: Entry): number {
  const isContradicted = contradictedOf(outcome?.claims).length > 0;
  const isOwnProof = facts !== undefined && facts.verify_touched.length > 0;
  return [changes?.changes.length === 0, isOwnProof, verification?.result === 'flaky', isContradicted].reduce(
    (doubt, is) => doubt * 2 + (is ? 1 : 0),
    0,
  );
}

/** The least doubtful first; then by the rule; then in the order given. */
export function winnerOf(entries: readonly Entry[], best: Best, isVerifying: boolean): Winner | undefined {
  const eligible = entries.filter((entry) => isEligible(entry, isVerifying));
  const least = Math.min(...eligible.map(doubtOf));
  const field = eligible.filter((entry) => doubtOf(entry) === least);
  const measure = measures[best];
  const [entry, ...others] = field.toSorted((one, other) => measure(one) - measure(other) || one.place - other.place);
  return entry === undefined ? undefined : { entry, tied: others.filter((other) => measure(other) === measure(entry)) };
}

/** An unknown value is worse than any known one. */
const measures: Readonly<Record<Best, (entry: Entry) => number>> = {
  first: ({ finished }) => finished,
  cheapest: ({ branch }) => branch.outcome?.metrics.cost ?? Number.MAX_VALUE,
  smallest: ({ branch }) =>
    branch.changes === undefined ? Number.MAX_VALUE : branch.changes.additions + branch.changes.deletions,
  fastest: ({ durationMs }) => durationMs,
};

function won({ entry, tied }: Winner, best: Best): string {
  const { branch } = entry;
  const verified = branch.verification === undefined ? 'not verified' : `verify ${branch.verification.result}`;
  const tie =
    tied.length === 0
      ? ''
      : `; tied with ${tied.map((other) => other.branch.id).join(', ')}, decided by the order given`;
  const where = branch.commit === branch.base ? ', which changed nothing' : ` on ${branch.id}`;
  return `The winner (${best}) is ${branch.agent ?? ''}${where}, ${verified}${tie}.`;
}

function lost(entries: readonly Entry[], base: string | undefined): string {
  const reasons = entries.map(({ branch }) => summaryOf(branch));
  return `No winner${base === 'failed' ? ', and the base is red' : ''}. ${reasons.join('. ')}.`;
}

type RaceEnd = { status: 'ok' | 'failed' | 'cancelled'; code?: ErrorCode; message: string };

interface Ended {
  winner: Winner | undefined;
  entries: readonly Entry[];
  /** The deadline has passed. */
  isLate: boolean;
}

function endOf({ winner, entries, isLate }: Ended, message: string, signal: AbortSignal): RaceEnd {
  if (winner !== undefined) return { status: 'ok', message };
  if (signal.aborted) return { status: 'cancelled', message };
  const name = isLate ? 'time_limit' : commonest(entries.map(({ branch }) => classOf(branch)));
  return {
    status: name === 'cancelled' ? 'cancelled' : 'failed',
    code: name === 'success' ? 'tool' : codeOfClass[name],
    message,
  };
}

/** A successful run whose work does not pass counts as a tool failure. */
function classOf({ outcome }: Branch): VerdictClass {
  const name = outcome?.verdict.class ?? 'config';
  return name === 'success' ? 'tool' : name;
}

function commonest(names: readonly VerdictClass[]): VerdictClass {
  const counts = new Map<VerdictClass, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? 'incomplete';
}
