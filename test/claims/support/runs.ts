import { checkClaims, factsOf } from '../../../src/claims/check-claims.ts';
import type { Claim, ClaimVerdict } from '../../../src/claims/claim.ts';
import type { EventRecord, ItemStatus } from '../../../src/events/event.ts';

/** A call of a run that is written down for a test. */
export interface Written {
  name: string;
  kind: string;
  args: Record<string, unknown>;
  status?: ItemStatus;
  output?: string;
  exit?: number;
  edits?: readonly { path: string; operation: 'created' | 'modified' | 'deleted' }[];
}

/** A command, what it printed, and its exit code; without one, the agent does not tell it. */
export function ran(command: string, output = '', exit?: number): Written {
  return { name: 'bash', kind: 'command', args: { command }, output, ...(exit === undefined ? {} : { exit }) };
}

export function denied(command: string): Written {
  return { ...ran(command, 'The user rejected permission to use this specific tool call.'), status: 'denied' };
}

export function edited(path: string, operation: 'created' | 'modified' | 'deleted' = 'modified'): Written {
  return { name: 'edit', kind: 'file_edit', args: { file_path: path }, output: 'ok', edits: [{ path, operation }] };
}

/** The records of such a run. */
function recordsOf(calls: readonly Written[], agent = 'codex'): EventRecord[] {
  const drafts: Record<string, unknown>[] = [{ type: 'thread.started', agent, cwd: '/home/me/shop' }];
  for (const [index, { name, kind, args, status, output, exit, edits = [] }] of calls.entries()) {
    const item_id = `call-${index}`;
    drafts.push({ type: 'item.started', item_id, turn_id: 't', kind, name, args });
    const ended = status ?? (exit === undefined || exit === 0 ? 'success' : 'error');
    drafts.push({
      type: 'item.completed',
      item_id,
      status: ended,
      output,
      ...(exit === undefined ? {} : { exit_code: exit }),
    });
    if (ended === 'success') for (const edit of edits) drafts.push({ type: 'file.edited', item_id, ...edit });
  }
  return drafts.map((draft, sequence) => ({ ...draft, sequence })) as unknown as EventRecord[];
}

function claimsOf(calls: readonly Written[], answer: string, agent?: string): Claim[] {
  return checkClaims(answer, factsOf(recordsOf(calls, agent)));
}

const letters: Record<ClaimVerdict, string> = { supported: 'S', contradicted: 'C', not_shown: '?', not_checkable: '-' };

/** The verdicts of an answer in short: `S tests_pass`, several with commas, `-` if nothing is claimed. */
function verdictsOf(calls: readonly Written[], answer: string, agent?: string): string {
  const claims = claimsOf(calls, answer, agent);
  return claims.length === 0 ? '-' : claims.map(({ verdict, kind }) => `${letters[verdict]} ${kind}`).join(', ');
}

/** A run, and what is to be said of each of these answers: a letter, or several of which any is right; with its kind, or without. */
export type Case = [title: string, calls: readonly Written[], verdicts: Record<string, string>, agent?: string];

export function addTo(cases: Case[]): (...found: Case) => void {
  return (...found) => void cases.push(found);
}

/** The same table with what was really said where that is not what is wanted. */
export function judged([, calls, verdicts, agent]: Case): Record<string, string> {
  return Object.fromEntries(
    Object.entries(verdicts).map(([answer, wanted]) => {
      const real = verdictsOf(calls, answer, agent);
      const letter = [...new Set(real.split(', ').map((each) => each[0]))].join('');
      const isRight = wanted.includes(' ')
        ? real === wanted
        : letter !== '' && letter.length === 1 && wanted.includes(letter);
      return [answer, isRight ? wanted : real];
    }),
  );
}
