import type { JsonObject } from '../dialect.ts';
import { speakerOf } from '../shared/opencode/detect.ts';

export function detect(head: readonly JsonObject[], stderr: readonly string[]): number {
  const speaker = speakerOf(head, stderr);
  return speaker?.who === 'kilo' ? speaker.sure : 0;
}
