import { present } from '../../../present.ts';
import type { Json, JsonObject } from '../../dialect.ts';
import { filled, integer } from '../../read.ts';

export function turnOf(wire: JsonObject): { turn_id?: string; iteration?: number } {
  return present({ turn_id: filled(wire.turn_id), iteration: whole(wire.iteration) });
}

/** A whole number, never below zero. */
export function whole(value: Json | undefined): number | undefined {
  const number = integer(value);
  return number === undefined || number < 0 ? undefined : number;
}
