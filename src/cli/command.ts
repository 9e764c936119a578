import type { Option } from '../contract/field.ts';
import { Failure } from '../failure.ts';
import type { Context } from './context.ts';

export type Options = Readonly<Record<string, Option>>;

/** The parsed flags of a command: exactly the ones it declares. */
export type Values<O extends Options> = {
  readonly [K in keyof O]?: O[K] extends { multiple: true }
    ? readonly string[]
    : O[K]['type'] extends 'boolean'
      ? boolean
      : string;
};

/** Only names and summaries, so that listing commands loads none of them. */
export interface Entry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

export interface Command<O extends Options = Options> {
  readonly name: string;
  readonly summary: string;
  /** What follows the name: `[FILE…]`. */
  readonly operands?: string;
  /** What follows `--` is a separate command, not more operands. */
  readonly takesCommand?: true;
  readonly description: string;
  readonly options: O;
  readonly examples: readonly (readonly [command: string, what: string])[];
  /** Commands under this one; a word after its name must be one of them. */
  readonly subcommands?: readonly Entry[];
  /** Resolves to the exit code. Throws `Failure` where the cause is known. */
  run(values: Values<O>, operands: readonly string[], context: Context, command?: readonly string[]): Promise<number>;
  /** Reports a wrong command line in the output format of this command, if that has a place for it; else throws the failure again. */
  refuse?(failure: Failure, words: readonly string[], context: Context): Promise<number>;
}

/** A command that can print JSON also knows the flag by which the others choose a format. */
export function command<const O extends Options>(definition: Command<O>): Command {
  const whole = definition as unknown as Command;
  const { json, text, format } = whole.options;
  if (json === undefined || format !== undefined) return whole;
  const choices = text === undefined ? ['json'] : ['text', 'json'];
  const same = choices.map((each) => `--${each}`).join(' or ');
  const added = { type: 'string', value: choices.join('|'), choices, help: `Same as ${same}` } as const;
  return {
    ...whole,
    options: { ...whole.options, format: added },
    async run(values, ...rest) {
      const { format: chosen, ...others } = values as Readonly<Record<string, string | boolean>>;
      if (typeof chosen !== 'string') return whole.run(values, ...rest);
      if (!choices.includes(chosen))
        throw new Failure('input', `unknown format: ${chosen} (expected ${choices.join(' or ')})`);
      return whole.run({ ...others, [chosen]: true } as Values<Options>, ...rest);
    },
  };
}
