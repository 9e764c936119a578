import { z } from 'zod';
import { limitFields } from './request.ts';
import { kit } from './spec.ts';
import { changeable, type Order, type RunOrder } from './orders.ts';
import { shapeOf } from './shape.ts';

const wanted = Object.fromEntries(changeable.map((name) => [name, limitFields[name]])) as Pick<
  typeof limitFields,
  (typeof changeable)[number]
>;
const By = z.string().min(1).max(500);

const [pause, resume, limit] = [
  z.strictObject({ do: z.literal('pause') }),
  z.strictObject({ do: z.literal('resume') }),
  z.strictObject({ do: z.literal('limit'), limits: z.strictObject(shapeOf(kit, wanted)) }),
] as const;

/** What a person asks of a run that is going on, as data; who asks is added by whoever knows it. */
export const OrderRequest = z.discriminatedUnion('do', [pause, resume, limit]);

// Becomes part of a file name; unset: an older Runwire asks, which expects no answer.
const Id = z
  .string()
  .regex(/^[\w-]{1,64}$/)
  .optional();

const OrderSchema = z.discriminatedUnion('do', [
  pause.extend({ by: By, id: Id }),
  resume.extend({ by: By, id: Id }),
  limit.extend({ by: By, id: Id }),
]);

/** Undefined: it is none. */
export function orderIn(value: unknown): Order | undefined {
  return OrderRequest.safeParse(value).data as Order | undefined;
}

/** Undefined: nobody can say what it means. */
export function readOrder(line: string): (RunOrder & { id?: string }) | undefined {
  if (line.trim() === '') return undefined;
  try {
    return OrderSchema.safeParse(JSON.parse(line)).data as ReturnType<typeof readOrder>;
  } catch {
    return undefined;
  }
}
