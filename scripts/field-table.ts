/** The parts of a JSON Schema that are used here. */
export interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  $ref?: string;
}

interface Row {
  path: string;
  type: string;
  required: string;
}

/** Where meanings are looked up: the whole path first, then the name alone. */
export type Meanings = Readonly<Record<string, string>>;

/** A table of every field of a format. Throws if a field has no meaning. */
export function fieldTable(schema: Schema, meanings: Meanings, where = ''): string {
  const lines = rowsOf(schema, '').map(({ path, type, required }) => {
    const name = path.replace(/^.*\./, '').replace(/\[\]$/, '');
    const meaning = meanings[`${where} ${path}`] ?? meanings[path] ?? meanings[name];
    if (meaning === undefined) throw new Error(`scripts/format-meanings.ts says nothing of ${where} ${path}`);
    return `| \`${path}\` | ${type.replaceAll('|', '\\|')} | ${required} | ${meaning} |`;
  });
  return `| field | type | required | meaning |\n| --- | --- | --- | --- |\n${lines.join('\n')}\n`;
}

/** All shapes that a value may have. */
export function shapesOf(schema: Schema): Schema[] {
  const members = schema.anyOf ?? schema.oneOf;
  return members === undefined ? [schema] : members.flatMap(shapesOf);
}

function rowsOf(schema: Schema, prefix: string): Row[] {
  const shapes = shapesOf(schema).filter(({ properties }) => properties !== undefined);
  const names = new Set(shapes.flatMap(({ properties }) => Object.keys(properties ?? {})));
  return [...names].flatMap((name) => {
    const having = shapes.filter(({ properties }) => properties?.[name] !== undefined);
    const field: Schema = { anyOf: having.map(({ properties }) => properties?.[name] ?? {}) };
    const path = `${prefix}${name}`;
    const elements = shapesOf(field).flatMap(({ items }) => (items === undefined ? [] : [items]));
    return [
      { path, type: typeOf(field), required: requiredIn(name, shapes) },
      ...rowsOf(field, `${path}.`),
      ...(elements.length === 0 ? [] : rowsOf({ anyOf: elements }, `${path}[].`)),
    ];
  });
}

/** `yes`, `no`, or the marks of the shapes that require it. */
function requiredIn(name: string, shapes: readonly Schema[]): string {
  const needing = shapes.filter(({ required = [] }) => required.includes(name));
  if (needing.length === shapes.length) return 'yes';
  const words = needing.map((shape) => markOf(shape)).filter((word) => word !== undefined);
  return words.length === 0 ? 'no' : words.join(', ');
}

function markOf({ properties = {} }: Schema): string | undefined {
  const mark = ['type', 'role', 'status'].find((name) => properties[name]?.const !== undefined);
  return mark === undefined ? undefined : `${mark} \`${String(properties[mark]?.const)}\``;
}

function typeOf(schema: Schema): string {
  // A shape that must not have the field is empty, and adds no type.
  const told = shapesOf(schema).filter((shape) => Object.keys(shape).length > 0);
  return [...new Set(told.flatMap((shape) => shapeType(shape).split(' | ')))].join(' | ') || 'JSON';
}

function shapeType({ const: word, enum: words, type, format, items, $ref }: Schema): string {
  if (word !== undefined) return `\`${JSON.stringify(word)}\``;
  if (words !== undefined) return words.map((each) => `\`${JSON.stringify(each)}\``).join(' | ');
  if ($ref !== undefined || type === undefined) return 'JSON';
  if (type === 'array') return `${items === undefined ? 'JSON' : typeOf(items)}[]`;
  return format === 'date-time' ? 'string (RFC 3339)' : Array.isArray(type) ? type.join(' | ') : type;
}
