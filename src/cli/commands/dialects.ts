import { dialects } from '../../dialects/registry.ts';
import { command } from '../command.ts';

export const dialectsCommand = command({
  name: 'dialects',
  summary: 'List the dialects that can be read and written',
  description: 'A dialect is the wire format of one agent. Variants are written with a colon: claude:json.',
  options: { json: { type: 'boolean', help: 'Print JSON' } },
  examples: [
    ['runwire dialects', 'A table'],
    ["runwire dialects --json | jq -r '.[] | select(.writes) | .id'", 'The writable ones'],
  ],
  async run(values, _operands, context) {
    const rows = dialects.map(({ id, about, variants, encoder }) => ({
      id,
      agent: about.agent,
      reads: about.reads ?? null,
      writes: encoder === undefined ? null : (about.writes ?? ''),
      variants: encoder === undefined ? [] : (variants ?? []).map((each) => each.name),
    }));
    if (values.json === true) {
      await context.print(`${JSON.stringify(rows, null, 2)}\n`);
      return 0;
    }
    const width = Math.max(...rows.map(({ id }) => id.length));
    const lines = rows.map(({ id, agent, reads, writes, variants }) => {
      const written = `write${variants.length > 1 ? ` (${variants.join(', ')})` : ''}`;
      const how = [reads === null ? [] : 'read', writes === null ? [] : written].flat().join(', ');
      return `${id.padEnd(width)}  ${agent.replaceAll('`', '')}: ${how}`;
    });
    await context.print(`${lines.join('\n')}\n`);
    return 0;
  },
});
