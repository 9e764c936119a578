import { Failure, messageOf } from '../failure.ts';

/** A run whose row can be found but not read; the others are not affected. */
export class DamagedRun extends Failure {
  constructor(id: string, cause: unknown) {
    super(
      'config',
      `the run ${id} is damaged in the ledger and cannot be read: ${messageOf(cause)}; see "runwire runs verify"`,
      { cause },
    );
  }
}

/** Without `onDamaged` the first damage ends the reading. */
export function unlessDamaged<Value>(
  read: () => Value,
  onDamaged: ((damage: DamagedRun) => void) | undefined,
): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DamagedRun) || onDamaged === undefined) throw error;
    onDamaged(error);
    return undefined;
  }
}
