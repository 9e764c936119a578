import { messageOf } from '../../failure.ts';
import { compileSchema, type JsonSchema } from './json-schema.ts';

/** Checks a final answer; returns what is wrong with it, or undefined. */
export type CheckAnswer = (text: string) => string | undefined;

/** A schema, or checking an answer against it, may take practically for ever. */
const longestMs = 5000;

export async function openOutputSchema(schema: JsonSchema, limitMs = longestMs): Promise<CheckAnswer> {
  const check = await compileSchema(schema, limitMs);
  return (text) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      return `it is not JSON: ${messageOf(error)}`;
    }
    return check(value);
  };
}

/** Tells the model about the form of its answer. */
export function schemaInstructions(schema: JsonSchema): string {
  return `When you are done, your final answer must be one JSON value and nothing else: no words around it, no code fence. It must match this JSON Schema:\n${JSON.stringify(schema)}`;
}

export function repairRequest(problem: string): string {
  return `Your answer does not match the JSON Schema: ${problem}\nAnswer again with the JSON value alone.`;
}
