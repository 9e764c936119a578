import type { Context } from './context.ts';

/** One flag: what `parseArgs` needs, and what the help, the man page and the completion say about it. */
export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** The placeholder in the help: `--from DIALECT`. */
  readonly value?: string;
  /** Words the shell may complete. */
  readonly choices?: readonly string[];
  readonly help: string;
}

export type Options = Readonly<Record<string, Option>>;

/** The parsed flags of a command: exactly the ones it declares. */
export type Values<O extends Options> = {
  readonly [K in keyof O]?: O[K] extends { multiple: true } ? readonly string[] : O[K]['type'] extends 'boolean' ? boolean : string;
};

export interface Command<O extends Options = Options> {
  readonly name: string;
  readonly summary: string;
  /** What follows the name: `[FILE…]`. */
  readonly operands?: string;
  /** What follows `--` is a command of its own, not more operands. */
  readonly takesCommand?: true;
  readonly description: string;
  readonly options: O;
  readonly examples: readonly (readonly [command: string, what: string])[];
  /** Resolves to the exit code. Throws `Failure` where the cause is known. */
  run(values: Values<O>, operands: readonly string[], context: Context, command?: readonly string[]): Promise<number>;
}

export function command<const O extends Options>(definition: Command<O>): Command {
  return definition as unknown as Command;
}
