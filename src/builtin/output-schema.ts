import { z } from 'zod';
import { Failure } from '../failure.ts';

type JsonSchema = Record<string, unknown>;

/** Checks a final answer; undefined when it fits, else what is wrong with it. */
export type CheckAnswer = (text: string) => string | undefined;

const objectWords = [
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
];
const arrayWords = ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains'];
const otherWords = [
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
];
const unsupported = [
  'not',
  'if',
  'then',
  'else',
  'dependencies',
  'dependentSchemas',
  'dependentRequired',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'];
const maps = ['properties', 'patternProperties', '$defs', 'definitions'];
const singles = ['items', 'additionalProperties', 'contains', 'propertyNames'];

export function openOutputSchema(schema: JsonSchema): CheckAnswer {
  let type: z.ZodType;
  try {
    type = z.fromJSONSchema(prepare(schema, '#') as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('config', `output schema: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  return (text) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      return `it is not JSON: ${error instanceof Error ? error.message : String(error)}`;
    }
    const result = type.safeParse(value);
    return result.success ? undefined : z.prettifyError(result.error);
  };
}

/**
 * Makes the schema mean to the converter what it means by itself: a `default` does not stand in for a missing value, a required
 * field need not be declared, and words that belong to a type are not ignored where the type is left out. What cannot be kept is refused, not dropped.
 */
function prepare(schema: unknown, path: string): unknown {
  if (typeof schema === 'boolean') return schema;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw new Failure('config', `output schema: ${path} is not a schema (expected an object)`);
  const { default: _, ...out } = schema as JsonSchema;
  for (const word of unsupported) if (word in out) throw new Failure('config', `output schema: "${word}" at ${path} is not supported`);
  for (const key of singles) if (key in out && !Array.isArray(out[key])) out[key] = prepare(out[key], `${path}/${key}`);
  for (const key of lists) if (Array.isArray(out[key])) out[key] = out[key].map((each, index) => prepare(each, `${path}/${key}/${index}`));
  for (const key of maps) {
    const map = out[key];
    if (typeof map !== 'object' || map === null) continue;
    out[key] = Object.fromEntries(Object.entries(map).map(([name, each]) => [name, prepare(each, `${path}/${key}/${name}`)]));
  }
  if (Array.isArray(out['required'])) {
    const declared = (out['properties'] ?? {}) as JsonSchema;
    out['properties'] = { ...Object.fromEntries(out['required'].map((name) => [String(name), true])), ...declared };
  }
  if (out['type'] === undefined) {
    const has = (words: readonly string[]): string | undefined => words.find((word) => word in out);
    const found = [has(objectWords) && 'object', has(arrayWords) && 'array'].filter(Boolean);
    const lone = has(otherWords);
    if (found.length + (lone === undefined ? 0 : 1) > 1 || (lone !== undefined && found.length === 0))
      throw new Failure('config', `output schema: "${lone ?? has(arrayWords)}" at ${path} needs a "type" beside it`);
    if (found[0] !== undefined) out['type'] = found[0];
  }
  if (
    '$ref' in out &&
    Object.keys(out).some((key) => [...objectWords, ...arrayWords, ...otherWords, 'type', 'enum', 'const'].includes(key))
  )
    throw new Failure('config', `output schema: "$ref" at ${path} stands beside other rules, which is not supported`);
  return out;
}

/** What the model is told about the form of its answer. */
export function schemaInstructions(schema: JsonSchema): string {
  return `When you are done, your final answer must be one JSON value and nothing else: no words around it, no code fence. It must match this JSON Schema:\n${JSON.stringify(schema)}`;
}

export function repairRequest(problem: string): string {
  return `Your answer does not match the JSON Schema: ${problem}\nAnswer again with the JSON value alone.`;
}
