import type { Ajv, ErrorObject, Options } from 'ajv';
import type { Ajv2019 } from 'ajv/dist/2019.js';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { Failure, messageOf } from '../../failure.ts';
import { withinMs } from './time-limit.ts';

export type JsonSchema = Record<string, unknown>;

const mostProblems = 10;

/** What is wrong with a value, in words; undefined when it fits. */
export type CheckValue = (value: unknown) => string | undefined;

/**
 * Compiles a schema of draft-06, draft-07, 2019-09 or 2020-12; one that does not name its draft is 2020-12, or 2019-09 where
 * it has tuples of the older form. Nothing is ever loaded: references must stay inside the schema.
 */
export async function compileSchema(given: JsonSchema, limitMs: number): Promise<CheckValue> {
  const { $schema, $async: _, ...schema } = given;
  const ajv = await validatorFor($schema, schema, limitMs);
  try {
    const validate = withinMs(limitMs, () => ajv.compile(schema));
    return (value) => {
      try {
        return withinMs(limitMs, () => validate(value)) ? undefined : describe(validate.errors ?? []);
      } catch (error) {
        return `it cannot be checked: ${wordsOf(error)}`;
      }
    };
  } catch (error) {
    throw broken(explain(error, schema), error);
  }
}

type Validator = Ajv | Ajv2019 | Ajv2020;
type Draft = 'draft-07' | '2019-09' | '2020-12';

/** The validator for the draft that the schema is written in; a schema that is invalid in every draft is refused. */
async function validatorFor($schema: unknown, schema: JsonSchema, limitMs: number): Promise<Validator> {
  const [draft, ...others] = draftsOf($schema);
  const ajv = await open(draft);
  const problems = problemsOf(schema, ajv, limitMs);
  if (problems === undefined) return ajv;
  for (const each of others) {
    const other = await open(each);
    if (problemsOf(schema, other, limitMs) === undefined) return other;
  }
  throw broken(problems);
}

function draftsOf($schema: unknown): [Draft, ...Draft[]] {
  if ($schema === undefined) return ['2020-12', '2019-09'];
  const name = String($schema);
  if (name.includes('2020-12')) return ['2020-12'];
  if (name.includes('2019-09')) return ['2019-09'];
  // Draft-07 only added to draft-06; what is no longer valid from draft-04 is found by its own rules.
  if (/draft-0[467]/.test(name)) return ['draft-07'];
  throw broken(
    `$schema "${name}" is not supported; write https://json-schema.org/draft/2020-12/schema, or leave it out`,
  );
}

async function open(draft: Draft): Promise<Validator> {
  // Unknown keywords are ignored, as JSON Schema requires. All problems are reported, so that they can be fixed in one go.
  const options: Options = { strict: false, allErrors: true, logger: false, validateSchema: false, code: { regExp } };
  const ajv = await create(draft, options);
  const { default: formats } = await import('ajv-formats');
  formats.default(ajv);
  return ajv;
}

async function create(draft: Draft, options: Options): Promise<Validator> {
  switch (draft) {
    case 'draft-07':
      return new (await import('ajv')).Ajv(options);
    case '2019-09':
      return new (await import('ajv/dist/2019.js')).Ajv2019(options);
    case '2020-12':
      return new (await import('ajv/dist/2020.js')).Ajv2020(options);
  }
}

/** Patterns are Unicode, but many use escapes that only the older form allows. */
const regExp = Object.assign(
  (pattern: string): RegExp => {
    try {
      return new RegExp(pattern, 'u');
    } catch {
      return new RegExp(pattern);
    }
  },
  { code: 'RegExp' },
);

function problemsOf(schema: JsonSchema, ajv: Validator, limitMs: number): string | undefined {
  try {
    return withinMs(limitMs, () => ajv.validateSchema(schema)) === true ? undefined : describe(ajv.errors ?? []);
  } catch (error) {
    return wordsOf(error);
  }
}

/** Why a schema could not be compiled. */
function explain(error: unknown, schema: JsonSchema): string {
  const reference = error instanceof Error && 'missingRef' in error ? error.missingRef : undefined;
  if (reference !== undefined)
    return `$ref "${String(reference)}"${placeOf(schema, '$ref', reference)} cannot be resolved; references must stay inside the schema, nothing is loaded`;
  const pattern =
    error instanceof SyntaxError ? /^Invalid regular expression: \/(.*)\/\w*: /s.exec(error.message)?.[1] : undefined;
  return pattern === undefined ? wordsOf(error) : `pattern${placeOf(schema, 'pattern', pattern)}: ${wordsOf(error)}`;
}

/** Where in the schema this is, for people. */
function placeOf(schema: JsonSchema, word: string, wanted: unknown): string {
  const places: [value: unknown, path: string][] = [[schema, '#']];
  for (const [value, path] of places) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, each] of Object.entries(value)) {
      if (key === word && each === wanted) return ` at ${path}`;
      places.push([each, `${path}/${key}`]);
    }
  }
  return '';
}

function describe(errors: readonly ErrorObject[]): string {
  const problems = [...new Set(errors.map(describeOne))];
  const more = problems.length - mostProblems;
  return [...problems.slice(0, mostProblems), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function describeOne({ instancePath, message = 'does not fit', params }: ErrorObject): string {
  const { additionalProperty, unevaluatedProperty, propertyName, allowedValues, allowedValue } = params as Record<
    string,
    unknown
  >;
  const detail = [additionalProperty, unevaluatedProperty, propertyName, allowedValues, allowedValue].find(
    (each) => each !== undefined,
  );
  return `#${instancePath} ${message}${detail === undefined ? '' : `: ${JSON.stringify(detail)}`}`;
}

const broken = (why: string, cause?: unknown): Failure => new Failure('config', `output schema: ${why}`, { cause });
function wordsOf(error: unknown): string {
  // The schema is nested more deeply than the stack allows.
  if (error instanceof RangeError) return 'it is nested too deeply';
  return messageOf(error);
}
