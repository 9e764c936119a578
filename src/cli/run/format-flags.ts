import { Failure } from '../../failure.ts';
import type { RunValues } from './options.ts';

/** What goes to stdout: the answer, or the lines of a dialect. */
export interface Format {
  /** As the user asked for it. */
  flag: 'text' | '--json' | '--output-format json' | '--format json' | '--stream-json' | '--to';
  /** What follows `--to`: a dialect, with its variant if one is named. */
  to?: string;
}

export type FormatFlag = 'json' | 'output-format' | 'format' | 'stream-json' | 'to';

/** Only one format at a time. */
export function readFormat(values: Pick<RunValues, FormatFlag>): Format {
  const chosen: Format[] = [];
  if (values.json === true) chosen.push({ flag: '--json' });
  if (values['output-format'] !== undefined) chosen.push(outputFormat(values['output-format']));
  if (values.format !== undefined) {
    if (values.format.toLowerCase() !== 'json')
      throw new Failure('input', `unknown format: ${values.format} (expected json)`);
    chosen.push({ flag: '--format json' });
  }
  if (values['stream-json'] === true) chosen.push({ flag: '--stream-json' });
  if (values.to !== undefined) chosen.push({ flag: '--to', to: values.to });
  const [format, other] = chosen;
  if (format !== undefined && other !== undefined)
    throw new Failure(
      'input',
      `one format at a time: ${chosen.map(({ flag }) => (flag === 'text' ? '--output-format text' : flag)).join(' and ')}`,
    );
  return format ?? { flag: 'text' };
}

function outputFormat(text: string): Format {
  switch (text.toLowerCase()) {
    case 'text':
      return { flag: 'text' };
    case 'json':
      return { flag: '--output-format json' };
    default:
      throw new Failure('input', `unknown output format: ${text} (expected text or json)`);
  }
}
