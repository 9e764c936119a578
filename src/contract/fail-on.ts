import { Failure } from '../failure.ts';
import { type FailOn, failOnWords } from '../outcome/verdict.ts';

/** `--fail-on tool,denied`. */
export function readFailOn(text: string): FailOn[] {
  return text.split(',').map((word) => {
    const known = failOnWords.find((each) => each === word.trim());
    if (known === undefined)
      throw new Failure('input', `--fail-on ${text}: expected some of ${failOnWords.join(', ')}, such as tool,denied`);
    return known;
  });
}
