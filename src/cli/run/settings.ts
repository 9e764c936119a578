import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AgentOptions } from '../../agent/agent.ts';
import { Failure } from '../../failure.ts';
import type { Context } from '../context.ts';
import type { RunFlags } from './flags.ts';
import type { Place } from './git.ts';

/** What the files named on the command line hold; checked before anything else is looked at. */
export interface Inputs {
  cwd: string;
  outputSchema: Record<string, unknown> | undefined;
}

export async function readInputs(flags: RunFlags, context: Context): Promise<Inputs> {
  const cwd = resolve(context.cwd, flags.cwd ?? '.');
  if (!isFolder(cwd)) throw new Failure('input', `--cwd ${flags.cwd ?? cwd}: there is no such folder`);
  if (flags.allow.length + flags.deny.length > 0) await checkRules(flags);
  return { cwd, outputSchema: flags.outputSchema === undefined ? undefined : await readSchema(flags.outputSchema, context) };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

async function checkRules(flags: RunFlags): Promise<void> {
  const { parseRules } = await import('../../agent/permissions.ts');
  try {
    parseRules('read-only', flags.allow, flags.deny);
  } catch (error) {
    // A rule of a config file would be a matter of configuration; these were typed.
    throw error instanceof Failure ? new Failure('input', error.message, { cause: error }) : error;
  }
}

async function readSchema(path: string, context: Context): Promise<Record<string, unknown>> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of context.readFile(path)) text += decoder.decode(chunk, { stream: true });
  let schema: unknown;
  try {
    schema = JSON.parse(text + decoder.decode());
  } catch (error) {
    throw new Failure('input', `--output-schema ${path}: not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw new Failure('input', `--output-schema ${path}: expected a JSON Schema such as {"type":"object","properties":{…}}`);
  return schema as Record<string, unknown>;
}

export interface Surroundings extends Inputs, Place {
  prompt: string;
  signal: AbortSignal;
  redact: ((text: string) => string) | undefined;
}

/** Flags first, then the environment, then the config files. Throws a `config` failure when no model is named. */
export async function agentOptions(flags: RunFlags, around: Surroundings, context: Context): Promise<AgentOptions> {
  const { loadConfig } = await import('../../agent/config.ts');
  const { parseRules } = await import('../../agent/permissions.ts');
  const { cwd, signal, prompt } = around;
  const { env } = context;
  const config = await loadConfig({ cwd, env });
  const model = fromHere(flags.model ?? env.RUNWIRE_MODEL, context.cwd) ?? config.model;
  if (model === undefined || model === '')
    throw new Failure('config', 'no model: name one with --model PROVIDER/NAME, in RUNWIRE_MODEL, or as "model" in runwire.json');
  const rules = config.permissions ?? {};
  return {
    prompt,
    model,
    cwd,
    env,
    signal,
    permissions: parseRules(
      flags.permissionMode ?? rules.mode ?? 'edit',
      [...(rules.allow ?? []), ...flags.allow],
      [...(rules.deny ?? []), ...flags.deny],
      [...(rules.directories ?? []), ...flags.directories.map((folder) => resolve(context.cwd, folder))],
    ),
    projectName: around.projectName,
    parentBranchId: around.parentBranchId,
    ...present({
      baseUrl: flags.baseUrl ?? config.baseUrl,
      keys: config.keys,
      system: flags.system ?? config.system,
      appendSystem: flags.appendSystem,
      outputSchema: around.outputSchema,
      resume: flags.resume,
      maxTurns: flags.limits.maxTurns,
      maxCostUsd: flags.limits.maxCostUsd,
      price: flags.price ?? config.prices?.[model],
      mcpServers: config.mcpServers,
      recordModel: flags.recordModel === undefined ? undefined : resolve(context.cwd, flags.recordModel),
      redact: around.redact,
    }),
  };
}

/** A recording is named as every file on a command line: from where the command was typed, not from --cwd. */
function fromHere(model: string | undefined, cwd: string): string | undefined {
  const file = /^replay\/(.+)$/.exec(model ?? '')?.[1];
  return file === undefined ? model : `replay/${resolve(cwd, file)}`;
}

function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
