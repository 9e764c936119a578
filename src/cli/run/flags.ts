import { type Passed, readEnvironmentWords } from '../../agents/environment.ts';
import { readRequest, type Requested } from '../../contract/requested.ts';
import { filled } from '../../contract/flag-values.ts';
import { Failure } from '../../failure.ts';
import { type Documents, readDocuments, readGithub } from './document-flags.ts';
import { type Format, readFormat } from './format-flags.ts';
import type { RunValues } from './options.ts';

/** The flags of a run, checked. */
export interface RunFlags {
  /** What they ask of the run, except what stands below as it was typed. */
  request: Requested;
  prompt: string | undefined;
  /** A JSON Schema, or the file that holds it. */
  outputSchema: string | undefined;
  /** Rules, or files of rules. */
  expectWords: readonly string[];
  /** A run of the ledger, as a person names it. */
  parent: string | undefined;
  extraEnv: Passed;
  format: Format;
  onEnd: readonly string[];
  ledger: string | undefined;
  tapes: string | undefined;
  report: string | undefined;
  otel: string | undefined;
  keepsTape: boolean;
  tape: string | undefined;
  documents: Documents;
  /** Unset: decided by the environment. */
  github: boolean | undefined;
  quiet: boolean;
}

/** The prompt of the command line; several words without quotes are one prompt. */
function readWords(values: RunValues, operands: readonly string[]): string | undefined {
  if (values.prompt !== undefined && operands.length > 0)
    throw new Failure('input', `two prompts: --prompt and ${JSON.stringify(operands.join(' '))}; give one`);
  return values.prompt ?? (operands.length === 0 ? undefined : operands.join(' '));
}

/** Throws `Failure` with what is wrong and an example of what is right. */
export function readFlags(values: RunValues, operands: readonly string[]): RunFlags {
  checkCopy(values);
  return {
    format: readFormat(values),
    prompt: readWords(values, operands),
    request: readRequest(values),
    outputSchema: filled('--output-schema', values['output-schema'], 'answer.schema.json'),
    extraEnv: readEnvironmentWords(values.env ?? []),
    ledger: values.ledger,
    tapes: values.tapes,
    report: values.report,
    otel: filled('--otel', values.otel, 'spans.jsonl'),
    keepsTape: values['no-tape'] !== true,
    onEnd: [...(values['on-end'] ?? []), ...(values.notify ?? [])],
    expectWords: values.expect ?? [],
    tape: filled('--tape', values.tape, 'run.tape'),
    documents: readDocuments(values),
    github: readGithub(values),
    parent: filled('--parent', values.parent, 'last, or the id of a run'),
    quiet: values.quiet === true,
  };
}

/** A run works in the checkout itself unless it is asked for a copy. */
function checkCopy(values: RunValues): void {
  const given = (['dirty', 'setup', 'copy'] as const)
    .filter((name) => values[name] !== undefined)
    .map((name) => `--${name}`);
  if (values.isolate === undefined && given.length > 0)
    throw new Failure('input', `${given.join(', ')}: only for a private copy; add --isolate auto`);
}
