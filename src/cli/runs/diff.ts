import { type Change, compareRuns, type FieldChange, type RunDiff } from '../../ledger/diff.ts';
import { namedRun } from '../../ledger/find.ts';
import { shortRunId } from '../../ids/run-id.ts';
import { command } from '../command.ts';
import { oneLine, plain } from '../../terminal/plain.ts';
import { compactCount, compactDuration, dollars } from '../../terminal/figures.ts';
import { ledgerOption, noSuchLedger, runWords, useLedger } from './ledger.ts';
import { paint } from '../../terminal/paint.ts';
import { type Column, type Screen, table } from '../../terminal/table.ts';
import { screenOf } from '../screen.ts';

export const diff = command({
  name: 'runs diff',
  summary: 'Show what differs between two runs',
  operands: 'A B',
  description: `Compares verdict, model, tokens, cost, time, the sequence of tools, files and the answer. Prints text on a terminal, else JSON
(see "runwire schema run-diff"). Exits with 0; with --exit-code, with 1 when the two runs did not end in the same class.`,
  options: {
    'exit-code': { type: 'boolean', help: 'Exit with 1 when the verdicts are of different classes' },
    json: { type: 'boolean', help: 'Print JSON, even on a terminal' },
    text: { type: 'boolean', help: 'Print text for people, even in a pipe' },
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
        const a = await namedRun(store, first);
        const b = await namedRun(store, second);
        const found = compareRuns(a, b);
        const isText = values.json !== true && (values.text === true || context.stdoutIsTerminal);
        if (isText) await context.show(describe(found, screenOf(context)));
        else await context.print(`${JSON.stringify(found, null, context.stdoutIsTerminal ? 2 : 0)}\n`);
        return values['exit-code'] === true && !found.same_class ? 1 : 0;
      },
      noSuchLedger,
    );
  },
});

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
  if (field === 'duration_ms') return compactDuration(value);
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

/** Of a long unchanged stretch, only the lines next to a change. */
function around(lines: readonly string[], isFirst: boolean, isLast: boolean): string[] {
  const before = isFirst ? 0 : context;
  const after = isLast ? 0 : context;
  const hidden = lines.length - before - after;
  if (hidden <= 1) return [...lines];
  return [...lines.slice(0, before), `… ${hidden} the same`, ...(after === 0 ? [] : lines.slice(-after))];
}
