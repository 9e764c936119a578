import { dialects } from '../../dialects/registry.ts';
import { Failure } from '../../failure.ts';
import { formats, schemaOf } from '../../schemas.ts';
import { command } from '../command.ts';
import { nearest } from '../../nearest.ts';

export const schema = command({
  name: 'schema',
  summary: 'Print the JSON Schema of a format',
  operands: '[NAME]',
  description: `Without a name: the names. Formats of Runwire: ${Object.keys(formats).join(', ')}, config.
A dialect's name gives the schema of one object of its wire.`,
  options: {},
  examples: [
    ['runwire schema outcome > outcome.schema.json', 'For your own validator or code generator'],
    ['runwire schema codex', 'What a line of codex exec --json looks like'],
  ],
  async run(_values, operands, context) {
    const names = [...Object.keys(formats), 'config', ...dialects.map((each) => each.id)];
    const [name] = operands;
    if (name === undefined) {
      await context.print(`${names.join('\n')}\n`);
      return 0;
    }
    if (!names.includes(name)) throw new Failure('input', `unknown schema "${name}"${nearest(name, names)}; known: ${names.join(', ')}`);
    const found = name === 'config' ? await configSchema() : await schemaOf(name);
    await context.print(`${JSON.stringify(found, null, 2)}\n`);
    return 0;
  },
});

/** Of `runwire.json` and of the user's own config file; it lives with the agent, which is not for browsers. */
async function configSchema(): Promise<Record<string, unknown>> {
  const [{ z }, { UserConfig }] = await Promise.all([import('zod'), import('../../agent/config-schema.ts')]);
  const { $schema, ...rest } = z.toJSONSchema(UserConfig, { unrepresentable: 'any' });
  return { $schema, $id: 'runwire:config', title: 'Runwire config', ...rest };
}
