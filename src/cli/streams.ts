import { constants } from 'node:os';
import { ownSecrets } from '../builtin/config/secrets.ts';
import { readable as readableDialects } from '../dialects/registry.ts';
import { Failure } from '../failure.ts';
import type { Note } from '../outcome/fold.ts';
import type { ProcessEnd } from '../pipeline/thread.ts';
import { Redactor } from '../redact/redactor.ts';
import { secretValues } from '../redact/secrets.ts';
import { plainBytes } from '../tapes/plain-bytes.ts';
import type { Options, Values } from './command.ts';
import type { Context } from './context.ts';

/** The flags of every command that reads an agent's output. */
export const streamOptions = {
  from: {
    type: 'string',
    value: 'DIALECT',
    choices: readableDialects.map((each) => each.id),
    help: 'Read this dialect instead of detecting it',
  },
  stderr: { type: 'string', value: 'FILE', help: 'File with what the process wrote to stderr, as further evidence' },
  'process-exit': { type: 'string', value: 'CODE|SIGNAL', help: 'How the process ended: 0, 1, SIGTERM, …' },
  notes: {
    type: 'string',
    value: 'text|json|none',
    choices: ['text', 'json', 'none'],
    help: 'How to print losses and notes on stderr (default: text)',
  },
  'no-redact': {
    type: 'boolean',
    help: 'Do not redact secrets: keys of known shapes, values of secret-looking variables',
  },
  strict: { type: 'boolean', help: 'Exit with 2 when there is any loss or note' },
} as const satisfies Options;

export interface Source {
  name: string;
  bytes: AsyncIterable<Uint8Array>;
}

/** The files named on the command line, or stdin. */
export function sourcesOf(
  operands: readonly string[],
  context: Pick<Context, 'stdin' | 'stdinIsTerminal' | 'readFile'>,
): Source[] {
  if (operands.length === 0) {
    if (context.stdinIsTerminal)
      throw new Failure('input', 'no input: name a file, or pipe an agent into it; see --help');
    return [sourceAt('-', context)];
  }
  return operands.map((path) => sourceAt(path, context));
}

function sourceAt(path: string, { stdin, readFile }: Pick<Context, 'stdin' | 'readFile'>): Source {
  const [name, bytes] = path === '-' ? ['<stdin>', stdin] : [path, readFile(path)];
  return { name, bytes: readable(name, bytes) };
}

async function* readable(name: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const end = yield* plainBytes(bytes);
  if (end.kind === 'broken') throw new Failure('input', `${name}: ${end.message}`);
}

/** `--process-exit`: an exit code, or a signal with or without SIG. */
function processEndOf(text: string | undefined): ProcessEnd | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,3}$/.test(text) && Number(text) <= 255) return { exit_code: Number(text), signal: null };
  const name = text.toUpperCase().startsWith('SIG') ? text.toUpperCase() : `SIG${text.toUpperCase()}`;
  if (Object.hasOwn(constants.signals, name)) return { exit_code: null, signal: name };
  throw new Failure('input', `--process-exit ${text}: neither an exit code (0 to 255) nor a signal such as SIGTERM`);
}

function noteStyleOf(text: string | undefined): NoteStyle {
  if (text === undefined || text === 'text' || text === 'json' || text === 'none') return text ?? 'text';
  throw new Failure('input', `--notes ${text}: expected text, json or none`);
}

export type NoteStyle = 'text' | 'json' | 'none';

const words: Record<string, string> = {
  lost: 'lost in conversion',
  guessed: 'guessed',
  broken: 'broken',
  unrecognised: 'not recognised',
};

/** Notes as counted lines for people, or as JSON lines for machines. */
export function printNotes(notes: readonly Note[], source: Source, style: NoteStyle, context: Context): void {
  if (notes.length === 0 || style === 'none') return;
  const file = toldName(source.name, context);
  for (const note of notes) {
    if (style === 'json') context.warn(JSON.stringify({ file, ...note }));
    else {
      const place = note.line === undefined ? '' : `:${note.line}`;
      context.warn(
        `runwire: ${file}${place}: ${words[note.kind] ?? note.kind}: ${note.what}${note.count > 1 ? ` (${note.count} times)` : ''}`,
      );
    }
  }
}

/** The name of a file, safe to print: a name that was typed or found may contain a key. */
export function toldName(name: string, context: Context): string {
  return new Redactor({ values: secretValues(context.env) }).text(name);
}

/** What both `convert` and `outcome` decide from the shared flags. */
export function readSharedFlags(values: Values<typeof streamOptions>, context: Context) {
  return {
    process: processEndOf(values['process-exit']),
    notes: noteStyleOf(values.notes),
    stderr: (): AsyncIterable<Uint8Array> | undefined =>
      values.stderr === undefined ? undefined : sourceAt(values.stderr, context).bytes,
    redact: (): { redact?: Redactor } => redaction(values['no-redact'], context),
    strict: values.strict === true,
  };
}

/** Redacts secrets before anything is printed, unless turned off; one redactor serves one run. */
export function redaction(off: boolean | undefined, context: Context): { redact?: Redactor } {
  return off === true
    ? {}
    : { redact: new Redactor({ values: [...secretValues(context.env), ...ownSecrets(context.env)] }) };
}
