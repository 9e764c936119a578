import { z } from 'zod';
import { fields, type Found, optionOf } from '../src/contract/requested.ts';
import type { Fields } from '../src/contract/field.ts';
import { kit } from '../src/contract/spec.ts';

/** The library has names of its own for what these hold. */
const named: Readonly<Record<string, string>> = { price: 'TokenPrice', output_schema: 'Record<string, unknown>' };

/** src/contract/run-options.ts: the options of the library that are fields of a request, with a comment for people who read types. */
export function requestSource(): string {
  const members = (wanted: (field: Found) => boolean): string => fields.filter(wanted).flatMap(member).join('\n');
  return `// Made from request.ts by \`npm run generate\`.
import type { TokenPrice } from '../words/vocabulary.ts';

/** What a run may take. Unset: no limit. */
export interface Limits {
${members(({ under }) => under === 'limits')}
}

/** What can be asked of a run, as the options of the library name it. */
export interface RequestOptions {
${members(({ under }) => under !== 'limits')}
  limits?: Limits | undefined;
}
`;
}

function member(found: Found): string[] {
  const option = optionOf(found);
  if (option === undefined) return [];
  const { about } = found.field;
  const type =
    named[found.name] ??
    typeText(z.toJSONSchema((found.field as Fields[string]).schema(kit), { unrepresentable: 'any', io: 'input' }));
  return [...(about === undefined ? [] : [`  /** ${about} */`]), `  ${option}?: ${type} | undefined;`];
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

function typeText({ type, enum: words, items, additionalProperties }: JsonSchema): string {
  if (words !== undefined) return words.map((word) => `'${String(word)}'`).join(' | ');
  switch (type) {
    case 'string':
    case 'boolean':
    case 'number':
      return type;
    case 'integer':
      return 'number';
    case 'array': {
      const each = typeText(items as JsonSchema);
      return `readonly ${each.includes('|') ? `(${each})` : each}[]`;
    }
    case 'object':
      return `Readonly<Record<string, ${typeText(additionalProperties as JsonSchema)}>>`;
    default:
      throw new Error(`no type for a field of type ${String(type)}`);
  }
}
