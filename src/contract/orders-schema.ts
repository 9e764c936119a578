import { z } from 'zod';
import { limitFields } from './request.ts';
import { kit } from './spec.ts';
import { changeable, type RunOrder } from './orders.ts';
import { shapeOf } from './shape.ts';

const wanted = Object.fromEntries(changeable.map((name) => [name, limitFields[name]])) as Pick<
  typeof limitFields,
  (typeof changeable)[number]
>;
const By = z.string().min(1).max(500);

/** What a person asks of a run that is going on, as data. */
const OrderSchema = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('pause'), by: By }),
  z.strictObject({ do: z.literal('resume'), by: By }),
  z.strictObject({ do: z.literal('limit'), by: By, limits: z.strictObject(shapeOf(kit, wanted)) }),
]);

/** Undefined: nobody can say what it means. */
export function readOrder(line: string): RunOrder | undefined {
  if (line.trim() === '') return undefined;
  try {
    return OrderSchema.safeParse(JSON.parse(line)).data as RunOrder | undefined;
  } catch {
    return undefined;
  }
}
