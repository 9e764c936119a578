import type { EventRecord } from '../../events/event.ts';
import { UsageTotals } from '../../outcome/usage.ts';
import { present } from '../../json/present.ts';
import type { UsedSoFar } from '../../stores/run-store.ts';

/** What a running run has used so far: all that is known if its machine is lost. */
export class UsageMeter {
  readonly #totals = new UsageTotals();
  #toolCalls = 0;
  #isChanged = false;

  see(record: EventRecord): void {
    if (record.type === 'usage.reported') this.#totals.report(record);
    else if (record.type === 'item.completed') this.#toolCalls += 1;
    else return;
    this.#isChanged = true;
  }

  nextAttempt(): void {
    this.#totals.nextAttempt(false);
  }

  /** What changed since the last call; empty: nothing. */
  take(): UsedSoFar {
    if (!this.#isChanged) return {};
    this.#isChanged = false;
    const { input, output, cost } = this.#totals.total();
    return present({
      input_tokens: input,
      output_tokens: output,
      cost,
      tool_calls: this.#toolCalls === 0 ? undefined : this.#toolCalls,
    });
  }
}
