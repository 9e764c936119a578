import { resolve } from 'node:path';
import { acpCommand } from '../../agents/acp-command.ts';
import { Failure } from '../../failure.ts';
import { present } from '../../json/present.ts';
import { type Requested, withPaths } from '../../contract/requested.ts';
import { specOf } from '../../run/ask.ts';
import type { Rule } from '../../expect/rule.ts';
import type { RunSpec } from '../../contract/spec.ts';
import { acpAgent, builtIn } from '../../words/vocabulary.ts';
import type { Context } from '../context.ts';
import { isFolder } from '../is-folder.ts';
import type { RunFlags } from './flags.ts';
import { parseInput } from '../../json/parse.ts';
import { isObject } from '../../json/read.ts';

/** The contents of what the command line names; checked before anything else. */
export interface Inputs {
  cwd: string;
  parent: RunSpec['parent'];
  outputSchema: Record<string, unknown> | undefined;
  expect: readonly Rule[] | undefined;
}

export async function readInputs(flags: RunFlags, context: Context): Promise<Inputs> {
  const { request } = flags;
  const cwd = resolve(context.cwd, request.cwd ?? '.');
  if (!isFolder(cwd)) throw new Failure('input', `--cwd ${request.cwd ?? cwd}: there is no such folder`);
  if (request.allow !== undefined || request.deny !== undefined) await checkRules(request);
  if (request.dialect !== undefined) (await import('../../dialects/registry.ts')).findReader(request.dialect);
  const parent = flags.parent === undefined ? undefined : await readParent(flags.parent, flags, context);
  return {
    cwd,
    parent,
    outputSchema:
      flags.outputSchema === undefined ? undefined : await readSchema('--output-schema', flags.outputSchema, context),
    expect:
      flags.expectWords.length === 0
        ? undefined
        : await (await import('../expect/read-rules.ts')).readRules(flags.expectWords, context),
  };
}

async function readParent(word: string, flags: RunFlags, context: Context): Promise<RunSpec['parent']> {
  const { noSuchLedger, useLedger } = await import('../runs/ledger.ts');
  const { namedRun } = await import('../../ledger/find.ts');
  const found = await useLedger(
    present({ ledger: flags.ledger, tapes: flags.tapes }),
    context,
    ({ store }) => namedRun(store, word),
    noSuchLedger,
  );
  return { run_id: found.id, root_run_id: found.root_run_id ?? found.id };
}

async function checkRules({ allow = [], deny = [] }: Requested): Promise<void> {
  const { parseRules } = await import('../../builtin/permissions/rules.ts');
  try {
    parseRules('read-only', allow, deny);
  } catch (error) {
    // In a config file a bad rule is a config error; these rules were typed, so it is an input error.
    throw error instanceof Failure ? new Failure('input', error.message, { cause: error }) : error;
  }
}

async function readText(path: string, context: Context): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of context.readFile(path)) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** A JSON Schema, given as it is or by the path of its file. Throws `Failure` if it is none. */
export async function readSchema(flag: string, path: string, context: Context): Promise<Record<string, unknown>> {
  const text = path.startsWith('{') ? path : await readText(path, context);
  const schema = parseInput(text, `${flag} ${path}: `);
  if (!isObject(schema))
    throw new Failure('input', `${flag} ${path}: expected a JSON Schema such as {"type":"object","properties":{…}}`);
  return schema;
}

/** Paths on the command line are relative to the working directory, not to --cwd. */
export function specOfFlags(
  flags: RunFlags,
  {
    cwd,
    parent,
    outputSchema,
    expect,
    prompt,
    command,
  }: Inputs & { prompt: string; command: readonly string[] | undefined },
  { env, cwd: here }: Context,
): RunSpec {
  const { pass, set } = flags.extraEnv;
  const { agent = builtIn, model } = flags.request;
  const acp = acpCommand(agent);
  if (acp !== undefined && command !== undefined)
    throw new Failure('input', `two commands: --agent ${agent}, and one after --; give one`);
  const [program, ...words] = acp ?? command ?? [];
  return specOf(
    {
      ...withPaths(flags.request, (path) => resolve(here, path)),
      agent: acp === undefined ? agent : acpAgent,
      command: program?.includes('/') ? [resolve(here, program), ...words] : (acp ?? command),
      prompt,
      output_schema: outputSchema as RunSpec['output_schema'],
      expect,
      model: fromHere(model ?? (agent === builtIn && command === undefined ? env.RUNWIRE_MODEL : undefined), here),
    },
    { cwd, passEnv: [...pass, ...Object.keys(set)], parent },
  );
}

export function fromHere(model: string | undefined, here: string): string | undefined {
  const file = /^replay\/(.+)$/.exec(model ?? '')?.[1];
  return file === undefined ? model : `replay/${resolve(here, file)}`;
}
