import type { JsonObject } from '../../json/json.ts';

export function detect(head: readonly JsonObject[]): number {
  return head.some(isRecord) ? 1 : 0;
}

function isRecord({ sequence, synthetic, source }: JsonObject): boolean {
  return typeof sequence === 'number' && typeof synthetic === 'boolean' && typeof source === 'string';
}
