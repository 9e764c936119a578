import { AgentEvent } from '../src/events/event.ts';
import { z } from 'zod';

interface Schema {
  type?: string | string[];
  const?: string;
  enum?: string[];
  anyOf?: Schema[];
  minimum?: number;
  minLength?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

function kindOf(schema: Schema): string {
  if (Array.isArray(schema.type)) {
    const [type, ...more] = schema.type.filter((each) => each !== 'null');
    return type === undefined || more.length > 0 ? 'json' : `${kindOf({ ...schema, type })}?`;
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum.join('|');
  if (schema.anyOf?.some((each) => each.type === 'null')) {
    const other = schema.anyOf.find((each) => each.type !== 'null');
    return other === undefined ? 'json' : `${kindOf(other)}?`;
  }
  switch (schema.type) {
    case 'string':
      return schema.minLength === undefined ? 'string' : 'id';
    case 'integer':
      return schema.minimum === 0 ? 'count' : 'integer';
    case 'number':
      return schema.minimum === 0 ? 'amount' : 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return schema.items?.type === 'string' ? 'strings' : 'json';
    default:
      return 'json';
  }
}

/** The text of src/events/shapes.ts; a test compares it with the file. */
export function shapesSource(): string {
  const union = z.toJSONSchema(AgentEvent) as { oneOf?: Schema[]; anyOf?: Schema[] };
  const lines: string[] = [];
  for (const member of union.oneOf ?? union.anyOf ?? []) {
    const type = member.properties?.type?.const;
    const fields = Object.entries(member.properties ?? {}).filter(([name]) => name !== 'type');
    const text = fields.map(
      ([name, schema]) => `${name}: '${member.required?.includes(name) ? '' : '~'}${kindOf(schema)}'`,
    );
    const one = `  ${type?.includes('.') ? `'${type}'` : type}: { ${text.join(', ')} },`;
    lines.push(
      text.length === 0
        ? `  '${type}': {},`
        : one.length <= 160
          ? one
          : `  ${type?.includes('.') ? `'${type}'` : type}: {\n${text.map((each) => `    ${each},\n`).join('')}  },`,
    );
  }
  return `// Generated from event.ts by \`npm run generate\`; do not edit. \`~\` marks an optional field, \`?\` one that may be null.
import type { EventType } from './event.ts';

export const shapes: Record<EventType, Record<string, string>> = {
${lines.join('\n')}
};
`;
}
