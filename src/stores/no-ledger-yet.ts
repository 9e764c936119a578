import { Failure } from '../failure.ts';

/** Nothing was ever written to this place, and whoever only reads does not create it: its name may be a typo. */
export class NoLedgerYet extends Failure {
  readonly place: string;

  constructor(place: string) {
    super('input', `no runs yet: ${place} does not exist`);
    this.place = place;
  }
}

export interface Opening {
  /** Default: yes. A reader that may not gets `NoLedgerYet`. */
  mayCreate?: boolean;
}
