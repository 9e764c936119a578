import { messageOf } from '../../failure.ts';
import { compileSchema, type JsonSchema } from './json-schema.ts';

/** Checks a final answer; undefined when it fits, else what is wrong with it. */
export type CheckAnswer = (text: string) => string | undefined;

/** A schema may ask for more than a machine can do in a lifetime, and so may an answer that is checked by it. */
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

/** What the model is told about the form of its answer. */
export function schemaInstructions(schema: JsonSchema): string {
  return `When you are done, your final answer must be one JSON value and nothing else: no words around it, no code fence. It must match this JSON Schema:\n${JSON.stringify(schema)}`;
}

export function repairRequest(problem: string): string {
  return `Your answer does not match the JSON Schema: ${problem}\nAnswer again with the JSON value alone.`;
}
