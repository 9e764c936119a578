import { Failure } from '../../failure.ts';
import type { Options, Values } from '../command.ts';
import type { Context } from '../context.ts';

const formats = ['table', 'json', 'csv'] as const;
export type Format = (typeof formats)[number];

export const formatOptions = {
  format: {
    type: 'string',
    value: formats.join('|'),
    choices: formats,
    help: 'Output format (default: a table on a terminal, else JSON lines)',
  },
  json: { type: 'boolean', help: 'Same as --format json: JSON lines' },
  csv: { type: 'boolean', help: 'Same as --format csv: comma-separated values with a header' },
} as const satisfies Options;

export function readFormat(values: Values<typeof formatOptions>, context: Context): Format {
  const named = values.format === undefined ? [] : [known(values.format)];
  const chosen = new Set<Format>([
    ...named,
    ...(values.json === true ? ['json' as const] : []),
    ...(values.csv === true ? ['csv' as const] : []),
  ]);
  if (chosen.size > 1) throw new Failure('input', `one format at a time: ${[...chosen].join(' and ')}`);
  const [format] = chosen;
  return format ?? (context.stdoutIsTerminal ? 'table' : 'json');
}

function known(text: string): Format {
  const format = formats.find((each) => each === text);
  if (format === undefined) throw new Failure('input', `unknown format: ${text} (expected ${formats.join(', ')})`);
  return format;
}
