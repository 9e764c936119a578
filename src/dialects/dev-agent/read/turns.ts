import { present } from '../../../json/present.ts';
import type { JsonObject } from '../../../json/json.ts';
import { filled, whole } from '../../../json/read.ts';

export function turnOf(wire: JsonObject): { turn_id?: string; iteration?: number } {
  return present({ turn_id: filled(wire.turn_id), iteration: whole(wire.iteration) });
}
