import { lstat, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { dialects } from '../../dialects/registry.ts';
import { Failure, messageOf, systemCode } from '../../failure.ts';
import { formats, schemaOf } from '../../schemas.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { nearest } from '../../words/nearest.ts';
import { fieldOf } from '../../json/field-of.ts';
import { parseJson } from '../../json/parse.ts';

/** Only the names: the schemas are loaded when one is asked for. A test keeps the two equal. */
const runsFormats = ['run', 'run-summary', 'run-stats', 'run-diff', 'run-finding', 'budget'] as const;
const replayFormats = ['replay', 'rehearsal'] as const;
/** The same for what agents used. */
const usageFormat = 'usage';

export const schema = command({
  name: 'schema',
  summary: 'Print the JSON Schema of a format',
  operands: '[NAME]',
  description: `Without a name, lists the names. Formats of Runwire: ${Object.keys(formats).join(', ')}, config, ${usageFormat}; of its ledger: ${runsFormats.join(', ')}; of recorded runs that are run again: ${replayFormats.join(', ')}.
The name of a dialect gives the schema of one object in its wire format. --all writes every schema into a folder, as NAME.schema.json; files there that are not Runwire schemas are never overwritten.`,
  options: {
    all: {
      type: 'string',
      value: 'DIR',
      help: 'Write all schemas into this folder, which is created if it is missing',
    },
  },
  examples: [
    ['runwire schema outcome > outcome.schema.json', 'For your own validator or code generator'],
    ['runwire schema --all schemas', 'All of them, for a repository of your own'],
    ['runwire schema codex', 'What a line of codex exec --json looks like'],
  ],
  async run(values, operands, context) {
    const names = schemaNames();
    const [name, more] = operands;
    if (more !== undefined) throw new Failure('input', 'schema takes one name; --all DIR writes all of them');
    if (values.all !== undefined) {
      if (name !== undefined) throw new Failure('input', `--all writes all of them, not "${name}" alone`);
      await writeAll(resolve(context.cwd, values.all), names, context);
      return 0;
    }
    if (name === undefined) {
      await context.print(`${names.join('\n')}\n`);
      return 0;
    }
    if (!names.includes(name))
      throw new Failure('input', `unknown schema "${name}"${nearest(name, names)}; known: ${names.join(', ')}`);
    await context.print(await schemaText(name));
    return 0;
  },
});

export function schemaNames(): string[] {
  return [
    ...Object.keys(formats),
    'config',
    usageFormat,
    ...runsFormats,
    ...replayFormats,
    ...dialects.map((each) => each.id),
  ];
}

async function schemaText(name: string): Promise<string> {
  const isRuns = [...runsFormats, ...replayFormats].find((each) => each === name);
  const found =
    name === 'config'
      ? await configSchema()
      : name === usageFormat
        ? await usageSchema()
        : isRuns === undefined
          ? await schemaOf(name)
          : await runsSchema(isRuns);
  return `${JSON.stringify(found, null, 2)}\n`;
}

/** Replaces schemas of an earlier version. Checks that nothing else is in the way before it writes anything. */
async function writeAll(folder: string, names: readonly string[], context: Context): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    for (const name of names) {
      const path = pathOf(folder, name);
      if (!(await isFree(path, name)))
        throw new Failure(
          'input',
          `${path} exists and is not a schema that Runwire wrote; remove it, or name another folder`,
        );
    }
    for (const name of names) await writeFile(pathOf(folder, name), await schemaText(name));
  } catch (error) {
    if (error instanceof Failure || systemCode(error) === undefined) throw error;
    throw new Failure('input', `cannot write the schemas to ${folder}: ${messageOf(error)}`, { cause: error });
  }
  context.warn(`runwire: ${names.length} schemas in ${folder}`);
}

const pathOf = (folder: string, name: string): string => join(folder, `${name}.schema.json`);

/** A symbolic link is never followed, whatever it points to. */
async function isFree(path: string, name: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return true;
  if (!found.isFile() || found.size > 16 * 1024 * 1024) return false;
  const id = idIn(await readFile(path, 'utf8'));
  return id === `runwire:${name}` || id.startsWith(`runwire:${name}:`);
}

function idIn(text: string): string {
  const id = fieldOf(parseJson(text), '$id');
  return id === undefined ? '' : String(id);
}

/** The schema of `runwire.json` and of the user's config file; it belongs to the built-in agent, which is not for browsers. */
async function configSchema(): Promise<Record<string, unknown>> {
  const [{ z }, { UserConfig }] = await Promise.all([import('zod'), import('../../builtin/config/schema.ts')]);
  const { $schema, ...rest } = z.toJSONSchema(UserConfig, { unrepresentable: 'any' });
  return { $schema, $id: 'runwire:config', title: 'Runwire config', ...rest };
}

/** The schema of what `usage --json` prints. */
async function usageSchema(): Promise<Record<string, unknown>> {
  const [{ z }, { UsageDocument }] = await Promise.all([import('zod'), import('../../usage/document.ts')]);
  const { $schema, ...rest } = z.toJSONSchema(UsageDocument, { unrepresentable: 'any' });
  return { $schema, $id: `runwire:${usageFormat}`, title: `Runwire ${usageFormat}`, ...rest };
}

/** The schema of what the commands under `runs` print, and those that run a run again. */
async function runsSchema(
  name: (typeof runsFormats)[number] | (typeof replayFormats)[number],
): Promise<Record<string, unknown>> {
  const [{ z }, { runsSchemas }, { replaySchemas }] = await Promise.all([
    import('zod'),
    import('../../ledger/schemas.ts'),
    import('../../replay/report.ts'),
  ]);
  const { $schema, ...rest } = z.toJSONSchema({ ...runsSchemas, ...replaySchemas }[name], { unrepresentable: 'any' });
  return { $schema, $id: `runwire:${name}`, title: `Runwire ${name}`, ...rest };
}
