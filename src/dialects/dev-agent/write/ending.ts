import type { RunOutcome } from '../../../outcome/outcome.ts';
import type { Json, JsonObject } from '../../dialect.ts';
import { ending } from '../encode.ts';

/** What the last line carries, and what people get after it. */
export function finalReport(outcome: RunOutcome): Json | undefined {
  return ending(outcome as unknown as JsonObject).final_report;
}
