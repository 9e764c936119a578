import { z } from 'zod';
import type { Kit } from './field.ts';
import { labelsSchema } from './labels-schema.ts';
import { type limitFields, requestFields } from './request.ts';
import { shapeOf } from './shape.ts';
import { Rule } from '../expect/rule.ts';

export const kit: Kit = { z, Rule, labels: labelsSchema() };

/** What to do: data that can be stored, queued and sent. It names variables, never their values. */
export const RunSpec = z.strictObject(shapeOf(kit, requestFields));
export type RunSpec = z.infer<typeof RunSpec>;
export type Limits = RunSpec['limits'];

type ForAgent = {
  [Name in keyof typeof limitFields]: (typeof limitFields)[Name] extends { readonly isForAgent: true } ? Name : never;
}[keyof typeof limitFields];

/** The limits that the built-in agent enforces itself, before the model call that would exceed them. */
export type OwnLimits = Pick<Limits, ForAgent>;
