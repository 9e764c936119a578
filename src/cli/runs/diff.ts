import { diffArrays, diffLines } from 'diff';
import { shortRunId } from '../../stores/run-id.ts';
import type { RunRecord } from '../../stores/run-store.ts';
import { command } from '../command.ts';
import { oneLine, plain } from '../../terminal/plain.ts';
import { compactCount, dollars, span } from './figures.ts';
import { findRun, ledgerOption, noSuchLedger, runWords, useLedger } from './ledger.ts';
import { type Column, paint, type Screen, screenOf, table } from './table.ts';

/** What is in one list or text and not in the other, in order; `same` lines are between them. */
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
  /** Only those that differ. */
  fields: FieldChange[];
  tools: Change[];
  files: Change[];
  answer: Change[];
}

export const diff = command({
  name: 'runs diff',
  summary: 'What differs between two runs',
  operands: 'A B',
  description: `Verdict, model, tokens, cost, time, the sequence of tools, files and the answer. On a terminal for people, else JSON
(see "runwire schema run-diff"). Exits with 0; with --exit-code, 1 when the two did not end in the same class.`,
  options: {
    'exit-code': { type: 'boolean', help: 'Exit with 1 when the classes of the verdicts differ' },
    json: { type: 'boolean', help: 'JSON, also on a terminal' },
    text: { type: 'boolean', help: 'For people, also in a pipe' },
    ...ledgerOption,
  },
  examples: [
    ['runwire runs diff 7kq2 last', 'What changed since then'],
    ['runwire runs diff --exit-code "$BASELINE" last', 'In CI: fail when a run no longer ends as it did'],
  ],
  async run(values, operands, context) {
    const [first = '', second = ''] = runWords(operands, 2, 'two runs: ids, or last');
    return useLedger(
      values,
      context,
      async ({ store }) => {
        const a = await findRun(store, first);
        const b = await findRun(store, second);
        const found = compareRuns(a, b);
        const isText = values.json !== true && (values.text === true || context.stdoutIsTerminal);
        await context.print(
          isText ? describe(found, screenOf(context)) : `${JSON.stringify(found, null, context.stdoutIsTerminal ? 2 : 0)}\n`,
        );
        return values['exit-code'] === true && !found.same_class ? 1 : 0;
      },
      noSuchLedger,
    );
  },
});

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
  'input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost',
  'warnings',
] as const satisfies readonly (keyof RunRecord)[];

function compareRuns(a: RunRecord, b: RunRecord): RunDiff {
  const differing = fields.flatMap((field): FieldChange[] => {
    const [one, other] = [a[field], b[field]];
    if (one === other) return [];
    return [{ field, ...(one === undefined ? {} : { a: one }), ...(other === undefined ? {} : { b: other }) }];
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
  return (outcome?.tool_calls ?? []).map(({ name, status, reason }) => (status === 'completed' ? name : `${name} (${reason ?? status})`));
}

function fileNames({ outcome }: RunRecord): string[] {
  return (outcome?.artifacts ?? []).map(({ path, operation }) => `${operation} ${path}`).toSorted();
}

// Two long texts with nothing in common take a time that grows with the square of their length.
const patience = { timeout: 2000 };

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

function describe(found: RunDiff, screen: Screen): string {
  const columns: Column<FieldChange>[] = [
    { title: '', cell: ({ field }) => field.replace(/_(?:ms|tokens)$/, '') },
    { title: shortRunId(found.a), fills: true, cell: ({ field, a }) => figure(field, a) },
    { title: shortRunId(found.b), fills: true, cell: ({ field, b }) => figure(field, b) },
    { title: '', cell: changeOf, leaves: 1 },
  ];
  const parts = [
    found.fields.length === 0 ? '' : table(columns, found.fields, screen),
    ...(
      [
        ['Tools', found.tools],
        ['Files', found.files],
        ['Answer', found.answer],
      ] as const
    ).map(([title, list]) => section(title, list, screen)),
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'nothing differs\n' : parts.join('\n');
}

function figure(field: string, value: string | number | undefined): string {
  if (value === undefined) return '-';
  if (typeof value === 'string') return oneLine(value);
  if (field === 'duration_ms') return span(value);
  if (field === 'cost') return dollars(value);
  return field.endsWith('_tokens') ? compactCount(value) : String(value);
}

/** `+12.5%` where both are amounts. */
function changeOf({ field, a, b }: FieldChange): string {
  if (typeof a !== 'number' || typeof b !== 'number' || a === 0 || field === 'exit_code') return '';
  const share = ((b - a) / a) * 100;
  return `${share > 0 ? '+' : ''}${share.toFixed(1)}%`;
}

const context = 3;
const marks = { same: ' ', removed: '-', added: '+' } as const;

function section(title: string, list: readonly Change[], screen: Screen): string {
  if (list.every(({ kind }) => kind === 'same')) return '';
  const lines = list.flatMap(({ kind, value }, index) => {
    const shown = kind === 'same' ? around(value, index === 0, index === list.length - 1) : value;
    const colour = kind === 'added' ? 'green' : kind === 'removed' ? 'red' : 'dim';
    return shown.map((line) => paint(`${marks[kind]} ${plain(line).replaceAll('\n', ' ')}`, colour, screen));
  });
  return `${paint(title, 'bold', screen)}\n${lines.join('\n')}\n`;
}

/** Of a long stretch that is the same, what is next to a change. */
function around(lines: readonly string[], isFirst: boolean, isLast: boolean): string[] {
  const before = isFirst ? 0 : context;
  const after = isLast ? 0 : context;
  const hidden = lines.length - before - after;
  if (hidden <= 1) return [...lines];
  return [...lines.slice(0, before), `… ${hidden} the same`, ...(after === 0 ? [] : lines.slice(-after))];
}
