import type { JsonObject } from '../../json/json.ts';
import { surest } from '../kit/surest.ts';

export function detect(head: readonly JsonObject[]): number {
  return surest(head, (wire) =>
    typeof wire.schema_version === 'string' && wire.schema_version.startsWith('ATIF-v') ? 1 : 0,
  );
}

/** A document that was cut off: its version comes first. */
export function detectText(text: string): number {
  return /^\{\s{0,20}"schema_version"\s?:\s?"ATIF-v/.test(text.slice(0, 100)) ? 0.9 : 0;
}
