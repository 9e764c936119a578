import { Failure } from '../../failure.ts';
import { oneLine } from '../../terminal/plain.ts';

/** The only operand, checked to be a valid name. */
export function budgetName(operands: readonly string[], usage: string): string {
  const [name] = operands;
  if (name === undefined || operands.length !== 1) throw new Failure('input', `expected ${usage}; see --help`);
  if (!/^[\p{L}\p{N}][\p{L}\p{N}._/-]{0,99}$/u.test(name))
    throw new Failure(
      'input',
      `"${oneLine(name, 60)}" is not a valid budget name; expected letters, digits, ".", "_", "/" and "-", such as team-a`,
    );
  return name;
}
