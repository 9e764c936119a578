import { Failure } from '../failure.ts';
import { type FailOn, failOnWords } from '../outcome/verdict.ts';
import type { Option } from './command.ts';

/** `--fail-on tool,denied`. */
export function failOnOf(text: string | undefined): { failOn?: FailOn[] } {
  if (text === undefined) return {};
  const failOn = text.split(',').map((word) => {
    const known = failOnWords.find((each) => each === word.trim());
    if (known === undefined)
      throw new Failure('input', `--fail-on ${text}: expected some of ${failOnWords.join(', ')}, such as tool,denied`);
    return known;
  });
  return { failOn };
}

/** The flag of every command that judges a run. */
export const failOnOption = {
  type: 'string',
  value: 'tool,denied,empty,warning,limit',
  help: 'Also count these as failures: a failed tool, a denial, …; none: do not even fail a run in which everything was denied',
} as const satisfies Option;
