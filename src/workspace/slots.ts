import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.ts';

const most = 400;
const firstPort = 20_000;
const portsEach = 100;

/** A small number that no other copy of this user has at the moment. */
export function takeSlot(folder: string, isFree: (holder: string) => boolean, holder: string): number {
  for (let slot = 1; slot <= most; slot += 1) {
    if (take(join(folder, `${slot}.slot`), isFree, holder)) return slot;
  }
  throw new Failure('config', `there are ${most} private copies already; see "runwire orchestrate clean"`);
}

export function freeSlot(folder: string, slot: number): void {
  rmSync(join(folder, `${slot}.slot`), { force: true });
}

function take(path: string, isFree: (holder: string) => boolean, holder: string): boolean {
  try {
    const file = openSync(path, 'wx', 0o600);
    writeSync(file, holder);
    closeSync(file);
    return true;
  } catch {
    const before = read(path);
    if (before === '' || !isFree(before)) return false;
    rmSync(path, { force: true });
    return take(path, () => false, holder);
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** What keeps two copies on one machine from meeting: their ports, and the names of their containers. */
export function slotVariables(slot: number, name: string): Record<string, string> {
  return {
    RUNWIRE_SLOT: String(slot),
    RUNWIRE_PORT_BASE: String(firstPort + slot * portsEach),
    COMPOSE_PROJECT_NAME: `runwire-${slot}-${name}`,
  };
}
