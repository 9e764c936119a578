import { Failure } from '../failure.ts';
import type { Amounts, BudgetState, Reservation, Taking } from '../stores/budget-store.ts';
import { isDatabaseError } from '../stores/database.ts';
import { isRoomFor } from '../stores/grants.ts';
import type { RunStore } from '../stores/run-store.ts';
import { dollarsSet } from '../terminal/figures.ts';

/** What a run may spend, or why it may not even start. */
export type Reserved =
  | { kind: 'reserved'; reservation: Reservation }
  | { kind: 'exceeded'; limit: 'cost' | 'tokens'; budget: BudgetState; message: string };

/**
 * Reserves part of a budget for a run before it starts: at most `amount`, else a share that grows with what the run spends.
 * What the run really spent counts as soon as the ledger knows that it ended. Throws `Failure` if there is no such budget.
 */
export function reserve(store: RunStore, name: string, run: string, amount: Amounts = {}): Promise<Reserved> {
  return ask(store, name, run, { step: amount });
}

/** Reports what the run has spent, and that its next step may take `step`: `exceeded` if there is no room for it. */
export function reserveMore(store: RunStore, name: string, run: string, taking: Taking): Promise<Reserved> {
  return ask(store, name, run, taking);
}

/** What a request to a model may cost, or why it must not go out. `isHeld`: others have reserved what would be enough. */
export type Held =
  | { kind: 'reserved'; reservation: Reservation }
  | { kind: 'exceeded'; limit: 'cost' | 'tokens'; budget: BudgetState; message: string; isHeld: boolean };

/** Reserves all that the next step may take, beyond what was spent, or nothing. */
export async function hold(store: RunStore, name: string, run: string, taking: Omit<Taking, 'isWhole'>): Promise<Held> {
  const reservation = await reservationOf(store, name, run, { ...taking, isWhole: true });
  const { budget } = reservation;
  const needed = (kind: 'usd' | 'tokens'): number => taking.spent[kind] + (taking.step[kind] ?? 0);
  const kind = (['usd', 'tokens'] as const).find((each) => {
    const { [each]: limit = Infinity, spent, reserved } = budget;
    return !isRoomFor(needed(each), limit - spent[each] - reserved[each]);
  });
  if (kind === undefined) return { kind: 'reserved', reservation };
  const { [kind]: limit = Infinity, spent } = budget;
  const message = `${exceeded(budget, kind)}; the next request may take ${shownAs(kind, taking.step[kind] ?? 0)}`;
  const isHeld = isRoomFor(needed(kind), limit - spent[kind]);
  return { kind: 'exceeded', limit: kind === 'usd' ? 'cost' : 'tokens', budget, message, isHeld };
}

/** Returns what was reserved beyond what a run has spent and needs for its requests on their way. */
export async function release(
  store: RunStore,
  name: string,
  run: string,
  spent: Taking['spent'],
): Promise<Reservation> {
  return reservationOf(store, name, run, { spent, step: {} });
}

/** Returns the reservation of a run that will never be in the ledger, except for what it spent. */
export async function settle(store: RunStore, run: string, { usd = 0, tokens = 0 }: Amounts = {}): Promise<void> {
  await store.budgets.settle(run, { usd, tokens });
}

async function ask(store: RunStore, name: string, run: string, taking: Partial<Taking>): Promise<Reserved> {
  const reservation = await reservationOf(store, name, run, taking);
  const { budget, usd = Infinity, tokens = Infinity } = reservation;
  const { spent = { usd: 0, tokens: 0 } } = taking;
  const gone = usd <= spent.usd ? 'usd' : tokens <= spent.tokens ? 'tokens' : undefined;
  return gone === undefined
    ? { kind: 'reserved', reservation }
    : { kind: 'exceeded', limit: gone === 'usd' ? 'cost' : 'tokens', budget, message: exceeded(budget, gone) };
}

async function reservationOf(
  store: RunStore,
  name: string,
  run: string,
  taking: Partial<Taking>,
): Promise<Reservation> {
  const reservation = await store.budgets.reserve(name, run, taking).catch((error: unknown) => {
    if (!isDatabaseError(error)) throw error;
    throw new Failure('config', `the budget ${name} cannot be asked: ${store.name}: ${error.message}`, {
      cause: error,
    });
  });
  if (reservation === undefined)
    throw new Failure('config', `no budget "${name}" in ${store.name}; "runwire budget set" makes one`);
  return reservation;
}

/** Which budget, how much of it is spent, and when there is more. */
function exceeded({ name, per, until, ...budget }: BudgetState, kind: 'usd' | 'tokens'): string {
  const shown = (amount: number): string => shownAs(kind, amount);
  const { [kind]: held } = budget.reserved;
  const span = per === 'total' ? '' : ` a ${per}`;
  const next = until === undefined ? '' : `; the next ${per} begins at ${new Date(until).toISOString().slice(0, 16)}Z`;
  return `the budget "${name}" of ${shown(budget[kind] ?? 0)}${span} was reached: ${shown(budget.spent[kind])} spent${
    held > 0 ? `, ${shown(held)} reserved` : ''
  }${next}`;
}

function shownAs(kind: 'usd' | 'tokens', amount: number): string {
  return kind === 'usd' ? dollarsSet(amount) : `${Math.round(amount)} tokens`;
}
