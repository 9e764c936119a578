import type { z } from 'zod';
import type { Fields, Kit } from './field.ts';

/** The shape of an object with these fields: one without a default may be absent. */
export type ShapeOf<Table extends Fields> = {
  [Name in keyof Table]: Table[Name] extends { readonly default: unknown }
    ? ReturnType<Table[Name]['schema']>
    : z.ZodOptional<ReturnType<Table[Name]['schema']>>;
};

export function shapeOf<Table extends Fields>(kit: Kit, fields: Table): ShapeOf<Table> {
  const shape = Object.entries(fields).map(([name, field]) => {
    const schema = field.schema(kit);
    return [name, 'default' in field ? schema : schema.optional()];
  });
  return Object.fromEntries(shape) as ShapeOf<Table>;
}

/** The same where what has a default may be left out. */
export type LooseShapeOf<Table extends Fields> = {
  [Name in keyof Table]: Table[Name] extends { readonly default: unknown }
    ? z.ZodDefault<ReturnType<Table[Name]['schema']>>
    : z.ZodOptional<ReturnType<Table[Name]['schema']>>;
};

export function looseShapeOf<Table extends Fields>(kit: Kit, fields: Table): LooseShapeOf<Table> {
  const shape = Object.entries(fields).map(([name, field]) => {
    const schema = field.schema(kit);
    return [name, 'default' in field ? schema.default(field.default) : schema.optional()];
  });
  return Object.fromEntries(shape) as LooseShapeOf<Table>;
}
