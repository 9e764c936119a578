import { dialects } from '../../dialects/registry.ts';
import { Failure } from '../../failure.ts';
import { formats, schemaOf } from '../../schemas.ts';
import { command } from '../command.ts';
import { nearest } from '../../nearest.ts';

/** Apart from their schemas, which are loaded when one is asked for; a test keeps the two equal. */
const runsFormats = ['run', 'run-summary', 'run-stats', 'run-diff', 'run-finding', 'budget'] as const;

export const schema = command({
  name: 'schema',
  summary: 'Print the JSON Schema of a format',
  operands: '[NAME]',
  description: `Without a name: the names. Formats of Runwire: ${Object.keys(formats).join(', ')}, config; of its ledger: ${runsFormats.join(', ')}.
A dialect's name gives the schema of one object of its wire.`,
  options: {},
  examples: [
    ['runwire schema outcome > outcome.schema.json', 'For your own validator or code generator'],
    ['runwire schema codex', 'What a line of codex exec --json looks like'],
  ],
  async run(_values, operands, context) {
    const names = [...Object.keys(formats), 'config', ...runsFormats, ...dialects.map((each) => each.id)];
    const [name] = operands;
    if (name === undefined) {
      await context.print(`${names.join('\n')}\n`);
      return 0;
    }
    if (!names.includes(name)) throw new Failure('input', `unknown schema "${name}"${nearest(name, names)}; known: ${names.join(', ')}`);
    const isRuns = runsFormats.find((each) => each === name);
    const found = name === 'config' ? await configSchema() : isRuns === undefined ? await schemaOf(name) : await runsSchema(isRuns);
    await context.print(`${JSON.stringify(found, null, 2)}\n`);
    return 0;
  },
});

/** Of `runwire.json` and of the user's own config file; it lives with the agent, which is not for browsers. */
async function configSchema(): Promise<Record<string, unknown>> {
  const [{ z }, { UserConfig }] = await Promise.all([import('zod'), import('../../builtin/config/schema.ts')]);
  const { $schema, ...rest } = z.toJSONSchema(UserConfig, { unrepresentable: 'any' });
  return { $schema, $id: 'runwire:config', title: 'Runwire config', ...rest };
}

/** Of what the commands under `runs` print. */
async function runsSchema(name: (typeof runsFormats)[number]): Promise<Record<string, unknown>> {
  const [{ z }, { runsSchemas }] = await Promise.all([import('zod'), import('../../ledger/schemas.ts')]);
  const { $schema, ...rest } = z.toJSONSchema(runsSchemas[name], { unrepresentable: 'any' });
  return { $schema, $id: `runwire:${name}`, title: `Runwire ${name}`, ...rest };
}
