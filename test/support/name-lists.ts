import { parseAst } from 'rolldown/parseAst';

/** A list of names in a source file, and what the declaration around it is called. */
export interface NameList {
  readonly declared: string;
  readonly names: readonly string[];
}

interface Node {
  readonly type: string;
  readonly [part: string]: unknown;
}

/** Every list of names in a module: of strings, of pairs that begin with one, a union of strings, the fields of a type, and the keys of an object that is not made by a function. */
export function nameLists(text: string, language: 'ts' | 'tsx'): NameList[] {
  const lists: NameList[] = [];
  walk(parseAst(text, { lang: language }), '', false, lists);
  return lists;
}

function walk(part: unknown, around: string, isInFunction: boolean, lists: NameList[]): void {
  if (Array.isArray(part)) for (const each of part) walk(each, around, isInFunction, lists);
  if (!isNode(part)) return;
  const declared = /^(?:VariableDeclarator|TS(?:Interface|TypeAlias)Declaration|ClassDeclaration)$/.test(part.type)
    ? (nameOf(part['id']) ?? around)
    : around;
  const names = [...new Set(namesIn(part, isInFunction))];
  if (names.length > 0) lists.push({ declared, names });
  const isInside = isInFunction || /Function/.test(part.type);
  for (const each of Object.values(part)) walk(each, declared, isInside, lists);
}

function namesIn(node: Node, isInFunction: boolean): string[] {
  const parts = (list: string): Node[] => (Array.isArray(node[list]) ? node[list].filter(isNode) : []);
  switch (node.type) {
    case 'ArrayExpression': {
      const pairs = isInFunction ? [] : parts('elements').filter(({ type }) => type === 'ArrayExpression');
      const firsts = pairs.map(({ elements }) => (Array.isArray(elements) ? (elements[0] as unknown) : undefined));
      return [...parts('elements'), ...firsts].flatMap((each) => textOf(each) ?? []);
    }
    case 'TSUnionType':
      return parts('types').flatMap((each) => textOf(each['literal']) ?? []);
    case 'ObjectExpression':
      return isInFunction ? [] : keysOf(parts('properties'));
    case 'TSInterfaceBody':
      return keysOf(parts('body'));
    case 'TSTypeLiteral':
      return keysOf(parts('members'));
    default:
      return [];
  }
}

function keysOf(fields: readonly Node[]): string[] {
  return fields.flatMap(({ key, computed }) => (computed === true ? [] : (nameOf(key) ?? textOf(key) ?? [])));
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Identifier' && typeof node['name'] === 'string' ? node['name'] : undefined;
}

function textOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : undefined;
}

function isNode(part: unknown): part is Node {
  return typeof part === 'object' && part !== null && 'type' in part && typeof part.type === 'string';
}
