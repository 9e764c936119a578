import { diffArrays, diffLines } from 'diff';
import { tokenFields } from '../outcome/token-fields.ts';
import { present } from '../json/present.ts';
import type { RunRecord } from '../stores/run-store.ts';

/** Lines that are in only one of two lists or texts, in order; `same` lines are between them. */
export interface Change {
  kind: 'same' | 'removed' | 'added';
  value: string[];
}

export interface FieldChange {
  field: string;
  a?: string | number;
  b?: string | number;
}

export interface RunDiff {
  a: string;
  b: string;
  /** Whether both ended in the same class. */
  same_class: boolean;
  /** Only the fields that differ. */
  fields: FieldChange[];
  tools: Change[];
  files: Change[];
  answer: Change[];
}

const fields = [
  'status',
  'class',
  'exit_code',
  'agent',
  'agent_version',
  'model',
  'cwd',
  'duration_ms',
  'turns',
  'tool_calls',
  ...tokenFields,
  'cost',
  'warnings',
] as const satisfies readonly (keyof RunRecord)[];

/** What differs between two runs. */
export function compareRuns(a: RunRecord, b: RunRecord): RunDiff {
  const differing = fields.flatMap((field): FieldChange[] => {
    const [one, other] = [a[field], b[field]];
    if (one === other) return [];
    return [{ field, ...present({ a: one, b: other }) }];
  });
  const prompts: FieldChange[] = a.prompt === b.prompt ? [] : [{ field: 'prompt', a: a.prompt, b: b.prompt }];
  return {
    a: a.id,
    b: b.id,
    same_class: a.class === b.class && a.status === b.status,
    fields: [...prompts, ...differing],
    tools: changes(toolNames(a), toolNames(b)),
    files: changes(fileNames(a), fileNames(b)),
    answer: answerChanges(a.outcome?.message ?? '', b.outcome?.message ?? ''),
  };
}

function toolNames({ outcome }: RunRecord): string[] {
  return (outcome?.tool_calls ?? []).map(({ name, status, reason }) =>
    status === 'completed' ? name : `${name} (${reason ?? status})`,
  );
}

function fileNames({ outcome }: RunRecord): string[] {
  return (outcome?.artifacts ?? []).map(({ path, operation }) => `${operation} ${path}`).toSorted();
}

// Two long texts with nothing in common take quadratic time. Bounded by work, not by a clock: the same texts differ in the same way everywhere.
const patience = { maxEditLength: 2500 };

function changes(a: readonly string[], b: readonly string[]): Change[] {
  const found = diffArrays([...a], [...b], patience);
  if (found === undefined)
    return [
      { kind: 'removed', value: [...a] },
      { kind: 'added', value: [...b] },
    ];
  return found.map(({ added, removed, value }) => ({ kind: kindOf(added, removed), value }));
}

function answerChanges(a: string, b: string): Change[] {
  const found = diffLines(a, b, patience);
  if (found === undefined)
    return [
      { kind: 'removed', value: linesOf(a) },
      { kind: 'added', value: linesOf(b) },
    ];
  return found.map(({ added, removed, value }) => ({ kind: kindOf(added, removed), value: linesOf(value) }));
}

function kindOf(added: boolean, removed: boolean): Change['kind'] {
  return added ? 'added' : removed ? 'removed' : 'same';
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}
